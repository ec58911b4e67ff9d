/**
 * Adapter of zeromq.js: requests on stdin, answers on stdout, each a JSON object on one line.
 *
 * conformance/adapters/README.md describes requests and answers. The adapter reports the library's results and errors
 * unchanged. It serves requests one after the other, so that a socket never has two calls at once.
 */

import { createRequire } from "node:module";
import { exit, stdin, stdout } from "node:process";
import { createInterface } from "node:readline";

import { Proxy, Publisher, Subscriber, version, XPublisher, XSubscriber } from "zeromq";

type Socket = Publisher | XPublisher | Subscriber | XSubscriber;
type Fields = Record<string, unknown>;

const ENDPOINT = "tcp://127.0.0.1:*";

const TYPES = { PUB: Publisher, XPUB: XPublisher, SUB: Subscriber, XSUB: XSubscriber };

/** zeromq.js' property names, by the suite's option names. */
const OPTIONS: ReadonlyMap<string, string> = new Map([
  ["sndhwm", "sendHighWaterMark"],
  ["rcvhwm", "receiveHighWaterMark"],
  ["linger", "linger"],
  ["verbose", "verbosity"],
  ["heartbeat_ivl", "heartbeatInterval"],
  ["heartbeat_timeout", "heartbeatTimeout"],
  ["heartbeat_ttl", "heartbeatTimeToLive"],
  ["handshake_ivl", "handshakeInterval"],
  ["maxmsgsize", "maxMessageSize"],
  ["reconnect_ivl", "reconnectInterval"],
  ["nodrop", "noDrop"],
]);

/** A feature that zeromq.js lacks by design; the message names it. */
class Unsupported extends Error {}

/** The library's proxy, on a thread of its own, which owns both sockets until it ends and closes them. */
class RunningProxy {
  readonly #proxy: Proxy;
  readonly #ended: Promise<void>;

  constructor(frontend: XSubscriber, backend: XPublisher) {
    this.#proxy = new Proxy(frontend, backend);
    this.#ended = this.#proxy.run();
    this.#ended.catch(() => undefined); // stop() reports the error
  }

  async stop(): Promise<void> {
    this.#proxy.terminate();
    await this.#ended;
  }
}

/** The sockets and proxies, by the suite's names for them. */
class Adapter {
  ended = false;
  readonly #sockets = new Map<string, Socket>();
  readonly #proxies = new Map<string, RunningProxy>();
  #proxiesMade = 0;

  /** Executes the request in a line. Returns errors as answers. */
  async answer(line: string): Promise<Fields> {
    try {
      const request: unknown = JSON.parse(line);
      if (typeof request !== "object" || request === null) throw new TypeError("a request must be an object");
      return { ok: true, ...(await this.#serve({ ...request })) };
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      const unsupported = error instanceof Unsupported || codeOf(error) === "ENOTSUP";
      return { ok: false, [unsupported ? "unsupported" : "error"]: text };
    }
  }

  /** Closes everything. */
  async close(): Promise<void> {
    await Promise.allSettled([...this.#proxies.values()].map((proxy) => proxy.stop()));
    for (const socket of this.#sockets.values()) {
      socket.linger = 0;
      socket.close();
    }
  }

  async #serve(request: Fields): Promise<Fields> {
    const op = text(request, "op");
    switch (op) {
      case "hello":
        return hello();
      case "open":
        return this.#open(request);
      case "proxy":
        return this.#openProxy(request);
      case "proxy_close":
        return this.#closeProxy(text(request, "proxy"));
      case "exit":
        this.ended = true;
        return {};
      default:
        return this.#serveSocket(op, request);
    }
  }

  async #serveSocket(op: string, request: Fields): Promise<Fields> {
    switch (op) {
      case "bind":
        return { endpoint: await bind(this.#socket(request)) };
      case "unbind":
        await this.#socket(request).unbind(text(request, "endpoint"));
        return {};
      case "connect":
        this.#socket(request).connect(text(request, "endpoint"));
        return {};
      case "disconnect":
        this.#socket(request).disconnect(text(request, "endpoint"));
        return {};
      case "subscribe":
      case "unsubscribe":
        return subscribe(this.#socket(request), op, octets(request["topic"]));
      case "send":
        return send(this.#socket(request), partsOf(request));
      case "recv":
        return receive(this.#socket(request), count(request, "timeout"));
      case "close":
        this.#socket(request).close();
        this.#sockets.delete(text(request, "socket"));
        return {};
      default:
        throw new RangeError(`unknown op ${op}`);
    }
  }

  #socket(request: Fields): Socket {
    const name = text(request, "socket");
    const socket = this.#sockets.get(name);
    if (socket === undefined) throw new RangeError(`no socket ${name}`);
    return socket;
  }

  #open(request: Fields): Fields {
    const name = text(request, "socket");
    if (this.#sockets.has(name)) throw new RangeError(`${name} is open`);
    const type = text(request, "type");
    if (!isType(type)) throw new Unsupported(`type ${type}`);
    const options = request["options"] ?? {};
    if (typeof options !== "object") throw new TypeError("options must be an object");
    const socket = new TYPES[type]({ linger: 0 });
    try {
      for (const [option, value] of Object.entries(options)) set(socket, option, value);
    } catch (error) {
      socket.close();
      throw error;
    }
    this.#sockets.set(name, socket);
    return {};
  }

  async #openProxy(request: Fields): Promise<Fields> {
    if (request["frontend"] !== "XSUB" || request["backend"] !== "XPUB")
      throw new Unsupported("a proxy other than from XSUB to XPUB");
    const frontend = new XSubscriber({ linger: 0 });
    const backend = new XPublisher({ linger: 0 });
    try {
      const upstream = "connect" in request ? text(request, "connect") : null;
      if (upstream !== null) frontend.connect(upstream);
      const bound = upstream === null ? await bind(frontend) : null;
      const answer = { frontend: bound, backend: await bind(backend) };
      this.#proxiesMade += 1;
      const proxy = `p${String(this.#proxiesMade)}`;
      this.#proxies.set(proxy, new RunningProxy(frontend, backend));
      return { proxy, ...answer };
    } catch (error) {
      frontend.close();
      backend.close();
      throw error;
    }
  }

  async #closeProxy(name: string): Promise<Fields> {
    const proxy = this.#proxies.get(name);
    if (proxy === undefined) throw new RangeError(`no proxy ${name}`);
    this.#proxies.delete(name);
    await proxy.stop();
    return {};
  }
}

function hello(): Fields {
  const { version: ours } = createRequire(import.meta.url)("zeromq/package.json") as { version: string };
  return {
    name: "ZeroMQ.js",
    version: ours,
    details: `libzmq ${version}`,
    types: [...Object.keys(TYPES), "PROXY"],
  };
}

function isType(type: string): type is keyof typeof TYPES {
  return Object.hasOwn(TYPES, type);
}

function set(socket: Socket, option: string, value: unknown): void {
  const property = OPTIONS.get(option);
  if (property === undefined || !(property in socket)) throw new Unsupported(`option ${option}`);
  let theirs = value;
  if (property === "verbosity") theirs = value ? "allSubsUnsubs" : null;
  if (property === "noDrop") theirs = Boolean(value);
  Reflect.set(socket, property, theirs);
}

async function bind(socket: Socket): Promise<string> {
  await socket.bind(ENDPOINT);
  if (socket.lastEndpoint === null) throw new Error("bound, but without an endpoint");
  return socket.lastEndpoint;
}

async function subscribe(socket: Socket, op: "subscribe" | "unsubscribe", topic: Buffer): Promise<Fields> {
  if (socket instanceof Subscriber) socket[op](topic);
  else if (socket instanceof XSubscriber)
    await socket.send(Buffer.concat([Buffer.from([op === "subscribe" ? 1 : 0]), topic]));
  else throw new Unsupported(`${op} of a publisher`);
  return {};
}

/** A time limit of 0 makes the library try once, without waiting. */
async function send(socket: Socket, parts: Buffer[]): Promise<Fields> {
  if (socket instanceof Subscriber) throw new Unsupported("SUB cannot send");
  socket.sendTimeout = 0;
  try {
    await socket.send(parts);
    return {};
  } catch (error) {
    if (codeOf(error) === "EAGAIN") return { again: true };
    throw error;
  }
}

async function receive(socket: Socket, timeout: number): Promise<Fields> {
  if (socket instanceof Publisher) throw new Unsupported("PUB cannot receive");
  socket.receiveTimeout = timeout;
  try {
    const parts = await socket.receive();
    return { parts: parts.map((part) => part.toString("hex")) };
  } catch (error) {
    if (codeOf(error) === "EAGAIN") return { parts: null };
    throw error;
  }
}

function text(request: Fields, name: string): string {
  const value = request[name];
  if (typeof value !== "string") throw new TypeError(`${name} must be a string`);
  return value;
}

function count(request: Fields, name: string): number {
  const value = request[name];
  if (typeof value !== "number") throw new TypeError(`${name} must be a number`);
  return value;
}

function octets(hex: unknown): Buffer {
  if (typeof hex !== "string" || hex.length % 2 !== 0 || !/^[0-9a-f]*$/.test(hex))
    throw new TypeError("bytes must be hexadecimal");
  return Buffer.from(hex, "hex");
}

function partsOf(request: Fields): Buffer[] {
  const parts = request["parts"];
  if (!Array.isArray(parts) || parts.length === 0) throw new TypeError("a message needs at least one part");
  return parts.map(octets);
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

const adapter = new Adapter();
for await (const line of createInterface({ input: stdin })) {
  stdout.write(`${JSON.stringify(await adapter.answer(line))}\n`);
  if (adapter.ended) break;
}
await adapter.close();
exit(0);

/**
 * A ZEPS client: subscribes to PATTERN (demo/) of STREAM from LATEST (0) on, publishes COUNT messages, receives them
 * all back, and detaches.
 *
 *     node build/client.js ENDPOINT STREAM COUNT [PATTERN [LATEST]]
 *
 * The generated machine decides which messages may be sent and when; its host owns the socket and the clock.
 */

import { randomUUID } from "node:crypto";
import { argv, exit, stderr, stdout } from "node:process";

import { zeps, zepsClient } from "zeps-wire";
import { Dealer } from "zeromq";

import { isGap, isRefusal, noticeOf, type Notice } from "./notice.js";

const PATIENCE_MS = 30_000;
const ANSWER_MS = 3_000;
const HEARTBEAT_MS = 1_000;
const CREDIT_OCTETS = 1n << 16n;
const PREFIX = "demo/";

/** Number of received messages, and the first and last of their sequences. */
interface Received {
  readonly count: number;
  readonly first: bigint;
  readonly last: bigint;
}

/** Arguments of the command line. */
interface Options {
  readonly endpoint: string;
  readonly stream: string;
  readonly count: number;
  readonly pattern: string;
  readonly latest: bigint;
}

/** One run of the client. `done` is settled when the broker has detached the client, or after an error. */
class Session implements zepsClient.ClientHost {
  readonly done: Promise<Received>;

  readonly #machine = new zepsClient.ClientMachine(this);
  readonly #run = `${randomUUID()} `; // prefix of the bodies; messages of other clients do not have it
  readonly #options: Options;
  #socket = new Dealer({ linger: 1000 });
  #calls: (() => unknown)[] = []; // calls of the machine, made after it has finished its step
  #sending: Promise<void> = Promise.resolve();
  #pattern: string;
  #latest: bigint; // last sequence that was delivered or is lost; subscribing resumes after it
  #notice: Notice = noticeOf(""); // the last notice
  #granted = 0n;
  #number = 0; // of the last own message that was received back
  #hasGap = false; // messages are missing since then
  #heard = Date.now();
  #asked = Date.now(); // time of the last request that needs an answer
  #isOver = false;
  #isLost = false; // a new connection is needed
  #received: Received = { count: 0, first: 0n, last: 0n };
  #resolve!: (received: Received) => void;
  #reject!: (error: Error) => void;

  constructor(options: Options) {
    this.#options = options;
    this.#pattern = options.pattern;
    this.#latest = options.latest;
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Attach, and serve one connection after the other until the session is over. */
  async serve(): Promise<void> {
    const timer = setInterval(() => {
      this.#tick();
    }, HEARTBEAT_MS);
    try {
      while (!this.#isOver) await this.#serveOne();
    } finally {
      clearInterval(timer);
    }
  }

  /** End the run: finish sending, and close the socket. */
  async close(): Promise<void> {
    this.#isOver = true;
    await this.#sending;
    this.#socket.close();
  }

  // --- actions of the machine

  send(message: zeps.Message): void {
    const frame = zeps.encode(message);
    const socket = this.#socket;
    // a socket takes one frame at a time
    this.#sending = this.#sending
      .then(() => (socket.closed ? undefined : socket.send(frame)))
      .catch((error: unknown) => {
        if (!socket.closed) this.#reject(error as Error);
      });
  }

  attached(): void {
    this.#subscribe();
  }

  subscribed(): void {
    this.#granted = 0n;
    this.#calls.push(() => {
      this.#grant();
      for (let number = this.#number + 1; number <= this.#options.count; number++) {
        const body = new TextEncoder().encode(this.#run + String(number));
        this.#machine.post(`${PREFIX}${String(number)}`, body);
      }
      if (this.#number === this.#options.count) this.#machine.close();
    });
  }

  takeMessage(message: zeps.Deliver): void {
    this.#granted -= BigInt(zeps.sizeOf(message));
    if (this.#granted < CREDIT_OCTETS / 2n)
      this.#calls.push(() => {
        this.#grant();
      });
    if (this.#latest !== zeps.LATEST_NEW && message.sequence <= this.#latest)
      this.#reject(new Error(`sequence ${String(message.sequence)} does not ascend`));
    this.#latest = message.sequence;
    const body = new TextDecoder().decode(message.body);
    if (body.startsWith(this.#run)) this.#takeOurs(Number(body.slice(this.#run.length)), message);
  }

  /**
   * Handle INVALID by its code: a gap, a refused SUBSCRIBE, another notice, or the end of the session. An unknown code
   * ends the session (ZEPS-INVALID-6).
   */
  readNotice(message: zeps.Invalid): void {
    this.#notice = noticeOf(message.reason);
    if (isGap(this.#notice)) this.#miss();
    else if (isRefusal(this.#notice)) this.#machine.fail("subscribe_refused");
    else if (zeps.isOpenCode(this.#notice.code)) say(`notice from the broker: ${message.reason}`);
    else this.#machine.fail("ended");
  }

  /** Subscribe again with a request that the broker accepts. */
  refused(): void {
    const { code, first, reason } = this.#notice;
    if (code === zeps.OpenCode.NOT_RETAINED) {
      this.#miss();
    } else if (code === zeps.OpenCode.BEYOND_END) {
      this.#latest = first - 1n;
      stdout.write(`reset ${String(this.#latest)}\n`);
    } else if (this.#pattern !== "") {
      stdout.write(`refused ${this.#pattern}: ${reason}\n`);
      this.#pattern = ""; // matches every key
    } else {
      this.#reject(new Error(`the broker refused: ${reason}`));
    }
    this.#subscribe();
  }

  /** The machine attaches again, over the same socket. */
  sessionLost(): void {
    say(`the session is lost: ${this.#notice.reason}`);
    this.#calls = [];
    this.#asked = Date.now();
  }

  brokerLost(): void {
    say("the broker is lost");
    this.#calls = [];
    this.#isLost = true;
  }

  answered(): void {
    // the machine counts the PINGs
  }

  detached(message: unknown): void {
    this.#isOver = true;
    if (this.#number === this.#options.count && message !== null) this.#resolve(this.#received);
    else this.#reject(new Error("the broker ended the session"));
  }

  attachRefused(message: zeps.Invalid): void {
    this.#reject(new Error(`the broker refused: ${message.reason}`));
  }

  // --- steps of the client

  /** Attaches over a new connection: data that is queued in the old one does not reach the new session. */
  async #serveOne(): Promise<void> {
    this.#isLost = false;
    this.#asked = Date.now();
    this.#sending = Promise.resolve();
    this.#socket.connect(this.#options.endpoint);
    this.#machine.open(this.#options.stream);
    for await (const [frame] of this.#socket) {
      if (frame === undefined) continue;
      this.#heard = this.#asked = Date.now();
      this.#machine.receive(zeps.decode(frame));
      this.#goOn();
    }
    if (!this.#isOver) this.#socket = new Dealer({ linger: 1000 });
  }

  /** Make the queued calls of the machine; close a lost connection, which ends reading from it. */
  #goOn(): void {
    for (const call of this.#calls.splice(0)) call();
    if (this.#isLost) {
      this.#socket.linger = 0;
      this.#socket.close();
    }
  }

  /** Send PING, or attach again, if the broker is silent. */
  #tick(): void {
    if (this.#isOver || this.#socket.closed) return;
    if (Date.now() - this.#heard > PATIENCE_MS) this.#reject(new Error("the broker does not answer"));
    if (this.#machine.state === "open" || Date.now() - this.#asked < ANSWER_MS) this.#machine.heartbeat();
    else this.#machine.expired();
    this.#goOn();
  }

  #subscribe(): void {
    this.#calls.push(() => this.#machine.follow(this.#pattern, this.#latest));
  }

  #miss(): void {
    const { code, first, last } = this.#notice;
    stdout.write(`missing ${String(first)} ${String(last)} ${code}\n`);
    if (this.#latest === zeps.LATEST_NEW || last > this.#latest) this.#latest = last;
    this.#hasGap = true;
  }

  #takeOurs(number: number, message: zeps.Deliver): void {
    if (number <= this.#number) return; // a duplicate: published again after the session was lost
    if (number > this.#number + 1 && !this.#hasGap)
      this.#reject(new Error(`message ${String(this.#number + 1)} did not come next, but ${message.key}`));
    this.#number = number;
    this.#hasGap = false;
    const { count, first } = this.#received;
    this.#received = {
      count: count + 1,
      first: count === 0 ? message.sequence : first,
      last: message.sequence,
    };
    if (number === this.#options.count) this.#calls.push(() => this.#machine.close());
  }

  #grant(): void {
    const octets = CREDIT_OCTETS - this.#granted;
    this.#granted = CREDIT_OCTETS;
    this.#machine.grant(octets);
  }
}

function say(text: string): void {
  stderr.write(`client: ${text}\n`);
}

async function main(): Promise<number> {
  const [endpoint, stream, count, pattern = PREFIX, latest = "0"] = argv.slice(2);
  const numbers = [count ?? "", latest];
  if (endpoint === undefined || stream === undefined || !numbers.every((text) => /^\d+$/u.test(text))) {
    stderr.write("usage: client ENDPOINT STREAM COUNT [PATTERN [LATEST]]\n");
    return 2;
  }
  const session = new Session({ endpoint, stream, count: Number(count), pattern, latest: BigInt(latest) });
  const served = session.serve();
  try {
    const {
      count: received,
      first,
      last,
    } = await Promise.race([session.done, served.then(() => session.done)]);
    stdout.write(`received ${String(received)} messages, sequences ${String(first)}..${String(last)}\n`);
    return 0;
  } finally {
    await session.close();
    await served;
  }
}

try {
  exit(await main());
} catch (error) {
  stderr.write(`client: ${error instanceof Error ? error.message : String(error)}\n`);
  exit(1);
}

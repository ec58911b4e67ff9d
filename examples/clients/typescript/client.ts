/**
 * A ZEPS client: publishes COUNT messages to STREAM, receives them all back, and detaches.
 *
 *     node build/client.js ENDPOINT STREAM COUNT
 *
 * The generated machine says what may be sent and when; the host here owns the socket and the clock.
 */

import { randomUUID } from "node:crypto";
import { argv, exit, stderr, stdout } from "node:process";

import { zeps, zepsClient } from "zeps-wire";
import { Dealer } from "zeromq";

const PATIENCE_MS = 30_000;
const ANSWER_MS = 5_000;
const HEARTBEAT_MS = 1_000;
const CREDIT_OCTETS = 1n << 20n;
const PREFIX = "demo/";

/** What was received: how many messages, and the first and last of their sequences. */
interface Received {
  readonly count: number;
  readonly first: bigint;
  readonly last: bigint;
}

/** One session. `done` is settled when the broker has said good-bye, or something went wrong. */
class Session implements zepsClient.ClientHost {
  readonly done: Promise<Received>;

  readonly #socket = new Dealer({ linger: 1000 });
  readonly #machine = new zepsClient.ClientMachine(this);
  readonly #run = randomUUID();
  readonly #stream: string;
  readonly #count: number;
  readonly #calls: (() => unknown)[] = []; // of the machine, once it has finished with what arrived
  #sending: Promise<void> = Promise.resolve();
  #granted = 0n;
  #received: Received = { count: 0, first: 0n, last: 0n };
  #resolve!: (received: Received) => void;
  #reject!: (error: Error) => void;

  constructor(stream: string, count: number) {
    this.#stream = stream;
    this.#count = count;
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Attach, and serve the socket until it is closed. */
  async serve(endpoint: string): Promise<void> {
    this.#socket.connect(endpoint);
    const timers = [
      setInterval(() => this.#machine.heartbeat(), HEARTBEAT_MS),
      setTimeout(() => this.#machine.expired(), ANSWER_MS),
      setTimeout(() => {
        this.#reject(new Error(`not done after ${String(PATIENCE_MS)} ms`));
      }, PATIENCE_MS),
    ];
    this.#machine.open(this.#stream);
    try {
      for await (const [frame] of this.#socket) {
        if (frame === undefined) continue;
        this.#machine.receive(zeps.decode(frame));
        for (const call of this.#calls.splice(0)) call();
      }
    } finally {
      timers.forEach(clearTimeout);
    }
  }

  /** End whatever is under way. */
  async close(): Promise<void> {
    await this.#sending;
    this.#socket.close();
  }

  // --- what the machine asks for

  send(message: zeps.Message): void {
    const frame = zeps.encode(message);
    // a socket takes one frame at a time
    this.#sending = this.#sending.then(() => this.#socket.send(frame));
    this.#sending.catch(this.#reject);
  }

  attached(): void {
    this.#calls.push(() => this.#machine.follow(PREFIX, zeps.LATEST_ALL));
  }

  subscribed(): void {
    this.#calls.push(() => {
      this.#grant();
      for (let number = 1; number <= this.#count; number++) {
        this.#machine.post(`${PREFIX}${String(number)}`, this.#body(number));
      }
      if (this.#count === 0) this.#machine.close();
    });
  }

  takeMessage(message: zeps.Deliver): void {
    this.#granted -= BigInt(zeps.sizeOf(message));
    if (this.#granted < CREDIT_OCTETS / 2n)
      this.#calls.push(() => {
        this.#grant();
      });
    const { count, first, last } = this.#received;
    const next = count + 1;
    if (message.key !== `${PREFIX}${String(next)}` || !this.#isOurs(message, next)) {
      if (count > 0) this.#reject(new Error(`message ${String(next)} did not come next, but ${message.key}`));
      return; // somebody published before us
    }
    if (message.sequence <= last)
      this.#reject(new Error(`sequence ${String(message.sequence)} does not ascend`));
    this.#received = {
      count: count + 1,
      first: count === 0 ? message.sequence : first,
      last: message.sequence,
    };
    if (this.#received.count === this.#count) this.#calls.push(() => this.#machine.close());
  }

  answered(): void {
    // the broker is there
  }

  detached(message: unknown): void {
    if (this.#received.count === this.#count && message !== null) this.#resolve(this.#received);
    else this.#reject(new Error("the broker ended the session"));
  }

  attachRefused(message: zeps.Invalid): void {
    this.#reject(new Error(`the broker refused: ${message.reason}`));
  }

  brokerLost(): void {
    this.#reject(new Error("the broker does not answer"));
  }

  sessionLost(message: zeps.Invalid): void {
    this.#reject(new Error(`the session is lost: ${message.reason}`));
  }

  // --- ours

  #grant(): void {
    const octets = CREDIT_OCTETS - this.#granted;
    this.#granted = CREDIT_OCTETS;
    this.#machine.grant(octets);
  }

  #body(number: number): Uint8Array {
    return new TextEncoder().encode(`${this.#run} ${String(number)}`);
  }

  #isOurs(message: zeps.Deliver, number: number): boolean {
    return Buffer.compare(message.body, this.#body(number)) === 0;
  }
}

async function main(): Promise<number> {
  const [endpoint, stream, count] = argv.slice(2);
  if (endpoint === undefined || stream === undefined || !/^\d+$/u.test(count ?? "")) {
    stderr.write("usage: client ENDPOINT STREAM COUNT\n");
    return 2;
  }
  const session = new Session(stream, Number(count));
  const served = session.serve(endpoint);
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

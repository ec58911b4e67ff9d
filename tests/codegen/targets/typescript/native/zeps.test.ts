/** The package, in an application. */

import { deepEqual, equal, throws } from "node:assert/strict";
import { test } from "node:test";

import {
  DecodeError,
  EncodeError,
  UnexpectedEvent,
  UnhandledEvent,
  zeps,
  zepsClient,
  zepsServer,
} from "../src/index.js";

const octets = (...values: number[]): Uint8Array => Uint8Array.from(values);
const text = (value: string): Uint8Array => new TextEncoder().encode(value);

test("a message is a plain object, and comes back as it was", () => {
  const sent: zeps.Message = {
    type: "DELIVER",
    sequence: 2n ** 64n - 1n,
    key: "stock.AAPL",
    body: text("191.24"),
  };
  const frame = zeps.encode(sent);
  equal(frame.length, zeps.sizeOf(sent));
  deepEqual(zeps.decode(frame), sent);
});

test("type tells which message it is", () => {
  const message = zeps.decode(zeps.encode({ type: "CREDIT", credit: 7n }));
  switch (message.type) {
    case "CREDIT":
      equal(message.credit, 7n);
      break;
    default:
      throw new Error(message.type);
  }
});

test("octets are views of the frame", () => {
  const frame = zeps.encode({ type: "PUBLISH", key: "k", body: octets(1, 2, 3) });
  const message = zeps.decode(frame);
  frame[frame.length - 1] = 9;
  deepEqual(message.type === "PUBLISH" ? [...message.body] : [], [1, 2, 9]);
});

test("a frame within a larger buffer is decoded where it lies", () => {
  const frame = zeps.encode({ type: "PUBLISH", key: "key", body: octets(5) });
  const buffer = new Uint8Array(100).fill(0xff);
  buffer.set(frame, 13);
  deepEqual(zeps.decode(buffer.subarray(13, 13 + frame.length)), zeps.decode(frame));
});

test("every frame has a buffer of its own, which may be transferred", () => {
  const sent = (n: number): zeps.Message => ({
    type: "PUBLISH",
    key: String(n),
    body: new Uint8Array(n % 300).fill(n),
  });
  const frames = Array.from({ length: 500 }, (_, n) => zeps.encode(sent(n)));
  frames.forEach((frame, n) => {
    equal(frame.buffer.byteLength, frame.length);
    deepEqual(zeps.decode(structuredClone(frame, { transfer: [frame.buffer] })), sent(n));
    equal(frame.length, 0);
  });
  deepEqual(zeps.decode(zeps.encode(sent(1))), sent(1));
});

test("a message is encoded into a buffer that is there", () => {
  const buffer = new Uint8Array(40).fill(0xff);
  const end = zeps.encodeInto({ type: "CREDIT", credit: 7n }, buffer, 3);
  deepEqual(zeps.decode(buffer.subarray(3, end)), { type: "CREDIT", credit: 7n });
  deepEqual([buffer[2], buffer[end]], [0xff, 0xff]);
  throws(() => zeps.encodeInto({ type: "CREDIT", credit: 7n }, buffer, 30), RangeError);
});

test("a message is not encoded into a buffer that ends before it, wherever that ends", () => {
  const message: zeps.Message = { type: "PUBLISH", key: "a é 日本 😀", body: octets(1, 2, 3) };
  const frame = zeps.encode(message);
  const refused = { name: "RangeError", message: `PUBLISH takes ${String(frame.length)} octets` };
  for (let room = 0; room < frame.length; room++) {
    const buffer = new Uint8Array(2 + room).fill(0xff);
    throws(() => zeps.encodeInto(message, buffer, 2), refused);
    deepEqual(buffer.subarray(0, 2), octets(0xff, 0xff));
  }
  const buffer = new Uint8Array(2 + frame.length);
  equal(zeps.encodeInto(message, buffer, 2), buffer.length);
  deepEqual(buffer.subarray(2), frame);
});

test("errors say what is wrong, and where", () => {
  throws(
    () => zeps.decode(octets(0xaa, 0xa5, 5, 1, 2)),
    (error: unknown) => {
      return (
        error instanceof DecodeError &&
        error.code === "truncated" &&
        error.messageName === "CREDIT" &&
        error.field === "credit" &&
        error.offset === 3 &&
        error.message === "truncated: CREDIT.credit at byte 3"
      );
    },
  );
  const refused = { code: "too-long", field: "credit" };
  throws(() => zeps.encode({ type: "CREDIT", credit: -1n }), refused);
  throws(() => zeps.encode({ type: "CREDIT", credit: 1n << 64n }), refused);
  throws(() => zeps.encode({ type: "ATTACH", stream: "\ud800" }), { code: "bad-text" });
  throws(() => zeps.encode({ type: "ATTACH", stream: "é".repeat(128) }), { code: "too-long" });
  throws(() => zeps.encode({ type: "ATTACH", stream: "bell \u0007" }), EncodeError);
});

test("text of any length and script comes back", () => {
  for (const key of [
    "",
    "é",
    "日本語",
    "😀😀",
    "\ufeffmark",
    "a".repeat(255),
    `${"a".repeat(90)}é`,
    "x".repeat(97),
  ]) {
    const message = zeps.decode(zeps.encode({ type: "PUBLISH", key, body: octets() }));
    equal(message.type === "PUBLISH" ? message.key : null, key);
  }
});

class Notebook implements zepsClient.ClientHost {
  readonly log: string[] = [];

  send(message: zeps.Message): void {
    this.log.push(`send ${message.type}`);
  }
  attached(): void {
    this.log.push("attached");
  }
  attachRefused(message: zeps.Invalid): void {
    this.log.push(`refused: ${message.reason}`);
  }
  detached(): void {
    this.log.push("detached");
  }
  brokerLost(): void {
    this.log.push("lost");
  }
  subscribed(): void {
    this.log.push("subscribed");
  }
  takeMessage(message: zeps.Deliver): void {
    this.log.push(`took ${String(message.sequence)}`);
  }
  answered(): void {
    this.log.push("answered");
  }
  readNotice(message: zeps.Invalid): void {
    this.log.push(`read: ${message.reason}`);
    this.misread();
  }
  misread(): void {
    // a notice, unless a test sets another value
  }
  sessionLost(): void {
    this.log.push("session lost");
  }
  refused(): void {
    this.log.push("refused");
  }
}

test("the client machine asks its host, and keeps count of credit", () => {
  const host = new Notebook();
  const machine = new zepsClient.ClientMachine(host);
  equal(machine.open("stocks"), true);
  machine.receive({ type: "ATTACH-OK" });
  equal(machine.state, "open");
  const message: zeps.Message = { type: "DELIVER", sequence: 1n, key: "k", body: octets(1) };
  machine.grant(BigInt(zeps.sizeOf(message)) + 1n);
  machine.receive(message);
  equal(machine.credit, 1n);
  deepEqual(host.log, ["send ATTACH", "attached", "send CREDIT", "took 1"]);
});

test("credit stops at its greatest value", () => {
  const machine = new zepsClient.ClientMachine(new Notebook());
  machine.open("s");
  machine.receive({ type: "ATTACH-OK" });
  machine.grant(2n ** 64n - 1n);
  machine.grant(9n);
  equal(machine.credit, 2n ** 64n - 1n);
});

test("a machine takes unsigned integers only", () => {
  const host = new Notebook();
  const machine = new zepsClient.ClientMachine(host);
  machine.open("s");
  machine.receive({ type: "ATTACH-OK" });
  throws(() => machine.grant(-5n), /^RangeError: octets: -5 is not an unsigned integer$/u);
  throws(() => machine.grant(1.5 as unknown as bigint), RangeError);
  deepEqual([machine.credit, host.log], [0n, ["send ATTACH", "attached"]]);
});

test("nothing but the table changes the state", () => {
  const machine = new zepsClient.ClientMachine(new Notebook());
  throws(() => {
    (machine as { state: string }).state = "open";
  }, TypeError);
  throws(() => {
    (machine as { terminated: boolean }).terminated = true;
  }, TypeError);
});

test("what a state does not take is an error", () => {
  const machine = new zepsClient.ClientMachine(new Notebook());
  throws(() => machine.probe(), UnhandledEvent);
  equal(machine.state, "start");
});

test("a host action that fails turns the transition into its event", () => {
  const log: string[] = [];
  const host: zepsServer.ServerHost = {
    send: (message) => log.push(message.type === "INVALID" ? `INVALID ${message.reason}` : message.type),
    openStream: () => {
      machine.reason = "no such stream";
      machine.fail("attach_refused");
    },
    closeStream: () => log.push("close"),
    checkSubscription: () => log.push("check"),
    addSubscription: () => log.push("add"),
    useCredit: () => log.push("use"),
    storeMessage: () => log.push("store"),
  };
  const machine = new zepsServer.ServerMachine(host);
  machine.receive({ type: "ATTACH", stream: "s" });
  deepEqual([machine.state, ...log], ["start", "INVALID no such stream"]);
});

/** A machine in a session. A test may replace the host's actions that close the stream and check the pattern. */
function attached(): {
  machine: zepsServer.ServerMachine;
  log: string[];
  close: () => void;
  check: () => void;
} {
  const log: string[] = [];
  const found = {
    log,
    close: (): void => undefined,
    check: (): void => undefined,
    machine: new zepsServer.ServerMachine({
      send: (message) => log.push(message.type),
      openStream: () => undefined,
      closeStream: () => {
        log.push("close");
        found.close();
      },
      checkSubscription: () => {
        log.push("check");
        found.check();
      },
      addSubscription: () => undefined,
      useCredit: () => undefined,
      storeMessage: () => undefined,
    }),
  };
  found.machine.receive({ type: "ATTACH", stream: "s" });
  log.length = 0;
  return found;
}

test("actions that fail in a circle are an error, after which the machine goes on", () => {
  const session = attached();
  session.close = () => {
    session.machine.fail("attach_refused"); // the very event that asks for it
  };
  throws(
    () => session.machine.attachRefused(),
    /attach_refused in state open: more than 8 events follow each other/,
  );
  equal(session.log.length, 9);
  session.close = () => undefined;
  equal(session.machine.attachRefused(), true);
  deepEqual(session.log.slice(9), ["close", "INVALID"]);
});

test("a refused SUBSCRIBE leaves the session open", () => {
  const session = attached();
  session.check = () => {
    session.machine.reason = `${zeps.OpenCode.BAD_PATTERN} not that one`;
    session.machine.fail("subscribe_refused");
  };
  session.machine.receive({ type: "SUBSCRIBE", pattern: "(", latest: 0n });
  deepEqual([session.machine.state, ...session.log], ["open", "check", "INVALID"]);
  session.check = () => undefined;
  session.machine.receive({ type: "SUBSCRIBE", pattern: "x", latest: 0n });
  deepEqual(session.log.slice(2), ["check", "SUBSCRIBE-OK"]);
});

test("an INVALID is what its reader says: a notice, a refusal, or the session's end", () => {
  const host = new Notebook();
  const machine = new zepsClient.ClientMachine(host);
  machine.open("stocks");
  machine.receive({ type: "ATTACH-OK" });
  machine.follow("(", 0n);
  host.log.length = 0;
  const invalid: zeps.Message = { type: "INVALID", reason: "damage 7 9 the journal is damaged there" };
  machine.receive(invalid);
  deepEqual([machine.state, machine.pending], ["open", 1]);
  host.misread = () => {
    machine.fail("subscribe_refused");
  };
  machine.receive(invalid);
  deepEqual([machine.state, machine.pending], ["open", 0]);
  host.misread = () => {
    machine.fail("ended");
  };
  machine.receive(invalid);
  equal(machine.state, "attaching");
  const read = `read: ${invalid.reason}`;
  deepEqual(host.log, [read, read, "refused", read, "session lost", "send ATTACH"]);
});

test("codes are two tables", () => {
  deepEqual([zeps.isOpenCode("retention"), zeps.isOpenCode("no-session")], [true, false]);
  deepEqual([zeps.isEndingCode("no-session"), zeps.isEndingCode("code-of-a-later-version")], [true, false]);
});

test("an action must not call the machine, and nothing but an action fails", () => {
  const session = attached();
  const inside = [
    (): void => {
      session.machine.attachRefused();
    },
    (): void => {
      session.machine.receive({ type: "PING" });
    },
  ];
  for (const call of inside) {
    session.close = call;
    throws(() => session.machine.attachRefused(), /in state open: called from inside an action/);
  }
  throws(() => {
    session.machine.fail("attach_refused");
  }, UnhandledEvent);
  session.log.length = 0;
  session.machine.receive({ type: "PING" });
  deepEqual(session.log, ["PING-OK"]);
});

test("the table is data", () => {
  const rows = zepsClient.TABLE.filter((row) => row.state === "open" && row.event === "DELIVER");
  deepEqual(
    rows.map((row) => row.guard),
    ["credit >= size(DELIVER)", null],
  );
});

test("a message of no type that the protocol has is unexpected", () => {
  const machine = new zepsServer.ServerMachine({} as never);
  throws(() => {
    machine.receive({ type: "nothing" } as never);
  }, UnexpectedEvent);
});

/** Hosts that fill messages, raise events, provide a clock and observe rows. The model is helpers/features. */

import { deepEqual, equal, throws } from "node:assert/strict";
import { test } from "node:test";

import { type EncodeError, features, featuresClient, featuresServer, UnhandledEvent } from "../src/index.js";

class Desk implements featuresServer.ServerHost {
  readonly log: string[] = [];
  readonly sent: features.Message[] = [];
  readonly errors: EncodeError[] = [];
  readonly machine = new featuresServer.ServerMachine(this);
  lookedUp = (): void => undefined;

  send(message: features.Message): void {
    features.encodeFrames(message);
    this.sent.push(message);
  }
  unsendable(error: EncodeError): void {
    this.errors.push(error);
  }
  lookUp(): void {
    this.log.push("look up");
    this.lookedUp();
  }
  note(): void {
    this.log.push("note");
  }
}

const QUESTION: features.Question = { type: "QUESTION", number: 7, topic: "why" };

test("a field that is not filled is told to the host, and the row goes on", () => {
  const desk = new Desk();
  desk.machine.fillAnswer({ level: 1, balance: -5n });
  desk.machine.receive(QUESTION);
  equal(desk.machine.found(), true);
  deepEqual(
    desk.errors.map((error) => [error.code, error.messageName, error.field]),
    [["not-set", "ANSWER", "count"]],
  );
  deepEqual([desk.machine.state, desk.sent], ["waiting", []]);
});

test("a filled field is sent once", () => {
  const client: features.Message[] = [];
  const machine = new featuresClient.ClientMachine({
    send: (message) => client.push(message),
    unsendable: (error) => client.push({ type: "GROWN", size: error.code.length }),
    take: () => undefined,
    giveUp: () => undefined,
  });
  machine.fillQuestion({ number: 1 });
  machine.fillQuestion({ number: 2 });
  machine.ask("why");
  machine.leave();
  machine.ask("again");
  deepEqual(client, [
    { type: "QUESTION", number: 2, topic: "why" },
    { type: "GROWN", size: "not-set".length },
  ]);
});

test("an action that raises an event has it handled after the row, one that fails instead of the rest", () => {
  const desk = new Desk();
  desk.lookedUp = () => {
    desk.machine.raise("unknown");
  };
  desk.machine.receive(QUESTION);
  deepEqual([desk.machine.state, desk.log], ["waiting", ["look up", "note", "note"]]);
  deepEqual(desk.sent, [{ type: "BYE" }]);
  desk.log.length = 0;
  desk.lookedUp = () => {
    desk.machine.raise("found");
    desk.machine.fail("unknown");
  };
  desk.machine.receive(QUESTION);
  deepEqual([desk.machine.state, desk.log], ["waiting", ["look up", "note"]]);
});

test("only internal events are raised, and only inside an action", () => {
  const desk = new Desk();
  desk.lookedUp = () => {
    desk.machine.fail("PARCEL" as never);
  };
  throws(() => {
    desk.machine.receive(QUESTION);
  }, /PARCEL in state waiting: not an internal event/u);
  throws(() => {
    desk.machine.raise("found");
  }, UnhandledEvent);
});

test("timers are due on the host's clock", () => {
  const desk = new Desk();
  equal(desk.machine.deadline, null);
  equal(desk.machine.advance(1000), false);
  equal(desk.machine.deadline, 1200);
  equal(desk.machine.advance(900), false);
  equal(desk.machine.advance(1199.5), false);
  desk.machine.beat = 50;
  equal(desk.machine.advance(1200), true);
  deepEqual([desk.sent, desk.machine.deadline], [[{ type: "GROWN", size: 50 }], 1250]);
  throws(() => desk.machine.advance(NaN), RangeError);
});

test("the hook is told of each row", () => {
  const desk = new Desk();
  const rows: string[] = [];
  desk.machine.onTransition = (from, event, to) => rows.push(`${from} ${event} ${to}`);
  desk.lookedUp = () => {
    desk.machine.fail("unknown");
  };
  desk.machine.receive(QUESTION);
  desk.machine.receive({ type: "BYE" });
  deepEqual(rows, ["waiting QUESTION waiting", "waiting unknown waiting", "waiting BYE ending"]);
});

const head = [0xaa, 0xa3, features.IDS.REPORT, ...new Uint8Array(15), 9];

test("a message grows: defaults for what is missing, no look at what follows", () => {
  const report = features.decode(Uint8Array.from(head));
  if (report.type !== "REPORT") throw new Error(report.type);
  deepEqual([report.level, report.weight, report.change, report.title], [3, 7n, -2, "none"]);
  deepEqual([[...report.body], report.words, report.code.length], [[0, 0xff], [], 2]);
  const whole = features.encode(report);
  deepEqual(features.decode(Uint8Array.from([...whole, 1, 2])), report);
});

test("numbers are related", () => {
  const report = features.decode(Uint8Array.from(head)) as features.Report;
  throws(() => features.encode({ ...report, first: 10n }), { code: "bad-relation", field: "last" });
  const frame = Uint8Array.from([0xaa, 0xa3, features.IDS.BATCH, 0, 1, 0, 2, 0]);
  throws(() => features.decode(frame), { code: "bad-relation", field: "count", offset: 5 });
});

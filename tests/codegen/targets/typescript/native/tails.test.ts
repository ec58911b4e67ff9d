/** Lists that extend to the end of the frame, reserved bytes, and a protocol with a single message. */

import { deepEqual, equal, throws } from "node:assert/strict";
import { test } from "node:test";

import { greeting, greetingServer, tails } from "../src/index.js";

const encoder = new TextEncoder();
const latin = (text: string): Uint8Array =>
  Uint8Array.from(text, (character) => character.codePointAt(0) ?? 0);

const READY = latin("RD\x01b\0\0\0\x011\x01a\0\0\0\0\x01b\0\0\0\x012");
const NUMBERS = latin("NO\x01\x02\x03\0\x07\xff\xff\xff\xff\0\0\0\x05\0\0\0\x06");
const GREETING = latin("\xff\xff\x7fNULL\0\x01\x02\x03");

test("pairs are those of the frame", () => {
  const pairs = ["b 1", "a ", "b 2"].map((pair) => pair.split(" ").map((part) => encoder.encode(part)));
  const message = { type: "READY", properties: pairs as [Uint8Array, Uint8Array][] } as const;
  const frame = tails.encode(message);
  deepEqual([...frame], [...READY]);
  equal(tails.sizeOf(message), READY.length);
  const found = tails.decode(READY);
  equal(found.type, "READY");
  if (found.type === "READY") {
    deepEqual(
      found.properties.map((pair) => pair.map((part) => [...part])),
      pairs.map((pair) => pair.map((part) => [...part])),
    );
  }
  deepEqual([...tails.encode(found)], [...READY]);
  deepEqual(tails.decode(READY.subarray(0, 2)), { type: "READY", properties: [] });
});

test("an item that is cut is truncated", () => {
  for (const size of [3, 13, READY.length - 1]) {
    throws(() => tails.decode(READY.subarray(0, size)), { code: "truncated", field: "properties" });
  }
  throws(() => tails.decode(NUMBERS.subarray(0, -1)), { code: "truncated", field: "numbers", offset: 15 });
});

test("more items than the limit are too long", () => {
  const numbers = Array.from({ length: 10 }, (_, index) => index);
  throws(() => tails.encode({ type: "NUMBERS", kind: 7, numbers }), { code: "too-long", field: "numbers" });
  const frame = new Uint8Array(48); // nine numbers, and a part of a tenth
  frame.set(NUMBERS.subarray(0, 11));
  throws(() => tails.decode(frame), { code: "too-long", offset: 11 });
  equal(tails.decode(frame.subarray(0, 47)).type, "NUMBERS");
});

test("reserved octets are zero when sent and not looked at when received", () => {
  const message: tails.Message = { type: "NUMBERS", kind: 7, numbers: [5, 6] };
  deepEqual(tails.decode(NUMBERS), message);
  deepEqual([...tails.encode(message)], [...latin("NO\0\0\0\0\x07\0\0\0\0\0\0\0\x05\0\0\0\x06")]);
  throws(() => tails.decode(latin("NO\0\0")), { code: "truncated", field: "filler", offset: 2 });
});

test("any frame is the only message, and a machine's copy of it outlives the frame", () => {
  const sent: greeting.Message[] = [];
  const machine = new greetingServer.ServerMachine({ send: (message) => sent.push(message) });
  const frame = GREETING.slice();
  machine.receive(greeting.decode(frame));
  frame.fill(0);
  deepEqual(machine.mechanism, encoder.encode("NULL"));
  deepEqual(sent, [{ type: "GREETING", mechanism: machine.mechanism, server: 1 }]);
  throws(() => greeting.decode(new Uint8Array()), { code: "truncated", messageName: "GREETING" });
});

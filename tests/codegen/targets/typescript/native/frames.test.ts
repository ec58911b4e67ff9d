/** Messages of several frames, of the golden model `frames`. */

import { deepEqual, equal, throws } from "node:assert/strict";
import { test } from "node:test";

import { frames, framesServer } from "../src/index.js";

const octets = (...values: number[]): Uint8Array => Uint8Array.from(values);

const PARCEL: frames.Parcel = {
  type: "PARCEL",
  label: "a",
  content: octets(1, 2),
  more: [octets(), octets(3)],
};

test("a message comes back from its frames", () => {
  const sent = frames.encodeFrames(PARCEL);
  deepEqual(
    sent.map((frame) => [...frame]),
    [[0xaa, 0xa9, 2, 1, 97], [1, 2], [], [3]],
  );
  deepEqual(frames.decodeFrames(sent), PARCEL);
  equal(frames.sizeOf(PARCEL), 8);
});

test("a message of one frame is encoded as one, too", () => {
  const frame = frames.encode({ type: "HELLO", ticket: 7 });
  deepEqual(frames.encodeFrames({ type: "HELLO", ticket: 7 }), [frame]);
  deepEqual(frames.decode(frame), { type: "HELLO", ticket: 7 });
  throws(() => frames.encode(PARCEL as never), TypeError);
});

test("errors name the field and the end of the first frame", () => {
  const sent = frames.encodeFrames(PARCEL);
  const truncated = { code: "truncated", messageName: "PARCEL" };
  throws(() => frames.decodeFrames([]), { code: "truncated", messageName: null, offset: 0 });
  throws(() => frames.decodeFrames(sent.slice(0, 1)), { ...truncated, field: "content", offset: 5 });
  throws(() => frames.decodeFrames(sent.slice(0, 2)), { ...truncated, field: "more", offset: 5 });
  const twice = [...frames.encodeFrames({ type: "AGAIN" }), octets()];
  throws(() => frames.decodeFrames(twice), {
    code: "trailing",
    messageName: "AGAIN",
    field: null,
    offset: 3,
  });
  throws(() => frames.encodeFrames({ ...PARCEL, more: [] }), { code: "truncated", field: "more" });
});

test("a machine sends a message of several frames on", () => {
  const sent: frames.Message[] = [];
  const machine = new framesServer.ServerMachine({
    send: (message) => sent.push(message),
    openDoor: () => undefined,
    fetch: () => undefined,
  });
  machine.receive({ type: "HELLO", ticket: 7 });
  equal(machine.parcel(PARCEL), true);
  deepEqual([sent, machine.left], [[PARCEL], 2]);
});

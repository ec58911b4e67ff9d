/** Every kind of field, of the golden model `features`. */

import { deepEqual, equal, throws } from "node:assert/strict";
import { test } from "node:test";

import { kinds, weather } from "../src/index.js";

const NUMBERS: kinds.Numbers = {
  type: "NUMBERS",
  tiny: 255,
  below: -(2 ** 31),
  limited: 300,
  lean: 2n ** 64n - 1n,
  zigzag: -(2n ** 63n),
  colour: kinds.Colour.DARK_BLUE,
  rights: kinds.Rights.READ | kinds.Rights.WRITE,
};

test("numbers of every size come back", () => {
  const frame = kinds.encode(NUMBERS);
  equal(frame.length, kinds.sizeOf(NUMBERS));
  deepEqual(kinds.decode(frame), NUMBERS);
});

test("numbers that do not fit are refused", () => {
  const wrong: [Partial<kinds.Numbers>, string][] = [
    [{ tiny: 256 }, "too-long"],
    [{ tiny: -1 }, "too-long"],
    [{ tiny: 0.5 }, "too-long"],
    [{ below: 2 ** 31 }, "too-long"],
    [{ limited: 301 }, "too-long"],
    [{ lean: 2n ** 64n }, "too-long"],
    [{ zigzag: 2n ** 63n }, "too-long"],
    [{ colour: 2 as kinds.Colour }, "bad-constant"],
    [{ rights: 4 }, "bad-constant"],
  ];
  for (const [change, code] of wrong) {
    throws(() => kinds.encode({ ...NUMBERS, ...change }), { code, field: Object.keys(change)[0] });
  }
});

test("enumerations are told from numbers", () => {
  equal(kinds.isColour(7), true);
  equal(kinds.isColour(2), false);
  equal(kinds.isRights(3), true);
  equal(kinds.isRights(8), false);
});

test("texts, octets and lists come back", () => {
  const sent: kinds.Message[] = [
    {
      type: "TEXTS",
      plain: "é b",
      long: "x".repeat(300),
      any: "a\u0007",
      visible: "~!",
      raw: Uint8Array.of(0, 255),
      words: ["", "日本"],
      headers: [
        ["a", "1"],
        ["a", "2"],
      ],
    },
    {
      type: "OCTETS",
      identity: new Uint8Array(16).fill(7),
      fixed: Uint8Array.of(1, 2, 3),
      measured: Uint8Array.of(9),
      body: new Uint8Array(0),
      tail: Uint8Array.of(4),
    },
    { type: "LISTS", keys: ["a", "b"], times: [1n, 2n ** 64n - 1n], sizes: [0n, 127n, 128n, 2n ** 63n] },
    { type: "EMPTY" },
  ];
  for (const message of sent) {
    const frame = kinds.encode(message);
    equal(frame.length, kinds.sizeOf(message));
    deepEqual(kinds.decode(frame), message);
  }
});

test("lists that share a count have to agree on it", () => {
  throws(() => kinds.encode({ type: "LISTS", keys: ["a"], times: [], sizes: [] }), {
    code: "truncated",
    field: "times",
  });
  throws(() => kinds.encode({ type: "LISTS", keys: [], times: [1n], sizes: [] }), {
    code: "too-long",
    field: "times",
  });
});

test("a topic stands before the fields", () => {
  const frame = weather.encode({ type: "REPORT", topic: "oslo", temperature: -35 });
  deepEqual([...frame], [1, ...new TextEncoder().encode("oslo"), 0, 0xff, 0xdd]);
  deepEqual(weather.decode(frame), { type: "REPORT", topic: "oslo", temperature: -35 });
  throws(() => weather.encode({ type: "BYE", topic: "a\0b" }), { code: "bad-text", field: "topic" });
});

/** Compares the answers to all vectors; `ZEPS_VECTORS` names their file if the package is built elsewhere. */

import { deepEqual } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { env } from "node:process";
import { test } from "node:test";

import { handle } from "../driver/handle.js";

const FAILURES_MAX = 20;

function octets(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../gu) ?? [], (pair) => Number.parseInt(pair, 16));
}

function hex(data: Uint8Array): string {
  return Array.from(data, (octet) => octet.toString(16).padStart(2, "0")).join("");
}

const file = env["ZEPS_VECTORS"] ?? new URL("../../test/requests.tsv", import.meta.url);
const lines = readFileSync(file, "utf-8").split("\n");
const vectors = lines.filter((line) => line !== "" && !line.startsWith("#")).map((line) => line.split("\t"));

test(`${String(vectors.length)} vectors`, () => {
  const failures: string[] = [];
  for (const [name = "", request = "", wanted = ""] of vectors) {
    const found = hex(handle(octets(request)));
    if (found !== wanted.toLowerCase()) failures.push(`${name}: ${found} instead of ${wanted}`);
  }
  deepEqual(failures.slice(0, FAILURES_MAX), []);
});

test("there are vectors", () => {
  deepEqual(vectors.length > 0, true);
});

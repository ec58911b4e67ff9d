/**
 * Encodes and decodes one DELIVER: ours and protobufjs, which compiles its codec from the schema at run time.
 *
 * Both encode a sequence, a key and a body, and decode to an object with these three. A frame is encoded into existing
 * memory (the caller's buffer, or protobufjs's pool), and into its own buffer, whose allocation is also measured
 * alone. Before each measurement the garbage of the previous one is collected, which needs `node --expose-gc`. Prints one
 * JSON object per line: nanoseconds per call, the median of several runs, and the runs.
 */

import { argv, hrtime, stdout } from "node:process";

import protobuf from "protobufjs";
import { zeps } from "zeps-wire";

const KEY = "NASDAQ.AAPL.0001";
const BODY = Uint8Array.from({ length: 250 }, (_, index) => index);
const SEQUENCE = 1n << 40n;
const FRAME_OCTETS = 282;
const SCHEMA = `syntax = "proto3"; message Deliver { uint64 sequence = 1; string key = 2; bytes body = 3; }`;

type Work = () => unknown;

interface Codec {
  encode: Work;
  alone: Work;
  decode: Work;
}

function ours(): Codec {
  const frame = zeps.encode({ type: "DELIVER", sequence: SEQUENCE, key: KEY, body: BODY });
  const buffer = new Uint8Array(1024);
  return {
    encode: () => zeps.encodeInto({ type: "DELIVER", sequence: SEQUENCE, key: KEY, body: BODY }, buffer),
    alone: () => zeps.encode({ type: "DELIVER", sequence: SEQUENCE, key: KEY, body: BODY }),
    decode: () => zeps.decode(frame),
  };
}

function peer(): Codec {
  const deliver = protobuf.parse(SCHEMA).root.lookupType("Deliver");
  const sequence = protobuf.util.LongBits.from(SEQUENCE.toString()).toLong(true);
  const frame = deliver.encode({ sequence, key: KEY, body: BODY }).finish();
  return {
    encode: () => deliver.encode({ sequence, key: KEY, body: BODY }).finish(),
    alone: () => new Uint8Array(deliver.encode({ sequence, key: KEY, body: BODY }).finish()),
    decode: () => deliver.decode(frame),
  };
}

let kept: unknown;

function nanoseconds(work: Work, count: number): number {
  globalThis.gc?.({ type: "minor" }); // a major collection also discards optimised code
  const start = hrtime.bigint();
  for (let left = count; left > 0; left--) kept = work();
  return Number(hrtime.bigint() - start) / count;
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[values.length >> 1] ?? NaN;
}

const [runs = 9, count = 200_000] = argv.slice(2).map(Number);
const [zepsCodec, protobufCodec] = [ours(), peer()];
const all: Record<string, Work> = {
  "zeps encode": zepsCodec.encode,
  "protobufjs encode": protobufCodec.encode,
  "zeps encode alone": zepsCodec.alone,
  "protobufjs encode alone": protobufCodec.alone,
  "a buffer alone": () => new Uint8Array(FRAME_OCTETS),
  "zeps decode": zepsCodec.decode,
  "protobufjs decode": protobufCodec.decode,
};
const times = new Map(Object.keys(all).map((what) => [what, [] as number[]]));
for (let run = -1; run < runs; run++) {
  for (const [what, work] of Object.entries(all)) {
    const found = nanoseconds(work, count);
    if (run >= 0) times.get(what)?.push(found); // the first run warms up
  }
}
for (const [what, found] of times) {
  stdout.write(`${JSON.stringify({ what, ns: median(found), runs: found })}\n`);
}
if (kept === undefined) stdout.write("\n");

/** Answers one request; `conformance/drivers/README.md` defines the format. */

import { DecodeError, EncodeError } from "../src/runtime/errors.js";
import { Reader } from "../src/runtime/wire.js";
import type { AnyMessage, ProtocolEntry } from "./entries.js";
import { build, decodeFrames, encodeFrames, run } from "./machines.js";
import { MACHINES, PROTOCOLS } from "./model.js";
import {
  BadRequest,
  blob,
  count,
  join,
  letter,
  name,
  octets8,
  readBlob,
  readBlobs,
  readLetter,
  readName,
  readValues,
  toRaw,
} from "./values.js";

const protocols = new Map(PROTOCOLS.map((one) => [one.name, one]));
const machines = new Map(MACHINES.map((one) => [one.name, one]));

function found<T>(entries: ReadonlyMap<string, T>, wanted: string): T {
  const entry = entries.get(wanted);
  if (entry === undefined) throw new BadRequest(`unknown name ${JSON.stringify(wanted)}`);
  return entry;
}

function info(): Uint8Array {
  const names = [...protocols.keys(), ...machines.keys()];
  return join([letter("I"), name("typescript"), count(names.length), ...names.map(name)]);
}

/** The answer of `work`, or a refusal. */
function answered(work: () => readonly Uint8Array[]): Uint8Array {
  try {
    return join([letter("+"), ...work()]);
  } catch (error) {
    if (!(error instanceof DecodeError || error instanceof EncodeError)) throw error;
    return join([letter("-"), name(error.code), name(error.messageName ?? ""), name(error.field ?? "")]);
  }
}

function decoded({ messages }: ProtocolEntry, message: AnyMessage): readonly Uint8Array[] {
  const values = message as unknown as Readonly<Record<string, unknown>>;
  const shown = (messages.get(message.type) ?? []).map(([property, kind]) => toRaw(kind, values[property]));
  return [name(message.type), count(shown.length), ...shown];
}

/** The encoded message, as one frame or as several. */
function encoded({ codec }: ProtocolEntry, message: never, several: boolean): Uint8Array {
  if (!several) return blob(codec.encode(message));
  const frames = encodeFrames(codec, message);
  return join([count(frames.length), ...frames.map(blob)]);
}

/** The time of `times` decodes, and `times` the growth of heap and buffers during one more. */
function measured(decode: () => unknown, times: number): Uint8Array {
  const attempt = (): unknown => {
    try {
      return decode();
    } catch (error) {
      if (error instanceof DecodeError) return error;
      throw error;
    }
  };
  const start = process.hrtime.bigint();
  for (let left = times; left > 0; left--) attempt();
  const elapsed = process.hrtime.bigint() - start;
  globalThis.gc?.();
  const before = process.memoryUsage();
  const result = attempt(); // kept until the memory is measured
  const after = process.memoryUsage();
  const grown = after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers;
  return join([
    letter(result instanceof DecodeError ? "-" : "+"),
    octets8(elapsed),
    octets8(times * Math.max(grown, 0)),
  ]);
}

function answer(request: Reader): Uint8Array {
  const kind = readLetter(request);
  switch (kind) {
    case "I":
      request.end();
      return info();
    case "D":
    case "d": {
      const protocol = found(protocols, readName(request));
      const frames = kind === "d" ? readBlobs(request) : [readBlob(request)];
      request.end();
      return answered(() => {
        const message = decodeFrames(protocol.codec, frames);
        return [...decoded(protocol, message), encoded(protocol, message as never, kind === "d")];
      });
    }
    case "E":
    case "e": {
      const protocol = found(protocols, readName(request));
      const message = build(protocol, readName(request), readValues(request));
      request.end();
      return answered(() => [encoded(protocol, message, kind === "e")]);
    }
    case "b": {
      const { codec } = found(protocols, readName(request));
      const times = request.unsigned(1, "times");
      const frames = readBlobs(request);
      request.end();
      return measured(() => decodeFrames(codec, frames), times);
    }
    case "M":
      return run(found(machines, readName(request)), request);
    default:
      throw new BadRequest("unknown kind of request");
  }
}

/** The answer to a request, without the lengths of frames. */
export function handle(request: Uint8Array): Uint8Array {
  try {
    return answer(new Reader(request, 0, "request"));
  } catch (error) {
    return join([letter("?"), name(error instanceof Error ? error.message : String(error))]);
  }
}

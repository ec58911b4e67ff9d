/** One request in, one answer out; what they look like is in `conformance/drivers/README.md`. */

import { DecodeError, EncodeError } from "../src/runtime/errors.js";
import { Reader } from "../src/runtime/wire.js";
import type { ProtocolEntry } from "./entries.js";
import { build, run } from "./machines.js";
import { MACHINES, PROTOCOLS } from "./model.js";
import {
  BadRequest,
  blob,
  count,
  join,
  letter,
  name,
  readBlob,
  readLetter,
  readName,
  readValues,
  toRaw,
} from "./values.js";

const protocols = new Map(PROTOCOLS.map((one) => [one.name, one]));
const machines = new Map(MACHINES.map((one) => [one.name, one]));

function found<T>(entries: ReadonlyMap<string, T>, wanted: string): T {
  const entry = entries.get(wanted);
  if (entry === undefined) throw new BadRequest(`nothing is called ${JSON.stringify(wanted)}`);
  return entry;
}

function info(): Uint8Array {
  const names = [...protocols.keys(), ...machines.keys()];
  return join([letter("I"), name("typescript"), count(names.length), ...names.map(name)]);
}

/** What `work` answers, or a refusal. */
function answered(work: () => readonly Uint8Array[]): Uint8Array {
  try {
    return join([letter("+"), ...work()]);
  } catch (error) {
    if (!(error instanceof DecodeError || error instanceof EncodeError)) throw error;
    return join([letter("-"), name(error.code), name(error.messageName ?? ""), name(error.field ?? "")]);
  }
}

function decoded({ codec, messages }: ProtocolEntry, frame: Uint8Array): readonly Uint8Array[] {
  const message = codec.decode(frame);
  const values = message as unknown as Readonly<Record<string, unknown>>;
  const shown = (messages.get(message.type) ?? []).map(([property, kind]) => toRaw(kind, values[property]));
  return [name(message.type), count(shown.length), ...shown, blob(codec.encode(message as never))];
}

function answer(request: Reader): Uint8Array {
  const kind = readLetter(request);
  switch (kind) {
    case "I":
      request.end();
      return info();
    case "D": {
      const protocol = found(protocols, readName(request));
      const frame = readBlob(request);
      request.end();
      return answered(() => decoded(protocol, frame));
    }
    case "E": {
      const protocol = found(protocols, readName(request));
      const message = build(protocol, readName(request), readValues(request));
      request.end();
      return answered(() => [blob(protocol.codec.encode(message))]);
    }
    case "M":
      return run(found(machines, readName(request)), request);
    default:
      throw new BadRequest("no request begins like this");
  }
}

/** The answer to one request, without the lengths of the frames around them. */
export function handle(request: Uint8Array): Uint8Array {
  try {
    return answer(new Reader(request, 0, "request"));
  } catch (error) {
    return join([letter("?"), name(error instanceof Error ? error.message : String(error))]);
  }
}

/** One request in, one answer out; what they look like is in `conformance/drivers/README.md`. */

import { DecodeError, EncodeError } from "../src/runtime/errors.js";
import type { ProtocolEntry } from "./entries.js";
import { build, run } from "./machines.js";
import { MACHINES, PROTOCOLS } from "./model.js";
import { BadRequest, blob, count, Cursor, join, letter, name } from "./octets.js";
import { toRaw } from "./values.js";

const protocols = new Map(PROTOCOLS.map((one) => [one.name, one]));
const machines = new Map(MACHINES.map((one) => [one.name, one]));

function info(cursor: Cursor): Uint8Array {
  cursor.end();
  const names = [...protocols.keys(), ...machines.keys()];
  return join([letter("I"), name("typescript"), count(names.length), ...names.map(name)]);
}

function found<T>(entries: ReadonlyMap<string, T>, wanted: string): T {
  const entry = entries.get(wanted);
  if (entry === undefined) throw new BadRequest(`nothing is called ${JSON.stringify(wanted)}`);
  return entry;
}

function refused(error: unknown): Uint8Array {
  if (!(error instanceof DecodeError || error instanceof EncodeError)) throw error;
  return join([letter("-"), name(error.code), name(error.messageName ?? ""), name(error.field ?? "")]);
}

function decode(protocol: ProtocolEntry, frame: Uint8Array): Uint8Array {
  let message;
  try {
    message = protocol.decode(frame);
  } catch (error) {
    return refused(error);
  }
  const properties = protocol.messages.get(message.type) ?? [];
  return join([
    letter("+"),
    name(message.type),
    count(properties.length),
    ...properties.map(([property, kind]) => toRaw(kind, message[property])),
    blob(protocol.encode(message as never)),
  ]);
}

function answer(cursor: Cursor): Uint8Array {
  const kind = cursor.octet();
  switch (kind) {
    case "I":
      return info(cursor);
    case "D": {
      const protocol = found(protocols, cursor.name());
      const frame = cursor.blob();
      cursor.end();
      return decode(protocol, frame);
    }
    case "E": {
      const protocol = found(protocols, cursor.name());
      const [type, values] = [cursor.name(), cursor.values()];
      cursor.end();
      try {
        return join([letter("+"), blob(protocol.encode(build(protocol, type, values)))]);
      } catch (error) {
        return refused(error);
      }
    }
    case "M":
      return run(found(machines, cursor.name()), cursor);
    default:
      throw new BadRequest("no request begins like this");
  }
}

/** The answer to one request, without the lengths of the frames around them. */
export function handle(request: Uint8Array): Uint8Array {
  try {
    return answer(new Cursor(request));
  } catch (error) {
    return join([letter("?"), name(error instanceof Error ? error.message : String(error))]);
  }
}

/** Runs a machine through the steps of a request, with a host that records its calls. */

import { DecodeError, UnexpectedEvent, UnhandledEvent } from "../src/runtime/errors.js";
import type { Reader } from "../src/runtime/wire.js";
import type { AnyMachine, AnyMessage, Codec, MachineEntry, ProtocolEntry } from "./entries.js";
import {
  BadRequest,
  blob,
  count,
  fromRaw,
  join,
  letter,
  name,
  octets8,
  type Raw,
  readBlob,
  readBlobs,
  readLetter,
  readName,
  readValue,
  readValues,
  toRaw,
} from "./values.js";

/** The message of that type with these values, which it may be unable to encode. */
export function build(protocol: ProtocolEntry, type: string, values: readonly Raw[]): never {
  const properties = protocol.messages.get(type);
  if (properties === undefined) {
    throw new BadRequest(`${protocol.name} has no message ${JSON.stringify(type)}`);
  }
  const kinds = properties.map(([, kind]) => kind);
  const given = take(type, kinds, values).map((value, index) => [properties[index]?.[0], value]);
  return { type, ...Object.fromEntries(given) } as never;
}

/** Converts the values for the package, one for each kind. */
function take(owner: string, kinds: readonly string[], values: readonly Raw[]): unknown[] {
  if (values.length !== kinds.length) {
    throw new BadRequest(`${owner} has ${String(kinds.length)} values, not ${String(values.length)}`);
  }
  return values.map((value, index) => fromRaw(kinds[index] ?? "", value));
}

/** The message in one or more frames. */
export function decodeFrames(codec: Codec, frames: readonly Uint8Array[]): AnyMessage {
  return codec.decodeFrames?.(frames) ?? codec.decode(frames[0] ?? new Uint8Array(0));
}

/** The frames of a message, one or more. */
export function encodeFrames(codec: Codec, message: never): readonly Uint8Array[] {
  return codec.encodeFrames?.(message) ?? [codec.encode(message)];
}

/** A new machine and its host. */
class Run {
  readonly #entry: MachineEntry;
  readonly #machine: AnyMachine & Record<string, unknown>;
  /** The planned failures of each action: the kind of the plan, and its event. */
  readonly #armed = { fail: new Map<string, string>(), raise: new Map<string, string>() };
  #log: Uint8Array[] = [];
  #refused = false;

  constructor(entry: MachineEntry) {
    this.#entry = entry;
    const host: Record<string, (given: never) => void> = {
      send: (message) => {
        const frames = encodeFrames(entry.protocol.codec, message);
        this.#note("send", join(frames.length > 1 ? frames.map(blob) : frames));
      },
      unsendable: () => {
        this.#refused = true;
        this.#note("send", new Uint8Array(0));
      },
    };
    for (const [action, method] of entry.actions) {
      host[method] = () => {
        this.#act(action);
      };
    }
    this.#machine = new entry.machine(host as never) as AnyMachine & Record<string, unknown>;
  }

  #note(action: string, frames: Uint8Array): void {
    this.#log.push(name(action), blob(frames));
  }

  #act(action: string): void {
    this.#note(action, new Uint8Array(0));
    for (const how of ["raise", "fail"] as const) {
      const event = this.#armed[how].get(action);
      this.#armed[how].delete(action);
      if (event !== undefined) this.#machine[how]?.(event as never);
    }
  }

  #forget(): void {
    this.#log = [];
    this.#refused = false;
  }

  step(request: Reader): Uint8Array {
    this.#forget();
    const kind = readLetter(request);
    const outcome = this.#outcome(this.#read(kind, request));
    const variables = [...this.#entry.variables.values()];
    const due = this.#machine.deadline;
    return join([
      letter(this.#refused ? "e" : outcome),
      name(this.#machine.state),
      Uint8Array.of(this.#machine.terminated ? 1 : 0),
      count(variables.length),
      ...variables.map(([property, kind]) => toRaw(kind, this.#machine[property])),
      count(this.#log.length / 2),
      ...this.#log,
      ...(kind === "t" && due !== undefined ? [Uint8Array.of(due === null ? 0 : 1), octets8(due ?? 0)] : []),
    ]);
  }

  #outcome(work: () => string): string {
    try {
      return work();
    } catch (error) {
      if (error instanceof DecodeError) return "x";
      if (error instanceof UnexpectedEvent) return "u";
      if (error instanceof UnhandledEvent) return "h";
      throw error;
    }
  }

  /** The step in `request`, as a function that executes it and returns the outcome. */
  #read(kind: string, request: Reader): () => string {
    switch (kind) {
      case "m":
        return this.#arrive([readBlob(request)]);
      case "a":
        return this.#arrive(readBlobs(request));
      case "c":
        return this.#call(readName(request), readValues(request));
      case "v":
        return this.#set(readName(request), readValue(request));
      case "w":
        return this.#fill(readName(request), readName(request), readValue(request));
      case "f":
        return this.#arm("fail", readName(request), readName(request));
      case "n":
        return this.#arm("raise", readName(request), readName(request));
      case "t": {
        const now = Number(request.unsigned64("now"));
        if (this.#machine.advance === undefined) return () => "x";
        return () => (this.#machine.advance?.(now) === true ? "t" : "n");
      }
      default:
        throw new BadRequest(`unknown kind of step ${JSON.stringify(kind)}`);
    }
  }

  #arrive(frames: readonly Uint8Array[]): () => string {
    return () => {
      this.#machine.receive(decodeFrames(this.#entry.protocol.codec, frames) as never);
      return "t";
    };
  }

  #call(event: string, values: readonly Raw[]): () => string {
    const call = this.#entry.calls.get(event);
    if (call === undefined) return () => "x";
    const { method, message, parameters } = call;
    const given =
      message === null ? take(event, parameters, values) : [build(this.#entry.protocol, message, values)];
    return () => {
      const run = this.#machine[method] as (...given: readonly unknown[]) => boolean;
      return run.apply(this.#machine, given) ? "t" : "n";
    };
  }

  #set(variable: string, value: Raw): () => string {
    const found = this.#entry.variables.get(variable);
    if (found === undefined) return () => "x";
    this.#machine[found[0]] = fromRaw(found[1], value);
    return () => "v";
  }

  #fill(message: string, field: string, value: Raw): () => string {
    const fill = this.#entry.fills.get(message);
    const found = fill?.fields.get(field);
    if (fill === undefined || found === undefined) return () => "x";
    const set = this.#machine[fill.method] as (fields: object) => void;
    set.call(this.#machine, { [found[0]]: fromRaw(found[1], value) });
    return () => "v";
  }

  #arm(how: "fail" | "raise", action: string, event: string): () => string {
    if (!this.#entry.actions.has(action) || !this.#entry.internal.has(event)) return () => "x";
    this.#armed[how].set(action, event);
    return () => "v";
  }
}

/** The answer to the steps that `request` holds. */
export function run(entry: MachineEntry, request: Reader): Uint8Array {
  const one = new Run(entry);
  const answers = [letter("+")];
  for (let left = request.unsigned(4, "steps"); left > 0; left--) answers.push(one.step(request));
  request.end();
  return join(answers);
}

/** Takes a machine through the steps of a request, with a host that writes down what it is asked for. */

import { DecodeError, EncodeError, UnexpectedEvent, UnhandledEvent } from "../src/runtime/errors.js";
import type { Reader } from "../src/runtime/wire.js";
import type { AnyMachine, MachineEntry, ProtocolEntry } from "./entries.js";
import {
  BadRequest,
  blob,
  count,
  fromRaw,
  join,
  letter,
  name,
  type Raw,
  readBlob,
  readLetter,
  readName,
  readValue,
  readValues,
  toRaw,
} from "./values.js";

/** The message of that name with these values, which it may not be able to encode. */
export function build(protocol: ProtocolEntry, type: string, values: readonly Raw[]): never {
  const properties = protocol.messages.get(type);
  if (properties === undefined) {
    throw new BadRequest(`${protocol.name} has no message ${JSON.stringify(type)}`);
  }
  const kinds = properties.map(([, kind]) => kind);
  const given = take(type, kinds, values).map((value, index) => [properties[index]?.[0], value]);
  return { type, ...Object.fromEntries(given) } as never;
}

/** What the package takes for the values, one for each kind. */
function take(owner: string, kinds: readonly string[], values: readonly Raw[]): unknown[] {
  if (values.length !== kinds.length) {
    throw new BadRequest(`${owner} has ${String(kinds.length)} values, not ${String(values.length)}`);
  }
  return values.map((value, index) => fromRaw(kinds[index] ?? "", value));
}

/** One fresh machine and its host. */
class Run {
  readonly #entry: MachineEntry;
  readonly #machine: AnyMachine & Record<string, unknown>;
  readonly #armed = new Map<string, string>();
  #log: Uint8Array[] = [];
  #refused = false;

  constructor(entry: MachineEntry) {
    this.#entry = entry;
    const host: Record<string, (message: never) => void> = {
      send: (message) => {
        this.#send(message);
      },
    };
    for (const [action, method] of entry.actions) {
      host[method] = () => {
        this.#act(action);
      };
    }
    this.#machine = new entry.machine(host as never) as AnyMachine & Record<string, unknown>;
  }

  #send(message: never): void {
    let frame: Uint8Array = new Uint8Array(0);
    try {
      frame = this.#entry.protocol.codec.encode(message);
    } catch (error) {
      if (!(error instanceof EncodeError)) throw error;
      this.#refused = true;
    }
    this.#log.push(name("send"), blob(frame));
  }

  #act(action: string): void {
    this.#log.push(name(action), count(0));
    const event = this.#armed.get(action);
    if (event === undefined) return;
    this.#armed.delete(action);
    this.#machine.fail(event as never);
  }

  #forget(): void {
    this.#log = [];
    this.#refused = false;
  }

  step(request: Reader): Uint8Array {
    this.#forget();
    const outcome = this.#outcome(this.#read(request));
    const variables = [...this.#entry.variables.values()];
    return join([
      letter(this.#refused ? "e" : outcome),
      name(this.#machine.state),
      Uint8Array.of(this.#machine.terminated ? 1 : 0),
      count(variables.length),
      ...variables.map(([property, kind]) => toRaw(kind, this.#machine[property])),
      count(this.#log.length / 2),
      ...this.#log,
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

  /** What the step that `request` holds does; it returns the outcome. */
  #read(request: Reader): () => string {
    const kind = readLetter(request);
    switch (kind) {
      case "m": {
        const frame = readBlob(request);
        return () => {
          this.#machine.receive(this.#entry.protocol.codec.decode(frame) as never);
          return "t";
        };
      }
      case "c":
        return this.#call(readName(request), readValues(request));
      case "v":
        return this.#set(readName(request), readValue(request));
      case "f":
        return this.#arm(readName(request), readName(request));
      default:
        throw new BadRequest(`no step begins with ${JSON.stringify(kind)}`);
    }
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

  #arm(action: string, event: string): () => string {
    if (!this.#entry.actions.has(action) || !this.#entry.events.has(event)) return () => "x";
    this.#armed.set(action, event);
    return () => "v";
  }
}

/** The answer to the steps that `request` holds. */
export function run(entry: MachineEntry, request: Reader): Uint8Array {
  const one = new Run(entry);
  const answers = [letter("+")];
  for (let left = request.u32("steps"); left > 0; left--) answers.push(one.step(request));
  request.end();
  return join(answers);
}

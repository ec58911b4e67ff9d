/** Takes a machine through the steps of a request, with a host that writes down what it is asked for. */

import { DecodeError, EncodeError, UnexpectedEvent, UnhandledEvent } from "../src/runtime/errors.js";
import type { AnyMachine, MachineEntry, ProtocolEntry } from "./entries.js";
import { BadRequest, blob, count, type Cursor, join, letter, name, type Raw } from "./octets.js";
import { fromRaw, toRaw } from "./values.js";

/** A step that names an event, a variable or an action that the machine does not have. */
class Unknown extends Error {}

/** The message of that name with these values, which it may not be able to encode. */
export function build(protocol: ProtocolEntry, type: string, values: readonly Raw[]): never {
  const properties = protocol.messages.get(type);
  if (properties === undefined)
    throw new BadRequest(`${protocol.name} has no message ${JSON.stringify(type)}`);
  if (values.length !== properties.length) {
    throw new BadRequest(`${type} has ${String(properties.length)} values, not ${String(values.length)}`);
  }
  const given = values.map((value, index) => {
    const [property, kind] = properties[index] ?? ["", { tag: "b" }];
    return [property, fromRaw(kind, value)] as const;
  });
  return { type, ...Object.fromEntries(given) } as never;
}

/** One fresh machine and its host. */
class Run {
  readonly #entry: MachineEntry;
  readonly #machine: AnyMachine;
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
    this.#machine = entry.make(host as never);
  }

  #send(message: never): void {
    let frame = new Uint8Array(0) as Uint8Array;
    try {
      frame = this.#entry.protocol.encode(message);
    } catch (error) {
      if (!(error instanceof EncodeError)) throw error;
      this.#refused = true;
    }
    this.#log.push(join([name("send"), blob(frame)]));
  }

  #act(action: string): void {
    this.#log.push(join([name(action), count(0)]));
    const event = this.#armed.get(action);
    if (event === undefined) return;
    this.#armed.delete(action);
    this.#machine.fail(event as never);
  }

  #forget(): void {
    this.#log = [];
    this.#refused = false;
  }

  step(cursor: Cursor): Uint8Array {
    this.#forget();
    const outcome = this.#outcome(cursor);
    const machine = this.#machine as unknown as Readonly<Record<string, unknown>>;
    const variables = [...this.#entry.variables.values()];
    return join([
      letter(this.#refused ? "e" : outcome),
      name(this.#machine.state),
      Uint8Array.of(this.#machine.terminated ? 1 : 0),
      count(variables.length),
      ...variables.map(([property, kind]) => toRaw(kind, machine[property])),
      count(this.#log.length),
      ...this.#log,
    ]);
  }

  #outcome(cursor: Cursor): string {
    const kind = cursor.octet();
    try {
      switch (kind) {
        case "m":
          this.#machine.receive(this.#entry.protocol.decode(cursor.blob()) as never);
          return "t";
        case "c":
          return this.#call(cursor.name(), cursor.values());
        case "v":
          return this.#set(cursor.name(), cursor.value());
        case "f":
          return this.#arm(cursor.name(), cursor.name());
        default:
          throw new BadRequest(`no step begins with ${JSON.stringify(kind)}`);
      }
    } catch (error) {
      if (error instanceof DecodeError || error instanceof Unknown) return "x";
      if (error instanceof UnexpectedEvent) return "u";
      if (error instanceof UnhandledEvent) return "h";
      throw error;
    }
  }

  #call(event: string, values: readonly Raw[]): string {
    const call = this.#entry.calls.get(event);
    if (call === undefined) throw new Unknown(event);
    let given: readonly unknown[];
    if (call.message !== null) {
      given = [build(this.#entry.protocol, call.message, values)];
    } else {
      if (values.length !== call.parameters.length) {
        throw new BadRequest(`${event} has ${String(call.parameters.length)} parameters`);
      }
      given = values.map((value, index) => fromRaw(call.parameters[index] ?? { tag: "b" }, value));
    }
    const methods = this.#machine as unknown as Record<string, (...given: readonly unknown[]) => boolean>;
    return methods[call.method]?.(...given) === true ? "t" : "n";
  }

  #set(variable: string, value: Raw): string {
    const found = this.#entry.variables.get(variable);
    if (found === undefined) throw new Unknown(variable);
    const [property, kind] = found;
    (this.#machine as unknown as Record<string, unknown>)[property] = fromRaw(kind, value);
    return "v";
  }

  #arm(action: string, event: string): string {
    if (!this.#entry.actions.has(action) || !this.#entry.events.has(event)) throw new Unknown(action);
    this.#armed.set(action, event);
    return "v";
  }
}

/** The answer to the steps that `cursor` holds. */
export function run(entry: MachineEntry, cursor: Cursor): Uint8Array {
  const one = new Run(entry);
  const answers = [letter("+")];
  for (let left = cursor.number(); left > 0; left--) answers.push(one.step(cursor));
  cursor.end();
  return join(answers);
}

/** What a bundle holds, as far as the driver has to know. */

import type { Kind } from "./values.js";

/** A message of any protocol. */
export interface AnyMessage {
  readonly type: string;
}

/** A property of a message, or a variable of a machine, by its name in the package. */
export type Named = readonly [property: string, kind: Kind];

export interface ProtocolEntry {
  readonly name: string;
  /** The protocol's module. */
  readonly codec: { decode(frame: Uint8Array): AnyMessage; encode(message: never): Uint8Array };
  /** The properties of each message, in the order of the wire. */
  readonly messages: ReadonlyMap<string, readonly Named[]>;
}

/** A machine of any kind; its variables and methods are found by name. */
export interface AnyMachine {
  readonly state: string;
  readonly terminated: boolean;
  receive(message: never): void;
  fail(event: never): void;
}

/** An event of the host's or the application's. */
export interface Call {
  readonly method: string;
  /** The message it carries; null if it has parameters. */
  readonly message: string | null;
  readonly parameters: readonly Kind[];
}

export interface MachineEntry {
  readonly name: string;
  readonly protocol: ProtocolEntry;
  readonly machine: new (host: never) => AnyMachine;
  readonly variables: ReadonlyMap<string, Named>;
  /** The host's method for each action. */
  readonly actions: ReadonlyMap<string, string>;
  readonly events: ReadonlySet<string>;
  readonly calls: ReadonlyMap<string, Call>;
}

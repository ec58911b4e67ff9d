/** What a bundle holds, as far as the driver has to know. */

import type { Kind, Named } from "./values.js";

/** A message of any protocol. */
export type AnyMessage = Readonly<Record<string, unknown>> & { readonly type: string };

export interface ProtocolEntry {
  readonly name: string;
  readonly decode: (frame: Uint8Array) => AnyMessage;
  readonly encode: (message: never) => Uint8Array;
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
  readonly make: (host: never) => AnyMachine;
  readonly variables: ReadonlyMap<string, Named>;
  /** The host's method for each action. */
  readonly actions: ReadonlyMap<string, string>;
  readonly events: ReadonlySet<string>;
  readonly calls: ReadonlyMap<string, Call>;
}

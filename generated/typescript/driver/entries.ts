/** The description of a bundle for the driver. */

import type { Kind } from "./values.js";

/** A message of any protocol. */
export interface AnyMessage {
  readonly type: string;
}

/** A property of a message, or a variable of a machine, by its name in the package. */
export type Named = readonly [property: string, kind: Kind];

/** A protocol's module. */
export interface Codec {
  decode(frame: Uint8Array): AnyMessage;
  encode(message: never): Uint8Array;
  decodeFrames?(frames: readonly Uint8Array[]): AnyMessage;
  encodeFrames?(message: never): readonly Uint8Array[];
}

export interface ProtocolEntry {
  readonly name: string;
  readonly codec: Codec;
  /** The properties of each message, in wire order. */
  readonly messages: ReadonlyMap<string, readonly Named[]>;
}

/** A machine of any type; its variables and methods are found by name. */
export interface AnyMachine {
  readonly state: string;
  readonly terminated: boolean;
  readonly deadline?: number | null;
  receive(message: never): void;
  fail?(event: never): void;
  raise?(event: never): void;
  advance?(now: number): boolean;
}

/** An event of the host or the application. */
export interface Call {
  readonly method: string;
  /** The message that the event carries; null if it has parameters. */
  readonly message: string | null;
  readonly parameters: readonly Kind[];
}

/** The filling of a message. */
export interface Fill {
  readonly method: string;
  /** The properties by the names in the model. */
  readonly fields: ReadonlyMap<string, Named>;
}

export interface MachineEntry {
  readonly name: string;
  readonly protocol: ProtocolEntry;
  readonly machine: new (host: never) => AnyMachine;
  readonly variables: ReadonlyMap<string, Named>;
  /** The host's method for each action. */
  readonly actions: ReadonlyMap<string, string>;
  readonly internal: ReadonlySet<string>;
  /** The method that fills a message, and the fields that it accepts. */
  readonly fills: ReadonlyMap<string, Fill>;
  readonly calls: ReadonlyMap<string, Call>;
}

/**
 * The engine under the generated machines: rows tried in order, steps run in order.
 *
 * A machine is its table. A row says: in this state, at this event, if the guard holds, run these steps and, if
 * there is a next state, go there. A row without one stays, and runs neither what the state does on leaving nor
 * what it does on entering. A row with one runs the event's steps and the old state's `after`, changes the state,
 * and then runs the new state's `before`. A host action may call `fail`: the steps that are left do not run, and
 * the event it names is handled next. Should host actions fail in that one's row too, and so on, then more than
 * `RAISES_MAX` events in turn are an error.
 *
 * A machine handles one event at a time: its methods must not be called from inside an action, `send` included,
 * whose row is only half done. The host keeps for later what it wants to do next.
 */

import { UnexpectedEvent, UnhandledEvent } from "./errors.js";

/** Events in turn that host actions may fail with while one event is handled. */
export const RAISES_MAX = 8;

/** One row as data: `steps` up to `beforeAt` run before the state changes. */
export interface Row<S extends string, E extends string> {
  readonly state: S;
  readonly event: E;
  /** The guard as the model spells it; null if there is none. */
  readonly guard: string | null;
  /** The steps as the model would spell them. */
  readonly steps: readonly string[];
  /** Null: stay. */
  readonly next: S | null;
  readonly beforeAt: number;
}

/** A function for each guard or step, by its text in the table. The message's type follows from the event. */
export type Functions<M, R> = Readonly<Record<string, (machine: M, message: never) => R>>;

/** A row with its functions; null is `terminate`. */
interface Rule<S extends string, E extends string> {
  readonly row: Row<S, E>;
  readonly holds: ((machine: never, message: never) => boolean) | null;
  readonly run: readonly (((machine: never, message: never) => void) | null)[];
}

/** The rows of each state and event, in the table's order. */
export type Index<S extends string, E extends string> = ReadonlyMap<S, ReadonlyMap<E, readonly Rule<S, E>[]>>;

/** What a machine looks its rows up in. Throws TypeError if a function is missing. */
export function index<S extends string, E extends string, M>(
  table: readonly Row<S, E>[],
  guards: Functions<M, boolean>,
  steps: Functions<M, void>,
): Index<S, E> {
  const states = new Map<S, Map<E, Rule<S, E>[]>>();
  for (const row of table) {
    const events = states.get(row.state) ?? new Map<E, Rule<S, E>[]>();
    states.set(row.state, events);
    const rules = events.get(row.event) ?? [];
    events.set(row.event, rules);
    const holds = row.guard === null ? null : named(guards, row.guard);
    rules.push({
      row,
      holds,
      run: row.steps.map((step) => (step === "terminate" ? null : named(steps, step))),
    });
  }
  return states;
}

function named<F>(functions: Readonly<Record<string, F>>, name: string): F {
  const found = functions[name];
  if (found === undefined) throw new TypeError(`the table names ${name}, which there is not`);
  return found;
}

/** What every generated machine can do. A subclass brings the table and the variables. */
export abstract class Machine<S extends string, E extends string, M extends { readonly type: string }> {
  #state: S;
  #terminated = false;
  #busy = false;
  #failed: E | null = null;
  readonly #index: Index<S, E>;
  readonly #eventOf: ReadonlyMap<string, E>;

  protected constructor(initial: S, index: Index<S, E>, eventOf: ReadonlyMap<string, E>) {
    this.#state = initial;
    this.#index = index;
    this.#eventOf = eventOf;
  }

  /** Where the session is. */
  get state(): S {
    return this.#state;
  }

  /** Whether the machine is done. */
  get terminated(): boolean {
    return this.#terminated;
  }

  /**
   * Handle a message that arrived. Throws UnexpectedEvent if no row takes it.
   *
   * Throws UnhandledEvent inside an action, and if no row takes what a host action failed with.
   */
  receive(message: M): void {
    if (this.#busy) throw this.#unhandled(message.type, "called from inside an action");
    const event = this.#eventOf.get(message.type);
    const rules = event === undefined ? undefined : this.#index.get(this.#state)?.get(event);
    if (rules === undefined || !this.#handle(rules, message)) {
      throw new UnexpectedEvent(`${message.type} in state ${this.#state}`);
    }
  }

  /**
   * Called by the host from inside a host action: skip the steps that are left, then handle `event`.
   *
   * Throws UnhandledEvent anywhere else.
   */
  fail(event: E): void {
    if (!this.#busy) throw this.#unhandled(event, "no action runs that could fail");
    this.#failed = event;
  }

  /**
   * Handle an event of the host's or the application's. False if no guard held.
   *
   * Throws UnhandledEvent if the state has no row for it, and inside an action.
   */
  protected _handle(event: E, message: unknown): boolean {
    if (this.#busy) throw this.#unhandled(event, "called from inside an action");
    return this.#handle(this.#rules(event), message);
  }

  /** Take a row, then those of the events that host actions fail with. False if no guard held. */
  #handle(rules: readonly Rule<S, E>[], message: unknown): boolean {
    this.#busy = true;
    try {
      const taken = this.#take(rules, message);
      for (let raised = 0; this.#failed !== null; raised++) this.#recover(this.#failed, raised);
      return taken;
    } finally {
      this.#busy = false;
      this.#failed = null;
    }
  }

  /** Run the first row whose guard holds, up to a step at which the host fails. False if there is none. */
  #take(rules: readonly Rule<S, E>[], message: unknown): boolean {
    const self = this as never; // the subclass gave functions of its own
    const given = message as never;
    const rule = rules.find((one) => one.holds === null || one.holds(self, given));
    if (rule === undefined) return false;
    const { next, beforeAt } = rule.row;
    for (const [index, step] of rule.run.entries()) {
      if (index === beforeAt && next !== null) this.#state = next;
      if (step === null) this.#terminated = true;
      else step(self, given);
      if (this.#failed !== null) return true;
    }
    if (next !== null && beforeAt >= rule.run.length) this.#state = next;
    return true;
  }

  /** Handle the event that the host failed with, after `raised` others. */
  #recover(event: E, raised: number): void {
    this.#failed = null;
    const rules = this.#rules(event);
    if (raised === RAISES_MAX) throw this.#unhandled(event, `actions fail more than ${String(raised)} deep`);
    if (!this.#take(rules, null)) throw this.#unhandled(event, "no guard holds");
  }

  #rules(event: E): readonly Rule<S, E>[] {
    const rules = this.#index.get(this.#state)?.get(event);
    if (rules === undefined) throw new UnhandledEvent(`${event} in state ${this.#state}`);
    return rules;
  }

  #unhandled(event: string, why: string): UnhandledEvent {
    return new UnhandledEvent(`${event} in state ${this.#state}: ${why}`);
  }
}

// --- what guards and assignments compute with: unsigned numbers that stop at 0 and at their greatest value

/** The sum, or `greatest` if that is less. */
export function sum(left: number | bigint, right: number | bigint, greatest: bigint): bigint {
  return least(BigInt(left) + BigInt(right), greatest);
}

/** The difference, or 0 if it is negative. */
export function difference(left: number | bigint, right: number | bigint): bigint {
  return left > right ? BigInt(left) - BigInt(right) : 0n;
}

/** `value`, or `greatest` if that is less. */
export function least(value: number | bigint, greatest: bigint): bigint {
  return value < greatest ? BigInt(value) : greatest;
}

/** `value`, or 0 if it is negative. */
export function natural(value: number | bigint): number | bigint {
  return value > 0 ? value : 0;
}

/** Whether two values are the same: octets by their content, a number and a bigint by their value. */
export function same(left: Value, right: Value): boolean {
  if (left instanceof Uint8Array && right instanceof Uint8Array) {
    return left.length === right.length && left.every((octet, index) => octet === right[index]);
  }
  // eslint-disable-next-line eqeqeq -- a number and a bigint are compared by their values
  return left == right;
}

type Value = bigint | boolean | number | string | Uint8Array;

/** A parameter of a method. Throws RangeError if it is not an integer, or negative though `isSigned` is false. */
export function integer<N extends number | bigint>(value: N, parameter: string, isSigned: boolean): N {
  const isInteger = typeof value === "bigint" || Number.isInteger(value);
  if (isInteger && (isSigned || value >= 0)) return value;
  throw new RangeError(`${parameter}: ${String(value)} is not an ${isSigned ? "" : "unsigned "}integer`);
}

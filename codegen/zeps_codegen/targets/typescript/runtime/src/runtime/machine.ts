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

/** A row with the functions that it names. The message's type follows from the event. */
export interface Rule<S extends string, E extends string, M> extends Row<S, E> {
  readonly holds: ((machine: M, message: never) => boolean) | null;
  readonly run: readonly ((machine: M, message: never) => void)[];
}

/** The rows of each state and event, in the table's order. */
export type Index<S extends string, E extends string, M> = ReadonlyMap<
  S,
  ReadonlyMap<E, readonly Rule<S, E, M>[]>
>;

/** What every machine looks its rows up in. */
export function byState<S extends string, E extends string, M>(
  table: readonly Rule<S, E, M>[],
): Index<S, E, M> {
  const states = new Map<S, Map<E, Rule<S, E, M>[]>>();
  for (const row of table) {
    const events = states.get(row.state) ?? new Map<E, Rule<S, E, M>[]>();
    states.set(row.state, events);
    const rows = events.get(row.event) ?? [];
    events.set(row.event, rows);
    rows.push(row);
  }
  return states;
}

/** What every generated machine can do. A subclass brings the table and the variables. */
export abstract class Machine<S extends string, E extends string, M extends { readonly type: string }> {
  /** Where the session is. */
  state: S;
  /** Whether the machine is done. */
  terminated = false;

  #busy = false;
  #failed: E | null = null;
  readonly #index: Index<S, E, never>;
  readonly #eventOf: ReadonlyMap<string, E>;

  protected constructor(initial: S, index: Index<S, E, never>, eventOf: ReadonlyMap<string, E>) {
    this.state = initial;
    this.#index = index;
    this.#eventOf = eventOf;
  }

  /**
   * Handle a message that arrived. Throws UnexpectedEvent if no row takes it.
   *
   * Throws UnhandledEvent inside an action, and if no row takes what a host action failed with.
   */
  receive(message: M): void {
    if (this.#busy) throw this.#unhandled(message.type, "called from inside an action");
    const event = this.#eventOf.get(message.type);
    const rows = event === undefined ? undefined : this.#index.get(this.state)?.get(event);
    if (rows === undefined || !this.#handle(rows, message)) {
      throw new UnexpectedEvent(`${message.type} in state ${this.state}`);
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
  protected raise(event: E, message: unknown): boolean {
    if (this.#busy) throw this.#unhandled(event, "called from inside an action");
    return this.#handle(this.#rows(event), message);
  }

  /** Take a row, then those of the events that host actions fail with. False if no guard held. */
  #handle(rows: readonly Rule<S, E, never>[], message: unknown): boolean {
    this.#busy = true;
    try {
      const taken = this.#take(rows, message);
      for (let raised = 0; this.#failed !== null; raised++) this.#recover(this.#failed, raised);
      return taken;
    } finally {
      this.#busy = false;
      this.#failed = null;
    }
  }

  /** Run the first row whose guard holds, up to a step at which the host fails. False if there is none. */
  #take(rows: readonly Rule<S, E, never>[], message: unknown): boolean {
    const self = this as never; // the subclass gave rows of its own
    const given = message as never;
    const row = rows.find((one) => one.holds === null || one.holds(self, given));
    if (row === undefined) return false;
    for (const [index, step] of row.run.entries()) {
      if (index === row.beforeAt && row.next !== null) this.state = row.next;
      step(self, given);
      if (this.#failed !== null) return true;
    }
    if (row.next !== null && row.beforeAt >= row.run.length) this.state = row.next;
    return true;
  }

  /** Handle the event that the host failed with, after `raised` others. */
  #recover(event: E, raised: number): void {
    this.#failed = null;
    const rows = this.#rows(event);
    if (raised === RAISES_MAX) throw this.#unhandled(event, `actions fail more than ${String(raised)} deep`);
    if (!this.#take(rows, null)) throw this.#unhandled(event, "no guard holds");
  }

  #rows(event: E): readonly Rule<S, E, never>[] {
    const rows = this.#index.get(this.state)?.get(event);
    if (rows === undefined) throw new UnhandledEvent(`${event} in state ${this.state}`);
    return rows;
  }

  #unhandled(event: string, why: string): UnhandledEvent {
    return new UnhandledEvent(`${event} in state ${this.state}: ${why}`);
  }
}

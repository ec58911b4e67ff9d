/**
 * The engine of the generated machines: rows are tried in order, and their steps run in order.
 *
 * A machine is a table. A row applies in a state, to an event, if its guard is true; it runs its steps and changes to
 * the next state, if it has one. A row without a next state runs neither the state's `after` nor its `before`. A row
 * with a next state runs the event's steps and the old state's `after`, changes the state, and then runs the new
 * state's `before`.
 *
 * A host action may fail with an internal event: then the remaining steps are skipped, and the event is handled next.
 * Or it may raise one: then the event is handled after the row, in the new state, unless the machine has terminated.
 * More than `RAISES_MAX` of these events in turn are an error.
 *
 * A machine handles one event at a time: its methods must not be called from inside an action (including `send`),
 * because the row is not complete. The host must postpone other calls.
 */

import { EncodeError, UnexpectedEvent, UnhandledEvent } from "./errors.js";

/** The maximum number of events that host actions may fail with or raise in turn while one event is handled. */
export const RAISES_MAX = 8;

/** A row as data: `steps` up to `beforeAt` run before the state changes. */
export interface Row<S extends string, E extends string> {
  readonly state: S;
  readonly event: E;
  /** The guard in the model's language; null without one. */
  readonly guard: string | null;
  /** The steps in the model's language. */
  readonly steps: readonly string[];
  /** The next state; null keeps the state. */
  readonly next: S | null;
  readonly beforeAt: number;
}

/**
 * The value of a field that the host fills; `zero` if it is not filled.
 *
 * Throws EncodeError (`not-set`) if `zero` is missing too.
 */
export type Draft = (message: string, field: string, property: string, zero?: unknown) => never;

/** Functions by their text in the table. The message's type follows from the event. */
type Functions<K, R> = Readonly<Record<string, (machine: K, message: never, draft: Draft) => R>>;

/** An event that is due the given milliseconds after a state was entered, or a message sent or received; 0 disables
 * it. */
interface Timer<S, E, K> {
  readonly event: E;
  readonly milliseconds: (machine: K) => number | bigint;
  readonly since: "entered" | "sent" | "received";
  readonly states: readonly S[];
}

/** The definition of a machine of class `K`, whose messages are `M`. */
export interface Source<S extends string, E extends string, M, K> {
  /** The first state. */
  readonly initial: S;
  readonly table: readonly Row<S, E>[];
  readonly guards: Functions<K, boolean>;
  /** The messages that steps send. */
  readonly sends: Functions<K, M>;
  /** The other steps, except `terminate`. */
  readonly steps: Functions<K, void>;
  /** The event for each received message. */
  readonly received: ReadonlyMap<string, E>;
  /** The events that host actions may fail with or raise. */
  readonly internal: readonly E[];
  readonly timers: readonly Timer<S, E, K>[];
}

type Run<R> = (machine: never, message: never, draft: Draft) => R;

/** A row with its functions. A step that neither sends nor runs is `terminate`. */
interface Rule<S extends string, E extends string, M> {
  readonly row: Row<S, E>;
  readonly holds: Run<boolean> | undefined;
  readonly steps: readonly { readonly send: Run<M> | undefined; readonly run: Run<void> | undefined }[];
}

/** The rows of a machine, for lookup. */
export interface Model<S extends string, E extends string, M> {
  readonly source: Source<S, E, M, never>;
  /** The rows of each state and event, in the table's order. */
  readonly rules: ReadonlyMap<S, ReadonlyMap<E, readonly Rule<S, E, M>[]>>;
}

/** Looks up the functions that the table names. */
export function compile<S extends string, E extends string, M, K>(
  source: Source<S, E, M, K>,
): Model<S, E, M> {
  const states = new Map<S, Map<E, Rule<S, E, M>[]>>();
  for (const row of source.table) {
    const events = states.get(row.state) ?? new Map<E, Rule<S, E, M>[]>();
    states.set(row.state, events);
    const rules = events.get(row.event) ?? [];
    events.set(row.event, rules);
    rules.push({
      row,
      holds: row.guard === null ? undefined : own(source.guards, row.guard),
      steps: row.steps.map((step) => ({ send: own(source.sends, step), run: own(source.steps, step) })),
    });
  }
  return { source, rules: states };
}

function own<F>(functions: Readonly<Record<string, F>>, name: string): F | undefined {
  return Object.hasOwn(functions, name) ? functions[name] : undefined;
}

/** The methods that every host has. */
export interface Host<M> {
  /** Sends a message. It may throw EncodeError. */
  send(message: M): void;
  /**
   * Reports a message that was not sent: a field is not set (`not-set`), or `send` threw the error. Then the row
   * continues. Without this method the error is thrown.
   */
  unsendable?(error: EncodeError): void;
}

/** The base class of generated machines. A subclass defines the model and the variables. */
export abstract class Machine<
  S extends string,
  E extends string,
  M extends { readonly type: string },
  H extends Host<M>,
> {
  /** Called after the steps of each row that is taken, or after the steps before an action failed. */
  onTransition: ((from: S, event: E, to: S) => void) | null = null;

  #state: S;
  #terminated = false;
  #busy = false;
  #failed: E | null = null;
  #raised: E | null = null;
  #now: number | null = null;
  /** The deadline of each running timer. */
  readonly #due = new Map<Timer<S, E, never>, number>();
  readonly #drafts = new Map<string, ReadonlyMap<string, unknown>>();
  readonly #model: Model<S, E, M>;

  protected constructor(
    model: Model<S, E, M>,
    readonly host: H,
  ) {
    this.#state = model.source.initial;
    this.#model = model;
  }

  /** The current state. */
  get state(): S {
    return this.#state;
  }

  /** Whether the machine has terminated. */
  get terminated(): boolean {
    return this.#terminated;
  }

  /**
   * Handles a received message. Throws UnexpectedEvent if no row handles it.
   *
   * Throws UnhandledEvent inside an action, and if no row handles an event that a host action fails with or raises.
   */
  receive(message: M): void {
    this.#idle(message.type);
    const event = this.#model.source.received.get(message.type);
    if (event !== undefined) this.#restart("received");
    if (event === undefined || !this.#handle(event, this.#rules(event) ?? [], message)) {
      throw new UnexpectedEvent(`${message.type} in state ${this.#state}`);
    }
  }

  /** Implements `fail` for machines that have it. */
  protected _fail(event: E): void {
    this.#acting(event);
    this.#failed = event;
  }

  /** Implements `raise` for machines that have it. */
  protected _raise(event: E): void {
    this.#acting(event);
    this.#raised = event;
  }

  /** Implements the methods that fill fields of the message that is sent next. */
  protected _fill(message: string, fields: object): void {
    this.#drafts.set(message, new Map([...(this.#drafts.get(message) ?? []), ...Object.entries(fields)]));
  }

  /**
   * Handles an event of the host or the application. Returns false if no guard is true.
   *
   * Throws UnhandledEvent if the state has no row for the event, and inside an action.
   */
  protected _handle(event: E, message: unknown): boolean {
    this.#idle(event);
    return this.#handle(event, this.#known(event), message);
  }

  /** Implements `advance` for machines with timers. Throws RangeError if `now` is not a number. */
  protected _advance(now: number): boolean {
    this.#idle("advance");
    if (Number.isNaN(now)) throw new RangeError("now: not a number");
    const isFirst = this.#now === null;
    this.#now = Math.max(now, this.#now ?? 0);
    for (const timer of isFirst ? this.#running() : []) this.#start(timer);
    let taken = false;
    for (let timer = this.#next(); timer !== null; timer = this.#next()) {
      this.#start(timer);
      taken = this.#handle(timer.event, this.#known(timer.event), null) || taken;
    }
    return taken;
  }

  /** Implements `deadline` for machines with timers. */
  protected get _deadline(): number | null {
    return this.#due.size === 0 ? null : Math.min(...this.#due.values());
  }

  /** Takes a row, then the rows of events that host actions fail with or raise. Returns false if no guard is true. */
  #handle(event: E, rules: readonly Rule<S, E, M>[], message: unknown): boolean {
    this.#busy = true;
    try {
      const taken = this.#take(event, rules, message);
      for (let count = 0; ; count++) {
        const following = this.#failed ?? (this.#terminated ? null : this.#raised);
        if (following === null) return taken;
        const found = this.#known(following);
        if (count === RAISES_MAX) {
          throw this.#unhandled(following, `more than ${String(count)} events follow each other`);
        }
        if (!this.#take(following, found, null)) throw this.#unhandled(following, "no guard is true");
      }
    } finally {
      this.#busy = false;
      this.#forget();
    }
  }

  #forget(): void {
    this.#failed = this.#raised = null;
  }

  /** Runs the first row with a true guard, until a host action fails. Returns false without one. */
  #take(event: E, rules: readonly Rule<S, E, M>[], message: unknown): boolean {
    this.#forget();
    const self = this as never; // the functions belong to the subclass
    const given = message as never;
    const rule = rules.find((one) => one.holds?.(self, given, this.#draft) ?? true);
    if (rule === undefined) return false;
    const { state: from, next, beforeAt } = rule.row;
    for (const [index, { send, run }] of rule.steps.entries()) {
      if (index === beforeAt && next !== null) this.#enter(next);
      if (send !== undefined) this.#send(send, given);
      else if (run !== undefined) run(self, given, this.#draft);
      else this.#terminated = true;
      if (this.#failed !== null) break;
    }
    if (this.#failed === null && next !== null && beforeAt >= rule.steps.length) this.#enter(next);
    this.onTransition?.(from, event, this.#state);
    return true;
  }

  /** Sends the message that `make` constructs; reports it if it cannot be encoded. Clears the filled fields. */
  #send(make: Run<M>, given: never): void {
    let name: string | null = null;
    try {
      const message = make(this as never, given, this.#draft);
      name = message.type;
      this.host.send(message);
      this.#restart("sent");
    } catch (error) {
      if (error instanceof EncodeError) name ??= error.messageName;
      if (!(error instanceof EncodeError) || this.host.unsendable === undefined) throw error;
      this.host.unsendable(error);
    } finally {
      if (name !== null) this.#drafts.delete(name);
    }
  }

  readonly #draft: Draft = (message, field, property, zero) => {
    const value = this.#drafts.get(message)?.get(property) ?? zero;
    if (value === undefined) throw new EncodeError("not-set", message, field);
    return value as never;
  };

  #rules(event: E): readonly Rule<S, E, M>[] | undefined {
    return this.#model.rules.get(this.#state)?.get(event);
  }

  #known(event: E): readonly Rule<S, E, M>[] {
    const rules = this.#rules(event);
    if (rules === undefined) throw new UnhandledEvent(`${event} in state ${this.#state}`);
    return rules;
  }

  // --- timers

  /** Changes the state: its timers run, and those of other states stop. */
  #enter(state: S): void {
    const before = this.#state;
    this.#state = state;
    for (const timer of this.#model.source.timers) {
      if (!timer.states.includes(state)) this.#due.delete(timer);
      else if (!timer.states.includes(before) || timer.since === "entered") this.#start(timer);
    }
  }

  /** Restarts the timers of the state that count from a message. */
  #restart(since: "sent" | "received"): void {
    for (const timer of this.#running()) if (timer.since === since) this.#start(timer);
  }

  /** Starts or restarts a timer. */
  #start(timer: Timer<S, E, never>): void {
    this.#due.delete(timer);
    const milliseconds = Number(timer.milliseconds(this as never));
    if (this.#now !== null && milliseconds > 0 && milliseconds <= Number.MAX_SAFE_INTEGER) {
      this.#due.set(timer, this.#now + milliseconds);
    }
  }

  #running(): readonly Timer<S, E, never>[] {
    return this.#model.source.timers.filter((timer) => timer.states.includes(this.#state));
  }

  /** The timer that is due first; of several with the same deadline, the first in the model. */
  #next(): Timer<S, E, never> | null {
    const deadline = this._deadline;
    if (deadline === null || deadline > (this.#now ?? 0)) return null;
    return this.#model.source.timers.find((timer) => this.#due.get(timer) === deadline) ?? null;
  }

  // --- callers

  #idle(event: string): void {
    if (this.#busy) throw this.#unhandled(event, "called from inside an action");
  }

  #acting(event: E): void {
    if (!this.#busy) throw this.#unhandled(event, "called outside an action");
    if (!this.#model.source.internal.includes(event)) throw this.#unhandled(event, "not an internal event");
  }

  #unhandled(event: string, why: string): UnhandledEvent {
    return new UnhandledEvent(`${event} in state ${this.#state}: ${why}`);
  }
}

// --- what guards and assignments compute with: unsigned numbers that stop at 0 and at their greatest value

/** The sum, limited to `greatest`. */
export function sum(left: number | bigint, right: number | bigint, greatest: bigint): bigint {
  return least(BigInt(left) + BigInt(right), greatest);
}

/** The difference, or 0 if it is negative. */
export function difference(left: number | bigint, right: number | bigint): bigint {
  return left > right ? BigInt(left) - BigInt(right) : 0n;
}

/** `value`, limited to `greatest`. */
export function least(value: number | bigint, greatest: bigint): bigint {
  return value < greatest ? BigInt(value) : greatest;
}

/** `value`, or 0 if it is negative. */
export function natural(value: number | bigint): number | bigint {
  return value > 0 ? value : 0;
}

type Value = bigint | boolean | number | string | Uint8Array;

/** `value` as a bigint. */
export function big(value: number | bigint): bigint {
  return BigInt(value);
}

/** `value` as the nearest JavaScript number. */
export function small(value: number | bigint): number {
  return Number(value);
}

/** Whether two values are equal: bytes by their content, a number and a bigint by their value. */
export function same(left: Value, right: Value): boolean {
  if (left instanceof Uint8Array && right instanceof Uint8Array) {
    return left.length === right.length && left.every((octet, index) => octet === right[index]);
  }
  // eslint-disable-next-line eqeqeq -- a number and a bigint are compared by their values
  return left == right;
}

/** A parameter of a method. Throws RangeError if it is not an integer, or negative though `isSigned` is false. */
export function integer<N extends number | bigint>(value: N, parameter: string, isSigned: boolean): N {
  const isInteger = typeof value === "bigint" || Number.isInteger(value);
  if (isInteger && (isSigned || value >= 0)) return value;
  throw new RangeError(`${parameter}: ${String(value)} is not an ${isSigned ? "" : "unsigned "}integer`);
}

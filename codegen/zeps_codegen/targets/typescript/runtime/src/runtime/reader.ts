/** Reads a message: one method for each operation. The first that finds something wrong throws DecodeError. */

import { type Code, DecodeError } from "./errors.js";
import { decodeText, type Form, latin1, UTF8 } from "./text.js";

const VARINT_OCTETS_MAX = 10;
const NO_FRAMES: readonly Uint8Array[] = [];

const scratch = new DataView(new ArrayBuffer(8));

/** A position in a frame. `field` is the field that an error is about; its offset is where the operation began. */
export class Reader {
  private start: number;
  private isOver = false;
  private nextFrame = 1;

  /**
   * @param data - the first frame, or the only one
   * @param at - where to begin
   * @param message - the message's name
   * @param frames - all frames, of a message that may have several
   */
  constructor(
    private readonly data: Uint8Array,
    private at: number,
    private readonly message: string,
    private readonly frames: readonly Uint8Array[] = NO_FRAMES,
  ) {
    this.start = at;
  }

  /** The value that was read last; an error if it is greater than `limit`. */
  most<N extends number | bigint>(value: N, field: string, limit: number | bigint): N {
    if (value > limit) throw this.error("too-long", field);
    return value;
  }

  /** The value that was read last; an error if `is` does not hold. */
  member<V, T extends V>(value: V, is: (value: V) => value is T, field: string): T {
    if (!is(value)) throw this.error("bad-constant", field);
    return value;
  }

  /** Numbers that were read have to be related so, unless a default took the place of the last. */
  related(left: number | bigint, operator: Operator, right: number | bigint, field: string): void {
    if (!this.isOver && !related(left, operator, right)) throw this.error("bad-relation", field);
  }

  /** Whether the frame ends before a field that has a default. */
  over(): boolean {
    this.isOver = this.at === this.data.length;
    return this.isOver;
  }

  private error(code: Code, field: string | null): DecodeError {
    return new DecodeError(code, this.message, field, this.start);
  }

  /** Begins an operation, and steps over `size` octets; returns where they are. */
  private begin(size: number, field: string): number {
    this.start = this.at;
    return this.take(size, field);
  }

  /** Steps over `size` octets; returns where they are. */
  private take(size: number, field: string): number {
    const at = this.at;
    if (size > this.data.length - at) throw this.error("truncated", field);
    this.at = at + size;
    return at;
  }

  /** Octets that are always the same; each character is one. */
  constant(octets: string, field: string): void {
    this.start = this.at;
    if (!begins(this.data, octets, this.at)) {
      throw this.error(isBeginning(this.data, octets, this.at) ? "truncated" : "bad-constant", field);
    }
    this.at += octets.length;
  }

  /** Reserved octets, which may be anything. */
  skip(size: number, field: string): void {
    this.begin(size, field);
  }

  /** A number of 1, 2 or 4 octets. */
  unsigned(size: number, field: string): number {
    const at = this.begin(size, field);
    const data = this.data;
    if (size === 1) return data[at] as number;
    return size === 2 ? ((data[at] as number) << 8) | (data[at + 1] as number) : word(data, at) >>> 0;
  }

  signed(size: number, field: string): number {
    const unused = 32 - 8 * size;
    return (this.unsigned(size, field) << unused) >> unused;
  }

  /** A number of 8 octets. */
  unsigned64(field: string): bigint {
    this.load(field);
    return scratch.getBigUint64(0);
  }

  signed64(field: string): bigint {
    this.load(field);
    return scratch.getBigInt64(0);
  }

  private load(field: string): void {
    const at = this.begin(8, field);
    scratch.setInt32(0, word(this.data, at));
    scratch.setInt32(4, word(this.data, at + 4));
  }

  /** A number in LEB128. */
  varint(field: string): bigint {
    const at = this.begin(0, field);
    const limit = Math.min(this.data.length, at + VARINT_OCTETS_MAX);
    let [low, high] = [0, 0]; // of 49 bits, and what is above them
    for (let index = 0; at + index < limit; index++) {
      const octet = this.data[at + index] as number;
      if (index < 7) low += (octet & 0x7f) * 2 ** (7 * index);
      else high += (octet & 0x7f) * 2 ** (7 * index - 49);
      if (octet > 0x7f) continue;
      if (high >= 2 ** 15) break;
      this.at = at + index + 1;
      return high === 0 ? BigInt(low) : (BigInt(high) << 49n) | BigInt(low);
    }
    throw this.error(limit - at === VARINT_OCTETS_MAX ? "too-long" : "truncated", field);
  }

  /** A signed number in LEB128. */
  zigzag(field: string): bigint {
    const value = this.varint(field);
    return (value >> 1n) ^ -(value & 1n);
  }

  /** The length or the count that begins an operation, in `prefix` octets. */
  private length(prefix: number, field: string, limit: number | bigint): number {
    const length = prefix === 8 ? this.unsigned64(field) : this.unsigned(prefix, field);
    return Number(this.most(length, field, limit));
  }

  /** Octets after their length, which has `prefix` octets. */
  octets(prefix: number, field: string, limit: number | bigint = Infinity): Uint8Array {
    const length = this.length(prefix, field, limit);
    const at = this.take(length, field);
    return this.data.subarray(at, this.at);
  }

  /** Octets whose length a sibling has. */
  measured(length: number | bigint, field: string, limit: number | bigint = Infinity): Uint8Array {
    this.start = this.at;
    return this.fixed(Number(this.most(length, field, limit)), field);
  }

  fixed(size: number, field: string): Uint8Array {
    const at = this.begin(size, field);
    return this.data.subarray(at, this.at);
  }

  /** The octets that are left. */
  rest(field: string, limit: number | bigint = Infinity): Uint8Array {
    this.start = this.at;
    return this.fixed(this.most(this.data.length - this.at, field, limit), field);
  }

  /** Text after its length, which has `prefix` octets. */
  text(prefix: number, form: Form, field: string, limit: number | bigint = Infinity): string {
    const length = this.length(prefix, field, limit);
    const at = this.take(length, field);
    return this.decoded(at, this.at, form, field);
  }

  /** Text up to a zero octet. */
  topic(field: string): string {
    const at = this.begin(0, field);
    const end = this.data.indexOf(0, at);
    if (end < 0) throw this.error("truncated", field);
    this.at = end + 1;
    return this.decoded(at, end, UTF8, field);
  }

  private decoded(at: number, end: number, form: Form, field: string): string {
    const text = decodeText(this.data, at, end, form);
    if (text === null) throw this.error("bad-text", field);
    return text;
  }

  /** Items of at least `least` octets after their count, which has `prefix` octets. */
  items<T>(
    prefix: number,
    least: number,
    read: () => T,
    field: string,
    limit: number | bigint = Infinity,
  ): T[] {
    return this.several(this.length(prefix, field, limit), least, read, field);
  }

  /** Items whose count a sibling has. */
  counted<T>(
    count: number | bigint,
    least: number,
    read: () => T,
    field: string,
    limit: number | bigint = Infinity,
  ): T[] {
    this.start = this.at;
    return this.several(Number(this.most(count, field, limit)), least, read, field);
  }

  private several<T>(count: number, least: number, read: () => T, field: string): T[] {
    if (count * least > this.data.length - this.at) throw this.error("truncated", field);
    const items: T[] = [];
    for (let left = count; left > 0; left--) items.push(read());
    return items;
  }

  /** Items to the end of the frame. */
  open<T>(read: () => T, field: string, limit: number | bigint = Infinity): T[] {
    const start = this.at;
    const items: T[] = [];
    while (this.at < this.data.length) {
      if (items.length >= limit) {
        this.start = start;
        throw this.error("too-long", field);
      }
      items.push(read());
    }
    return items;
  }

  /** What follows the last field of a message that may grow. */
  tail(): void {
    this.start = this.at = this.data.length;
  }

  /** The first frame has to be over. */
  end(): void {
    this.start = this.at;
    if (this.at < this.data.length) throw this.error("trailing", null);
  }

  /** A frame of its own. */
  frame(field: string, limit: number | bigint = Infinity): Uint8Array {
    const frame = this.frames[this.nextFrame++];
    if (frame === undefined) throw this.error("truncated", field);
    this.most(frame.length, field, limit);
    return frame;
  }

  /** All frames that are left, of which there is at least one. */
  allFrames(field: string, limit: number | bigint = Infinity): Uint8Array[] {
    const frames = [this.frame(field, limit)];
    while (this.nextFrame < this.frames.length) frames.push(this.frame(field, limit));
    return frames;
  }

  /** There has to be no frame left. */
  endFrames(): void {
    if (this.nextFrame < this.frames.length) throw this.error("trailing", null);
  }
}

/** How two numbers are compared. */
export type Operator = "==" | "!=" | "<" | "<=" | ">" | ">=";

/** Whether two numbers are related so, a JavaScript number and a bigint by their values. */
export function related(left: number | bigint, operator: Operator, right: number | bigint): boolean {
  switch (operator) {
    case "<":
      return left < right;
    case "<=":
      return left <= right;
    case ">":
      return left > right;
    case ">=":
      return left >= right;
    case "==":
      return left <= right && left >= right;
    case "!=":
      return left < right || left > right;
  }
}

function word(data: Uint8Array, at: number): number {
  return (
    ((data[at] as number) << 24) |
    ((data[at + 1] as number) << 16) |
    ((data[at + 2] as number) << 8) |
    (data[at + 3] as number)
  );
}

/** Whether `data` holds the octets of `wanted` from `at` on. */
export function begins(data: Uint8Array, wanted: string, at = 0): boolean {
  for (let index = 0; index < wanted.length; index++) {
    if (data[at + index] !== wanted.charCodeAt(index)) return false;
  }
  return true;
}

/** Whether `data`, from `at` on, is shorter than `wanted` and right so far. */
function isBeginning(data: Uint8Array, wanted: string, at: number): boolean {
  const left = Math.max(data.length - at, 0);
  return left < wanted.length && begins(data, wanted.slice(0, left), at);
}

/** The octet after a signature. Throws DecodeError. */
export function numberOf(data: Uint8Array, signature: string): number {
  for (let at = 0; at < signature.length; at++) {
    if (data.length === at) throw new DecodeError("truncated", null, null, 0);
    if (data[at] !== signature.charCodeAt(at)) throw new DecodeError("bad-signature", null, null, 0);
  }
  const number = data[signature.length];
  if (number === undefined) throw new DecodeError("truncated", null, null, signature.length);
  return number;
}

/** The name after its length, a character an octet. Throws DecodeError. */
export function nameOf(data: Uint8Array): string {
  const end = 1 + (data[0] ?? 0);
  if (data.length < end) throw new DecodeError("truncated", null, null, 0);
  return latin1(data, 1, end);
}

/** The error of a frame with a number or a name at `at` that no message has. */
export function unknownMessage(at: number): DecodeError {
  return new DecodeError("unknown-message", null, null, at);
}

/** The error of a frame that begins with none of `beginnings`. */
export function unknownBeginning(data: Uint8Array, beginnings: readonly string[]): DecodeError {
  const isShort = beginnings.some((beginning) => isBeginning(data, beginning, 0));
  return new DecodeError(isShort ? "truncated" : "unknown-message", null, null, 0);
}

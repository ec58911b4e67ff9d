/** Reads a message: one method for each operation. The first error throws DecodeError. */

import { type Code, DecodeError } from "./errors.js";
import { decodeText, type Form, latin1, UTF8 } from "./text.js";

const VARINT_OCTETS_MAX = 10;
const NO_FRAMES: readonly Uint8Array[] = [];

const scratch = new DataView(new ArrayBuffer(8));

/** A position in a frame. `field` is the field for errors; its offset is the beginning of the operation. */
export class Reader {
  private start: number;
  private isOver = false;
  private nextFrame = 1;

  /**
   * @param data - the first frame, or the only one
   * @param at - the offset of the message's first unread byte
   * @param message - the message's name
   * @param frames - all frames of a message that may have several
   */
  constructor(
    private readonly data: Uint8Array,
    private at: number,
    private readonly message: string,
    private readonly frames: readonly Uint8Array[] = NO_FRAMES,
  ) {
    this.start = at;
  }

  /** Returns the last value; throws if it is greater than `limit`. */
  most<N extends number | bigint>(value: N, field: string, limit: number | bigint): N {
    if (value > limit) throw this.error("too-long", field);
    return value;
  }

  /** Returns the last value; throws if `is` rejects it. */
  member<V, T extends V>(value: V, is: (value: V) => value is T, field: string): T {
    if (!is(value)) throw this.error("bad-constant", field);
    return value;
  }

  /** Throws if the relation between two numbers is false, unless the last one is a default. */
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

  /** Begins an operation and skips `size` bytes; returns their offset. */
  private begin(size: number, field: string): number {
    this.start = this.at;
    return this.take(size, field);
  }

  /** Skips `size` bytes; returns their offset. */
  private take(size: number, field: string): number {
    const at = this.at;
    if (size > this.data.length - at) throw this.error("truncated", field);
    this.at = at + size;
    return at;
  }

  /** A constant; each character is a byte. */
  constant(octets: string, field: string): void {
    this.start = this.at;
    if (!begins(this.data, octets, this.at)) {
      throw this.error(isBeginning(this.data, octets, this.at) ? "truncated" : "bad-constant", field);
    }
    this.at += octets.length;
  }

  /** Reserved bytes with arbitrary values. */
  skip(size: number, field: string): void {
    this.begin(size, field);
  }

  /** A number of 1, 2 or 4 bytes. */
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

  /** A number of 8 bytes. */
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
    let [low, high] = [0, 0]; // 49 bits, and the bits above them
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

  /** The length or the count at the beginning of an operation, in `prefix` bytes. */
  private length(prefix: number, field: string, limit: number | bigint): number {
    const length = prefix === 8 ? this.unsigned64(field) : this.unsigned(prefix, field);
    return Number(this.most(length, field, limit));
  }

  /** Bytes after their length of `prefix` bytes. */
  octets(prefix: number, field: string, limit: number | bigint = Infinity): Uint8Array {
    const length = this.length(prefix, field, limit);
    const at = this.take(length, field);
    return this.data.subarray(at, this.at);
  }

  /** Bytes whose length is in a sibling. */
  measured(length: number | bigint, field: string, limit: number | bigint = Infinity): Uint8Array {
    this.start = this.at;
    return this.fixed(Number(this.most(length, field, limit)), field);
  }

  fixed(size: number, field: string): Uint8Array {
    const at = this.begin(size, field);
    return this.data.subarray(at, this.at);
  }

  /** The remaining bytes. */
  rest(field: string, limit: number | bigint = Infinity): Uint8Array {
    this.start = this.at;
    return this.fixed(this.most(this.data.length - this.at, field, limit), field);
  }

  /** Text after its length of `prefix` bytes. */
  text(prefix: number, form: Form, field: string, limit: number | bigint = Infinity): string {
    const length = this.length(prefix, field, limit);
    const at = this.take(length, field);
    return this.decoded(at, this.at, form, field);
  }

  /** Text and the zero byte that ends it. */
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

  /** Items of at least `least` bytes after their count of `prefix` bytes. */
  items<T>(
    prefix: number,
    least: number,
    read: () => T,
    field: string,
    limit: number | bigint = Infinity,
  ): T[] {
    return this.several(this.length(prefix, field, limit), least, read, field);
  }

  /** Items whose count is in a sibling. */
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

  /** Items until the end of the frame. */
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

  /** Skips bytes after the last field of an extensible message. */
  tail(): void {
    this.start = this.at = this.data.length;
  }

  /** Checks that the first frame ends here. */
  end(): void {
    this.start = this.at;
    if (this.at < this.data.length) throw this.error("trailing", null);
  }

  /** A separate frame. */
  frame(field: string, limit: number | bigint = Infinity): Uint8Array {
    const frame = this.frames[this.nextFrame++];
    if (frame === undefined) throw this.error("truncated", field);
    this.most(frame.length, field, limit);
    return frame;
  }

  /** All remaining frames, at least one. */
  allFrames(field: string, limit: number | bigint = Infinity): Uint8Array[] {
    const frames = [this.frame(field, limit)];
    while (this.nextFrame < this.frames.length) frames.push(this.frame(field, limit));
    return frames;
  }

  /** Checks that no frame remains. */
  endFrames(): void {
    if (this.nextFrame < this.frames.length) throw this.error("trailing", null);
  }
}

/** A comparison of two numbers. */
export type Operator = "==" | "!=" | "<" | "<=" | ">" | ">=";

/** Whether a relation is true; JavaScript numbers and bigints are compared by value. */
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

/** Whether `data` holds the bytes of `wanted` from `at` on. */
export function begins(data: Uint8Array, wanted: string, at = 0): boolean {
  for (let index = 0; index < wanted.length; index++) {
    if (data[at + index] !== wanted.charCodeAt(index)) return false;
  }
  return true;
}

/** Whether `data` ends from `at` on within `wanted`, with all bytes matching. */
function isBeginning(data: Uint8Array, wanted: string, at: number): boolean {
  const left = Math.max(data.length - at, 0);
  return left < wanted.length && begins(data, wanted.slice(0, left), at);
}

/** The byte after a signature. Throws DecodeError. */
export function numberOf(data: Uint8Array, signature: string): number {
  for (let at = 0; at < signature.length; at++) {
    if (data.length === at) throw new DecodeError("truncated", null, null, 0);
    if (data[at] !== signature.charCodeAt(at)) throw new DecodeError("bad-signature", null, null, 0);
  }
  const number = data[signature.length];
  if (number === undefined) throw new DecodeError("truncated", null, null, signature.length);
  return number;
}

/** The name after its length, one character for each byte. Throws DecodeError. */
export function nameOf(data: Uint8Array): string {
  const end = 1 + (data[0] ?? 0);
  if (data.length < end) throw new DecodeError("truncated", null, null, 0);
  return latin1(data, 1, end);
}

/** The error of a frame with an unknown number or name at `at`. */
export function unknownMessage(at: number): DecodeError {
  return new DecodeError("unknown-message", null, null, at);
}

/** The error of a frame that does not begin with any of `beginnings`. */
export function unknownBeginning(data: Uint8Array, beginnings: readonly string[]): DecodeError {
  const isShort = beginnings.some((beginning) => isBeginning(data, beginning, 0));
  return new DecodeError(isShort ? "truncated" : "unknown-message", null, null, 0);
}

/**
 * Writes a message, or computes its size: one method for each operation.
 *
 * The first operation that cannot encode its value throws EncodeError. The size is also computed for invalid values.
 */

import { type Code, EncodeError } from "./errors.js";
import { type Operator, related } from "./reader.js";
import { type Form, putText, UTF8, utf8Size } from "./text.js";

const NO_FRAMES: readonly Uint8Array[] = [];

const scratch = new DataView(new ArrayBuffer(8));

/** Bytes in a separate buffer, a type of its own in TypeScript 5.7 and later. */
export type Octets = ReturnType<Uint8ArrayConstructor["of"]>;

/** The maximum of a length or a count. */
type Limit = number | bigint;

/** Accepts the values of a message in wire order. `field` is the field for errors. */
export interface Sink {
  /** Returns the value; throws if it is greater than `limit`. */
  most<N extends number | bigint>(value: N, field: string, limit: Limit): N;
  /** Returns the value; throws if `is` rejects it. */
  member<V, T extends V>(value: V, is: (value: V) => value is T, field: string): T;
  /** Throws if the length of a list or of bytes differs from that of a sibling. */
  agree(length: number, wanted: number, field: string): void;
  /** Throws if the relation between two numbers is false. */
  related(left: number | bigint, operator: Operator, right: number | bigint, field: string): void;

  /** A constant; each character is a byte. */
  constant(octets: string): this;
  /** Reserved bytes, which are zero. */
  skip(size: number): this;
  /** A number in 1, 2 or 4 bytes. */
  unsigned(value: number, size: number, field: string): this;
  signed(value: number, size: number, field: string): this;
  /** A number in 8 bytes. */
  unsigned64(value: bigint, field: string): this;
  signed64(value: bigint, field: string): this;
  /** A number in LEB128. */
  varint(value: bigint, field: string): this;
  /** A signed number in LEB128. */
  zigzag(value: bigint, field: string): this;
  /** Exactly `size` bytes. */
  fixed(value: Uint8Array, size: number, field: string): this;
  /** Bytes without a length. */
  rest(value: Uint8Array, field: string, limit?: Limit): this;
  /** Bytes after their length of `prefix` bytes. */
  octets(value: Uint8Array, prefix: number, field: string, limit?: Limit): this;
  /** Text after its length of `prefix` bytes. */
  text(value: string, prefix: number, form: Form, field: string, limit?: Limit): this;
  /** Text without a zero byte, then a zero byte. */
  topic(value: string, field: string): this;
  /** Items after their count of `prefix` bytes. */
  items<T>(
    value: readonly T[],
    prefix: number,
    put: (item: T) => unknown,
    field: string,
    limit?: Limit,
  ): this;
  /** A separate frame. */
  frame(value: Uint8Array, field: string, limit?: Limit): this;
  /** Separate frames, at least one. */
  allFrames(value: readonly Uint8Array[], field: string, limit?: Limit): this;
}

/** Writes the first frame as far as it fits, and keeps the others. */
export class Writer implements Sink {
  /** The frames after the first. */
  frames: readonly Uint8Array[] = NO_FRAMES;

  /**
   * @param data - the buffer for the frame
   * @param at - the offset of the frame, then of its end, which may be beyond the end of `data`
   * @param message - the message's name
   */
  constructor(
    private readonly data: Uint8Array,
    public at: number,
    private readonly message: string,
  ) {}

  private error(code: Code, field: string): EncodeError {
    return new EncodeError(code, this.message, field);
  }

  most<N extends number | bigint>(value: N, field: string, limit: Limit): N {
    if (value > limit) throw this.error("too-long", field);
    return value;
  }

  member<V, T extends V>(value: V, is: (value: V) => value is T, field: string): T {
    if (!is(value)) throw this.error("bad-constant", field);
    return value;
  }

  agree(length: number, wanted: number, field: string): void {
    if (length !== wanted) throw this.error(length > wanted ? "too-long" : "truncated", field);
  }

  related(left: number | bigint, operator: Operator, right: number | bigint, field: string): void {
    if (!related(left, operator, right)) throw this.error("bad-relation", field);
  }

  constant(octets: string): this {
    for (let index = 0; index < octets.length; index++) this.data[this.at++] = octets.charCodeAt(index);
    return this;
  }

  skip(size: number): this {
    for (const end = this.at + size; this.at < end; ) this.data[this.at++] = 0;
    return this;
  }

  unsigned(value: number, size: number, field: string): this {
    return this.put(value, size, value >= 0 && value <= greatest(size) && Number.isInteger(value), field);
  }

  signed(value: number, size: number, field: string): this {
    const unused = 32 - 8 * size;
    return this.put(value, size, (value << unused) >> unused === value, field);
  }

  unsigned64(value: bigint, field: string): this {
    return this.put64(value, BigInt.asUintN(64, value) === value, field);
  }

  signed64(value: bigint, field: string): this {
    return this.put64(value, BigInt.asIntN(64, value) === value, field);
  }

  private put(value: number, size: number, fits: boolean, field: string): this {
    if (!fits) throw this.error("too-long", field);
    const { data, at } = this;
    this.at = at + size;
    if (size === 1) data[at] = value;
    else if (size === 2) {
      data[at] = value >>> 8;
      data[at + 1] = value;
    } else {
      data[at] = value >>> 24;
      data[at + 1] = value >>> 16;
      data[at + 2] = value >>> 8;
      data[at + 3] = value;
    }
    return this;
  }

  private put64(value: bigint, fits: boolean, field: string): this {
    if (!fits) throw this.error("too-long", field);
    scratch.setBigUint64(0, value);
    return this.put(scratch.getInt32(0), 4, true, field).put(scratch.getInt32(4), 4, true, field);
  }

  varint(value: bigint, field: string): this {
    if (BigInt.asUintN(64, value) !== value) throw this.error("too-long", field);
    for (; value > 127n; value >>= 7n) this.data[this.at++] = Number(value & 127n) | 0x80;
    this.data[this.at++] = Number(value);
    return this;
  }

  zigzag(value: bigint, field: string): this {
    if (BigInt.asIntN(64, value) !== value) throw this.error("too-long", field);
    return this.varint(zigzagged(value), field);
  }

  fixed(value: Uint8Array, size: number, field: string): this {
    this.agree(value.length, size, field);
    return this.rest(value, field);
  }

  rest(value: Uint8Array, field: string, limit: Limit = Infinity): this {
    return this.octets(value, 0, field, limit);
  }

  octets(value: Uint8Array, prefix: number, field: string, limit: Limit = greatest(prefix)): this {
    this.length(value.length, prefix, field, limit);
    const { data, at } = this;
    this.at = at + value.length;
    if (this.at <= data.length) data.set(value, at);
    return this;
  }

  text(value: string, prefix: number, form: Form, field: string, limit: Limit = greatest(prefix)): this {
    const length = putText(this.data, this.at + prefix, value, form);
    if (length < 0) throw this.error("bad-text", field);
    this.length(length, prefix, field, limit);
    this.at += length;
    return this;
  }

  topic(value: string, field: string): this {
    if (value.includes("\0")) throw this.error("bad-text", field);
    return this.text(value, 0, UTF8, field).skip(1);
  }

  items<T>(
    value: readonly T[],
    prefix: number,
    put: (item: T) => unknown,
    field: string,
    limit: Limit = greatest(prefix),
  ): this {
    this.length(value.length, prefix, field, limit);
    for (const item of value) put(item);
    return this;
  }

  private length(length: number, prefix: number, field: string, limit: Limit): void {
    this.most(length, field, limit);
    if (prefix === 8) this.put64(BigInt(length), true, field);
    else if (prefix > 0) this.put(length, prefix, true, field);
  }

  frame(value: Uint8Array, field: string, limit: Limit = Infinity): this {
    this.most(value.length, field, limit);
    this.frames = [...this.frames, value];
    return this;
  }

  allFrames(value: readonly Uint8Array[], field: string, limit: Limit = Infinity): this {
    if (value.length === 0) throw this.error("truncated", field);
    for (const frame of value) this.most(frame.length, field, limit);
    this.frames = [...this.frames, ...value];
    return this;
  }
}

/** Computes the size of a message. */
export class Sizer implements Sink {
  /** The size of the first frame in bytes. */
  size = 0;
  /** The size of the other frames in bytes. */
  apart = 0;

  most<N extends number | bigint>(value: N): N {
    return value;
  }

  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- as in Sink, except `is`
  member<V, T extends V>(value: V): T {
    return value as T;
  }

  agree(): void {
    // the writer checks this
  }

  related(): void {
    // the writer checks this
  }

  constant(octets: string): this {
    return this.skip(octets.length);
  }

  skip(size: number): this {
    this.size += size;
    return this;
  }

  unsigned(_value: number, size: number): this {
    return this.skip(size);
  }

  signed(_value: number, size: number): this {
    return this.skip(size);
  }

  unsigned64(): this {
    return this.skip(8);
  }

  signed64(): this {
    return this.skip(8);
  }

  varint(value: bigint): this {
    let size = 1;
    for (; value > 127n; value >>= 7n) size++;
    return this.skip(size);
  }

  zigzag(value: bigint): this {
    return this.varint(zigzagged(value));
  }

  fixed(_value: Uint8Array, size: number): this {
    return this.skip(size);
  }

  rest(value: Uint8Array): this {
    return this.skip(value.length);
  }

  octets(value: Uint8Array, prefix: number): this {
    return this.skip(prefix + value.length);
  }

  text(value: string, prefix: number): this {
    return this.skip(prefix + utf8Size(value));
  }

  topic(value: string): this {
    return this.skip(utf8Size(value) + 1);
  }

  items<T>(value: readonly T[], prefix: number, put: (item: T) => unknown): this {
    for (const item of value) put(item);
    return this.skip(prefix);
  }

  frame(value: Uint8Array): this {
    this.apart += value.length;
    return this;
  }

  allFrames(value: readonly Uint8Array[]): this {
    for (const frame of value) this.frame(frame);
    return this;
  }
}

/** The greatest length in `prefix` bytes; unlimited for 0 bytes. */
function greatest(prefix: number): number {
  return prefix === 0 ? Infinity : 256 ** prefix - 1;
}

function zigzagged(value: bigint): bigint {
  return (value << 1n) ^ (value >> 63n);
}

/** The only frame of a message. Throws TypeError if it has several. */
export function only<T>(frames: readonly T[]): T {
  const [frame] = frames;
  if (frame === undefined || frames.length > 1) throw new TypeError("the message has several frames");
  return frame;
}

/** Reports a message whose type the protocol does not have, which only untyped programs can pass. */
export function noSuchMessage(message: { readonly type: unknown }): never {
  throw new TypeError(`not a message of the protocol: ${JSON.stringify(message.type)}`);
}

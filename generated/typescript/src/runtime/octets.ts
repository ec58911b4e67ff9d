/** Numbers and octets, in network byte order. No function here looks whether its octets are there: callers have. */

import { DecodeError } from "./errors.js";

const VARINT_OCTETS_MAX = 10;
const SLAB_OCTETS = 8192;
const SHARED_OCTETS_MAX = SLAB_OCTETS / 8;
const TWO_32 = 4294967296;

const scratch = new DataView(new ArrayBuffer(8));
const scratchOctets = new Uint8Array(scratch.buffer);
let slab = new ArrayBuffer(SLAB_OCTETS);
let used = 0;

/**
 * Exactly `size` octets, all zero. Small ones are views of one larger buffer, which is an order of magnitude
 * faster than a buffer of their own; no octet belongs to two of them.
 */
export function allocate(size: number): Uint8Array<ArrayBuffer> {
  if (size > SHARED_OCTETS_MAX) return new Uint8Array(size);
  if (used + size > SLAB_OCTETS) {
    slab = new ArrayBuffer(SLAB_OCTETS);
    used = 0;
  }
  const octets = new Uint8Array(slab, used, size);
  used += (size + 7) & ~7;
  return octets;
}

export function u8(data: Uint8Array, at: number): number {
  return data[at] as number;
}

export function u16(data: Uint8Array, at: number): number {
  return (u8(data, at) << 8) | u8(data, at + 1);
}

export function u32(data: Uint8Array, at: number): number {
  return i32(data, at) >>> 0;
}

export function u64(data: Uint8Array, at: number): bigint {
  const high = u32(data, at);
  const low = BigInt(u32(data, at + 4));
  return high === 0 ? low : (BigInt(high) << 32n) | low;
}

export function i8(data: Uint8Array, at: number): number {
  return (u8(data, at) << 24) >> 24;
}

export function i16(data: Uint8Array, at: number): number {
  return (u16(data, at) << 16) >> 16;
}

export function i32(data: Uint8Array, at: number): number {
  return (u8(data, at) << 24) | (u8(data, at + 1) << 16) | (u8(data, at + 2) << 8) | u8(data, at + 3);
}

export function i64(data: Uint8Array, at: number): bigint {
  return (BigInt(i32(data, at)) << 32n) | BigInt(u32(data, at + 4));
}

/** Eight octets as a length or a count: exact as far as anything can be that long. */
export function length64(data: Uint8Array, at: number): number {
  return u32(data, at) * TWO_32 + u32(data, at + 4);
}

/** Where the LEB128 number at `at` ends. Throws DecodeError. */
export function varintEnd(data: Uint8Array, at: number, message: string, field: string): number {
  const limit = Math.min(data.length, at + VARINT_OCTETS_MAX);
  for (let end = at; end < limit; end++) {
    const octet = u8(data, end);
    if (octet < 0x80) {
      if (end - at === VARINT_OCTETS_MAX - 1 && octet > 1) break;
      return end + 1;
    }
  }
  const code = limit - at === VARINT_OCTETS_MAX ? "too-long" : "truncated";
  throw new DecodeError(code, message, field, at);
}

/** The LEB128 number whose octets go from `at` to `end`. */
export function varint(data: Uint8Array, at: number, end: number): bigint {
  let value = 0n;
  while (end > at) {
    let part = 0;
    const from = Math.max(at, end - 4); // four septets fit a small integer
    const count = end - from;
    while (end > from) part = (part << 7) | (u8(data, --end) & 0x7f);
    value = (value << BigInt(7 * count)) | BigInt(part);
  }
  return value;
}

/** The signed number that stands for itself and its sign as `value`. */
export function unzigzag(value: bigint): bigint {
  return (value >> 1n) ^ -(value & 1n);
}

export function zigzag(value: bigint): bigint {
  return (value << 1n) ^ (value >> 63n);
}

export function varintSize(value: bigint): number {
  let size = 1;
  while (value > 127n) {
    value >>= 7n;
    size++;
  }
  return size;
}

export function put16(data: Uint8Array, at: number, value: number): void {
  data[at] = value >>> 8;
  data[at + 1] = value;
}

export function put32(data: Uint8Array, at: number, value: number): void {
  data[at] = value >>> 24;
  data[at + 1] = value >>> 16;
  data[at + 2] = value >>> 8;
  data[at + 3] = value;
}

export function put64(data: Uint8Array, at: number, value: bigint): void {
  scratch.setBigUint64(0, value);
  for (let index = 0; index < 8; index++) data[at + index] = u8(scratchOctets, index);
}

/** Puts `value` in LEB128; returns where it ends. */
export function putVarint(data: Uint8Array, at: number, value: bigint): number {
  while (value > 127n) {
    data[at++] = Number(value & 127n) | 0x80;
    value >>= 7n;
  }
  data[at++] = Number(value);
  return at;
}

/** Whether `data` holds `wanted` from `at` on. */
export function holds(data: Uint8Array, at: number, wanted: Uint8Array): boolean {
  if (data.length - at < wanted.length) return false;
  for (let index = 0; index < wanted.length; index++) {
    if (data[at + index] !== wanted[index]) return false;
  }
  return true;
}

/** Whether `data`, from `at` on, is shorter than `wanted` and right so far. */
export function isBeginning(data: Uint8Array, at: number, wanted: Uint8Array): boolean {
  return (
    data.length - at < wanted.length && holds(data, at, wanted.subarray(0, Math.max(0, data.length - at)))
  );
}

/** The error of a frame that ought to hold `wanted` from `at` on. */
export function notConstant(
  data: Uint8Array,
  at: number,
  wanted: Uint8Array,
  message: string,
  field: string | null,
): DecodeError {
  return new DecodeError(isBeginning(data, at, wanted) ? "truncated" : "bad-constant", message, field, at);
}

/** The error of a frame that begins with none of `beginnings`. */
export function unknownBeginning(data: Uint8Array, beginnings: readonly Uint8Array[]): DecodeError {
  const short = beginnings.some((beginning) => isBeginning(data, 0, beginning));
  return new DecodeError(short ? "truncated" : "unknown-message", null, null, 0);
}

/** Whether two values have the same octets. */
export function sameOctets(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && holds(left, 0, right);
}

/** Called for a message of no type that the protocol has: only a program without types can do that. */
export function noSuchMessage(message: { readonly type: unknown }): never {
  throw new TypeError(`no message of the protocol: ${JSON.stringify(message.type)}`);
}

/**
 * Text: UTF-8, UTF-8 without control characters (Unicode's category Cc), or visible ASCII.
 *
 * What is short and ASCII, as most text of a protocol is, is read and written without `TextDecoder` and
 * `TextEncoder`: a call of theirs costs more than sixteen characters do here.
 */

import { DecodeError, EncodeError } from "./errors.js";

const SHORT_MAX = 96;
// eslint-disable-next-line no-control-regex -- control characters are what it is about
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/u;

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();
const code = String.fromCharCode;

function octet(data: Uint8Array, at: number): number {
  return data[at] as number;
}

/** Each octet from `at` to `end` as the character of that number. */
export function latin1(data: Uint8Array, at: number, end: number): string {
  let text = "";
  const o = octet;
  for (; end - at >= 16; at += 16) {
    // prettier-ignore
    text += code(
      o(data, at), o(data, at + 1), o(data, at + 2), o(data, at + 3),
      o(data, at + 4), o(data, at + 5), o(data, at + 6), o(data, at + 7),
      o(data, at + 8), o(data, at + 9), o(data, at + 10), o(data, at + 11),
      o(data, at + 12), o(data, at + 13), o(data, at + 14), o(data, at + 15),
    );
  }
  for (; end - at >= 4; at += 4) {
    text += code(o(data, at), o(data, at + 1), o(data, at + 2), o(data, at + 3));
  }
  for (; at < end; at++) text += code(o(data, at));
  return text;
}

function ascii(data: Uint8Array, at: number, end: number): string {
  return end - at <= SHORT_MAX ? latin1(data, at, end) : decoder.decode(data.subarray(at, end));
}

function wellFormed(data: Uint8Array, at: number, end: number, error: () => DecodeError): string {
  try {
    return decoder.decode(data.subarray(at, end));
  } catch {
    throw error();
  }
}

/** The UTF-8 from `at` to `end`; `start` is where the field begins. Throws DecodeError. */
export function utf8(
  data: Uint8Array,
  at: number,
  end: number,
  message: string,
  field: string,
  start: number,
): string {
  for (let index = at; index < end; index++) {
    if (octet(data, index) > 0x7f) {
      return wellFormed(data, at, end, () => new DecodeError("bad-text", message, field, start));
    }
  }
  return ascii(data, at, end);
}

/** The same without control characters. */
export function printable(
  data: Uint8Array,
  at: number,
  end: number,
  message: string,
  field: string,
  start: number,
): string {
  for (let index = at; index < end; index++) {
    const found = octet(data, index);
    if (found < 0x20 || found > 0x7e) {
      const error = (): DecodeError => new DecodeError("bad-text", message, field, start);
      const text = wellFormed(data, at, end, error);
      if (CONTROL.test(text)) throw error();
      return text;
    }
  }
  return ascii(data, at, end);
}

/** The same of visible ASCII. */
export function vchar(
  data: Uint8Array,
  at: number,
  end: number,
  message: string,
  field: string,
  start: number,
): string {
  for (let index = at; index < end; index++) {
    const found = octet(data, index);
    if (found < 0x21 || found > 0x7e) throw new DecodeError("bad-text", message, field, start);
  }
  return ascii(data, at, end);
}

function isSurrogate(unit: number): boolean {
  return (unit & 0xf800) === 0xd800;
}

function isPair(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
}

/** Octets of `text` in UTF-8; a lone surrogate, which UTF-8 cannot carry, counts three. */
export function utf8Size(text: string): number {
  let size = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) continue;
    if (unit < 0x800) size += 1;
    else size += 2;
    if (isSurrogate(unit) && isPair(text, index)) index++;
  }
  return size;
}

function checkedSize(text: string, message: string, field: string): number {
  for (let index = 0; index < text.length; index++) {
    if (!isSurrogate(text.charCodeAt(index))) continue;
    if (!isPair(text, index)) throw new EncodeError("bad-text", message, field);
    index++;
  }
  return utf8Size(text);
}

/** Octets of `text` in UTF-8. Throws EncodeError. */
export function measureUtf8(text: string, message: string, field: string): number {
  for (let index = 0; index < text.length; index++) {
    if (text.charCodeAt(index) > 0x7f) return checkedSize(text, message, field);
  }
  return text.length;
}

/** The same; control characters are refused. */
export function measurePrintable(text: string, message: string, field: string): number {
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x20 || unit > 0x7e) {
      if (CONTROL.test(text)) throw new EncodeError("bad-text", message, field);
      return checkedSize(text, message, field);
    }
  }
  return text.length;
}

/** The same; all but visible ASCII is refused. */
export function measureVchar(text: string, message: string, field: string): number {
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x21 || unit > 0x7e) throw new EncodeError("bad-text", message, field);
  }
  return text.length;
}

/** Puts `text`, which has `size` octets; returns where it ends. */
export function putText(data: Uint8Array, at: number, text: string, size: number): number {
  if (size === text.length && size <= SHORT_MAX) {
    for (let index = 0; index < size; index++) data[at + index] = text.charCodeAt(index);
  } else {
    encoder.encodeInto(text, data.subarray(at, at + size));
  }
  return at + size;
}

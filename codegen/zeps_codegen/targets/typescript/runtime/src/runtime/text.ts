/**
 * Classes of text: UTF-8, UTF-8 without control characters (Unicode category Cc), and visible ASCII.
 *
 * Short ASCII text, which is common in protocols, is read and written without `TextDecoder` and `TextEncoder`,
 * because a call of these takes longer than converting sixteen characters here.
 */

/** A class of text. */
export interface Form {
  /** Every character from `least` to `most` is allowed; these are ASCII. */
  readonly least: number;
  readonly most: number;
  /** Matches forbidden characters among the others; lone surrogates (Cs) have no UTF-8. */
  readonly forbidden: RegExp;
}

export const UTF8: Form = { least: 0, most: 0x7f, forbidden: /\p{Cs}/u };
export const PRINTABLE: Form = { least: 0x20, most: 0x7e, forbidden: /[\p{Cc}\p{Cs}]/u };
export const VCHAR: Form = { least: 0x21, most: 0x7e, forbidden: /[^!-~]/u };

const SHORT_MAX = 96;

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();
const code = String.fromCharCode;

/** Converts each byte from `at` to `end` to the character with that number. */
export function latin1(data: Uint8Array, at: number, end: number): string {
  let text = "";
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

function o(data: Uint8Array, at: number): number {
  return data[at] as number;
}

/** Decodes the text from `at` to `end`; null if it is not UTF-8, or not of the form. */
export function decodeText(data: Uint8Array, at: number, end: number, form: Form): string | null {
  for (let index = at; index < end; index++) {
    const octet = data[index] as number;
    if (octet < form.least || octet > form.most) return decodeAny(data.subarray(at, end), form);
  }
  return end - at <= SHORT_MAX ? latin1(data, at, end) : decoder.decode(data.subarray(at, end));
}

function decodeAny(octets: Uint8Array, form: Form): string | null {
  try {
    const text = decoder.decode(octets);
    return form.forbidden.test(text) ? null : text;
  } catch {
    return null;
  }
}

/** Writes `text` as far as it fits; returns its size in bytes, or -1 if it is not of the form. */
export function putText(data: Uint8Array, at: number, text: string, form: Form): number {
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < form.least || unit > form.most) {
      if (form.forbidden.test(text)) return -1;
      const { read, written } = encoder.encodeInto(text, data.subarray(at));
      return read === text.length ? written : utf8Size(text);
    }
    data[at + index] = unit;
  }
  return text.length;
}

/** The size of `text` in UTF-8, in bytes; a lone surrogate, which UTF-8 cannot encode, counts as three. */
export function utf8Size(text: string): number {
  let size = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) continue;
    size += unit < 0x800 ? 1 : 2;
    const isPair = (unit & 0xfc00) === 0xd800 && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00;
    if (isPair) index++;
  }
  return size;
}

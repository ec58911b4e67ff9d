/**
 * Text: UTF-8, UTF-8 without control characters (Unicode's category Cc), or visible ASCII.
 *
 * Short ASCII text, as most text of a protocol is, is read and written without `TextDecoder` and `TextEncoder`: a call
 * of theirs costs more than sixteen characters do here.
 */

/** What text may hold. */
export interface Form {
  /** Every character from `least` to `most` is allowed; these are ASCII. */
  readonly least: number;
  readonly most: number;
  /** Matches what is not allowed of the others; lone surrogates (Cs) have no UTF-8. */
  readonly forbidden: RegExp;
}

export const UTF8: Form = { least: 0, most: 0x7f, forbidden: /\p{Cs}/u };
export const PRINTABLE: Form = { least: 0x20, most: 0x7e, forbidden: /[\p{Cc}\p{Cs}]/u };
export const VCHAR: Form = { least: 0x21, most: 0x7e, forbidden: /[^!-~]/u };

const SHORT_MAX = 96;

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();
const code = String.fromCharCode;

/** Each octet from `at` to `end` as the character of that number. */
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

/** The text from `at` to `end`; null if it is not UTF-8, or not of the form. */
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

/** Puts `text`, as far as there is room; returns how many octets it has, -1 if it is not of the form. */
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

/** Octets of `text` in UTF-8; a lone surrogate, which UTF-8 cannot carry, counts three. */
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

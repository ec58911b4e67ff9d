/** Reads requests and builds answers. A value is first read without its kind, and then converted. */

import { type Reader, UTF8, Writer } from "../src/runtime/wire.js";

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

/**
 * The kind of a field, a parameter or a variable: `u` and `i` are unsigned and signed numbers, `U` and `I` the same as
 * bigints, `?` a boolean, `s` text, `o` text of arbitrary bytes, `b` bytes. As a prefix, `l` is a list, `h` pairs.
 */
export type Kind = string;

/** A value of a request. */
export interface Raw {
  readonly tag: string;
  readonly content: bigint | Uint8Array | readonly Raw[] | readonly (readonly [Raw, Raw])[];
}

/** A request with an unknown name or a syntax error; the text is the reason in the answer. */
export class BadRequest extends Error {}

export function readLetter(request: Reader): string {
  return String.fromCharCode(request.unsigned(1, "letter"));
}

export function readName(request: Reader): string {
  return request.text(1, UTF8, "name");
}

export function readBlob(request: Reader): Uint8Array {
  return request.octets(4, "blob");
}

export function readBlobs(request: Reader): Uint8Array[] {
  return request.items(4, 4, () => readBlob(request), "blobs");
}

export function readValues(request: Reader): Raw[] {
  return request.items(4, 1, () => readValue(request), "values");
}

export function readValue(request: Reader): Raw {
  const tag = readLetter(request);
  switch (tag) {
    case "u":
      return { tag, content: request.unsigned64("value") };
    case "i":
      return { tag, content: request.signed64("value") };
    case "s":
    case "b":
      return { tag, content: readBlob(request) };
    case "l":
      return { tag, content: readValues(request) };
    case "h":
      return {
        tag,
        content: request.items(4, 2, () => [readValue(request), readValue(request)] as const, "pairs"),
      };
    default:
      throw new BadRequest(`unknown kind of value ${JSON.stringify(tag)}`);
  }
}

/** Converts a value of a request for the package, without checks. */
export function fromRaw(kind: Kind, { tag, content }: Raw): unknown {
  if (tag !== tagOf(kind)) throw new BadRequest(`value of kind ${kind} expected, not ${tag}`);
  const inner = kind.slice(1);
  switch (kind.charAt(0)) {
    case "u":
    case "i":
      return Number(content);
    case "?":
      return content !== 0n;
    case "s":
      return textOf(content as Uint8Array);
    case "l":
      return (content as readonly Raw[]).map((one) => fromRaw(inner, one));
    case "h":
      return (content as readonly (readonly Raw[])[]).map((pair) => pair.map((one) => fromRaw(inner, one)));
    default:
      return content;
  }
}

/** Encodes a value for an answer. */
export function toRaw(kind: Kind, value: unknown): Uint8Array {
  const tag = tagOf(kind);
  switch (tag) {
    case "u":
    case "i":
      return join([letter(tag), octets8(value as bigint | boolean | number)]);
    case "l":
    case "h": {
      const items = value as readonly unknown[];
      const parts = tag === "h" ? (items as readonly (readonly unknown[])[]).flat() : items;
      return join([letter(tag), count(items.length), ...parts.map((one) => toRaw(kind.slice(1), one))]);
    }
    default:
      return join([letter(tag), blob(typeof value === "string" ? octetsOf(value) : (value as Uint8Array))]);
  }
}

function tagOf(kind: Kind): string {
  const letter = kind.charAt(0).toLowerCase();
  return letter === "?" ? "u" : letter === "o" ? "s" : letter;
}

/**
 * Decodes text of arbitrary bytes: each byte that is not UTF-8 becomes a lone surrogate, which encoders refuse and
 * `octetsOf` converts back.
 */
function textOf(octets: Uint8Array): string {
  let text = "";
  for (let at = 0; at < octets.length; ) {
    const found = character(octets, at);
    text += found ?? String.fromCharCode(0xdc00 + (octets[at] ?? 0));
    at += found === null ? 1 : encoder.encode(found).length;
  }
  return text;
}

function character(octets: Uint8Array, at: number): string | null {
  for (let size = 1; size <= 4 && at + size <= octets.length; size++) {
    try {
      return utf8.decode(octets.subarray(at, at + size));
    } catch {
      // try a longer sequence
    }
  }
  return null;
}

function octetsOf(text: string): Uint8Array {
  return join(
    Array.from(text, (one) => {
      const unit = one.codePointAt(0) ?? 0;
      return unit >= 0xdc80 && unit <= 0xdcff ? Uint8Array.of(unit - 0xdc00) : encoder.encode(one);
    }),
  );
}

/** Joins the parts of an answer. */
export function join(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

export function letter(text: string): Uint8Array {
  return encoder.encode(text);
}

export function name(text: string): Uint8Array {
  const octets = encoder.encode(text).subarray(0, 255);
  return join([Uint8Array.of(octets.length), octets]);
}

export function count(value: number): Uint8Array {
  const octets = new Uint8Array(4);
  new Writer(octets, 0, "answer").unsigned(value, 4, "count");
  return octets;
}

export function octets8(value: bigint | boolean | number): Uint8Array {
  const octets = new Uint8Array(8);
  new Writer(octets, 0, "answer").unsigned64(BigInt.asUintN(64, BigInt(value)), "value");
  return octets;
}

export function blob(octets: Uint8Array): Uint8Array {
  return join([count(octets.length), octets]);
}

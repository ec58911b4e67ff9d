/** What each field holds, and how its values are read from requests and written to answers. */

import { BadRequest, blob, count, join, letter, number, type Raw } from "./octets.js";

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

/** What a field, a parameter or a variable holds. */
export type Kind =
  | { readonly tag: "u" | "i"; readonly carrier: "number" | "bigint" | "boolean" }
  | { readonly tag: "s"; readonly octets: boolean }
  | { readonly tag: "b" }
  | { readonly tag: "l"; readonly item: Kind }
  | { readonly tag: "h"; readonly item: Kind };

export const UNSIGNED: Kind = { tag: "u", carrier: "number" };
export const UNSIGNED_BIG: Kind = { tag: "u", carrier: "bigint" };
export const SIGNED: Kind = { tag: "i", carrier: "number" };
export const SIGNED_BIG: Kind = { tag: "i", carrier: "bigint" };
export const BOOLEAN: Kind = { tag: "u", carrier: "boolean" };
export const TEXT: Kind = { tag: "s", octets: false };
export const TEXT_OCTETS: Kind = { tag: "s", octets: true };
export const OCTETS: Kind = { tag: "b" };
export const list = (item: Kind): Kind => ({ tag: "l", item });
export const pairs = (item: Kind): Kind => ({ tag: "h", item });

/** A property of a message, or a parameter or variable, by its name in the package. */
export type Named = readonly [property: string, kind: Kind];

/**
 * Text of any octets: what is not UTF-8 becomes lone surrogates, one an octet, which encoders refuse and which
 * `octetsOf` turns back.
 */
export function textOf(octets: Uint8Array): string {
  try {
    return utf8.decode(octets);
  } catch {
    return escaped(octets);
  }
}

function escaped(octets: Uint8Array): string {
  let text = "";
  for (let at = 0; at < octets.length; ) {
    const found = character(octets, at);
    if (found === null) text += String.fromCharCode(0xdc00 + (octets[at] ?? 0));
    else text += found;
    at += found === null ? 1 : encoder.encode(found).length;
  }
  return text;
}

function character(octets: Uint8Array, at: number): string | null {
  for (let size = 1; size <= 4 && at + size <= octets.length; size++) {
    try {
      return utf8.decode(octets.subarray(at, at + size));
    } catch {
      // perhaps a longer one
    }
  }
  return null;
}

function octetsOf(text: string): Uint8Array {
  const parts: Uint8Array[] = [];
  for (const one of text) {
    const unit = one.codePointAt(0) ?? 0;
    parts.push(unit >= 0xdc80 && unit <= 0xdcff ? Uint8Array.of(unit - 0xdc00) : encoder.encode(one));
  }
  return join(parts);
}

/** What the package takes for a value of a request, right or wrong. */
export function fromRaw(kind: Kind, raw: Raw): unknown {
  switch (kind.tag) {
    case "u":
    case "i":
      if (raw.tag !== kind.tag) throw mismatch(kind, raw);
      if (kind.carrier === "bigint") return raw.content;
      return kind.carrier === "number" ? Number(raw.content) : raw.content !== 0n;
    case "s":
    case "b":
      if (raw.tag !== kind.tag) throw mismatch(kind, raw);
      return kind.tag === "b" || kind.octets ? raw.content : textOf(raw.content);
    case "l":
      if (raw.tag !== "l") throw mismatch(kind, raw);
      return raw.content.map((one) => fromRaw(kind.item, one));
    case "h":
      if (raw.tag !== "h") throw mismatch(kind, raw);
      return raw.content.map((pair) => pair.map((one) => fromRaw(kind.item, one)));
  }
}

function mismatch(kind: Kind, raw: Raw): BadRequest {
  return new BadRequest(`${raw.tag} where ${kind.tag} is wanted`);
}

/** A value as an answer has it. */
export function toRaw(kind: Kind, value: unknown): Uint8Array {
  switch (kind.tag) {
    case "u":
    case "i":
      return number(kind.tag, BigInt(value as number | bigint | boolean));
    case "s":
    case "b":
      return join([
        letter(kind.tag),
        blob(typeof value === "string" ? octetsOf(value) : (value as Uint8Array)),
      ]);
    case "l": {
      const items = value as readonly unknown[];
      return join([letter("l"), count(items.length), ...items.map((one) => toRaw(kind.item, one))]);
    }
    case "h": {
      const items = value as readonly (readonly unknown[])[];
      const parts = items.flatMap((pair) => pair.map((one) => toRaw(kind.item, one)));
      return join([letter("h"), count(items.length), ...parts]);
    }
  }
}

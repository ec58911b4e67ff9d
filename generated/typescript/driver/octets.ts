/** Requests are read with a cursor, answers are put together from parts. */

import { u8, u32, u64, i64, put32, put64 } from "../src/runtime/octets.js";

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

/** A request that cannot be parsed, or asks for what there is not; the text is the answer's reason. */
export class BadRequest extends Error {}

/** A value as a request has it. */
export type Raw =
  | { readonly tag: "u" | "i"; readonly content: bigint }
  | { readonly tag: "s" | "b"; readonly content: Uint8Array }
  | { readonly tag: "l"; readonly content: readonly Raw[] }
  | { readonly tag: "h"; readonly content: readonly (readonly [Raw, Raw])[] };

/** A position in a request. */
export class Cursor {
  #at = 0;

  constructor(readonly data: Uint8Array) {}

  take(count: number): Uint8Array {
    if (count > this.data.length - this.#at) throw new BadRequest("the request ends too early");
    this.#at += count;
    return this.data.subarray(this.#at - count, this.#at);
  }

  octet(): string {
    return String.fromCharCode(u8(this.take(1), 0));
  }

  number(): number {
    return u32(this.take(4), 0);
  }

  name(): string {
    const octets = this.take(u8(this.take(1), 0));
    try {
      return utf8.decode(octets);
    } catch {
      throw new BadRequest("a name is not UTF-8");
    }
  }

  blob(): Uint8Array {
    return this.take(this.number());
  }

  end(): void {
    if (this.#at !== this.data.length) throw new BadRequest("octets follow the request");
  }

  value(): Raw {
    const tag = this.octet();
    switch (tag) {
      case "u":
        return { tag, content: u64(this.take(8), 0) };
      case "i":
        return { tag, content: i64(this.take(8), 0) };
      case "s":
      case "b":
        return { tag, content: this.blob() };
      case "l":
        return { tag, content: this.#several(1, () => this.value()) };
      case "h":
        return { tag, content: this.#several(2, () => [this.value(), this.value()] as const) };
      default:
        throw new BadRequest(`no value begins with ${JSON.stringify(tag)}`);
    }
  }

  values(): readonly Raw[] {
    return this.#several(1, () => this.value());
  }

  #several<T>(least: number, read: () => T): readonly T[] {
    const count = this.number();
    if (count * least > this.data.length - this.#at) throw new BadRequest("a count goes beyond the request");
    return Array.from({ length: count }, read);
  }
}

/** The parts of an answer as one. */
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
  put32(octets, 0, value);
  return octets;
}

export function number(tag: "u" | "i", value: bigint): Uint8Array {
  const octets = new Uint8Array(9);
  octets[0] = tag.charCodeAt(0);
  put64(octets, 1, value);
  return octets;
}

export function blob(octets: Uint8Array): Uint8Array {
  return join([count(octets.length), octets]);
}

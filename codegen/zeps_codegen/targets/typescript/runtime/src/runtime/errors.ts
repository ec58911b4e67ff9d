/**
 * What can go wrong with a message, with the same names in every language.
 *
 * A `LocalError` is this program's own doing, a `RemoteError` the other side's. Both codecs use one taxonomy:
 *
 * - `truncated`: the frame ends before the field does
 * - `trailing`: octets follow the last field
 * - `bad-signature`: the frame does not begin as every frame of the protocol does
 * - `unknown-message`: no message has this number, name or beginning
 * - `bad-constant`: a constant field holds something else, or a value is not in its enumeration
 * - `bad-text`: text that is not UTF-8, or holds what its class forbids
 * - `too-long`: a length, a count or a number beyond its limit
 * - `bad-relation`: numbers of the message are not related as they have to be
 * - `not-set`: a machine is to send a message with a field that its host has not filled; encoding only
 */

/** Every code of a decoder or an encoder. */
export const CODES = [
  "truncated",
  "trailing",
  "bad-signature",
  "unknown-message",
  "bad-constant",
  "bad-text",
  "too-long",
  "bad-relation",
  "not-set",
] as const;

/** What was wrong. */
export type Code = (typeof CODES)[number];

const REASON_OCTETS_MAX = 255;

function sentence(code: Code, message: string | null, field: string | null, offset: number | null): string {
  const place = message === null ? "" : field === null ? `: ${message}` : `: ${message}.${field}`;
  const where = offset === null ? "" : ` at octet ${String(offset)}`;
  return `${code}${place}${where}`.replace(/[^ -~]/gu, "?").slice(0, REASON_OCTETS_MAX);
}

/** Every error of this package. */
export class ProtocolError extends Error {
  override name = "ProtocolError";
}

/** This program broke the protocol. */
export class LocalError extends ProtocolError {
  override name = "LocalError";
}

/** The other side broke the protocol. */
export class RemoteError extends ProtocolError {
  override name = "RemoteError";
}

/**
 * Octets that are not a message.
 *
 * `message` of an `Error` is its text: printable ASCII of at most 255 octets, fit for the reason that a peer is told.
 */
export class DecodeError extends RemoteError {
  override name = "DecodeError";

  /**
   * @param code - what is wrong
   * @param messageName - the message as the model spells it; null if it is not known
   * @param field - the field as the model spells it; null if no field is to blame
   * @param offset - where the field begins, in octets from the frame's start
   */
  constructor(
    readonly code: Code,
    readonly messageName: string | null,
    readonly field: string | null,
    readonly offset: number,
  ) {
    super(sentence(code, messageName, field, offset));
  }
}

/** A message that its format cannot carry. */
export class EncodeError extends LocalError {
  override name = "EncodeError";

  /**
   * @param code - what is wrong
   * @param messageName - the message as the model spells it
   * @param field - the field as the model spells it
   */
  constructor(
    readonly code: Code,
    readonly messageName: string,
    readonly field: string | null,
  ) {
    super(sentence(code, messageName, field, null));
  }
}

/** A message arrived that the machine's state does not take. */
export class UnexpectedEvent extends RemoteError {
  override name = "UnexpectedEvent";
}

/** The host or the application raised an event that the machine's state does not take, or does not take now. */
export class UnhandledEvent extends LocalError {
  override name = "UnhandledEvent";
}

/**
 * Errors of codecs and machines. The codes have the same names in every language.
 *
 * A `LocalError` is an error of this program, a `RemoteError` an error of the peer. Both codecs use the same codes:
 *
 * - `truncated`: the frame ends before the field does
 * - `trailing`: bytes follow the last field
 * - `bad-signature`: the frame does not begin with the protocol's signature
 * - `unknown-message`: no message has this number, name or beginning
 * - `bad-constant`: a constant field has another value, or a value is not in its enumeration
 * - `bad-text`: a text that is not UTF-8, or has a character that its class forbids
 * - `too-long`: a length, a count or a number beyond its limit
 * - `bad-relation`: a relation between two numbers, or a number and a constant, is false
 * - `not-set`: the host has not filled a field of a message that a machine sends; encoding only
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

/** The code of an error. */
export type Code = (typeof CODES)[number];

const REASON_OCTETS_MAX = 255;

function sentence(code: Code, message: string | null, field: string | null, offset: number | null): string {
  const place = message === null ? "" : field === null ? `: ${message}` : `: ${message}.${field}`;
  const where = offset === null ? "" : ` at byte ${String(offset)}`;
  return `${code}${place}${where}`.replace(/[^ -~]/gu, "?").slice(0, REASON_OCTETS_MAX);
}

/** The base class of the errors of this package. */
export class ProtocolError extends Error {
  override name = "ProtocolError";
}

/** This program violated the protocol. */
export class LocalError extends ProtocolError {
  override name = "LocalError";
}

/** The peer violated the protocol. */
export class RemoteError extends ProtocolError {
  override name = "RemoteError";
}

/**
 * The frame is not a message of the protocol.
 *
 * `message` (of `Error`) is printable ASCII of at most 255 bytes, so that it can be sent to the peer as a reason.
 */
export class DecodeError extends RemoteError {
  override name = "DecodeError";

  /**
   * @param code - the kind of the error
   * @param messageName - the message's name in the model; null if unknown
   * @param field - the field's name in the model; null if the error is not in a field
   * @param offset - the number of bytes in the frame before the field
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

/** The message cannot be encoded. */
export class EncodeError extends LocalError {
  override name = "EncodeError";

  /**
   * @param code - the kind of the error
   * @param messageName - the message's name in the model
   * @param field - the field's name in the model
   */
  constructor(
    readonly code: Code,
    readonly messageName: string,
    readonly field: string | null,
  ) {
    super(sentence(code, messageName, field, null));
  }
}

/** The peer sent a message that the machine's state does not handle. */
export class UnexpectedEvent extends RemoteError {
  override name = "UnexpectedEvent";
}

/** The host or the application raised an event that the machine's state does not handle, or raised it in an action. */
export class UnhandledEvent extends LocalError {
  override name = "UnhandledEvent";
}

package zeps.wire.zeps;

/**
 * Codes of INVALID that end the session. A code that a client does not know counts as one of these.
 */
public enum EndingCode {
  /** The frame cannot be decoded, or the message has several parts. */
  MALFORMED("malformed"),
  /** The command's number is not defined in this version. */
  UNKNOWN_COMMAND("unknown-command"),
  /** A command other than ATTACH came without a session. */
  NO_SESSION("no-session"),
  /** The connection chose its own routing id. */
  ROUTING_ID("routing-id"),
  /** Refuses ATTACH: another protocol. */
  UNSUPPORTED_PROTOCOL("unsupported-protocol"),
  /** Refuses ATTACH: a version that the broker does not speak. */
  UNSUPPORTED_VERSION("unsupported-version"),
  /** Refuses ATTACH: the stream name is empty. */
  STREAM_NAME("stream-name"),
  /**
   * Refuses ATTACH: the broker cannot read the stream, or may not begin another one; trying again
   * later may help.
   */
  STREAM_UNAVAILABLE("stream-unavailable"),
  /**
   * Refuses ATTACH: the broker has as many sessions as it may have, or no memory for another;
   * trying again later may help.
   */
  TOO_MANY_SESSIONS("too-many-sessions"),
  /** Refuses ATTACH: the broker is stopping; trying again later may help. */
  STOPPING("stopping");

  private static final EndingCode[] VALUES = values();

  private final String value;

  EndingCode(String value) {
    this.value = value;
  }

  /** {@return the member's value on the wire} */
  public String value() {
    return value;
  }

  /**
   * {@return the member with a value, or null if no member has it}
   *
   * @param value the value on the wire
   */
  public static EndingCode of(String value) {
    for (EndingCode member : VALUES) {
      if (member.value.equals(value)) {
        return member;
      }
    }
    return null;
  }
}

package zeps.wire.zeps;

/** Codes of INVALID that leave an open session as it is. */
public enum OpenCode {
  /** A command that only the broker sends, or DETACH-OK without DETACH; it was ignored. */
  UNEXPECTED("unexpected"),
  /** Refuses SUBSCRIBE: the pattern does not have the syntax of the stream's matching style. */
  BAD_PATTERN("bad-pattern"),
  /**
   * Refuses SUBSCRIBE: the session has as many subscriptions as it may have, or the broker no
   * resources for another.
   */
  TOO_MANY_SUBSCRIPTIONS("too-many-subscriptions"),
  /**
   * Refuses SUBSCRIBE: the sequences from first, which is `latest` + 1, to last are no longer
   * retained.
   */
  NOT_RETAINED("not-retained"),
  /**
   * Refuses SUBSCRIBE: the sequences from first to last, which is `latest`, do not exist; the
   * stream ends before first.
   */
  BEYOND_END("beyond-end"),
  /**
   * A notice: the sequences from first to last were to be delivered, and retention has removed
   * them.
   */
  RETENTION("retention"),
  /**
   * A notice: the sequences from first to last were to be delivered, and the journal is damaged
   * there.
   */
  DAMAGE("damage");

  private static final OpenCode[] VALUES = values();

  private final String value;

  OpenCode(String value) {
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
  public static OpenCode of(String value) {
    for (OpenCode member : VALUES) {
      if (member.value.equals(value)) {
        return member;
      }
    }
    return null;
  }
}

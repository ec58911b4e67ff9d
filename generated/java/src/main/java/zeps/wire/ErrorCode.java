package zeps.wire;

/** What can be wrong with a message; the same names in every language. */
public enum ErrorCode {
  /** The frame ends before the field does. */
  TRUNCATED("truncated"),
  /** Octets follow the last field. */
  TRAILING("trailing"),
  /** The frame does not begin as every frame of the protocol does. */
  BAD_SIGNATURE("bad-signature"),
  /** No message has this number, name or beginning. */
  UNKNOWN_MESSAGE("unknown-message"),
  /** A constant field holds something else, or a value is not in its enumeration. */
  BAD_CONSTANT("bad-constant"),
  /** Text that is not UTF-8, or holds what its class forbids. */
  BAD_TEXT("bad-text"),
  /** A length, a count or a number beyond its limit. */
  TOO_LONG("too-long"),
  /** Two numbers are not related as they have to be. */
  BAD_RELATION("bad-relation"),
  /** A field of a message to be sent was not filled. */
  NOT_SET("not-set");

  private final String label;

  ErrorCode(String label) {
    this.label = label;
  }

  /** {@return the code's name, which is the same in every language} */
  public String label() {
    return label;
  }

  String sentence(String message, String field, int offset) {
    StringBuilder text = new StringBuilder(label);
    if (message != null) {
      text.append(": ").append(message);
      if (field != null) {
        text.append('.').append(field);
      }
    }
    if (offset >= 0) {
      text.append(" at octet ").append(offset);
    }
    return text.toString();
  }
}

package zeps.wire;

/** The kinds of errors; the names are the same in every language. */
public enum ErrorCode {
  /** The frame ends before the field does. */
  TRUNCATED("truncated"),
  /** Bytes follow the last field. */
  TRAILING("trailing"),
  /** The frame does not begin with the protocol's signature. */
  BAD_SIGNATURE("bad-signature"),
  /** No message has this number, name or beginning. */
  UNKNOWN_MESSAGE("unknown-message"),
  /** A constant field has another value, or a value is not in its enumeration. */
  BAD_CONSTANT("bad-constant"),
  /** A text that is not UTF-8, or has a character that its class forbids. */
  BAD_TEXT("bad-text"),
  /** A length, a count or a number beyond its limit. */
  TOO_LONG("too-long"),
  /** A relation between two numbers is false. */
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
      text.append(" at byte ").append(offset);
    }
    return text.toString();
  }
}

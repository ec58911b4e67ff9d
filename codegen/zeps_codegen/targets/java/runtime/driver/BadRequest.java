package zeps.wire.driver;

/** A request with a syntax error or an unknown name; the text is the reason in the answer. */
final class BadRequest extends RuntimeException {

  private static final long serialVersionUID = 1;

  BadRequest(String text) {
    super(text);
  }
}

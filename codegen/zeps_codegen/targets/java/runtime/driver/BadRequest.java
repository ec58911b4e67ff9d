package zeps.wire.driver;

/**
 * A request that cannot be parsed, or asks for what there is not; the text is the answer's reason.
 */
final class BadRequest extends RuntimeException {

  private static final long serialVersionUID = 1;

  BadRequest(String text) {
    super(text);
  }
}

package zeps.wire;

/** This program violated the protocol. */
public abstract sealed class LocalException extends RuntimeException
    permits EncodeException, UnhandledEventException {

  private static final long serialVersionUID = 1;

  LocalException(String text) {
    super(text);
  }
}

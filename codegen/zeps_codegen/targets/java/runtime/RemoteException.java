package zeps.wire;

/**
 * The other side broke the protocol. It is checked, since every program that listens has to expect
 * it.
 */
public abstract sealed class RemoteException extends Exception
    permits DecodeException, UnexpectedEventException {

  private static final long serialVersionUID = 1;

  RemoteException(String text, boolean traced) {
    super(text, null, false, traced);
  }
}

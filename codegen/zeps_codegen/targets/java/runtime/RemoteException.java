package zeps.wire;

/**
 * The peer violated the protocol. It is a checked exception, since every program that receives
 * messages must expect it.
 */
public abstract sealed class RemoteException extends Exception
    permits DecodeException, UnexpectedEventException {

  private static final long serialVersionUID = 1;

  RemoteException(String text, boolean traced) {
    super(text, null, false, traced);
  }
}

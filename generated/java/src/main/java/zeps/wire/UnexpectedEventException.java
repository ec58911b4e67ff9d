package zeps.wire;

/** The peer sent a message that the machine's state does not handle. */
public final class UnexpectedEventException extends RemoteException {

  private static final long serialVersionUID = 1;

  /**
   * Creates an error for a message in a state.
   *
   * @param message the message's name
   * @param state the state's name
   */
  public UnexpectedEventException(String message, String state) {
    super(message + " in state " + state, true);
  }
}

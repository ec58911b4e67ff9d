package zeps.wire;

/** A message arrived that the machine's state does not take. */
public final class UnexpectedEventException extends RemoteException {

  private static final long serialVersionUID = 1;

  /**
   * A message in a state.
   *
   * @param message the message's name
   * @param state the state's name
   */
  public UnexpectedEventException(String message, String state) {
    super(message + " in state " + state, true);
  }
}

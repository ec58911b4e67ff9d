package zeps.wire;

/** The host or the application raised an event that the machine's state does not handle. */
public final class UnhandledEventException extends LocalException {

  private static final long serialVersionUID = 1;

  /**
   * Creates an error for an event in a state.
   *
   * @param text the event and the state
   */
  public UnhandledEventException(String text) {
    super(text);
  }
}

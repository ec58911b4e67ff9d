package zeps.wire;

/** The host or the application raised an event that the machine's state does not take. */
public final class UnhandledEventException extends LocalException {

  private static final long serialVersionUID = 1;

  /**
   * An event in a state.
   *
   * @param text which event, and in which state
   */
  public UnhandledEventException(String text) {
    super(text);
  }
}

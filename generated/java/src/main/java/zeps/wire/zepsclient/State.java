package zeps.wire.zepsclient;

/** The states of a session; the first is the initial state. */
public enum State {
  /** Not attached. */
  START("start"),
  /**
   * ATTACH is sent on entry. If an earlier session was lost, the broker answers each command of it
   * that was still on its way by INVALID, before it answers ATTACH; these INVALIDs are ignored
   * until ATTACH-OK or the timer.
   */
  ATTACHING("attaching"),
  /**
   * The application closed before ATTACH was answered. DETACH waits for the answer: if both were on
   * their way, an INVALID could answer either.
   */
  LEAVING("leaving"),
  /** Attached. */
  OPEN("open"),
  /**
   * DETACH is sent; what still arrives is dropped. PING is not answered any more, nor is a DETACH
   * of the broker that crosses this one: the broker takes this one for the answer, and sends
   * DETACH-OK.
   */
  DETACHING("detaching");

  private final String label;

  State(String label) {
    this.label = label;
  }

  /** {@return the name in the model} */
  public String label() {
    return label;
  }
}

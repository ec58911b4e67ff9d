package zeps.wire.zepsclient;

/** The states of a session; the first is the initial state. */
public enum State {
  /** Not attached. */
  START("start"),
  /**
   * ATTACH is sent again on entry, whatever led here. A lost session answers every command that was
   * on its way with INVALID; those come before the answer to ATTACH, which only ATTACH-OK or the
   * timer tells from them.
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
   * DETACH is sent; what was on its way still arrives and is dropped. A PING needs no answer any
   * more, nor does a DETACH of the broker's that crosses this one: the broker takes this one for
   * it, and says DETACH-OK.
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

package zeps.wire.zepsserver;

/** The states of a session; the first is the initial state. */
public enum State {
  /** No session. Only ATTACH is understood. */
  START("start"),
  /** The client is attached to a stream. */
  OPEN("open"),
  /**
   * DETACH was sent. What the client published before it received DETACH is stored; its other
   * commands are ignored.
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

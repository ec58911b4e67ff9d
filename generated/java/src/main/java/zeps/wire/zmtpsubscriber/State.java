package zeps.wire.zmtpsubscriber;

/** The states of a session; the first is the initial state. */
public enum State {
  /**
   * Nothing was sent yet. A socket that is greeted first greets back, even if it refuses the peer.
   */
  START("start"),
  /** Our greeting is sent; theirs is not there. */
  GREETING("greeting"),
  /** Both greetings are there. Our READY does not wait for theirs. */
  INTRODUCING("introducing"),
  /** Their READY was first; the host still owes ours. */
  ANSWERING("answering"),
  /** Our READY is sent; theirs is not there. */
  HANDSHAKE("handshake"),
  /** The two talk. Subscriptions go out in the form that both versions have in common. */
  OPEN("open"),
  /** The connection is over. */
  CLOSED("closed");

  private final String label;

  State(String label) {
    this.label = label;
  }

  /** {@return the name in the model} */
  public String label() {
    return label;
  }
}

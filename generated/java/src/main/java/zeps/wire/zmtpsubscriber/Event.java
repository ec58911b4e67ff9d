package zeps.wire.zmtpsubscriber;

/** The events: received messages, and (ON_…) events of the host and the application. */
public enum Event {
  /** Opens a connection, in either direction. */
  GREETING("GREETING"),
  /** Command: the sender is ready, and this is what it is. */
  READY("READY"),
  /** Command: the sender refuses the peer. */
  ERROR("ERROR"),
  /** Command: asks for a sign of life. */
  PING("PING"),
  /** Command: answers PING. */
  PONG("PONG"),
  /** Command of version 3.1: asks for the messages that begin with a topic. */
  SUBSCRIBE("SUBSCRIBE"),
  /** Command of version 3.1: takes one subscription back. */
  CANCEL("CANCEL"),
  /** Message of version 3.0: asks for the messages that begin with a topic. */
  SUBSCRIPTION("SUBSCRIPTION"),
  /** Message of version 3.0: takes one subscription back. */
  CANCELLATION("CANCELLATION"),
  /**
   * Command of our extension, for version 3.1: asks for the messages that a filter of some kind
   * lets pass.
   */
  SUBSCRIBE_X("SUBSCRIBE-X"),
  /** Command of our extension, for version 3.1: takes one filter back. */
  CANCEL_X("CANCEL-X"),
  /**
   * Message of our extension, for version 3.0: asks for the messages that a filter of some kind
   * lets pass.
   */
  SUBSCRIPTION_X("SUBSCRIPTION-X"),
  /** Message of our extension, for version 3.0: takes one filter back. */
  CANCELLATION_X("CANCELLATION-X"),
  /** Before the start: speak version 3.0. */
  ON_DOWNGRADE("downgrade"),
  /** The transport has connected the two. */
  ON_CONNECTED("connected"),
  /**
   * The host's own READY. It follows at once when the machine asks for it, before anything else is
   * read.
   */
  ON_INTRODUCE("introduce"),
  /** Raised by a host action: the peer's greeting or its metadata is not acceptable. */
  ON_REFUSED("refused"),
  /** Nothing has arrived for a while. */
  ON_HEARTBEAT("heartbeat"),
  /** The handshake takes too long, or the peer's time to live has passed. */
  ON_EXPIRED("expired"),
  /** Something arrived that does not decode. */
  ON_MALFORMED("malformed"),
  /** A command arrived that the models do not have. */
  ON_UNKNOWN("unknown"),
  /** The transport has lost the connection. */
  ON_DISCONNECTED("disconnected"),
  /** Ask for the messages that begin with a topic, once more. */
  ON_SUBSCRIBE("subscribe"),
  /** Take one subscription back. */
  ON_UNSUBSCRIBE("unsubscribe"),
  /** Ask for the messages that a filter of some kind lets pass, once more. */
  ON_SUBSCRIBE_FILTER("subscribe_filter"),
  /** Take one filter back. */
  ON_UNSUBSCRIBE_FILTER("unsubscribe_filter");

  private final String label;

  Event(String label) {
    this.label = label;
  }

  /** {@return the name in the model} */
  public String label() {
    return label;
  }
}

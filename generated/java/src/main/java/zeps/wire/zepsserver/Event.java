package zeps.wire.zepsserver;

/** The events: received messages, and (ON_…) events of the host and the application. */
public enum Event {
  /** Client opens stream. */
  ATTACH("ATTACH"),
  /** Server grants the client access. */
  ATTACH_OK("ATTACH-OK"),
  /** Client subscribes to a set of topics. */
  SUBSCRIBE("SUBSCRIBE"),
  /** Server confirms the subscription. */
  SUBSCRIBE_OK("SUBSCRIBE-OK"),
  /** Client sends credit to the server. */
  CREDIT("CREDIT"),
  /** Client publishes a new message to the open stream. */
  PUBLISH("PUBLISH"),
  /** Server delivers a message to the client. */
  DELIVER("DELIVER"),
  /** Client or server sends a heartbeat. */
  PING("PING"),
  /** Client or server answers a heartbeat. */
  PING_OK("PING-OK"),
  /** Client or server closes the peering. */
  DETACH("DETACH"),
  /** Client or server confirms the close. */
  DETACH_OK("DETACH-OK"),
  /** Server tells client it sent an invalid message. */
  INVALID("INVALID"),
  /** The host received something that does not decode; reason says what. */
  ON_MALFORMED("malformed"),
  /** Raised when the stream cannot be opened; reason says why. */
  ON_ATTACH_REFUSED("attach_refused"),
  /** Raised when the subscription cannot be granted; reason says why. */
  ON_SUBSCRIBE_REFUSED("subscribe_refused"),
  /** Messages that this client was to be delivered are lost; reason says which. */
  ON_GAP("gap"),
  /** The client was silent for longer than the timeout. */
  ON_EXPIRED("expired"),
  /** The client has been silent for a while; ask whether it is there. */
  ON_HEARTBEAT("heartbeat"),
  /** The broker stops. */
  ON_SHUTDOWN("shutdown"),
  /** The host has a message for this client. */
  ON_DELIVER("deliver");

  private final String label;

  Event(String label) {
    this.label = label;
  }

  /** {@return the name in the model} */
  public String label() {
    return label;
  }
}

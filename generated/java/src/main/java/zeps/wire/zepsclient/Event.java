package zeps.wire.zepsclient;

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
  /**
   * Nothing was sent for a while. Also raised if a PING has no answer and nothing has arrived for a
   * while.
   */
  ON_HEARTBEAT("heartbeat"),
  /** ATTACH or DETACH was not answered in time. */
  ON_EXPIRED("expired"),
  /** The host received something that does not decode. */
  ON_MALFORMED("malformed"),
  /** Raised when the code of an INVALID is one that ends the session, or is not known. */
  ON_ENDED("ended"),
  /** Raised when the code of an INVALID is one that refuses a SUBSCRIBE. */
  ON_SUBSCRIBE_REFUSED("subscribe_refused"),
  /** Attach to a stream. */
  ON_OPEN("open"),
  /** Subscribe. */
  ON_FOLLOW("follow"),
  /** Let the broker send this many octets of DELIVER frames more. */
  ON_GRANT("grant"),
  /** Publish. */
  ON_POST("post"),
  /** Ask for PING-OK: when it comes, everything published before has its sequence. */
  ON_PROBE("probe"),
  /** Detach. */
  ON_CLOSE("close");

  private final String label;

  Event(String label) {
    this.label = label;
  }

  /** {@return the name in the model} */
  public String label() {
    return label;
  }
}

package zeps.wire.zepsclient;

/** The events that host actions may fail with or raise. */
public enum InternalEvent {
  /** Raised when the code of an INVALID is one that ends the session, or is not known. */
  ENDED("ended", Event.ON_ENDED),
  /** Raised when the code of an INVALID is one that refuses a SUBSCRIBE. */
  SUBSCRIBE_REFUSED("subscribe_refused", Event.ON_SUBSCRIBE_REFUSED);

  private final String label;
  private final Event event;

  InternalEvent(String label, Event event) {
    this.label = label;
    this.event = event;
  }

  /** {@return the name in the model} */
  public String label() {
    return label;
  }

  Event event() {
    return event;
  }
}

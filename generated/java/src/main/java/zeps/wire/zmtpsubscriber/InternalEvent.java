package zeps.wire.zmtpsubscriber;

/** The events that host actions may fail with or raise. */
public enum InternalEvent {
  /** Raised by a host action: the peer's greeting or its metadata is not acceptable. */
  REFUSED("refused", Event.ON_REFUSED);

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

package zeps.wire.zepsserver;

/** The events that host actions may fail with or raise. */
public enum InternalEvent {
  /** Raised when the stream cannot be opened; reason says why. */
  ATTACH_REFUSED("attach_refused", Event.ON_ATTACH_REFUSED),
  /** Raised when the subscription cannot be granted; reason says why. */
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

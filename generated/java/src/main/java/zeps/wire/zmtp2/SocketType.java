package zeps.wire.zmtp2;

/** Values of socket type. */
public enum SocketType {
  /** The model's PAIR. */
  PAIR(0L),
  /** XPUB too. */
  PUB(1L),
  /** XSUB too. */
  SUB(2L),
  /** The model's REQ. */
  REQ(3L),
  /** The model's REP. */
  REP(4L),
  /** The model's DEALER. */
  DEALER(5L),
  /** The model's ROUTER. */
  ROUTER(6L),
  /** The model's PULL. */
  PULL(7L),
  /** The model's PUSH. */
  PUSH(8L);

  private static final SocketType[] VALUES = values();

  private final long value;

  SocketType(long value) {
    this.value = value;
  }

  /** {@return the member's value on the wire} */
  public long value() {
    return value;
  }

  /**
   * {@return the member with a value, or null if no member has it}
   *
   * @param value the value on the wire
   */
  public static SocketType of(long value) {
    for (SocketType member : VALUES) {
      if (member.value == value) {
        return member;
      }
    }
    return null;
  }
}

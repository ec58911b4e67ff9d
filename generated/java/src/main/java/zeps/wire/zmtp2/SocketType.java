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

  /**
   * What stands on the wire.
   *
   * @return the member's value
   */
  public long value() {
    return value;
  }

  /**
   * The member that has a value.
   *
   * @param value what stands on the wire
   * @return the member, or null if none has it
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

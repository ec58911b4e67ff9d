package zeps.wire;

/**
 * Octets that are not a message: the other side's doing.
 *
 * <p>It has no stack trace: what is wrong stands in the frame, not in this program, and a peer that
 * sends nonsense shall not make it costly. Its text is fit for the reason that the peer is told.
 */
public final class DecodeException extends RemoteException {

  private static final long serialVersionUID = 1;

  /** What is wrong. */
  private final ErrorCode code;

  /** The message's name in the model. */
  private final String messageName;

  /** The field's name in the model. */
  private final String fieldName;

  /** Where the field begins. */
  private final int offset;

  /**
   * An error at a place in a frame.
   *
   * @param code what is wrong
   * @param messageName the message's name in the model, or null as long as it is not known
   * @param fieldName the field's name in the model, or null if it is none
   * @param offset where the field begins, in octets from the frame's start
   */
  public DecodeException(ErrorCode code, String messageName, String fieldName, int offset) {
    super(code.sentence(messageName, fieldName, offset), false);
    this.code = code;
    this.messageName = messageName;
    this.fieldName = fieldName;
    this.offset = offset;
  }

  /** {@return what is wrong} */
  public ErrorCode code() {
    return code;
  }

  /** {@return the message's name in the model, or null if it is not known} */
  public String messageName() {
    return messageName;
  }

  /** {@return the field's name in the model, or null if no field is wrong} */
  public String fieldName() {
    return fieldName;
  }

  /** {@return where the field begins, in octets from the frame's start} */
  public int offset() {
    return offset;
  }
}

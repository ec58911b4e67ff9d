package zeps.wire;

/**
 * A frame that is not a message of the protocol.
 *
 * <p>It has no stack trace: the error is in the frame, not in this program, and invalid frames of a
 * peer must stay cheap to reject. Its text can be sent to the peer as a reason.
 */
public final class DecodeException extends RemoteException {

  private static final long serialVersionUID = 1;

  /** The kind of the error. */
  private final ErrorCode code;

  /** The message's name in the model. */
  private final String messageName;

  /** The field's name in the model. */
  private final String fieldName;

  /** The offset of the field. */
  private final int offset;

  /**
   * Creates an error at an offset of a frame.
   *
   * @param code the kind of the error
   * @param messageName the message's name in the model, or null if it is not known
   * @param fieldName the field's name in the model, or null if the error is not in a field
   * @param offset the number of bytes in the frame before the field
   */
  public DecodeException(ErrorCode code, String messageName, String fieldName, int offset) {
    super(code.sentence(messageName, fieldName, offset), false);
    this.code = code;
    this.messageName = messageName;
    this.fieldName = fieldName;
    this.offset = offset;
  }

  /** {@return the kind of the error} */
  public ErrorCode code() {
    return code;
  }

  /** {@return the message's name in the model, or null if it is not known} */
  public String messageName() {
    return messageName;
  }

  /** {@return the field's name in the model, or null if the error is not in a field} */
  public String fieldName() {
    return fieldName;
  }

  /** {@return the number of bytes in the frame before the field} */
  public int offset() {
    return offset;
  }
}

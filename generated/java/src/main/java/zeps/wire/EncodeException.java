package zeps.wire;

/** A message that cannot be encoded. */
public final class EncodeException extends LocalException {

  private static final long serialVersionUID = 1;

  /** The kind of the error. */
  private final ErrorCode code;

  /** The message's name in the model. */
  private final String messageName;

  /** The field's name in the model. */
  private final String fieldName;

  /**
   * Creates an error in a field.
   *
   * @param code the kind of the error
   * @param messageName the message's name in the model
   * @param fieldName the field's name in the model, or null if the error is not in a field
   */
  public EncodeException(ErrorCode code, String messageName, String fieldName) {
    super(code.sentence(messageName, fieldName, -1));
    this.code = code;
    this.messageName = messageName;
    this.fieldName = fieldName;
  }

  /** {@return the kind of the error} */
  public ErrorCode code() {
    return code;
  }

  /** {@return the message's name in the model} */
  public String messageName() {
    return messageName;
  }

  /** {@return the field's name in the model, or null if the error is not in a field} */
  public String fieldName() {
    return fieldName;
  }
}

package zeps.wire;

/** A message that its format cannot carry: this program's own doing. */
public final class EncodeException extends LocalException {

  private static final long serialVersionUID = 1;

  /** What is wrong. */
  private final ErrorCode code;

  /** The message's name in the model. */
  private final String messageName;

  /** The field's name in the model. */
  private final String fieldName;

  /**
   * An error in a field.
   *
   * @param code what is wrong
   * @param messageName the message's name in the model
   * @param fieldName the field's name in the model, or null if it is none
   */
  public EncodeException(ErrorCode code, String messageName, String fieldName) {
    super(code.sentence(messageName, fieldName, -1));
    this.code = code;
    this.messageName = messageName;
    this.fieldName = fieldName;
  }

  /** {@return what is wrong} */
  public ErrorCode code() {
    return code;
  }

  /** {@return the message's name in the model} */
  public String messageName() {
    return messageName;
  }

  /** {@return the field's name in the model, or null if no field is wrong} */
  public String fieldName() {
    return fieldName;
  }
}

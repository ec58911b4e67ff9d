package zeps.wire.internal;

import zeps.wire.EncodeException;
import zeps.wire.ErrorCode;

/** The fields of the message that is sent next that the host has filled. */
public final class Draft {

  private final String message;
  private final String[] fields;
  private final Object[] values;
  private final boolean[] filled;

  /** Creates a draft with unfilled fields. */
  public Draft(String message, String... fields) {
    this.message = message;
    this.fields = fields;
    this.values = new Object[fields.length];
    this.filled = new boolean[fields.length];
  }

  /** Fills a field; an earlier value is replaced. */
  public void set(int field, Object value) {
    values[field] = value;
    filled[field] = true;
  }

  /** A field's value. Throws EncodeException if it was not filled. */
  @SuppressWarnings("unchecked") // generated code uses the type that it has set
  public <T> T get(int field) {
    if (!filled[field]) {
      throw new EncodeException(ErrorCode.NOT_SET, message, fields[field]);
    }
    return (T) values[field];
  }

  /** A field's value, or {@code otherwise} if it was not filled. */
  public <T> T get(int field, T otherwise) {
    return filled[field] ? get(field) : otherwise;
  }

  /** Clears all fields. */
  public void clear() {
    for (int i = 0; i < fields.length; i++) {
      values[i] = null;
      filled[i] = false;
    }
  }
}

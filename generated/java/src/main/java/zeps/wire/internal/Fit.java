package zeps.wire.internal;

import zeps.wire.EncodeException;
import zeps.wire.ErrorCode;
import zeps.wire.Octets;

/** Checks of a machine's values before a message is constructed. */
public final class Fit {

  private Fit() {}

  /** An unsigned number that a field can hold. Throws EncodeException if it is greater. */
  public static long number(
      String message, String field, long value, long greatest, ErrorCode code) {
    if (Long.compareUnsigned(value, greatest) > 0) {
      throw new EncodeException(code, message, field);
    }
    return value;
  }

  /** Bytes of a field's size. Throws EncodeException if the size differs. */
  public static Octets octets(String message, String field, Octets value, int size) {
    if (value.length() != size) {
      ErrorCode code = value.length() > size ? ErrorCode.TOO_LONG : ErrorCode.TRUNCATED;
      throw new EncodeException(code, message, field);
    }
    return value;
  }
}

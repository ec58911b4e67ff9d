package zeps.wire.internal;

import zeps.wire.EncodeException;
import zeps.wire.ErrorCode;
import zeps.wire.Octets;

/** What a machine's steps look at before they make a message of it. */
public final class Fit {

  private Fit() {}

  /** An unsigned number that a field can hold. EncodeException if it is greater. */
  public static long number(
      String message, String field, long value, long greatest, ErrorCode code) {
    if (Long.compareUnsigned(value, greatest) > 0) {
      throw new EncodeException(code, message, field);
    }
    return value;
  }

  /** Octets that are as many as a field has. EncodeException if they are not. */
  public static Octets octets(String message, String field, Octets value, int size) {
    if (value.length() != size) {
      ErrorCode code = value.length() > size ? ErrorCode.TOO_LONG : ErrorCode.TRUNCATED;
      throw new EncodeException(code, message, field);
    }
    return value;
  }
}

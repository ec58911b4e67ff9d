package zeps.wire.internal;

/**
 * Arithmetic on unsigned numbers of 64 bits that saturates at 0 and at the maximum instead of
 * wrapping around.
 */
public final class Unsigned {

  private Unsigned() {}

  /** The sum, limited to {@code greatest}. */
  public static long add(long left, long right, long greatest) {
    long sum = left + right;
    return min(Long.compareUnsigned(sum, left) < 0 ? -1L : sum, greatest);
  }

  /** The difference, or 0 if it is negative. */
  public static long subtract(long left, long right) {
    return Long.compareUnsigned(left, right) < 0 ? 0 : left - right;
  }

  /** The lesser of two numbers. */
  public static long min(long left, long right) {
    return Long.compareUnsigned(left, right) < 0 ? left : right;
  }
}

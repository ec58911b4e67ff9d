package zeps.wire;

/**
 * Arithmetic on unsigned numbers of 64 bits that stops at 0 and at the top instead of wrapping
 * around.
 */
public final class Unsigned {

  private Unsigned() {}

  /**
   * The sum, or 2^64 - 1 if it is beyond that.
   *
   * @param left a number
   * @param right a number
   * @return their sum
   */
  public static long add(long left, long right) {
    long sum = left + right;
    return Long.compareUnsigned(sum, left) < 0 ? -1L : sum;
  }

  /**
   * The sum, or {@code greatest} if it is beyond that.
   *
   * @param left a number
   * @param right a number
   * @param greatest the top
   * @return their sum
   */
  public static long add(long left, long right, long greatest) {
    return min(add(left, right), greatest);
  }

  /**
   * The difference, or 0 if it is negative.
   *
   * @param left a number
   * @param right what is taken away from it
   * @return their difference
   */
  public static long subtract(long left, long right) {
    return Long.compareUnsigned(left, right) < 0 ? 0 : left - right;
  }

  /**
   * The lesser of two numbers.
   *
   * @param left a number
   * @param right a number
   * @return one of them
   */
  public static long min(long left, long right) {
    return Long.compareUnsigned(left, right) < 0 ? left : right;
  }
}

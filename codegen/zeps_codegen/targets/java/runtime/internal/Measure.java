package zeps.wire.internal;

import java.util.List;
import java.util.function.BiConsumer;
import zeps.wire.EncodeException;
import zeps.wire.ErrorCode;
import zeps.wire.Octets;

/**
 * Checks a message's values and computes its size, before {@link Output}, which has the same
 * methods, writes them. Throws EncodeException with the message and the field, unless it only
 * measures. The limit -1, the greatest unsigned number, means unlimited.
 */
public final class Measure {

  private static final int ARRAY_OCTETS_MAX = Integer.MAX_VALUE - Long.BYTES;

  private final String message;
  private final boolean checks;
  private String field;
  private long total;

  /** The sizes of the first two texts, in 16 bits each, so that they are measured only once. */
  private long texts;

  private int shift = Integer.SIZE;

  /** Measures a message; without checks, all its frames together. */
  public Measure(String message, boolean checks) {
    this.message = message;
    this.checks = checks;
  }

  /**
   * The input of {@link Output}: the size of the frame, and in the upper bits those of two texts.
   */
  public long sizes() {
    if (total > ARRAY_OCTETS_MAX) {
      throw new EncodeException(ErrorCode.TOO_LONG, message, null);
    }
    return texts | total;
  }

  /** Sets the next field. */
  public Measure field(String name) {
    field = name;
    return this;
  }

  // --- numbers

  /** One byte, unsigned. */
  public void u8(long value) {
    number(1, value >>> 8 == 0);
  }

  /** One byte, signed. */
  public void i8(long value) {
    number(1, (byte) value == value);
  }

  /** Two bytes, unsigned. */
  public void u16(long value) {
    number(2, value >>> 16 == 0);
  }

  /** Two bytes, signed. */
  public void i16(long value) {
    number(2, (short) value == value);
  }

  /** Four bytes, unsigned. */
  public void u32(long value) {
    number(4, value >>> 32 == 0);
  }

  /** Four bytes, signed. */
  public void i32(long value) {
    number(4, (int) value == value);
  }

  /** Eight bytes, unsigned or signed. */
  public void u64(long value) {
    total += 8;
  }

  private void number(int size, boolean fits) {
    check(fits, ErrorCode.TOO_LONG);
    total += size;
  }

  /** A number in LEB128. */
  public void varint(long value) {
    total += Math.max(1, (Long.SIZE - Long.numberOfLeadingZeros(value) + 6) / 7);
  }

  /** A signed number in LEB128: 0, -1, 1, -2 are encoded as 0, 1, 2, 3. */
  public void zigzag(long value) {
    varint(Output.zigzagged(value));
  }

  /** Checks that an unsigned number does not exceed a limit. */
  public long most(long value, long limit) {
    check(Long.compareUnsigned(value, limit) <= 0, ErrorCode.TOO_LONG);
    return value;
  }

  /** Checks that a signed number does not exceed a limit. */
  public long mostSigned(long value, long limit) {
    check(value <= limit, ErrorCode.TOO_LONG);
    return value;
  }

  /** Checks that a number has no bits outside the mask. */
  public long bits(long value, long mask) {
    check((value & ~mask) == 0, ErrorCode.BAD_CONSTANT);
    return value;
  }

  /** Checks a relation. */
  public void related(boolean holds) {
    check(holds, ErrorCode.BAD_RELATION);
  }

  /** Rejects a number that is not in the enumeration. */
  public long absent() {
    check(false, ErrorCode.BAD_CONSTANT);
    return 0;
  }

  /** Rejects a text that is not in the enumeration. */
  public String absentText() {
    check(false, ErrorCode.BAD_CONSTANT);
    return "";
  }

  // --- bytes and text

  /** A constant. */
  public void constant(byte[] octets) {
    total += octets.length;
  }

  /** Reserved bytes: zeros. */
  public void skip(int count) {
    total += count;
  }

  /** UTF-8 after its length. */
  public void utf8(String text, int prefix, long limit) {
    text(checks ? Text.utf8Size(text) : Text.size(text), prefix, limit);
  }

  /** UTF-8 without control characters after its length. */
  public void printable(String text, int prefix, long limit) {
    text(checks ? Text.printableSize(text) : Text.size(text), prefix, limit);
  }

  /** Visible ASCII after its length. */
  public void vchar(String text, int prefix, long limit) {
    text(checks ? Text.vcharSize(text) : Text.size(text), prefix, limit);
  }

  /** UTF-8, then a zero byte. */
  public void topic(String text) {
    check(text.indexOf(0) < 0, ErrorCode.BAD_TEXT);
    utf8(text, 1, -1);
  }

  private void text(int size, int prefix, long limit) {
    check(size >= 0, ErrorCode.BAD_TEXT);
    octets(size, prefix, limit);
    if (shift < Long.SIZE) {
      texts |= (long) Math.min(size, Output.UNKNOWN) << shift;
      shift += Short.SIZE;
    }
  }

  /** UTF-8 after its length. */
  public void utf8(byte[] text, int from, int length, int prefix, long limit) {
    check(Text.isUtf8(text, from, length), ErrorCode.BAD_TEXT);
    octets(length, prefix, limit);
  }

  /** UTF-8 without control characters after its length. */
  public void printable(byte[] text, int from, int length, int prefix, long limit) {
    check(Text.isPrintable(text, from, length), ErrorCode.BAD_TEXT);
    octets(length, prefix, limit);
  }

  /** Visible ASCII after its length. */
  public void vchar(byte[] text, int from, int length, int prefix, long limit) {
    check(Text.isVchar(text, from, length), ErrorCode.BAD_TEXT);
    octets(length, prefix, limit);
  }

  /** Bytes after their length, or without it if {@code prefix} is 0. */
  public void octets(Octets octets, int prefix, long limit) {
    octets(octets.length(), prefix, limit);
  }

  /** Bytes after their length, or without it if {@code prefix} is 0. */
  public void octets(byte[] octets, int from, int length, int prefix, long limit) {
    octets(length, prefix, limit);
  }

  /** {@code size} bytes. */
  public void fixed(Octets octets, int size) {
    fixed(octets.length(), size);
  }

  /** {@code size} bytes. */
  public void fixed(byte[] octets, int from, int length, int size) {
    fixed(length, size);
  }

  private void fixed(int length, int size) {
    agree(length, size);
    total += length;
  }

  /** Checks that a field has the same number of items or bytes as its sibling. */
  public void agree(int length, int wanted) {
    check(length <= wanted, ErrorCode.TOO_LONG);
    check(length >= wanted, ErrorCode.TRUNCATED);
  }

  // --- lists and frames

  /** Items after their count, or without it if {@code prefix} is 0. */
  public <T> void list(List<T> items, int prefix, long limit, BiConsumer<Measure, T> item) {
    most(items.size(), limit);
    total += prefix;
    for (T one : items) {
      item.accept(this, one);
    }
  }

  /** A separate frame. */
  public void frame(Octets frame, long limit) {
    most(frame.length(), limit);
    total += checks ? 0 : frame.length();
  }

  /** Separate frames, at least one. */
  public void frames(List<Octets> frames, long limit) {
    check(!frames.isEmpty(), ErrorCode.TRUNCATED);
    for (Octets frame : frames) {
      frame(frame, limit);
    }
  }

  // --- shared by all operations

  private void check(boolean good, ErrorCode code) {
    if (!good && checks) {
      throw new EncodeException(code, message, field);
    }
  }

  private void octets(int length, int prefix, long limit) {
    check(length <= limit || limit < 0, ErrorCode.TOO_LONG);
    total += (long) prefix + length;
  }
}

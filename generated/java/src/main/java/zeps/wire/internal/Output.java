package zeps.wire.internal;

import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import zeps.wire.Octets;

/** Writes a frame whose values {@link Measure}, which has the same methods, has checked. */
public final class Output {

  /** Represents sizes of texts from this one on. */
  static final int UNKNOWN = 0xFFFF;

  private final Object memory;
  private final int start;
  private int at;
  private long texts;

  /**
   * Writes to an array or a buffer from an offset on. Throws IndexOutOfBoundsException or
   * BufferOverflowException if {@code sizes}, from Measure, do not fit.
   */
  public Output(Object memory, int start, long sizes) {
    if (memory instanceof byte[] array) {
      Objects.checkFromIndexSize(start, (int) sizes, array.length);
    } else if (((ByteBuffer) memory).limit() - start < (int) sizes) {
      throw new BufferOverflowException();
    }
    this.memory = memory;
    this.start = start;
    this.at = start;
    this.texts = sizes >>> Integer.SIZE;
  }

  /** The number of written bytes. */
  public int size() {
    return at - start;
  }

  /** Sets the next field. */
  public Output field(String name) {
    return this;
  }

  // --- numbers

  /** One byte, unsigned. */
  public void u8(long value) {
    put(1, value);
  }

  /** One byte, signed. */
  public void i8(long value) {
    put(1, value);
  }

  /** Two bytes, unsigned. */
  public void u16(long value) {
    put(2, value);
  }

  /** Two bytes, signed. */
  public void i16(long value) {
    put(2, value);
  }

  /** Four bytes, unsigned. */
  public void u32(long value) {
    put(4, value);
  }

  /** Four bytes, signed. */
  public void i32(long value) {
    put(4, value);
  }

  /** Eight bytes, unsigned or signed. */
  public void u64(long value) {
    put(8, value);
  }

  /** A number in LEB128. */
  public void varint(long value) {
    long left = value;
    while ((left & ~0x7FL) != 0) {
      put(1, left & 0x7F | 0x80);
      left >>>= 7;
    }
    put(1, left);
  }

  /** A signed number in LEB128: 0, -1, 1, -2 are encoded as 0, 1, 2, 3. */
  public void zigzag(long value) {
    varint(zigzagged(value));
  }

  static long zigzagged(long value) {
    return value << 1 ^ value >> 63;
  }

  /** A number that was checked against its limit. */
  public long most(long value, long limit) {
    return value;
  }

  /** A number that was checked against its limit. */
  public long mostSigned(long value, long limit) {
    return value;
  }

  /** A number whose bits were checked. */
  public long bits(long value, long mask) {
    return value;
  }

  /** A relation that was checked. */
  public void related(boolean holds) {}

  /** A number that is not in the enumeration. */
  public long absent() {
    return 0;
  }

  /** A text that is not in the enumeration. */
  public String absentText() {
    return "";
  }

  // --- bytes and text

  /** A constant. */
  public void constant(byte[] octets) {
    copy(octets, 0, octets.length);
  }

  /** Reserved bytes: zeros. */
  public void skip(int count) {
    for (int i = 0; i < count; i++) {
      put(1, 0);
    }
  }

  /** UTF-8 after its length. */
  public void utf8(String text, int prefix, long limit) {
    text(text, prefix);
  }

  /** UTF-8 without control characters after its length. */
  public void printable(String text, int prefix, long limit) {
    text(text, prefix);
  }

  /** Visible ASCII after its length. */
  public void vchar(String text, int prefix, long limit) {
    text(text, prefix);
  }

  /** UTF-8, then a zero byte. */
  public void topic(String text) {
    text(text, 0);
    put(1, 0);
  }

  private void text(String text, int prefix) {
    int size = (int) texts & UNKNOWN;
    if (size == UNKNOWN) {
      size = Text.size(text);
    }
    texts = texts >>> Short.SIZE | (long) UNKNOWN << Short.SIZE;
    put(prefix, size);
    if (size == text.length() && memory instanceof byte[] array) {
      Text.putAscii(text, array, at);
      at += size;
    } else {
      copy(Text.octets(text), 0, size);
    }
  }

  /** UTF-8 after its length. */
  public void utf8(byte[] text, int from, int length, int prefix, long limit) {
    text(text, from, length, prefix);
  }

  /** UTF-8 without control characters after its length. */
  public void printable(byte[] text, int from, int length, int prefix, long limit) {
    text(text, from, length, prefix);
  }

  /** Visible ASCII after its length. */
  public void vchar(byte[] text, int from, int length, int prefix, long limit) {
    text(text, from, length, prefix);
  }

  /** Writes text; short text, such as keys and names, is copied without a call. */
  private void text(byte[] text, int from, int length, int prefix) {
    put(prefix, length);
    if (length - Long.BYTES >>> 3 == 0 || length == 2 * Long.BYTES) { // 8 to 16
      long first = Memory.i64(text, from);
      long last = Memory.i64(text, from + length - Long.BYTES); // may overlap the first
      Memory.put64(memory, at, first);
      Memory.put64(memory, at + length - Long.BYTES, last);
      at += length;
    } else {
      copy(text, from, length);
    }
  }

  /** Bytes after their length, or without it if {@code prefix} is 0. */
  public void octets(Octets octets, int prefix, long limit) {
    put(prefix, octets.length());
    at =
        memory instanceof byte[] array
            ? octets.copyTo(array, at)
            : octets.copyTo((ByteBuffer) memory, at);
  }

  /** Bytes after their length, or without it if {@code prefix} is 0. */
  public void octets(byte[] octets, int from, int length, int prefix, long limit) {
    put(prefix, length);
    copy(octets, from, length);
  }

  /** {@code size} bytes. */
  public void fixed(Octets octets, int size) {
    octets(octets, 0, -1);
  }

  /** {@code size} bytes. */
  public void fixed(byte[] octets, int from, int length, int size) {
    copy(octets, from, length);
  }

  /** A number of items or bytes that was checked. */
  public void agree(int length, int wanted) {}

  // --- lists and frames

  /** Items after their count, or without it if {@code prefix} is 0. */
  public <T> void list(List<T> items, int prefix, long limit, BiConsumer<Output, T> item) {
    put(prefix, items.size());
    for (T one : items) {
      item.accept(this, one);
    }
  }

  /** A separate frame, which is not written here. */
  public void frame(Octets frame, long limit) {}

  /** Separate frames, which are not written here. */
  public void frames(List<Octets> frames, long limit) {}

  // --- shared by all operations

  private void put(int size, long value) {
    switch (size) {
      case 0:
        break;
      case 1:
        Memory.put8(memory, at, value);
        break;
      case 2:
        Memory.put16(memory, at, value);
        break;
      case 4:
        Memory.put32(memory, at, value);
        break;
      default:
        Memory.put64(memory, at, value);
    }
    at += size;
  }

  private void copy(byte[] from, int place, int length) {
    Memory.copy(from, place, length, memory, at);
    at += length;
  }
}

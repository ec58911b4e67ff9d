package zeps.wire;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Objects;
import zeps.wire.internal.Memory;

/**
 * Immutable bytes: a view of a part of an array or of a buffer. Views with equal content are equal.
 *
 * <p>A decoded message's bytes are views of its frame: they are not copied, they keep the frame
 * alive, and the frame must not be modified. {@link #copyOf} and {@link #toByteArray} copy.
 */
public final class Octets {

  /** No bytes. */
  public static final Octets EMPTY = new Octets(new byte[0], 0, 0);

  private static final int SHOWN_MAX = 32;

  private final Object memory; // an array, or a buffer
  private final int offset;
  private final int length;

  private Octets(Object memory, int offset, int length) {
    this.memory = memory;
    this.offset = offset;
    this.length = length;
  }

  /**
   * {@return a copy of {@code octets}, independent of later changes of the array}
   *
   * @param octets the bytes to copy
   */
  public static Octets copyOf(byte[] octets) {
    return new Octets(octets.clone(), 0, octets.length);
  }

  /**
   * {@return a view of {@code octets}, which must not be modified}
   *
   * @param octets the array
   */
  public static Octets wrap(byte[] octets) {
    return new Octets(octets, 0, octets.length);
  }

  /**
   * {@return a view of a part of {@code octets}, which must not be modified}
   *
   * @param octets the array
   * @param offset the offset of the view
   * @param length the size of the view in bytes
   * @throws IndexOutOfBoundsException if the part is not in the array
   */
  public static Octets wrap(byte[] octets, int offset, int length) {
    if ((offset | length | (long) octets.length - offset - length) < 0) {
      throw new IndexOutOfBoundsException(offset + " + " + length + " of " + octets.length);
    }
    return new Octets(octets, offset, length);
  }

  /**
   * {@return a view of a buffer between its position and its limit, which do not change} The bytes
   * must not be modified.
   *
   * @param buffer the buffer, on the heap or direct
   */
  public static Octets wrap(ByteBuffer buffer) {
    return buffer.hasArray()
        ? new Octets(buffer.array(), buffer.arrayOffset() + buffer.position(), buffer.remaining())
        : new Octets(buffer.slice(), 0, buffer.remaining());
  }

  /**
   * {@return the bytes of {@code text} in UTF-8}
   *
   * @param text any text
   */
  public static Octets utf8(String text) {
    return wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  /** {@return the number of bytes} */
  public int length() {
    return length;
  }

  /**
   * {@return one byte, as a number from 0 to 255}
   *
   * @param index its index, from 0
   * @throws IndexOutOfBoundsException if the index is out of range
   */
  public int octetAt(int index) {
    return Memory.u8(memory, offset + Objects.checkIndex(index, length));
  }

  /**
   * {@return a view of a part}
   *
   * @param from the index of its first byte
   * @param to the index after its last byte
   * @throws IndexOutOfBoundsException if the part is out of range
   */
  public Octets slice(int from, int to) {
    Objects.checkFromToIndex(from, to, length);
    return new Octets(memory, offset + from, to - from);
  }

  /** {@return a copy as a new array} */
  public byte[] toByteArray() {
    return Memory.bytes(memory, offset, length);
  }

  /** {@return a read-only buffer of these bytes, without a copy} */
  public ByteBuffer toByteBuffer() {
    return Memory.view(memory, offset, length).asReadOnlyBuffer();
  }

  /**
   * {@return whether the bytes are a part of an {@link #array}, rather than of a buffer without an
   * array}
   */
  public boolean hasArray() {
    return memory instanceof byte[];
  }

  /**
   * {@return the array that contains these bytes, so that no copy is needed} It must not be
   * modified.
   *
   * @throws UnsupportedOperationException if they are in a buffer without an array
   */
  public byte[] array() {
    if (memory instanceof byte[] array) {
      return array;
    }
    throw new UnsupportedOperationException("the bytes are in a buffer without an array");
  }

  /** {@return the index of the first byte in {@link #array}} */
  public int offset() {
    return offset;
  }

  /**
   * Copies the bytes into an array.
   *
   * @param target the array
   * @param at the index of the first byte in it
   * @return the index after the last byte
   * @throws IndexOutOfBoundsException if they do not fit
   */
  public int copyTo(byte[] target, int at) {
    Memory.copy(memory, offset, length, target, at);
    return at + length;
  }

  /**
   * Copies the bytes into a buffer, whose position and limit do not change.
   *
   * @param target the buffer
   * @param at the index of the first byte in it, from the buffer's start
   * @return the index after the last byte
   * @throws IndexOutOfBoundsException if they do not fit before the buffer's limit
   */
  public int copyTo(ByteBuffer target, int at) {
    Memory.copy(memory, offset, length, target, at);
    return at + length;
  }

  /** {@return the text of these bytes in UTF-8; invalid bytes are replaced} */
  public String toUtf8() {
    return Memory.text(memory, offset, length, StandardCharsets.UTF_8);
  }

  @Override
  public boolean equals(Object other) {
    if (!(other instanceof Octets)) {
      return false;
    }
    Octets that = (Octets) other;
    if (memory instanceof byte[] left && that.memory instanceof byte[] right) {
      int end = that.offset + that.length;
      return Arrays.equals(left, offset, offset + length, right, that.offset, end);
    }
    return toByteBuffer().equals(that.toByteBuffer());
  }

  @Override
  public int hashCode() {
    int hash = 1;
    for (int i = offset; i < offset + length; i++) {
      hash = 31 * hash + (byte) Memory.u8(memory, i);
    }
    return hash;
  }

  /** The first bytes in hexadecimal. */
  @Override
  public String toString() {
    int shown = Math.min(length, SHOWN_MAX);
    String hex = HexFormat.of().formatHex(Memory.bytes(memory, offset, shown));
    return shown == length ? hex : hex + "... (" + length + " bytes)";
  }
}

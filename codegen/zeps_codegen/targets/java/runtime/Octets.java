package zeps.wire;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Objects;
import zeps.wire.internal.Memory;

/**
 * Octets that do not change: a view of a part of an array or of a buffer, which compares by
 * content.
 *
 * <p>A decoded message's octets are views of the frame that it was decoded from: nothing is copied,
 * the frame is kept alive, and must not be written to any more. {@link #copyOf} and {@link
 * #toByteArray} copy.
 */
public final class Octets {

  /** No octets. */
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
   * {@return a copy of {@code octets}, which later changes of the array do not reach}
   *
   * @param octets what to copy
   */
  public static Octets copyOf(byte[] octets) {
    return new Octets(octets.clone(), 0, octets.length);
  }

  /**
   * {@return a view of {@code octets}, which must not be written to any more}
   *
   * @param octets what to look at
   */
  public static Octets wrap(byte[] octets) {
    return new Octets(octets, 0, octets.length);
  }

  /**
   * {@return a view of a part of {@code octets}, which must not be written to any more}
   *
   * @param octets what to look at
   * @param offset where the view begins
   * @param length its octets
   * @throws IndexOutOfBoundsException if the array has no such part
   */
  public static Octets wrap(byte[] octets, int offset, int length) {
    if ((offset | length | (long) octets.length - offset - length) < 0) {
      throw new IndexOutOfBoundsException(offset + " + " + length + " of " + octets.length);
    }
    return new Octets(octets, offset, length);
  }

  /**
   * {@return a view of a buffer between its position and its limit, neither of which changes} What
   * lies there must not be written to any more.
   *
   * @param buffer what to look at, on the heap or outside of it
   */
  public static Octets wrap(ByteBuffer buffer) {
    return buffer.hasArray()
        ? new Octets(buffer.array(), buffer.arrayOffset() + buffer.position(), buffer.remaining())
        : new Octets(buffer.slice(), 0, buffer.remaining());
  }

  /**
   * {@return the octets of {@code text} in UTF-8}
   *
   * @param text any text
   */
  public static Octets utf8(String text) {
    return wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  /** {@return the number of octets} */
  public int length() {
    return length;
  }

  /**
   * {@return one octet, as a number from 0 to 255}
   *
   * @param index its place, from 0
   * @throws IndexOutOfBoundsException if there is none
   */
  public int octetAt(int index) {
    return Memory.u8(memory, offset + Objects.checkIndex(index, length));
  }

  /**
   * {@return a view of a part}
   *
   * @param from the place of its first octet
   * @param to the place after its last octet
   * @throws IndexOutOfBoundsException if there is no such part
   */
  public Octets slice(int from, int to) {
    Objects.checkFromToIndex(from, to, length);
    return new Octets(memory, offset + from, to - from);
  }

  /** {@return a copy as an array of the caller's own} */
  public byte[] toByteArray() {
    return Memory.bytes(memory, offset, length);
  }

  /** {@return a buffer of these octets that cannot be written to; nothing is copied} */
  public ByteBuffer toByteBuffer() {
    return Memory.view(memory, offset, length).asReadOnlyBuffer();
  }

  /**
   * {@return whether the octets are a part of an {@link #array}, rather than of a buffer without
   * one}
   */
  public boolean hasArray() {
    return memory instanceof byte[];
  }

  /**
   * {@return the array that these octets are a part of, so that nothing needs to be copied} It must
   * not be written to.
   *
   * @throws UnsupportedOperationException if they are a part of a buffer without an array
   */
  public byte[] array() {
    if (memory instanceof byte[] array) {
      return array;
    }
    throw new UnsupportedOperationException("the octets lie in a buffer without an array");
  }

  /** {@return the place of the first octet in {@link #array}} */
  public int offset() {
    return offset;
  }

  /**
   * Copies the octets into an array.
   *
   * @param target where to
   * @param at the place of the first octet there
   * @return the place after the last
   * @throws IndexOutOfBoundsException if they do not fit
   */
  public int copyTo(byte[] target, int at) {
    Memory.copy(memory, offset, length, target, at);
    return at + length;
  }

  /**
   * Copies the octets into a buffer; its position and its limit stay.
   *
   * @param target where to
   * @param at the place of the first octet there, from the buffer's start
   * @return the place after the last
   * @throws IndexOutOfBoundsException if they do not fit before the buffer's limit
   */
  public int copyTo(ByteBuffer target, int at) {
    Memory.copy(memory, offset, length, target, at);
    return at + length;
  }

  /** {@return the text of these octets in UTF-8; what is not UTF-8 is replaced} */
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

  /** The octets in hexadecimal; of many, the first few. */
  @Override
  public String toString() {
    int shown = Math.min(length, SHOWN_MAX);
    String hex = HexFormat.of().formatHex(Memory.bytes(memory, offset, shown));
    return shown == length ? hex : hex + "... (" + length + " octets)";
  }
}

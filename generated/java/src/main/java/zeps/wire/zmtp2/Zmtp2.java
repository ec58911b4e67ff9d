package zeps.wire.zmtp2;

import java.nio.ByteBuffer;
import java.util.Objects;
import zeps.wire.DecodeException;
import zeps.wire.Wire;

/**
 * ZMTP 2.0.
 *
 * <p>What opens a connection of version 2.0.
 */
public final class Zmtp2 {

  static final byte[] BEGINNING_0 = {(byte) 0xFF};

  private Zmtp2() {}

  /**
   * The message that a frame holds, to its last octet. Its octets are views of the frame, which
   * must not be written to any more.
   *
   * @param frame the frame
   * @return the message
   * @throws DecodeException if it holds none
   */
  public static Message decode(byte[] frame) throws DecodeException {
    return decode(frame, 0, frame.length);
  }

  /**
   * The message that a part of an array holds, to its last octet. Its octets are views of the
   * array, which must not be written to any more.
   *
   * @param data the array
   * @param offset where the frame begins
   * @param length its octets
   * @return the message
   * @throws DecodeException if it holds none
   */
  public static Message decode(byte[] data, int offset, int length) throws DecodeException {
    Objects.checkFromIndexSize(offset, length, data.length);
    return dispatch(data, offset, offset + length);
  }

  /**
   * The message that a buffer holds between its position and its limit, neither of which changes.
   * Its octets are views of the buffer's array if that can be reached, or of a copy.
   *
   * @param buffer the buffer
   * @return the message
   * @throws DecodeException if it holds none
   */
  public static Message decode(ByteBuffer buffer) throws DecodeException {
    if (buffer.hasArray()) {
      return decode(buffer.array(), buffer.arrayOffset() + buffer.position(), buffer.remaining());
    }
    byte[] frame = new byte[buffer.remaining()];
    buffer.duplicate().get(frame);
    return decode(frame);
  }

  private static Message dispatch(byte[] data, int start, int end) throws DecodeException {
    if (Wire.holds(data, start, end, BEGINNING_0)) {
      return Greeting.read(data, start, end);
    }
    if (Wire.begins(data, start, end, BEGINNING_0)) {
      throw Wire.truncated(null, null, 0);
    }
    throw Wire.unknownMessage(0);
  }
}

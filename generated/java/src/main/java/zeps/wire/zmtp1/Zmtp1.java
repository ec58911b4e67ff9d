package zeps.wire.zmtp1;

import java.nio.ByteBuffer;
import java.util.Objects;
import zeps.wire.DecodeException;
import zeps.wire.internal.Input;

/**
 * ZMTP 1.0.
 *
 * <p>A frame of version 1.0, shorter than 255 octets. A connection opens with one that holds the
 * identity, which is mostly empty; a subscriber says nothing after it.
 */
public final class Zmtp1 {

  private Zmtp1() {}

  /**
   * {@return the message in a frame, which must be used completely} Its bytes are views of the
   * frame, which must not be modified.
   *
   * @param frame the frame
   * @throws DecodeException if it is not a message of the protocol
   */
  public static Message decode(byte[] frame) throws DecodeException {
    return dispatch(frame, 0, frame.length);
  }

  /**
   * {@return the message in a part of an array, which must be used completely} Its bytes are views
   * of the array, which must not be modified.
   *
   * @param data the array
   * @param offset the index of the frame's first byte
   * @param length the size of the frame in bytes
   * @throws DecodeException if it is not a message of the protocol
   */
  public static Message decode(byte[] data, int offset, int length) throws DecodeException {
    Objects.checkFromIndexSize(offset, length, data.length);
    return dispatch(data, offset, offset + length);
  }

  /**
   * {@return the message in a buffer between its position and its limit, which do not change} Its
   * bytes are views of the buffer, which must not be modified there.
   *
   * @param buffer the buffer, on the heap or direct
   * @throws DecodeException if it is not a message of the protocol
   */
  public static Message decode(ByteBuffer buffer) throws DecodeException {
    if (buffer.hasArray()) {
      return decode(buffer.array(), buffer.arrayOffset() + buffer.position(), buffer.remaining());
    }
    return dispatch(buffer, buffer.position(), buffer.limit());
  }

  private static Message dispatch(Object memory, int start, int end) throws DecodeException {
    final Input in = new Input(memory, start, end);
    if (in.holds(Frame.BEGINNING)) {
      return Frame.read(memory, start, end);
    }
    throw in.unknown(0, Frame.BEGINNING);
  }
}

package zeps.wire.zmtpframe;

import java.nio.ByteBuffer;
import java.util.Objects;
import zeps.wire.DecodeException;
import zeps.wire.internal.Input;

/**
 * ZMTP frames.
 *
 * <p>A frame is its flags, the size of its body in one or in eight octets, and the body. The flags
 * say what the frame is, so they are what a frame's number stands for here; flags that no frame has
 * are refused.
 */
public final class ZmtpFrame {

  private ZmtpFrame() {}

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
    switch (in.id()) {
      case 0:
        return Last.read(memory, start, end);
      case 1:
        return More.read(memory, start, end);
      case 2:
        return LongLast.read(memory, start, end);
      case 3:
        return LongMore.read(memory, start, end);
      case 4:
        return Command.read(memory, start, end);
      case 6:
        return LongCommand.read(memory, start, end);
      default:
        throw in.unknown(0);
    }
  }
}

package zeps.wire.zeps;

import java.nio.ByteBuffer;
import java.util.Objects;
import zeps.wire.DecodeException;
import zeps.wire.internal.Input;

/**
 * ZeroMQ Enterprise Publish-Subscribe.
 *
 * <p>ZEPS is a broker-based publish-subscribe protocol. A client attaches to one stream of a
 * broker, publishes messages to it, and receives those that match its subscriptions, from any point
 * of the stream's history on.
 */
public final class Zeps {

  /** A `latest` that asks for everything retained. */
  public static final long LATEST_ALL = 0L;

  /** A `latest` that asks for new messages only. */
  public static final long LATEST_NEW = -1L;

  private Zeps() {}

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
    switch (in.id(0xAAA5)) {
      case 1:
        return Attach.read(memory, start, end);
      case 2:
        return AttachOk.read(memory, start, end);
      case 3:
        return Subscribe.read(memory, start, end);
      case 4:
        return SubscribeOk.read(memory, start, end);
      case 5:
        return Credit.read(memory, start, end);
      case 6:
        return Publish.read(memory, start, end);
      case 7:
        return Deliver.read(memory, start, end);
      case 8:
        return Ping.read(memory, start, end);
      case 9:
        return PingOk.read(memory, start, end);
      case 10:
        return Detach.read(memory, start, end);
      case 11:
        return DetachOk.read(memory, start, end);
      case 12:
        return Invalid.read(memory, start, end);
      default:
        throw in.unknown(2);
    }
  }
}

package zeps.wire.zmtp;

import java.nio.ByteBuffer;
import java.util.Objects;
import zeps.wire.DecodeException;
import zeps.wire.Wire;

/**
 * ZMTP 3, publish-subscribe.
 *
 * <p>What two ZMTP peers say to each other on one connection: a greeting, which stands by itself,
 * and then what frames hold, the body of a command or of a message. A publisher takes a message for
 * what it begins with: SUBSCRIPTION and CANCELLATION are what version 3.0 has for the commands
 * SUBSCRIBE and CANCEL of version 3.1. An extension of ours, ZMTP-E, lets a subscriber ask by
 * filters of other kinds than the beginning of a message. A filter has a kind, one octet, whose
 * meaning publishers and subscribers agree on elsewhere, and any octets. Whoever does not know the
 * kind of a filter sends everything, which is always right: filtering at the publisher saves
 * traffic and nothing else.
 */
public final class Zmtp {

  static final byte[] BEGINNING_0 = {
    0x0B, 0x53, 0x55, 0x42, 0x53, 0x43, 0x52, 0x49, 0x42, 0x45, 0x2D, 0x58
  };
  static final byte[] BEGINNING_1 = {0x09, 0x53, 0x55, 0x42, 0x53, 0x43, 0x52, 0x49, 0x42, 0x45};
  static final byte[] BEGINNING_2 = {0x08, 0x43, 0x41, 0x4E, 0x43, 0x45, 0x4C, 0x2D, 0x58};
  static final byte[] BEGINNING_3 = {0x06, 0x43, 0x41, 0x4E, 0x43, 0x45, 0x4C};
  static final byte[] BEGINNING_4 = {0x05, 0x52, 0x45, 0x41, 0x44, 0x59};
  static final byte[] BEGINNING_5 = {0x05, 0x45, 0x52, 0x52, 0x4F, 0x52};
  static final byte[] BEGINNING_6 = {0x04, 0x50, 0x49, 0x4E, 0x47};
  static final byte[] BEGINNING_7 = {0x04, 0x50, 0x4F, 0x4E, 0x47};
  static final byte[] BEGINNING_8 = {(byte) 0xFF};
  static final byte[] BEGINNING_9 = {0x01};
  static final byte[] BEGINNING_10 = {0x00};
  static final byte[] BEGINNING_11 = {0x02};
  static final byte[] BEGINNING_12 = {0x03};

  private Zmtp() {}

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
      return SubscribeX.read(data, start, end);
    }
    if (Wire.holds(data, start, end, BEGINNING_1)) {
      return Subscribe.read(data, start, end);
    }
    if (Wire.holds(data, start, end, BEGINNING_2)) {
      return CancelX.read(data, start, end);
    }
    if (Wire.holds(data, start, end, BEGINNING_3)) {
      return Cancel.read(data, start, end);
    }
    if (Wire.holds(data, start, end, BEGINNING_4)) {
      return Ready.read(data, start, end);
    }
    if (Wire.holds(data, start, end, BEGINNING_5)) {
      return Error.read(data, start, end);
    }
    if (Wire.holds(data, start, end, BEGINNING_6)) {
      return Ping.read(data, start, end);
    }
    if (Wire.holds(data, start, end, BEGINNING_7)) {
      return Pong.read(data, start, end);
    }
    if (Wire.holds(data, start, end, BEGINNING_8)) {
      return Greeting.read(data, start, end);
    }
    if (Wire.holds(data, start, end, BEGINNING_9)) {
      return Subscription.read(data, start, end);
    }
    if (Wire.holds(data, start, end, BEGINNING_10)) {
      return Cancellation.read(data, start, end);
    }
    if (Wire.holds(data, start, end, BEGINNING_11)) {
      return SubscriptionX.read(data, start, end);
    }
    if (Wire.holds(data, start, end, BEGINNING_12)) {
      return CancellationX.read(data, start, end);
    }
    if (Wire.begins(data, start, end, BEGINNING_0)
        || Wire.begins(data, start, end, BEGINNING_1)
        || Wire.begins(data, start, end, BEGINNING_2)
        || Wire.begins(data, start, end, BEGINNING_3)
        || Wire.begins(data, start, end, BEGINNING_4)
        || Wire.begins(data, start, end, BEGINNING_5)
        || Wire.begins(data, start, end, BEGINNING_6)
        || Wire.begins(data, start, end, BEGINNING_7)
        || Wire.begins(data, start, end, BEGINNING_8)
        || Wire.begins(data, start, end, BEGINNING_9)
        || Wire.begins(data, start, end, BEGINNING_10)
        || Wire.begins(data, start, end, BEGINNING_11)
        || Wire.begins(data, start, end, BEGINNING_12)) {
      throw Wire.truncated(null, null, 0);
    }
    throw Wire.unknownMessage(0);
  }
}

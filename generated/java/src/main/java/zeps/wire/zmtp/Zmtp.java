package zeps.wire.zmtp;

import java.nio.ByteBuffer;
import java.util.Objects;
import zeps.wire.DecodeException;
import zeps.wire.internal.Input;

/**
 * ZMTP 3, publish-subscribe.
 *
 * <p>What two ZMTP peers say to each other on one connection: a greeting, which stands by itself,
 * and then what frames hold, the body of a command or of a message. A publisher takes a message for
 * what it begins with: SUBSCRIPTION and CANCELLATION are what version 3.0 has for the commands
 * SUBSCRIBE and CANCEL of version 3.1. An extension of ours, ZMTP-E, lets a subscriber ask by
 * filters of other kinds than the beginning of a message. A filter has a kind, one octet, whose
 * meaning publishers and subscribers agree on elsewhere, and any octets. A publisher that does not
 * know the kind of a filter sends everything, which is always right: a filter only saves traffic.
 */
public final class Zmtp {

  private Zmtp() {}

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
    if (in.holds(Greeting.BEGINNING)) {
      return Greeting.read(memory, start, end);
    }
    if (in.holds(SubscribeX.BEGINNING)) {
      return SubscribeX.read(memory, start, end);
    }
    if (in.holds(Subscribe.BEGINNING)) {
      return Subscribe.read(memory, start, end);
    }
    if (in.holds(CancelX.BEGINNING)) {
      return CancelX.read(memory, start, end);
    }
    if (in.holds(Cancel.BEGINNING)) {
      return Cancel.read(memory, start, end);
    }
    if (in.holds(Ready.BEGINNING)) {
      return Ready.read(memory, start, end);
    }
    if (in.holds(Error.BEGINNING)) {
      return Error.read(memory, start, end);
    }
    if (in.holds(Pong.BEGINNING)) {
      return Pong.read(memory, start, end);
    }
    if (in.holds(Ping.BEGINNING)) {
      return Ping.read(memory, start, end);
    }
    if (in.holds(CancellationX.BEGINNING)) {
      return CancellationX.read(memory, start, end);
    }
    if (in.holds(SubscriptionX.BEGINNING)) {
      return SubscriptionX.read(memory, start, end);
    }
    if (in.holds(Subscription.BEGINNING)) {
      return Subscription.read(memory, start, end);
    }
    if (in.holds(Cancellation.BEGINNING)) {
      return Cancellation.read(memory, start, end);
    }
    throw in.unknown(
        0,
        Greeting.BEGINNING,
        SubscribeX.BEGINNING,
        Subscribe.BEGINNING,
        CancelX.BEGINNING,
        Cancel.BEGINNING,
        Ready.BEGINNING,
        Error.BEGINNING,
        Pong.BEGINNING,
        Ping.BEGINNING,
        CancellationX.BEGINNING,
        SubscriptionX.BEGINNING,
        Subscription.BEGINNING,
        Cancellation.BEGINNING);
  }
}

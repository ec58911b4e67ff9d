package zeps.wire.zeps;

import java.nio.ByteBuffer;
import zeps.wire.EncodeException;

/** A message of ZeroMQ Enterprise Publish-Subscribe. */
public sealed interface Message
    permits Attach,
        AttachOk,
        Subscribe,
        SubscribeOk,
        Credit,
        Publish,
        Deliver,
        Ping,
        PingOk,
        Detach,
        DetachOk,
        Invalid {

  /** {@return the message's number in the model} */
  int messageId();

  /** {@return the message's name in the model} */
  String messageName();

  /** {@return the size of the encoded message in octets; nothing is checked} */
  int encodedSize();

  /**
   * {@return the message as one frame, in an array of its own}
   *
   * @throws EncodeException if the format cannot carry it
   */
  byte[] encode();

  /**
   * Writes the message as one frame; nothing is written unless all of it can be.
   *
   * @param out where to; the message's own octets must not lie there
   * @param offset the place of its first octet
   * @return how many octets it has
   * @throws EncodeException if the format cannot carry it
   * @throws IndexOutOfBoundsException if there is not room enough
   */
  int encodeTo(byte[] out, int offset);

  /**
   * Writes the message as one frame from a buffer's position on, which then stands after it;
   * nothing is written unless all of it can be.
   *
   * @param out where to, on the heap or outside of it; the message's own octets must not lie there
   * @return how many octets it has
   * @throws EncodeException if the format cannot carry it
   * @throws java.nio.BufferOverflowException if there is not room enough
   */
  int encodeTo(ByteBuffer out);
}

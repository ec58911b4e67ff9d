package zeps.wire.journal;

import java.nio.ByteBuffer;
import zeps.wire.EncodeException;

/** A message of ZEPS journal. */
public sealed interface Message permits Segment, Block {

  /** {@return the message's number in the model} */
  int messageId();

  /** {@return the message's name in the model} */
  String messageName();

  /** {@return the size of the encoded message in bytes, without checks} */
  int encodedSize();

  /**
   * {@return the message as one frame, in a new array}
   *
   * @throws EncodeException if it cannot be encoded
   */
  byte[] encode();

  /**
   * Writes the message as one frame; in case of an error, nothing is written.
   *
   * @param out the array, which must not contain the message's own bytes
   * @param offset the index of its first byte
   * @return its size in bytes
   * @throws EncodeException if it cannot be encoded
   * @throws IndexOutOfBoundsException if it does not fit
   */
  int encodeTo(byte[] out, int offset);

  /**
   * Writes the message as one frame at a buffer's position, and advances that; in case of an error,
   * nothing is written.
   *
   * @param out the buffer, on the heap or direct, which must not contain the message's own bytes
   * @return its size in bytes
   * @throws EncodeException if it cannot be encoded
   * @throws java.nio.BufferOverflowException if it does not fit
   */
  int encodeTo(ByteBuffer out);
}

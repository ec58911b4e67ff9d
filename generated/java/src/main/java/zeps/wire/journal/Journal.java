package zeps.wire.journal;

import java.nio.ByteBuffer;
import java.util.Objects;
import zeps.wire.DecodeException;
import zeps.wire.Wire;

/**
 * ZEPS journal.
 *
 * <p>A stream's journal is a folder of segments. A segment is a file: one SEGMENT header, then
 * BLOCKs back to back. A block holds the messages that were written together, as the DELIVER frames
 * that subscribers receive, so that replay is slicing. Before the frames stands an index with
 * checksums of its own: who wants some keys only reads the index, and of the frames no more than
 * the pages on which those messages lie. All numbers are unsigned and in network byte order.
 */
public final class Journal {

  static final byte[] BEGINNING_0 = {0x5A, 0x45, 0x50, 0x53, 0x4A, 0x52, 0x4E, 0x4C};
  static final byte[] BEGINNING_1 = {0x5A, 0x42, 0x4C, 0x4B};

  private Journal() {}

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
      return Segment.read(data, start, end);
    }
    if (Wire.holds(data, start, end, BEGINNING_1)) {
      return Block.read(data, start, end);
    }
    if (Wire.begins(data, start, end, BEGINNING_0) || Wire.begins(data, start, end, BEGINNING_1)) {
      throw Wire.truncated(null, null, 0);
    }
    throw Wire.unknownMessage(0);
  }
}

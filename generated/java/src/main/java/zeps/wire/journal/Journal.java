package zeps.wire.journal;

import java.nio.ByteBuffer;
import java.util.Objects;
import zeps.wire.DecodeException;
import zeps.wire.internal.Input;

/**
 * ZEPS journal.
 *
 * <p>A stream's journal is a folder of segments. A segment is a file: one SEGMENT header, then
 * BLOCKs back to back. A block holds the messages that were written together, as the DELIVER frames
 * that subscribers receive, so that replay is slicing. An index with checksums of its own precedes
 * the frames: a reader of some keys only reads the index, and of the frames no more than the pages
 * that hold those messages. All numbers are unsigned and in network byte order.
 */
public final class Journal {

  private Journal() {}

  /**
   * {@return the message that a frame holds, to its last octet} Its octets are views of the frame,
   * which must not be written to any more.
   *
   * @param frame the frame
   * @throws DecodeException if it holds none
   */
  public static Message decode(byte[] frame) throws DecodeException {
    return dispatch(frame, 0, frame.length);
  }

  /**
   * {@return the message that a part of an array holds, to its last octet} Its octets are views of
   * the array, which must not be written to any more.
   *
   * @param data the array
   * @param offset where the frame begins
   * @param length its octets
   * @throws DecodeException if it holds none
   */
  public static Message decode(byte[] data, int offset, int length) throws DecodeException {
    Objects.checkFromIndexSize(offset, length, data.length);
    return dispatch(data, offset, offset + length);
  }

  /**
   * {@return the message that a buffer holds between its position and its limit, neither of which
   * changes} Its octets are views of the buffer, which must not be written to there any more.
   *
   * @param buffer the buffer, on the heap or outside of it
   * @throws DecodeException if it holds none
   */
  public static Message decode(ByteBuffer buffer) throws DecodeException {
    if (buffer.hasArray()) {
      return decode(buffer.array(), buffer.arrayOffset() + buffer.position(), buffer.remaining());
    }
    return dispatch(buffer, buffer.position(), buffer.limit());
  }

  private static Message dispatch(Object memory, int start, int end) throws DecodeException {
    final Input in = new Input(memory, start, end);
    if (in.holds(Segment.BEGINNING)) {
      return Segment.read(memory, start, end);
    }
    if (in.holds(Block.BEGINNING)) {
      return Block.read(memory, start, end);
    }
    throw in.unknown(0, Segment.BEGINNING, Block.BEGINNING);
  }
}

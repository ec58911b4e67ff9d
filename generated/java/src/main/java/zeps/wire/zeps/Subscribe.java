package zeps.wire.zeps;

import java.util.Objects;
import zeps.wire.DecodeException;
import zeps.wire.EncodeException;
import zeps.wire.ErrorCode;
import zeps.wire.Text;
import zeps.wire.Wire;

/**
 * Client subscribes to a set of topics.
 *
 * @param pattern Subscription pattern.
 * @param latest Last known sequence. Unsigned: see {@link Long#compareUnsigned}.
 */
public record Subscribe(String pattern, long latest) implements Message {

  /** The message's number in the model. */
  public static final int ID = 3;

  /** The message's name in the model. */
  public static final String NAME = "SUBSCRIBE";

  /**
   * Makes a message; nothing is checked but that nothing is null.
   *
   * @param pattern Subscription pattern.
   * @param latest Last known sequence.
   */
  public Subscribe {
    Objects.requireNonNull(pattern, "pattern");
  }

  @Override
  public int messageId() {
    return ID;
  }

  @Override
  public String messageName() {
    return NAME;
  }

  @Override
  public int encodedSize() {
    return Wire.frameSize(12L + Text.size(pattern), NAME);
  }

  @Override
  public byte[] encode() {
    final int patternSize = Text.printableSize(pattern);
    final byte[] out = new byte[check(patternSize)];
    write(out, 0, patternSize);
    return out;
  }

  @Override
  public int encodeTo(byte[] out, int offset) {
    final int patternSize = Text.printableSize(pattern);
    final int size = check(patternSize);
    Objects.checkFromIndexSize(offset, size, out.length);
    write(out, offset, patternSize);
    return size;
  }

  private int check(int patternSize) {
    if (patternSize < 0) {
      throw new EncodeException(ErrorCode.BAD_TEXT, NAME, "pattern");
    }
    if (patternSize > 255) {
      throw new EncodeException(ErrorCode.TOO_LONG, NAME, "pattern");
    }
    return Wire.frameSize(12L + patternSize, NAME);
  }

  private void write(byte[] out, int start, int patternSize) {
    Wire.put16(out, start, 0xAAA5);
    Wire.put8(out, start + 2, 0x03);
    Wire.put8(out, start + 3, patternSize);
    int at = Text.put(pattern, patternSize, out, start + 4);
    Wire.put64(out, at, latest);
  }

  static Subscribe read(byte[] data, int start, int end) throws DecodeException {
    if (end - start < 4) {
      throw Wire.truncated(NAME, "pattern", 3);
    }
    final int patternLength = Wire.u8(data, start + 3);
    if (patternLength > end - start - 4) {
      throw Wire.truncated(NAME, "pattern", 3);
    }
    final String pattern = Text.printable(data, start + 4, patternLength);
    if (pattern == null) {
      throw Wire.badText(NAME, "pattern", 3);
    }
    int at = start + 4 + patternLength;
    if (end - at < 8) {
      throw Wire.truncated(NAME, "latest", at - start);
    }
    final long latest = Wire.u64(data, at);
    if (end - at > 8) {
      throw Wire.trailing(NAME, null, at + 8 - start);
    }
    return new Subscribe(pattern, latest);
  }

  /**
   * Looks into the frame of a message without making one. It may be used again and again; then
   * nothing is allocated but what its accessors make.
   */
  public static final class View {

    private static final byte[] NOTHING = {};

    private byte[] data = NOTHING;
    private int patternAt;
    private int patternOctets;
    private long latest;

    /** Sees nothing yet. */
    public View() {}

    /**
     * Checks a frame to its last octet, and looks into it from now on; if it is refused, into
     * nothing.
     *
     * @param frame the frame
     * @return this
     * @throws DecodeException if it is not this message's
     */
    public View read(byte[] frame) throws DecodeException {
      return read(frame, 0, frame.length);
    }

    /**
     * The same for a part of an array.
     *
     * @param data the array
     * @param offset where the frame begins
     * @param length its octets
     * @return this
     * @throws DecodeException if it is not this message's
     */
    public View read(byte[] data, int offset, int length) throws DecodeException {
      Objects.checkFromIndexSize(offset, length, data.length);
      try {
        scan(data, offset, offset + length);
      } catch (DecodeException error) {
        clear();
        throw error;
      }
      return this;
    }

    private void clear() {
      data = NOTHING;
      patternAt = 0;
      patternOctets = 0;
      latest = 0;
    }

    private void scan(byte[] data, int start, int end) throws DecodeException {
      if (end - start < 2 || Wire.u16(data, start) != 0xAAA5) {
        throw Wire.badSignature(data, start, end, Zeps.SIGNATURE);
      }
      if (end - start < 3) {
        throw Wire.truncated(null, null, 2);
      }
      if (data[start + 2] != 0x03) {
        throw Wire.unknownMessage(2);
      }
      if (end - start < 4) {
        throw Wire.truncated(NAME, "pattern", 3);
      }
      final int patternLength = Wire.u8(data, start + 3);
      if (patternLength > end - start - 4) {
        throw Wire.truncated(NAME, "pattern", 3);
      }
      final int patternAt = start + 4;
      final int patternOctets = patternLength;
      if (!Text.isPrintable(data, patternAt, patternOctets)) {
        throw Wire.badText(NAME, "pattern", 3);
      }
      int at = start + 4 + patternLength;
      if (end - at < 8) {
        throw Wire.truncated(NAME, "latest", at - start);
      }
      final long latest = Wire.u64(data, at);
      if (end - at > 8) {
        throw Wire.trailing(NAME, null, at + 8 - start);
      }
      this.data = data;
      this.patternAt = patternAt;
      this.patternOctets = patternOctets;
      this.latest = latest;
    }

    /**
     * Subscription pattern. The string is made at each call.
     *
     * @return its value
     */
    public String pattern() {
      return Text.of(data, patternAt, patternOctets);
    }

    /**
     * How many octets {@link #pattern()} takes.
     *
     * @return octets
     */
    public int patternLength() {
      return patternOctets;
    }

    /**
     * Last known sequence.
     *
     * @return its value
     */
    public long latest() {
      return latest;
    }

    /**
     * The message itself.
     *
     * @return a message of its own; its octets are views of the frame
     */
    public Subscribe toMessage() {
      return new Subscribe(pattern(), latest());
    }
  }
}

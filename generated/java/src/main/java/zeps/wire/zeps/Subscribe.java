package zeps.wire.zeps;

import java.util.Objects;
import zeps.wire.DecodeException;
import zeps.wire.EncodeException;
import zeps.wire.ErrorCode;
import zeps.wire.Octets;
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
     * The octets of {@link #pattern()}, as the frame has them.
     *
     * @return octets
     */
    public Octets patternOctets() {
      return Octets.wrap(data, patternAt, patternOctets);
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

  /**
   * Encodes a message without making one. It may be used again and again, and keeps what it was
   * given; then nothing is allocated but what {@link #encode} makes. At first, numbers are 0, and
   * what varies in size is empty.
   */
  public static final class Writer {

    private static final byte[] NOTHING = {};

    private byte[] pattern = NOTHING;
    private int patternAt;
    private int patternLength;
    private long latest;

    /** Has no values yet. */
    public Writer() {}

    /**
     * Subscription pattern. Its octets in UTF-8, which are looked at when the message is encoded,
     * and not before.
     *
     * @param octets the array
     * @param offset where they begin
     * @param length how many there are
     * @return this
     * @throws IndexOutOfBoundsException if the array has no such part
     */
    public Writer pattern(byte[] octets, int offset, int length) {
      Objects.checkFromIndexSize(offset, length, octets.length);
      this.pattern = octets;
      this.patternAt = offset;
      this.patternLength = length;
      return this;
    }

    /**
     * Subscription pattern.
     *
     * @param octets its octets, which are not copied
     * @return this
     */
    public Writer pattern(Octets octets) {
      return pattern(octets.array(), octets.offset(), octets.length());
    }

    /**
     * Subscription pattern.
     *
     * @param text a string, of which octets are made
     * @return this
     */
    public Writer pattern(String text) {
      final byte[] octets = Text.octets(text);
      return pattern(octets, 0, octets.length);
    }

    /**
     * Last known sequence.
     *
     * @param latest its value
     * @return this
     */
    public Writer latest(long latest) {
      this.latest = latest;
      return this;
    }

    /**
     * The message as one frame, in an array of its own.
     *
     * @return the frame
     * @throws EncodeException if the format cannot carry it
     */
    public byte[] encode() {
      final byte[] out = new byte[check()];
      write(out, 0);
      return out;
    }

    /**
     * Writes the message as one frame; nothing is written unless all of it can be.
     *
     * @param out where to; what was given must not lie there
     * @param offset the place of its first octet
     * @return how many octets it has
     * @throws EncodeException if the format cannot carry it
     * @throws IndexOutOfBoundsException if there is not room enough
     */
    public int encodeTo(byte[] out, int offset) {
      final int size = check();
      Objects.checkFromIndexSize(offset, size, out.length);
      write(out, offset);
      return size;
    }

    private int check() {
      if (!Text.isPrintable(pattern, patternAt, patternLength)) {
        throw new EncodeException(ErrorCode.BAD_TEXT, NAME, "pattern");
      }
      if (patternLength > 255) {
        throw new EncodeException(ErrorCode.TOO_LONG, NAME, "pattern");
      }
      return Wire.frameSize(12L + patternLength, NAME);
    }

    private void write(byte[] out, int start) {
      Wire.put16(out, start, 0xAAA5);
      Wire.put8(out, start + 2, 0x03);
      Wire.put8(out, start + 3, patternLength);
      int at = Text.put(pattern, patternAt, patternLength, out, start + 4);
      Wire.put64(out, at, latest);
    }
  }
}

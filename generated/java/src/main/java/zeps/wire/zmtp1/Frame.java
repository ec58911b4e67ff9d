package zeps.wire.zmtp1;

import java.util.Objects;
import zeps.wire.DecodeException;
import zeps.wire.EncodeException;
import zeps.wire.ErrorCode;
import zeps.wire.Octets;
import zeps.wire.Wire;

/**
 * Flags and body behind one octet of length; a longer frame has %xFF there, and eight octets of
 * length.
 *
 * @param content One octet of flags, zero or one, and the body.
 */
public record Frame(Octets content) implements Message {

  /** The message's number in the model. */
  public static final int ID = 1;

  /** The message's name in the model. */
  public static final String NAME = "FRAME";

  /**
   * Makes a message; nothing is checked but that nothing is null.
   *
   * @param content One octet of flags, zero or one, and the body.
   */
  public Frame {
    Objects.requireNonNull(content, "content");
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
    return Wire.frameSize(1L + content.length(), NAME);
  }

  @Override
  public byte[] encode() {
    final byte[] out = new byte[check()];
    write(out, 0);
    return out;
  }

  @Override
  public int encodeTo(byte[] out, int offset) {
    final int size = check();
    Objects.checkFromIndexSize(offset, size, out.length);
    write(out, offset);
    return size;
  }

  private int check() {
    if (content.length() > 254) {
      throw new EncodeException(ErrorCode.TOO_LONG, NAME, "content");
    }
    return Wire.frameSize(1L + content.length(), NAME);
  }

  private void write(byte[] out, int start) {
    Wire.put8(out, start, content.length());
    int at = content.copyTo(out, start + 1);
  }

  static Frame read(byte[] data, int start, int end) throws DecodeException {
    if (end - start < 1) {
      throw Wire.truncated(NAME, "content", 0);
    }
    final int contentLength = Wire.u8(data, start);
    if (contentLength > 254) {
      throw Wire.tooLong(NAME, "content", 0);
    }
    if (contentLength > end - start - 1) {
      throw Wire.truncated(NAME, "content", 0);
    }
    final Octets content = Octets.wrap(data, start + 1, contentLength);
    int at = start + 1 + contentLength;
    if (end - at > 0) {
      throw Wire.trailing(NAME, null, at - start);
    }
    return new Frame(content);
  }

  /**
   * Looks into the frame of a message without making one. It may be used again and again; then
   * nothing is allocated but what its accessors make.
   */
  public static final class View {

    private static final byte[] NOTHING = {};

    private byte[] data = NOTHING;
    private int contentAt;
    private int contentOctets;

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
      contentAt = 0;
      contentOctets = 0;
    }

    private void scan(byte[] data, int start, int end) throws DecodeException {
      if (end - start < 1) {
        throw Wire.truncated(NAME, "content", 0);
      }
      final int contentLength = Wire.u8(data, start);
      if (contentLength > 254) {
        throw Wire.tooLong(NAME, "content", 0);
      }
      if (contentLength > end - start - 1) {
        throw Wire.truncated(NAME, "content", 0);
      }
      final int contentAt = start + 1;
      final int contentOctets = contentLength;
      int at = start + 1 + contentLength;
      if (end - at > 0) {
        throw Wire.trailing(NAME, null, at - start);
      }
      this.data = data;
      this.contentAt = contentAt;
      this.contentOctets = contentOctets;
    }

    /**
     * One octet of flags, zero or one, and the body.
     *
     * @return its value
     */
    public Octets content() {
      return Octets.wrap(data, contentAt, contentOctets);
    }

    /**
     * How many octets {@link #content()} takes.
     *
     * @return octets
     */
    public int contentLength() {
      return contentOctets;
    }

    /**
     * The message itself.
     *
     * @return a message of its own; its octets are views of the frame
     */
    public Frame toMessage() {
      return new Frame(content());
    }
  }

  /**
   * Encodes a message without making one. It may be used again and again, and keeps what it was
   * given; then nothing is allocated but what {@link #encode} makes. At first, numbers are 0, and
   * what varies in size is empty.
   */
  public static final class Writer {

    private static final byte[] NOTHING = {};

    private byte[] content = NOTHING;
    private int contentAt;
    private int contentLength;

    /** Has no values yet. */
    public Writer() {}

    /**
     * One octet of flags, zero or one, and the body. Its octets, which are looked at when the
     * message is encoded, and not before.
     *
     * @param octets the array
     * @param offset where they begin
     * @param length how many there are
     * @return this
     * @throws IndexOutOfBoundsException if the array has no such part
     */
    public Writer content(byte[] octets, int offset, int length) {
      Objects.checkFromIndexSize(offset, length, octets.length);
      this.content = octets;
      this.contentAt = offset;
      this.contentLength = length;
      return this;
    }

    /**
     * One octet of flags, zero or one, and the body.
     *
     * @param octets its octets, which are not copied
     * @return this
     */
    public Writer content(Octets octets) {
      return content(octets.array(), octets.offset(), octets.length());
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
      if (contentLength > 254) {
        throw new EncodeException(ErrorCode.TOO_LONG, NAME, "content");
      }
      return Wire.frameSize(1L + contentLength, NAME);
    }

    private void write(byte[] out, int start) {
      Wire.put8(out, start, contentLength);
      int at = Wire.copy(content, contentAt, contentLength, out, start + 1);
    }
  }
}

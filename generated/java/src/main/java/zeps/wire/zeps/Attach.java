package zeps.wire.zeps;

import java.util.Objects;
import zeps.wire.DecodeException;
import zeps.wire.EncodeException;
import zeps.wire.ErrorCode;
import zeps.wire.Octets;
import zeps.wire.Text;
import zeps.wire.Wire;

/**
 * Client opens stream.
 *
 * @param stream Stream name.
 */
public record Attach(String stream) implements Message {

  /** The message's number in the model. */
  public static final int ID = 1;

  /** The message's name in the model. */
  public static final String NAME = "ATTACH";

  /** Constant "ZEPS". */
  public static final String PROTOCOL = "ZEPS";

  /** Protocol version 1. */
  public static final long VERSION = 1L;

  private static final byte[] PROTOCOL_OCTETS = {0x04, 0x5A, 0x45, 0x50, 0x53};
  private static final byte[] VERSION_OCTETS = {0x00, 0x01};

  /**
   * Makes a message; nothing is checked but that nothing is null.
   *
   * @param stream Stream name.
   */
  public Attach {
    Objects.requireNonNull(stream, "stream");
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
    return Wire.frameSize(11L + Text.size(stream), NAME);
  }

  @Override
  public byte[] encode() {
    final int streamSize = Text.printableSize(stream);
    final byte[] out = new byte[check(streamSize)];
    write(out, 0, streamSize);
    return out;
  }

  @Override
  public int encodeTo(byte[] out, int offset) {
    final int streamSize = Text.printableSize(stream);
    final int size = check(streamSize);
    Objects.checkFromIndexSize(offset, size, out.length);
    write(out, offset, streamSize);
    return size;
  }

  private int check(int streamSize) {
    if (streamSize < 0) {
      throw new EncodeException(ErrorCode.BAD_TEXT, NAME, "stream");
    }
    if (streamSize > 255) {
      throw new EncodeException(ErrorCode.TOO_LONG, NAME, "stream");
    }
    return Wire.frameSize(11L + streamSize, NAME);
  }

  private void write(byte[] out, int start, int streamSize) {
    Wire.put64(out, start, 0xAAA501045A455053L);
    Wire.put16(out, start + 8, 0x0001);
    Wire.put8(out, start + 10, streamSize);
    int at = Text.put(stream, streamSize, out, start + 11);
  }

  static Attach read(byte[] data, int start, int end) throws DecodeException {
    if (!Wire.holds(data, start + 3, end, PROTOCOL_OCTETS)) {
      throw Wire.badConstant(data, start, start + 3, end, PROTOCOL_OCTETS, NAME, "protocol");
    }
    if (!Wire.holds(data, start + 8, end, VERSION_OCTETS)) {
      throw Wire.badConstant(data, start, start + 8, end, VERSION_OCTETS, NAME, "version");
    }
    if (end - start < 11) {
      throw Wire.truncated(NAME, "stream", 10);
    }
    final int streamLength = Wire.u8(data, start + 10);
    if (streamLength > end - start - 11) {
      throw Wire.truncated(NAME, "stream", 10);
    }
    final String stream = Text.printable(data, start + 11, streamLength);
    if (stream == null) {
      throw Wire.badText(NAME, "stream", 10);
    }
    int at = start + 11 + streamLength;
    if (end - at > 0) {
      throw Wire.trailing(NAME, null, at - start);
    }
    return new Attach(stream);
  }

  /**
   * Looks into the frame of a message without making one. It may be used again and again; then
   * nothing is allocated but what its accessors make.
   */
  public static final class View {

    private static final byte[] NOTHING = {};

    private byte[] data = NOTHING;
    private int streamAt;
    private int streamOctets;

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
      streamAt = 0;
      streamOctets = 0;
    }

    private void scan(byte[] data, int start, int end) throws DecodeException {
      if (end - start < 2 || Wire.u16(data, start) != 0xAAA5) {
        throw Wire.badSignature(data, start, end, Zeps.SIGNATURE);
      }
      if (end - start < 3) {
        throw Wire.truncated(null, null, 2);
      }
      if (data[start + 2] != 0x01) {
        throw Wire.unknownMessage(2);
      }
      if (!Wire.holds(data, start + 3, end, PROTOCOL_OCTETS)) {
        throw Wire.badConstant(data, start, start + 3, end, PROTOCOL_OCTETS, NAME, "protocol");
      }
      if (!Wire.holds(data, start + 8, end, VERSION_OCTETS)) {
        throw Wire.badConstant(data, start, start + 8, end, VERSION_OCTETS, NAME, "version");
      }
      if (end - start < 11) {
        throw Wire.truncated(NAME, "stream", 10);
      }
      final int streamLength = Wire.u8(data, start + 10);
      if (streamLength > end - start - 11) {
        throw Wire.truncated(NAME, "stream", 10);
      }
      final int streamAt = start + 11;
      final int streamOctets = streamLength;
      if (!Text.isPrintable(data, streamAt, streamOctets)) {
        throw Wire.badText(NAME, "stream", 10);
      }
      int at = start + 11 + streamLength;
      if (end - at > 0) {
        throw Wire.trailing(NAME, null, at - start);
      }
      this.data = data;
      this.streamAt = streamAt;
      this.streamOctets = streamOctets;
    }

    /**
     * Stream name. The string is made at each call.
     *
     * @return its value
     */
    public String stream() {
      return Text.of(data, streamAt, streamOctets);
    }

    /**
     * The octets of {@link #stream()}, as the frame has them.
     *
     * @return octets
     */
    public Octets streamOctets() {
      return Octets.wrap(data, streamAt, streamOctets);
    }

    /**
     * How many octets {@link #stream()} takes.
     *
     * @return octets
     */
    public int streamLength() {
      return streamOctets;
    }

    /**
     * The message itself.
     *
     * @return a message of its own; its octets are views of the frame
     */
    public Attach toMessage() {
      return new Attach(stream());
    }
  }

  /**
   * Encodes a message without making one. It may be used again and again, and keeps what it was
   * given; then nothing is allocated but what {@link #encode} makes. At first, numbers are 0, and
   * what varies in size is empty.
   */
  public static final class Writer {

    private static final byte[] NOTHING = {};

    private byte[] stream = NOTHING;
    private int streamAt;
    private int streamLength;

    /** Has no values yet. */
    public Writer() {}

    /**
     * Stream name. Its octets in UTF-8, which are looked at when the message is encoded, and not
     * before.
     *
     * @param octets the array
     * @param offset where they begin
     * @param length how many there are
     * @return this
     * @throws IndexOutOfBoundsException if the array has no such part
     */
    public Writer stream(byte[] octets, int offset, int length) {
      Objects.checkFromIndexSize(offset, length, octets.length);
      this.stream = octets;
      this.streamAt = offset;
      this.streamLength = length;
      return this;
    }

    /**
     * Stream name.
     *
     * @param octets its octets, which are not copied
     * @return this
     */
    public Writer stream(Octets octets) {
      return stream(octets.array(), octets.offset(), octets.length());
    }

    /**
     * Stream name.
     *
     * @param text a string, of which octets are made
     * @return this
     */
    public Writer stream(String text) {
      final byte[] octets = Text.octets(text);
      return stream(octets, 0, octets.length);
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
      if (!Text.isPrintable(stream, streamAt, streamLength)) {
        throw new EncodeException(ErrorCode.BAD_TEXT, NAME, "stream");
      }
      if (streamLength > 255) {
        throw new EncodeException(ErrorCode.TOO_LONG, NAME, "stream");
      }
      return Wire.frameSize(11L + streamLength, NAME);
    }

    private void write(byte[] out, int start) {
      Wire.put64(out, start, 0xAAA501045A455053L);
      Wire.put16(out, start + 8, 0x0001);
      Wire.put8(out, start + 10, streamLength);
      int at = Text.put(stream, streamAt, streamLength, out, start + 11);
    }
  }
}

package zeps.wire.zeps;

import java.util.Objects;
import zeps.wire.DecodeException;
import zeps.wire.EncodeException;
import zeps.wire.ErrorCode;
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
}

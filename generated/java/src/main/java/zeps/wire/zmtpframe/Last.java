package zeps.wire.zmtpframe;

import java.util.Objects;
import zeps.wire.DecodeException;
import zeps.wire.EncodeException;
import zeps.wire.ErrorCode;
import zeps.wire.Octets;
import zeps.wire.Wire;

/**
 * The last or only frame of a message, of up to 255 octets.
 *
 * @param body The octets.
 */
public record Last(Octets body) implements Message {

  /** The message's number in the model. */
  public static final int ID = 0;

  /** The message's name in the model. */
  public static final String NAME = "LAST";

  /**
   * Makes a message; nothing is checked but that nothing is null.
   *
   * @param body The octets.
   */
  public Last {
    Objects.requireNonNull(body, "body");
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
    return Wire.frameSize(2L + body.length(), NAME);
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
    if (body.length() > 255) {
      throw new EncodeException(ErrorCode.TOO_LONG, NAME, "body");
    }
    return Wire.frameSize(2L + body.length(), NAME);
  }

  private void write(byte[] out, int start) {
    Wire.put8(out, start, 0x00);
    Wire.put8(out, start + 1, body.length());
    int at = body.copyTo(out, start + 2);
  }

  static Last read(byte[] data, int start, int end) throws DecodeException {
    if (end - start < 2) {
      throw Wire.truncated(NAME, "body", 1);
    }
    final int bodyLength = Wire.u8(data, start + 1);
    if (bodyLength > end - start - 2) {
      throw Wire.truncated(NAME, "body", 1);
    }
    final Octets body = Octets.wrap(data, start + 2, bodyLength);
    int at = start + 2 + bodyLength;
    if (end - at > 0) {
      throw Wire.trailing(NAME, null, at - start);
    }
    return new Last(body);
  }

  /**
   * Looks into the frame of a message without making one. It may be used again and again; then
   * nothing is allocated but what its accessors make.
   */
  public static final class View {

    private static final byte[] NOTHING = {};

    private byte[] data = NOTHING;
    private int bodyAt;
    private int bodyOctets;

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
      bodyAt = 0;
      bodyOctets = 0;
    }

    private void scan(byte[] data, int start, int end) throws DecodeException {
      if (end - start < 1) {
        throw Wire.truncated(null, null, 0);
      }
      if (data[start] != 0x00) {
        throw Wire.unknownMessage(0);
      }
      if (end - start < 2) {
        throw Wire.truncated(NAME, "body", 1);
      }
      final int bodyLength = Wire.u8(data, start + 1);
      if (bodyLength > end - start - 2) {
        throw Wire.truncated(NAME, "body", 1);
      }
      final int bodyAt = start + 2;
      final int bodyOctets = bodyLength;
      int at = start + 2 + bodyLength;
      if (end - at > 0) {
        throw Wire.trailing(NAME, null, at - start);
      }
      this.data = data;
      this.bodyAt = bodyAt;
      this.bodyOctets = bodyOctets;
    }

    /**
     * The octets.
     *
     * @return its value
     */
    public Octets body() {
      return Octets.wrap(data, bodyAt, bodyOctets);
    }

    /**
     * How many octets {@link #body()} takes.
     *
     * @return octets
     */
    public int bodyLength() {
      return bodyOctets;
    }

    /**
     * The message itself.
     *
     * @return a message of its own; its octets are views of the frame
     */
    public Last toMessage() {
      return new Last(body());
    }
  }

  /**
   * Encodes a message without making one. It may be used again and again, and keeps what it was
   * given; then nothing is allocated but what {@link #encode} makes. At first, numbers are 0, and
   * what varies in size is empty.
   */
  public static final class Writer {

    private static final byte[] NOTHING = {};

    private byte[] body = NOTHING;
    private int bodyAt;
    private int bodyLength;

    /** Has no values yet. */
    public Writer() {}

    /**
     * The octets. Its octets, which are looked at when the message is encoded, and not before.
     *
     * @param octets the array
     * @param offset where they begin
     * @param length how many there are
     * @return this
     * @throws IndexOutOfBoundsException if the array has no such part
     */
    public Writer body(byte[] octets, int offset, int length) {
      Objects.checkFromIndexSize(offset, length, octets.length);
      this.body = octets;
      this.bodyAt = offset;
      this.bodyLength = length;
      return this;
    }

    /**
     * The octets.
     *
     * @param octets its octets, which are not copied
     * @return this
     */
    public Writer body(Octets octets) {
      return body(octets.array(), octets.offset(), octets.length());
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
      if (bodyLength > 255) {
        throw new EncodeException(ErrorCode.TOO_LONG, NAME, "body");
      }
      return Wire.frameSize(2L + bodyLength, NAME);
    }

    private void write(byte[] out, int start) {
      Wire.put8(out, start, 0x00);
      Wire.put8(out, start + 1, bodyLength);
      int at = Wire.copy(body, bodyAt, bodyLength, out, start + 2);
    }
  }
}

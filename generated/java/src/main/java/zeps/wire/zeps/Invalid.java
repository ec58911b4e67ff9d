package zeps.wire.zeps;

import java.util.Objects;
import zeps.wire.DecodeException;
import zeps.wire.EncodeException;
import zeps.wire.ErrorCode;
import zeps.wire.Octets;
import zeps.wire.Text;
import zeps.wire.Wire;

/**
 * Server tells client it sent an invalid message.
 *
 * @param reason Printable explanation.
 */
public record Invalid(String reason) implements Message {

  /** The message's number in the model. */
  public static final int ID = 12;

  /** The message's name in the model. */
  public static final String NAME = "INVALID";

  /**
   * Makes a message; nothing is checked but that nothing is null.
   *
   * @param reason Printable explanation.
   */
  public Invalid {
    Objects.requireNonNull(reason, "reason");
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
    return Wire.frameSize(4L + Text.size(reason), NAME);
  }

  @Override
  public byte[] encode() {
    final int reasonSize = Text.printableSize(reason);
    final byte[] out = new byte[check(reasonSize)];
    write(out, 0, reasonSize);
    return out;
  }

  @Override
  public int encodeTo(byte[] out, int offset) {
    final int reasonSize = Text.printableSize(reason);
    final int size = check(reasonSize);
    Objects.checkFromIndexSize(offset, size, out.length);
    write(out, offset, reasonSize);
    return size;
  }

  private int check(int reasonSize) {
    if (reasonSize < 0) {
      throw new EncodeException(ErrorCode.BAD_TEXT, NAME, "reason");
    }
    if (reasonSize > 255) {
      throw new EncodeException(ErrorCode.TOO_LONG, NAME, "reason");
    }
    return Wire.frameSize(4L + reasonSize, NAME);
  }

  private void write(byte[] out, int start, int reasonSize) {
    Wire.put16(out, start, 0xAAA5);
    Wire.put8(out, start + 2, 0x0C);
    Wire.put8(out, start + 3, reasonSize);
    int at = Text.put(reason, reasonSize, out, start + 4);
  }

  static Invalid read(byte[] data, int start, int end) throws DecodeException {
    if (end - start < 4) {
      throw Wire.truncated(NAME, "reason", 3);
    }
    final int reasonLength = Wire.u8(data, start + 3);
    if (reasonLength > end - start - 4) {
      throw Wire.truncated(NAME, "reason", 3);
    }
    final String reason = Text.printable(data, start + 4, reasonLength);
    if (reason == null) {
      throw Wire.badText(NAME, "reason", 3);
    }
    int at = start + 4 + reasonLength;
    if (end - at > 0) {
      throw Wire.trailing(NAME, null, at - start);
    }
    return new Invalid(reason);
  }

  /**
   * Looks into the frame of a message without making one. It may be used again and again; then
   * nothing is allocated but what its accessors make.
   */
  public static final class View {

    private static final byte[] NOTHING = {};

    private byte[] data = NOTHING;
    private int reasonAt;
    private int reasonOctets;

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
      reasonAt = 0;
      reasonOctets = 0;
    }

    private void scan(byte[] data, int start, int end) throws DecodeException {
      if (end - start < 2 || Wire.u16(data, start) != 0xAAA5) {
        throw Wire.badSignature(data, start, end, Zeps.SIGNATURE);
      }
      if (end - start < 3) {
        throw Wire.truncated(null, null, 2);
      }
      if (data[start + 2] != 0x0C) {
        throw Wire.unknownMessage(2);
      }
      if (end - start < 4) {
        throw Wire.truncated(NAME, "reason", 3);
      }
      final int reasonLength = Wire.u8(data, start + 3);
      if (reasonLength > end - start - 4) {
        throw Wire.truncated(NAME, "reason", 3);
      }
      final int reasonAt = start + 4;
      final int reasonOctets = reasonLength;
      if (!Text.isPrintable(data, reasonAt, reasonOctets)) {
        throw Wire.badText(NAME, "reason", 3);
      }
      int at = start + 4 + reasonLength;
      if (end - at > 0) {
        throw Wire.trailing(NAME, null, at - start);
      }
      this.data = data;
      this.reasonAt = reasonAt;
      this.reasonOctets = reasonOctets;
    }

    /**
     * Printable explanation. The string is made at each call.
     *
     * @return its value
     */
    public String reason() {
      return Text.of(data, reasonAt, reasonOctets);
    }

    /**
     * The octets of {@link #reason()}, as the frame has them.
     *
     * @return octets
     */
    public Octets reasonOctets() {
      return Octets.wrap(data, reasonAt, reasonOctets);
    }

    /**
     * How many octets {@link #reason()} takes.
     *
     * @return octets
     */
    public int reasonLength() {
      return reasonOctets;
    }

    /**
     * The message itself.
     *
     * @return a message of its own; its octets are views of the frame
     */
    public Invalid toMessage() {
      return new Invalid(reason());
    }
  }

  /**
   * Encodes a message without making one. It may be used again and again, and keeps what it was
   * given; then nothing is allocated but what {@link #encode} makes. At first, numbers are 0, and
   * what varies in size is empty.
   */
  public static final class Writer {

    private static final byte[] NOTHING = {};

    private byte[] reason = NOTHING;
    private int reasonAt;
    private int reasonLength;

    /** Has no values yet. */
    public Writer() {}

    /**
     * Printable explanation. Its octets in UTF-8, which are looked at when the message is encoded,
     * and not before.
     *
     * @param octets the array
     * @param offset where they begin
     * @param length how many there are
     * @return this
     * @throws IndexOutOfBoundsException if the array has no such part
     */
    public Writer reason(byte[] octets, int offset, int length) {
      Objects.checkFromIndexSize(offset, length, octets.length);
      this.reason = octets;
      this.reasonAt = offset;
      this.reasonLength = length;
      return this;
    }

    /**
     * Printable explanation.
     *
     * @param octets its octets, which are not copied
     * @return this
     */
    public Writer reason(Octets octets) {
      return reason(octets.array(), octets.offset(), octets.length());
    }

    /**
     * Printable explanation.
     *
     * @param text a string, of which octets are made
     * @return this
     */
    public Writer reason(String text) {
      final byte[] octets = Text.octets(text);
      return reason(octets, 0, octets.length);
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
      if (!Text.isPrintable(reason, reasonAt, reasonLength)) {
        throw new EncodeException(ErrorCode.BAD_TEXT, NAME, "reason");
      }
      if (reasonLength > 255) {
        throw new EncodeException(ErrorCode.TOO_LONG, NAME, "reason");
      }
      return Wire.frameSize(4L + reasonLength, NAME);
    }

    private void write(byte[] out, int start) {
      Wire.put16(out, start, 0xAAA5);
      Wire.put8(out, start + 2, 0x0C);
      Wire.put8(out, start + 3, reasonLength);
      int at = Text.put(reason, reasonAt, reasonLength, out, start + 4);
    }
  }
}

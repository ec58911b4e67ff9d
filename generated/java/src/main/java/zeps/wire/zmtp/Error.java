package zeps.wire.zmtp;

import java.util.Objects;
import zeps.wire.DecodeException;
import zeps.wire.EncodeException;
import zeps.wire.ErrorCode;
import zeps.wire.Octets;
import zeps.wire.Wire;

/**
 * Command: the sender refuses the peer.
 *
 * @param reason Says why, to people.
 */
public record Error(Octets reason) implements Message {

  /** The message's number in the model. */
  public static final int ID = 3;

  /** The message's name in the model. */
  public static final String NAME = "ERROR";

  /** The command's name. */
  public static final String NAME_ = "ERROR";

  private static final byte[] NAME_OCTETS = {0x05, 0x45, 0x52, 0x52, 0x4F, 0x52};

  /**
   * Makes a message; nothing is checked but that nothing is null.
   *
   * @param reason Says why, to people.
   */
  public Error {
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
    return Wire.frameSize(7L + reason.length(), NAME);
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
    if (reason.length() > 255) {
      throw new EncodeException(ErrorCode.TOO_LONG, NAME, "reason");
    }
    return Wire.frameSize(7L + reason.length(), NAME);
  }

  private void write(byte[] out, int start) {
    Wire.put32(out, start, 0x05455252L);
    Wire.put16(out, start + 4, 0x4F52);
    Wire.put8(out, start + 6, reason.length());
    int at = reason.copyTo(out, start + 7);
  }

  static Error read(byte[] data, int start, int end) throws DecodeException {
    if (!Wire.holds(data, start, end, NAME_OCTETS)) {
      throw Wire.badConstant(data, start, start, end, NAME_OCTETS, NAME, "name");
    }
    if (end - start < 7) {
      throw Wire.truncated(NAME, "reason", 6);
    }
    final int reasonLength = Wire.u8(data, start + 6);
    if (reasonLength > end - start - 7) {
      throw Wire.truncated(NAME, "reason", 6);
    }
    final Octets reason = Octets.wrap(data, start + 7, reasonLength);
    int at = start + 7 + reasonLength;
    if (end - at > 0) {
      throw Wire.trailing(NAME, null, at - start);
    }
    return new Error(reason);
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
      if (!Wire.holds(data, start, end, NAME_OCTETS)) {
        throw Wire.badConstant(data, start, start, end, NAME_OCTETS, NAME, "name");
      }
      if (end - start < 7) {
        throw Wire.truncated(NAME, "reason", 6);
      }
      final int reasonLength = Wire.u8(data, start + 6);
      if (reasonLength > end - start - 7) {
        throw Wire.truncated(NAME, "reason", 6);
      }
      final int reasonAt = start + 7;
      final int reasonOctets = reasonLength;
      int at = start + 7 + reasonLength;
      if (end - at > 0) {
        throw Wire.trailing(NAME, null, at - start);
      }
      this.data = data;
      this.reasonAt = reasonAt;
      this.reasonOctets = reasonOctets;
    }

    /**
     * Says why, to people.
     *
     * @return its value
     */
    public Octets reason() {
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
    public Error toMessage() {
      return new Error(reason());
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
     * Says why, to people. Its octets, which are looked at when the message is encoded, and not
     * before.
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
     * Says why, to people.
     *
     * @param octets its octets, which are not copied
     * @return this
     */
    public Writer reason(Octets octets) {
      return reason(octets.array(), octets.offset(), octets.length());
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
      if (reasonLength > 255) {
        throw new EncodeException(ErrorCode.TOO_LONG, NAME, "reason");
      }
      return Wire.frameSize(7L + reasonLength, NAME);
    }

    private void write(byte[] out, int start) {
      Wire.put32(out, start, 0x05455252L);
      Wire.put16(out, start + 4, 0x4F52);
      Wire.put8(out, start + 6, reasonLength);
      int at = Wire.copy(reason, reasonAt, reasonLength, out, start + 7);
    }
  }
}

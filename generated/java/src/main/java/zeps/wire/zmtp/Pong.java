package zeps.wire.zmtp;

import java.util.Objects;
import zeps.wire.DecodeException;
import zeps.wire.EncodeException;
import zeps.wire.ErrorCode;
import zeps.wire.Octets;
import zeps.wire.Wire;

/**
 * Command: answers PING.
 *
 * @param context What came with PING.
 */
public record Pong(Octets context) implements Message {

  /** The message's number in the model. */
  public static final int ID = 5;

  /** The message's name in the model. */
  public static final String NAME = "PONG";

  /** The command's name. */
  public static final String NAME_ = "PONG";

  private static final byte[] NAME_OCTETS = {0x04, 0x50, 0x4F, 0x4E, 0x47};

  /**
   * Makes a message; nothing is checked but that nothing is null.
   *
   * @param context What came with PING.
   */
  public Pong {
    Objects.requireNonNull(context, "context");
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
    return Wire.frameSize(5L + context.length(), NAME);
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
    if (context.length() > 16) {
      throw new EncodeException(ErrorCode.TOO_LONG, NAME, "context");
    }
    return Wire.frameSize(5L + context.length(), NAME);
  }

  private void write(byte[] out, int start) {
    Wire.put32(out, start, 0x04504F4EL);
    Wire.put8(out, start + 4, 0x47);
    int at = context.copyTo(out, start + 5);
  }

  static Pong read(byte[] data, int start, int end) throws DecodeException {
    if (!Wire.holds(data, start, end, NAME_OCTETS)) {
      throw Wire.badConstant(data, start, start, end, NAME_OCTETS, NAME, "name");
    }
    if (end - start - 5 > 16) {
      throw Wire.tooLong(NAME, "context", 5);
    }
    final Octets context = Octets.wrap(data, start + 5, end - start - 5);
    return new Pong(context);
  }

  /**
   * Looks into the frame of a message without making one. It may be used again and again; then
   * nothing is allocated but what its accessors make.
   */
  public static final class View {

    private static final byte[] NOTHING = {};

    private byte[] data = NOTHING;
    private int contextAt;
    private int contextOctets;

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
      contextAt = 0;
      contextOctets = 0;
    }

    private void scan(byte[] data, int start, int end) throws DecodeException {
      if (!Wire.holds(data, start, end, NAME_OCTETS)) {
        throw Wire.badConstant(data, start, start, end, NAME_OCTETS, NAME, "name");
      }
      if (end - start - 5 > 16) {
        throw Wire.tooLong(NAME, "context", 5);
      }
      final int contextAt = start + 5;
      final int contextOctets = end - start - 5;
      this.data = data;
      this.contextAt = contextAt;
      this.contextOctets = contextOctets;
    }

    /**
     * What came with PING.
     *
     * @return its value
     */
    public Octets context() {
      return Octets.wrap(data, contextAt, contextOctets);
    }

    /**
     * How many octets {@link #context()} takes.
     *
     * @return octets
     */
    public int contextLength() {
      return contextOctets;
    }

    /**
     * The message itself.
     *
     * @return a message of its own; its octets are views of the frame
     */
    public Pong toMessage() {
      return new Pong(context());
    }
  }

  /**
   * Encodes a message without making one. It may be used again and again, and keeps what it was
   * given; then nothing is allocated but what {@link #encode} makes. At first, numbers are 0, and
   * what varies in size is empty.
   */
  public static final class Writer {

    private static final byte[] NOTHING = {};

    private byte[] context = NOTHING;
    private int contextAt;
    private int contextLength;

    /** Has no values yet. */
    public Writer() {}

    /**
     * What came with PING. Its octets, which are looked at when the message is encoded, and not
     * before.
     *
     * @param octets the array
     * @param offset where they begin
     * @param length how many there are
     * @return this
     * @throws IndexOutOfBoundsException if the array has no such part
     */
    public Writer context(byte[] octets, int offset, int length) {
      Objects.checkFromIndexSize(offset, length, octets.length);
      this.context = octets;
      this.contextAt = offset;
      this.contextLength = length;
      return this;
    }

    /**
     * What came with PING.
     *
     * @param octets its octets, which are not copied
     * @return this
     */
    public Writer context(Octets octets) {
      return context(octets.array(), octets.offset(), octets.length());
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
      if (contextLength > 16) {
        throw new EncodeException(ErrorCode.TOO_LONG, NAME, "context");
      }
      return Wire.frameSize(5L + contextLength, NAME);
    }

    private void write(byte[] out, int start) {
      Wire.put32(out, start, 0x04504F4EL);
      Wire.put8(out, start + 4, 0x47);
      int at = Wire.copy(context, contextAt, contextLength, out, start + 5);
    }
  }
}

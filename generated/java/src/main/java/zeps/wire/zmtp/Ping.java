package zeps.wire.zmtp;

import java.util.Objects;
import zeps.wire.DecodeException;
import zeps.wire.EncodeException;
import zeps.wire.ErrorCode;
import zeps.wire.Octets;
import zeps.wire.Wire;

/**
 * Command: asks for a sign of life.
 *
 * @param ttl Tenths of a second after which silence means that the sender is gone; 0 for none.
 * @param context Comes back in PONG.
 */
public record Ping(int ttl, Octets context) implements Message {

  /** The message's number in the model. */
  public static final int ID = 4;

  /** The message's name in the model. */
  public static final String NAME = "PING";

  /** The command's name. */
  public static final String NAME_ = "PING";

  private static final byte[] NAME_OCTETS = {0x04, 0x50, 0x49, 0x4E, 0x47};

  /**
   * Makes a message; nothing is checked but that nothing is null.
   *
   * @param ttl Tenths of a second after which silence means that the sender is gone; 0 for none.
   * @param context Comes back in PONG.
   */
  public Ping {
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
    return Wire.frameSize(7L + context.length(), NAME);
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
    if (ttl < 0 || ttl > 65535) {
      throw new EncodeException(ErrorCode.TOO_LONG, NAME, "ttl");
    }
    if (context.length() > 16) {
      throw new EncodeException(ErrorCode.TOO_LONG, NAME, "context");
    }
    return Wire.frameSize(7L + context.length(), NAME);
  }

  private void write(byte[] out, int start) {
    Wire.put32(out, start, 0x0450494EL);
    Wire.put8(out, start + 4, 0x47);
    Wire.put16(out, start + 5, ttl);
    int at = context.copyTo(out, start + 7);
  }

  static Ping read(byte[] data, int start, int end) throws DecodeException {
    if (!Wire.holds(data, start, end, NAME_OCTETS)) {
      throw Wire.badConstant(data, start, start, end, NAME_OCTETS, NAME, "name");
    }
    if (end - start < 7) {
      throw Wire.truncated(NAME, "ttl", 5);
    }
    final int ttl = Wire.u16(data, start + 5);
    if (end - start - 7 > 16) {
      throw Wire.tooLong(NAME, "context", 7);
    }
    final Octets context = Octets.wrap(data, start + 7, end - start - 7);
    return new Ping(ttl, context);
  }

  /**
   * Looks into the frame of a message without making one. It may be used again and again; then
   * nothing is allocated but what its accessors make.
   */
  public static final class View {

    private static final byte[] NOTHING = {};

    private byte[] data = NOTHING;
    private int ttl;
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
      ttl = 0;
      contextAt = 0;
      contextOctets = 0;
    }

    private void scan(byte[] data, int start, int end) throws DecodeException {
      if (!Wire.holds(data, start, end, NAME_OCTETS)) {
        throw Wire.badConstant(data, start, start, end, NAME_OCTETS, NAME, "name");
      }
      if (end - start < 7) {
        throw Wire.truncated(NAME, "ttl", 5);
      }
      final int ttl = Wire.u16(data, start + 5);
      if (end - start - 7 > 16) {
        throw Wire.tooLong(NAME, "context", 7);
      }
      final int contextAt = start + 7;
      final int contextOctets = end - start - 7;
      this.data = data;
      this.ttl = ttl;
      this.contextAt = contextAt;
      this.contextOctets = contextOctets;
    }

    /**
     * Tenths of a second after which silence means that the sender is gone; 0 for none.
     *
     * @return its value
     */
    public int ttl() {
      return ttl;
    }

    /**
     * Comes back in PONG.
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
    public Ping toMessage() {
      return new Ping(ttl(), context());
    }
  }

  /**
   * Encodes a message without making one. It may be used again and again, and keeps what it was
   * given; then nothing is allocated but what {@link #encode} makes. At first, numbers are 0, and
   * what varies in size is empty.
   */
  public static final class Writer {

    private static final byte[] NOTHING = {};

    private int ttl;
    private byte[] context = NOTHING;
    private int contextAt;
    private int contextLength;

    /** Has no values yet. */
    public Writer() {}

    /**
     * Tenths of a second after which silence means that the sender is gone; 0 for none.
     *
     * @param ttl its value
     * @return this
     */
    public Writer ttl(int ttl) {
      this.ttl = ttl;
      return this;
    }

    /**
     * Comes back in PONG. Its octets, which are looked at when the message is encoded, and not
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
     * Comes back in PONG.
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
      if (ttl < 0 || ttl > 65535) {
        throw new EncodeException(ErrorCode.TOO_LONG, NAME, "ttl");
      }
      if (contextLength > 16) {
        throw new EncodeException(ErrorCode.TOO_LONG, NAME, "context");
      }
      return Wire.frameSize(7L + contextLength, NAME);
    }

    private void write(byte[] out, int start) {
      Wire.put32(out, start, 0x0450494EL);
      Wire.put8(out, start + 4, 0x47);
      Wire.put16(out, start + 5, ttl);
      int at = Wire.copy(context, contextAt, contextLength, out, start + 7);
    }
  }
}

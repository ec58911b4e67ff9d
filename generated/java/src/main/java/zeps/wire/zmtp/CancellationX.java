package zeps.wire.zmtp;

import java.util.Objects;
import zeps.wire.DecodeException;
import zeps.wire.EncodeException;
import zeps.wire.ErrorCode;
import zeps.wire.Octets;
import zeps.wire.Wire;

/**
 * Message of our extension, for version 3.0: takes one filter back.
 *
 * @param kind What the filter means; 255 is no kind.
 * @param filter Any octets, or none.
 */
public record CancellationX(int kind, Octets filter) implements Message {

  /** The message's number in the model. */
  public static final int ID = 13;

  /** The message's name in the model. */
  public static final String NAME = "CANCELLATION-X";

  /** Tells it from the other forms. */
  public static final long FORM = 3L;

  private static final byte[] FORM_OCTETS = {0x03};

  /**
   * Makes a message; nothing is checked but that nothing is null.
   *
   * @param kind What the filter means; 255 is no kind.
   * @param filter Any octets, or none.
   */
  public CancellationX {
    Objects.requireNonNull(filter, "filter");
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
    return Wire.frameSize(2L + filter.length(), NAME);
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
    if (kind < 0 || kind > 255) {
      throw new EncodeException(ErrorCode.TOO_LONG, NAME, "kind");
    }
    return Wire.frameSize(2L + filter.length(), NAME);
  }

  private void write(byte[] out, int start) {
    Wire.put8(out, start, 0x03);
    Wire.put8(out, start + 1, kind);
    int at = filter.copyTo(out, start + 2);
  }

  static CancellationX read(byte[] data, int start, int end) throws DecodeException {
    if (!Wire.holds(data, start, end, FORM_OCTETS)) {
      throw Wire.badConstant(data, start, start, end, FORM_OCTETS, NAME, "form");
    }
    if (end - start < 2) {
      throw Wire.truncated(NAME, "kind", 1);
    }
    final int kind = Wire.u8(data, start + 1);
    final Octets filter = Octets.wrap(data, start + 2, end - start - 2);
    return new CancellationX(kind, filter);
  }

  /**
   * Looks into the frame of a message without making one. It may be used again and again; then
   * nothing is allocated but what its accessors make.
   */
  public static final class View {

    private static final byte[] NOTHING = {};

    private byte[] data = NOTHING;
    private int kind;
    private int filterAt;
    private int filterOctets;

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
      kind = 0;
      filterAt = 0;
      filterOctets = 0;
    }

    private void scan(byte[] data, int start, int end) throws DecodeException {
      if (!Wire.holds(data, start, end, FORM_OCTETS)) {
        throw Wire.badConstant(data, start, start, end, FORM_OCTETS, NAME, "form");
      }
      if (end - start < 2) {
        throw Wire.truncated(NAME, "kind", 1);
      }
      final int kind = Wire.u8(data, start + 1);
      final int filterAt = start + 2;
      final int filterOctets = end - start - 2;
      this.data = data;
      this.kind = kind;
      this.filterAt = filterAt;
      this.filterOctets = filterOctets;
    }

    /**
     * What the filter means; 255 is no kind.
     *
     * @return its value
     */
    public int kind() {
      return kind;
    }

    /**
     * Any octets, or none.
     *
     * @return its value
     */
    public Octets filter() {
      return Octets.wrap(data, filterAt, filterOctets);
    }

    /**
     * How many octets {@link #filter()} takes.
     *
     * @return octets
     */
    public int filterLength() {
      return filterOctets;
    }

    /**
     * The message itself.
     *
     * @return a message of its own; its octets are views of the frame
     */
    public CancellationX toMessage() {
      return new CancellationX(kind(), filter());
    }
  }

  /**
   * Encodes a message without making one. It may be used again and again, and keeps what it was
   * given; then nothing is allocated but what {@link #encode} makes. At first, numbers are 0, and
   * what varies in size is empty.
   */
  public static final class Writer {

    private static final byte[] NOTHING = {};

    private int kind;
    private byte[] filter = NOTHING;
    private int filterAt;
    private int filterLength;

    /** Has no values yet. */
    public Writer() {}

    /**
     * What the filter means; 255 is no kind.
     *
     * @param kind its value
     * @return this
     */
    public Writer kind(int kind) {
      this.kind = kind;
      return this;
    }

    /**
     * Any octets, or none. Its octets, which are looked at when the message is encoded, and not
     * before.
     *
     * @param octets the array
     * @param offset where they begin
     * @param length how many there are
     * @return this
     * @throws IndexOutOfBoundsException if the array has no such part
     */
    public Writer filter(byte[] octets, int offset, int length) {
      Objects.checkFromIndexSize(offset, length, octets.length);
      this.filter = octets;
      this.filterAt = offset;
      this.filterLength = length;
      return this;
    }

    /**
     * Any octets, or none.
     *
     * @param octets its octets, which are not copied
     * @return this
     */
    public Writer filter(Octets octets) {
      return filter(octets.array(), octets.offset(), octets.length());
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
      if (kind < 0 || kind > 255) {
        throw new EncodeException(ErrorCode.TOO_LONG, NAME, "kind");
      }
      return Wire.frameSize(2L + filterLength, NAME);
    }

    private void write(byte[] out, int start) {
      Wire.put8(out, start, 0x03);
      Wire.put8(out, start + 1, kind);
      int at = Wire.copy(filter, filterAt, filterLength, out, start + 2);
    }
  }
}

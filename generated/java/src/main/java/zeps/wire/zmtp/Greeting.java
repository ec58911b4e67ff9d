package zeps.wire.zmtp;

import java.util.Objects;
import zeps.wire.DecodeException;
import zeps.wire.EncodeException;
import zeps.wire.ErrorCode;
import zeps.wire.Octets;
import zeps.wire.Wire;

/**
 * Opens a connection, in either direction.
 *
 * @param major Major version.
 * @param minor Minor version.
 * @param mechanism Name of the security mechanism, padded with zeros.
 * @param asServer 1 for the server of a mechanism that has one.
 */
public record Greeting(int major, int minor, Octets mechanism, int asServer) implements Message {

  /** The message's number in the model. */
  public static final int ID = 1;

  /** The message's name in the model. */
  public static final String NAME = "GREETING";

  /** First octet of the signature. */
  public static final long SIGNATURE = 255L;

  /** Last octet of the signature. */
  public static final long SIGNATURE_END = 127L;

  private static final byte[] SIGNATURE_OCTETS = {(byte) 0xFF};
  private static final byte[] SIGNATURE_END_OCTETS = {0x7F};

  /**
   * Makes a message; nothing is checked but that nothing is null.
   *
   * @param major Major version.
   * @param minor Minor version.
   * @param mechanism Name of the security mechanism, padded with zeros.
   * @param asServer 1 for the server of a mechanism that has one.
   */
  public Greeting {
    Objects.requireNonNull(mechanism, "mechanism");
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
    return 64;
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
    if (major < 0 || major > 255) {
      throw new EncodeException(ErrorCode.TOO_LONG, NAME, "major");
    }
    if (minor < 0 || minor > 255) {
      throw new EncodeException(ErrorCode.TOO_LONG, NAME, "minor");
    }
    if (mechanism.length() != 20) {
      throw Wire.miscounted(NAME, "mechanism", mechanism.length(), 20);
    }
    if (asServer < 0 || asServer > 255) {
      throw new EncodeException(ErrorCode.TOO_LONG, NAME, "as_server");
    }
    return 64;
  }

  private void write(byte[] out, int start) {
    Wire.put8(out, start, 0xFF);
    Wire.put64(out, start + 1, 0x0000000000000000L);
    Wire.put8(out, start + 9, 0x7F);
    Wire.put8(out, start + 10, major);
    Wire.put8(out, start + 11, minor);
    mechanism.copyTo(out, start + 12);
    Wire.put8(out, start + 32, asServer);
    Wire.zero(out, start + 33, 31);
  }

  static Greeting read(byte[] data, int start, int end) throws DecodeException {
    if (!Wire.holds(data, start, end, SIGNATURE_OCTETS)) {
      throw Wire.badConstant(data, start, start, end, SIGNATURE_OCTETS, NAME, "signature");
    }
    if (end - start < 9) {
      throw Wire.truncated(NAME, "padding", 1);
    }
    if (!Wire.holds(data, start + 9, end, SIGNATURE_END_OCTETS)) {
      throw Wire.badConstant(
          data, start, start + 9, end, SIGNATURE_END_OCTETS, NAME, "signature_end");
    }
    if (end - start < 11) {
      throw Wire.truncated(NAME, "major", 10);
    }
    final int major = Wire.u8(data, start + 10);
    if (end - start < 12) {
      throw Wire.truncated(NAME, "minor", 11);
    }
    final int minor = Wire.u8(data, start + 11);
    if (end - start < 32) {
      throw Wire.truncated(NAME, "mechanism", 12);
    }
    final Octets mechanism = Octets.wrap(data, start + 12, 20);
    if (end - start < 33) {
      throw Wire.truncated(NAME, "as_server", 32);
    }
    final int asServer = Wire.u8(data, start + 32);
    if (end - start < 64) {
      throw Wire.truncated(NAME, "filler", 33);
    }
    if (end - start > 64) {
      throw Wire.trailing(NAME, null, 64);
    }
    return new Greeting(major, minor, mechanism, asServer);
  }

  /**
   * Looks into the frame of a message without making one. It may be used again and again; then
   * nothing is allocated but what its accessors make.
   */
  public static final class View {

    private static final byte[] NOTHING = {};

    private byte[] data = NOTHING;
    private int major;
    private int minor;
    private int mechanismAt;
    private int mechanismOctets;
    private int asServer;

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
      major = 0;
      minor = 0;
      mechanismAt = 0;
      mechanismOctets = 0;
      asServer = 0;
    }

    private void scan(byte[] data, int start, int end) throws DecodeException {
      if (!Wire.holds(data, start, end, SIGNATURE_OCTETS)) {
        throw Wire.badConstant(data, start, start, end, SIGNATURE_OCTETS, NAME, "signature");
      }
      if (end - start < 9) {
        throw Wire.truncated(NAME, "padding", 1);
      }
      if (!Wire.holds(data, start + 9, end, SIGNATURE_END_OCTETS)) {
        throw Wire.badConstant(
            data, start, start + 9, end, SIGNATURE_END_OCTETS, NAME, "signature_end");
      }
      if (end - start < 11) {
        throw Wire.truncated(NAME, "major", 10);
      }
      final int major = Wire.u8(data, start + 10);
      if (end - start < 12) {
        throw Wire.truncated(NAME, "minor", 11);
      }
      final int minor = Wire.u8(data, start + 11);
      if (end - start < 32) {
        throw Wire.truncated(NAME, "mechanism", 12);
      }
      final int mechanismAt = start + 12;
      final int mechanismOctets = 20;
      if (end - start < 33) {
        throw Wire.truncated(NAME, "as_server", 32);
      }
      final int asServer = Wire.u8(data, start + 32);
      if (end - start < 64) {
        throw Wire.truncated(NAME, "filler", 33);
      }
      if (end - start > 64) {
        throw Wire.trailing(NAME, null, 64);
      }
      this.data = data;
      this.major = major;
      this.minor = minor;
      this.mechanismAt = mechanismAt;
      this.mechanismOctets = mechanismOctets;
      this.asServer = asServer;
    }

    /**
     * Major version.
     *
     * @return its value
     */
    public int major() {
      return major;
    }

    /**
     * Minor version.
     *
     * @return its value
     */
    public int minor() {
      return minor;
    }

    /**
     * Name of the security mechanism, padded with zeros.
     *
     * @return its value
     */
    public Octets mechanism() {
      return Octets.wrap(data, mechanismAt, mechanismOctets);
    }

    /**
     * How many octets {@link #mechanism()} takes.
     *
     * @return octets
     */
    public int mechanismLength() {
      return mechanismOctets;
    }

    /**
     * 1 for the server of a mechanism that has one.
     *
     * @return its value
     */
    public int asServer() {
      return asServer;
    }

    /**
     * The message itself.
     *
     * @return a message of its own; its octets are views of the frame
     */
    public Greeting toMessage() {
      return new Greeting(major(), minor(), mechanism(), asServer());
    }
  }

  /**
   * Encodes a message without making one. It may be used again and again, and keeps what it was
   * given; then nothing is allocated but what {@link #encode} makes. At first, numbers are 0, and
   * what varies in size is empty.
   */
  public static final class Writer {

    private static final byte[] NOTHING = {};

    private int major;
    private int minor;
    private byte[] mechanism = NOTHING;
    private int mechanismAt;
    private int mechanismLength;
    private int asServer;

    /** Has no values yet. */
    public Writer() {}

    /**
     * Major version.
     *
     * @param major its value
     * @return this
     */
    public Writer major(int major) {
      this.major = major;
      return this;
    }

    /**
     * Minor version.
     *
     * @param minor its value
     * @return this
     */
    public Writer minor(int minor) {
      this.minor = minor;
      return this;
    }

    /**
     * Name of the security mechanism, padded with zeros. Its octets, which are looked at when the
     * message is encoded, and not before.
     *
     * @param octets the array
     * @param offset where they begin
     * @param length how many there are
     * @return this
     * @throws IndexOutOfBoundsException if the array has no such part
     */
    public Writer mechanism(byte[] octets, int offset, int length) {
      Objects.checkFromIndexSize(offset, length, octets.length);
      this.mechanism = octets;
      this.mechanismAt = offset;
      this.mechanismLength = length;
      return this;
    }

    /**
     * Name of the security mechanism, padded with zeros.
     *
     * @param octets its octets, which are not copied
     * @return this
     */
    public Writer mechanism(Octets octets) {
      return mechanism(octets.array(), octets.offset(), octets.length());
    }

    /**
     * 1 for the server of a mechanism that has one.
     *
     * @param asServer its value
     * @return this
     */
    public Writer asServer(int asServer) {
      this.asServer = asServer;
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
      if (major < 0 || major > 255) {
        throw new EncodeException(ErrorCode.TOO_LONG, NAME, "major");
      }
      if (minor < 0 || minor > 255) {
        throw new EncodeException(ErrorCode.TOO_LONG, NAME, "minor");
      }
      if (mechanismLength != 20) {
        throw Wire.miscounted(NAME, "mechanism", mechanismLength, 20);
      }
      if (asServer < 0 || asServer > 255) {
        throw new EncodeException(ErrorCode.TOO_LONG, NAME, "as_server");
      }
      return 64;
    }

    private void write(byte[] out, int start) {
      Wire.put8(out, start, 0xFF);
      Wire.put64(out, start + 1, 0x0000000000000000L);
      Wire.put8(out, start + 9, 0x7F);
      Wire.put8(out, start + 10, major);
      Wire.put8(out, start + 11, minor);
      Wire.copy(mechanism, mechanismAt, mechanismLength, out, start + 12);
      Wire.put8(out, start + 32, asServer);
      Wire.zero(out, start + 33, 31);
    }
  }
}

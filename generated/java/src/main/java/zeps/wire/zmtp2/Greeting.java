package zeps.wire.zmtp2;

import java.util.Objects;
import zeps.wire.DecodeException;
import zeps.wire.EncodeException;
import zeps.wire.ErrorCode;
import zeps.wire.Octets;
import zeps.wire.Wire;

/**
 * The signature, the version, the socket's type, and a frame with an identity that subscribers
 * leave empty.
 *
 * @param socketType What the sender is. Null stands for a value that the enumeration does not have;
 *     it cannot be encoded.
 * @param identity Nothing, for publishers and subscribers.
 */
public record Greeting(SocketType socketType, Octets identity) implements Message {

  /** The message's number in the model. */
  public static final int ID = 1;

  /** The message's name in the model. */
  public static final String NAME = "GREETING";

  /** First octet of the signature. */
  public static final long SIGNATURE = 255L;

  /** Last octet of the signature. */
  public static final long SIGNATURE_END = 127L;

  /** Version 2.0. */
  public static final long REVISION = 1L;

  /** Flags of the identity's frame. */
  public static final long FINAL_SHORT = 0L;

  private static final byte[] SIGNATURE_OCTETS = {(byte) 0xFF};
  private static final byte[] SIGNATURE_END_OCTETS = {0x7F};
  private static final byte[] REVISION_OCTETS = {0x01};
  private static final byte[] FINAL_SHORT_OCTETS = {0x00};

  /**
   * Makes a message; nothing is checked but that nothing is null.
   *
   * @param socketType What the sender is.
   * @param identity Nothing, for publishers and subscribers.
   */
  public Greeting {
    Objects.requireNonNull(identity, "identity");
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
    return Wire.frameSize(14L + identity.length(), NAME);
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
    if (socketType == null) {
      throw new EncodeException(ErrorCode.BAD_CONSTANT, NAME, "socket_type");
    }
    if (socketType.value() < 0L || socketType.value() > 255L) {
      throw new EncodeException(ErrorCode.TOO_LONG, NAME, "socket_type");
    }
    if (identity.length() > 255) {
      throw new EncodeException(ErrorCode.TOO_LONG, NAME, "identity");
    }
    return Wire.frameSize(14L + identity.length(), NAME);
  }

  private void write(byte[] out, int start) {
    Wire.put8(out, start, 0xFF);
    Wire.put64(out, start + 1, 0x0000000000000000L);
    Wire.put8(out, start + 9, 0x7F);
    Wire.put8(out, start + 10, 0x01);
    Wire.put8(out, start + 11, socketType.value());
    Wire.put8(out, start + 12, 0x00);
    Wire.put8(out, start + 13, identity.length());
    int at = identity.copyTo(out, start + 14);
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
    if (!Wire.holds(data, start + 10, end, REVISION_OCTETS)) {
      throw Wire.badConstant(data, start, start + 10, end, REVISION_OCTETS, NAME, "revision");
    }
    if (end - start < 12) {
      throw Wire.truncated(NAME, "socket_type", 11);
    }
    final int socketTypeValue = Wire.u8(data, start + 11);
    final SocketType socketType = SocketType.of(socketTypeValue);
    if (socketType == null) {
      throw Wire.badMember(NAME, "socket_type", 11);
    }
    if (!Wire.holds(data, start + 12, end, FINAL_SHORT_OCTETS)) {
      throw Wire.badConstant(data, start, start + 12, end, FINAL_SHORT_OCTETS, NAME, "final_short");
    }
    if (end - start < 14) {
      throw Wire.truncated(NAME, "identity", 13);
    }
    final int identityLength = Wire.u8(data, start + 13);
    if (identityLength > end - start - 14) {
      throw Wire.truncated(NAME, "identity", 13);
    }
    final Octets identity = Octets.wrap(data, start + 14, identityLength);
    int at = start + 14 + identityLength;
    if (end - at > 0) {
      throw Wire.trailing(NAME, null, at - start);
    }
    return new Greeting(socketType, identity);
  }

  /**
   * Looks into the frame of a message without making one. It may be used again and again; then
   * nothing is allocated but what its accessors make.
   */
  public static final class View {

    private static final byte[] NOTHING = {};

    private byte[] data = NOTHING;
    private SocketType socketType;
    private int identityAt;
    private int identityOctets;

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
      socketType = null;
      identityAt = 0;
      identityOctets = 0;
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
      if (!Wire.holds(data, start + 10, end, REVISION_OCTETS)) {
        throw Wire.badConstant(data, start, start + 10, end, REVISION_OCTETS, NAME, "revision");
      }
      if (end - start < 12) {
        throw Wire.truncated(NAME, "socket_type", 11);
      }
      final int socketTypeValue = Wire.u8(data, start + 11);
      final SocketType socketType = SocketType.of(socketTypeValue);
      if (socketType == null) {
        throw Wire.badMember(NAME, "socket_type", 11);
      }
      if (!Wire.holds(data, start + 12, end, FINAL_SHORT_OCTETS)) {
        throw Wire.badConstant(
            data, start, start + 12, end, FINAL_SHORT_OCTETS, NAME, "final_short");
      }
      if (end - start < 14) {
        throw Wire.truncated(NAME, "identity", 13);
      }
      final int identityLength = Wire.u8(data, start + 13);
      if (identityLength > end - start - 14) {
        throw Wire.truncated(NAME, "identity", 13);
      }
      final int identityAt = start + 14;
      final int identityOctets = identityLength;
      int at = start + 14 + identityLength;
      if (end - at > 0) {
        throw Wire.trailing(NAME, null, at - start);
      }
      this.data = data;
      this.socketType = socketType;
      this.identityAt = identityAt;
      this.identityOctets = identityOctets;
    }

    /**
     * What the sender is.
     *
     * @return its value
     */
    public SocketType socketType() {
      return socketType;
    }

    /**
     * Nothing, for publishers and subscribers.
     *
     * @return its value
     */
    public Octets identity() {
      return Octets.wrap(data, identityAt, identityOctets);
    }

    /**
     * How many octets {@link #identity()} takes.
     *
     * @return octets
     */
    public int identityLength() {
      return identityOctets;
    }

    /**
     * The message itself.
     *
     * @return a message of its own; its octets are views of the frame
     */
    public Greeting toMessage() {
      return new Greeting(socketType(), identity());
    }
  }

  /**
   * Encodes a message without making one. It may be used again and again, and keeps what it was
   * given; then nothing is allocated but what {@link #encode} makes. At first, numbers are 0, and
   * what varies in size is empty.
   */
  public static final class Writer {

    private static final byte[] NOTHING = {};

    private SocketType socketType;
    private byte[] identity = NOTHING;
    private int identityAt;
    private int identityLength;

    /** Has no values yet. */
    public Writer() {}

    /**
     * What the sender is.
     *
     * @param socketType its value
     * @return this
     */
    public Writer socketType(SocketType socketType) {
      this.socketType = socketType;
      return this;
    }

    /**
     * Nothing, for publishers and subscribers. Its octets, which are looked at when the message is
     * encoded, and not before.
     *
     * @param octets the array
     * @param offset where they begin
     * @param length how many there are
     * @return this
     * @throws IndexOutOfBoundsException if the array has no such part
     */
    public Writer identity(byte[] octets, int offset, int length) {
      Objects.checkFromIndexSize(offset, length, octets.length);
      this.identity = octets;
      this.identityAt = offset;
      this.identityLength = length;
      return this;
    }

    /**
     * Nothing, for publishers and subscribers.
     *
     * @param octets its octets, which are not copied
     * @return this
     */
    public Writer identity(Octets octets) {
      return identity(octets.array(), octets.offset(), octets.length());
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
      if (socketType == null) {
        throw new EncodeException(ErrorCode.BAD_CONSTANT, NAME, "socket_type");
      }
      if (socketType.value() < 0L || socketType.value() > 255L) {
        throw new EncodeException(ErrorCode.TOO_LONG, NAME, "socket_type");
      }
      if (identityLength > 255) {
        throw new EncodeException(ErrorCode.TOO_LONG, NAME, "identity");
      }
      return Wire.frameSize(14L + identityLength, NAME);
    }

    private void write(byte[] out, int start) {
      Wire.put8(out, start, 0xFF);
      Wire.put64(out, start + 1, 0x0000000000000000L);
      Wire.put8(out, start + 9, 0x7F);
      Wire.put8(out, start + 10, 0x01);
      Wire.put8(out, start + 11, socketType.value());
      Wire.put8(out, start + 12, 0x00);
      Wire.put8(out, start + 13, identityLength);
      int at = Wire.copy(identity, identityAt, identityLength, out, start + 14);
    }
  }
}

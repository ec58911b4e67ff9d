package zeps.wire.zmtp;

import java.nio.ByteBuffer;
import java.util.Objects;
import zeps.wire.DecodeException;
import zeps.wire.EncodeException;
import zeps.wire.Octets;
import zeps.wire.internal.Input;
import zeps.wire.internal.Measure;
import zeps.wire.internal.Memory;
import zeps.wire.internal.Output;

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
  static final byte[] BEGINNING = {(byte) 0xFF};
  private static final byte[] HEAD = {(byte) 0xFF};

  /**
   * Creates a message; only null is checked.
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
    return (int) measure(false);
  }

  @Override
  public byte[] encode() {
    final long sizes = measure(true);
    final byte[] out = new byte[(int) sizes];
    write(out, 0, sizes);
    return out;
  }

  @Override
  public int encodeTo(byte[] out, int offset) {
    return write(out, offset, measure(true));
  }

  @Override
  public int encodeTo(ByteBuffer out) {
    final int size = write(out, out.position(), measure(true));
    out.position(out.position() + size);
    return size;
  }

  private long measure(boolean checks) {
    final Measure out = new Measure(NAME, checks);
    out.constant(HEAD);
    out.field("padding").skip(8);
    out.field("signature_end").constant(SIGNATURE_END_OCTETS);
    out.field("major").u8(this.major);
    out.field("minor").u8(this.minor);
    out.field("mechanism").fixed(this.mechanism, 20);
    out.field("as_server").u8(this.asServer);
    out.field("filler").skip(31);
    return out.sizes();
  }

  private int write(Object memory, int start, long sizes) {
    final Output out = new Output(memory, start, sizes);
    out.constant(HEAD);
    out.field("padding").skip(8);
    out.field("signature_end").constant(SIGNATURE_END_OCTETS);
    out.field("major").u8(this.major);
    out.field("minor").u8(this.minor);
    out.field("mechanism").fixed(this.mechanism, 20);
    out.field("as_server").u8(this.asServer);
    out.field("filler").skip(31);
    return out.size();
  }

  static Greeting read(Object memory, int start, int end) throws DecodeException {
    final Input in = new Input(memory, start, end);
    in.message(NAME, 0);
    in.field("signature").constant(SIGNATURE_OCTETS);
    in.field("padding").skip(8);
    in.field("signature_end").constant(SIGNATURE_END_OCTETS);
    final int major = in.field("major").u8();
    final int minor = in.field("minor").u8();
    final Octets mechanism = in.field("mechanism").fixed(20);
    final int asServer = in.field("as_server").u8();
    in.field("filler").skip(31);
    in.end();
    return new Greeting(major, minor, mechanism, asServer);
  }

  /**
   * A view of the frame of a message, without a message object. It can be reused; then only its
   * accessors allocate memory.
   */
  public static final class View {

    private static final byte[] NOTHING = {};

    private Object memory = NOTHING;
    private int major;
    private int minor;
    private long mechanism;
    private int asServer;

    /** Creates a view without a frame. */
    public View() {}

    /**
     * Checks a frame completely, and sets the view to it; after an error the view has no frame.
     *
     * @param frame the frame
     * @return this
     * @throws DecodeException if it is not this message
     */
    public View read(byte[] frame) throws DecodeException {
      return read((Object) frame, 0, frame.length);
    }

    /**
     * Sets the view to a part of an array.
     *
     * @param data the array
     * @param offset the index of the frame's first byte
     * @param length the size of the frame in bytes
     * @return this
     * @throws DecodeException if it is not this message
     */
    public View read(byte[] data, int offset, int length) throws DecodeException {
      Objects.checkFromIndexSize(offset, length, data.length);
      return read((Object) data, offset, offset + length);
    }

    /**
     * Sets the view to the content of a buffer between its position and its limit, which do not
     * change.
     *
     * @param buffer the buffer, on the heap or direct
     * @return this
     * @throws DecodeException if it is not this message
     */
    public View read(ByteBuffer buffer) throws DecodeException {
      return buffer.hasArray()
          ? read(buffer.array(), buffer.arrayOffset() + buffer.position(), buffer.remaining())
          : read(buffer, buffer.position(), buffer.limit());
    }

    private View read(Object memory, int start, int end) throws DecodeException {
      try {
        scan(memory, start, end);
      } catch (DecodeException error) {
        this.memory = NOTHING;
        this.major = 0;
        this.minor = 0;
        this.mechanism = 0;
        this.asServer = 0;
        throw error;
      }
      return this;
    }

    private void scan(Object memory, int start, int end) throws DecodeException {
      final Input in = new Input(memory, start, end);
      in.message(NAME, 0);
      in.field("signature").constant(SIGNATURE_OCTETS);
      in.field("padding").skip(8);
      in.field("signature_end").constant(SIGNATURE_END_OCTETS);
      final int major = in.field("major").u8();
      final int minor = in.field("minor").u8();
      final long mechanism = in.field("mechanism").fixedSpan(20);
      final int asServer = in.field("as_server").u8();
      in.field("filler").skip(31);
      in.end();
      this.memory = memory;
      this.major = major;
      this.minor = minor;
      this.mechanism = mechanism;
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
      return Memory.octets(memory, mechanism);
    }

    /** {@return the size of {@link #mechanism()} in bytes} */
    public int mechanismLength() {
      return Memory.length(mechanism);
    }

    /**
     * 1 for the server of a mechanism that has one.
     *
     * @return its value
     */
    public int asServer() {
      return asServer;
    }

    /** {@return a message whose bytes are views of the frame} */
    public Greeting toMessage() {
      return new Greeting(major(), minor(), mechanism(), asServer());
    }
  }

  /**
   * Encodes a message without a message object. It can be reused, and keeps its values; then only
   * {@link #encode} allocates memory. At first, numbers are 0, and values of variable size are
   * empty.
   */
  public static final class Writer {

    private static final byte[] NOTHING = {};

    private int major;
    private int minor;
    private byte[] mechanism = NOTHING;
    private int mechanismAt;
    private int mechanismLength;
    private int asServer;

    /** Creates a writer without values. */
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
     * Name of the security mechanism, padded with zeros. Its bytes, which are checked when the
     * message is encoded.
     *
     * @param octets the array
     * @param offset the index of the first byte
     * @param length the number of bytes
     * @return this
     * @throws IndexOutOfBoundsException if the part is not in the array
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
     * @param octets its bytes, which are copied only from a buffer without an array
     * @return this
     */
    public Writer mechanism(Octets octets) {
      return octets.hasArray()
          ? mechanism(octets.array(), octets.offset(), octets.length())
          : mechanism(octets.toByteArray(), 0, octets.length());
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
     * {@return the message as one frame, in a new array}
     *
     * @throws EncodeException if it cannot be encoded
     */
    public byte[] encode() {
      final long sizes = measure(true);
      final byte[] out = new byte[(int) sizes];
      write(out, 0, sizes);
      return out;
    }

    /**
     * Writes the message as one frame; in case of an error, nothing is written.
     *
     * @param out the array, which must not contain the writer's values
     * @param offset the index of its first byte
     * @return its size in bytes
     * @throws EncodeException if it cannot be encoded
     * @throws IndexOutOfBoundsException if it does not fit
     */
    public int encodeTo(byte[] out, int offset) {
      return write(out, offset, measure(true));
    }

    /**
     * Writes the message as one frame at a buffer's position, and advances that; in case of an
     * error, nothing is written.
     *
     * @param out the buffer, on the heap or direct, which must not contain the writer's values
     * @return its size in bytes
     * @throws EncodeException if it cannot be encoded
     * @throws java.nio.BufferOverflowException if it does not fit
     */
    public int encodeTo(ByteBuffer out) {
      final int size = write(out, out.position(), measure(true));
      out.position(out.position() + size);
      return size;
    }

    private long measure(boolean checks) {
      final Measure out = new Measure(NAME, checks);
      out.constant(HEAD);
      out.field("padding").skip(8);
      out.field("signature_end").constant(SIGNATURE_END_OCTETS);
      out.field("major").u8(this.major);
      out.field("minor").u8(this.minor);
      out.field("mechanism").fixed(this.mechanism, this.mechanismAt, this.mechanismLength, 20);
      out.field("as_server").u8(this.asServer);
      out.field("filler").skip(31);
      return out.sizes();
    }

    private int write(Object memory, int start, long sizes) {
      final Output out = new Output(memory, start, sizes);
      out.constant(HEAD);
      out.field("padding").skip(8);
      out.field("signature_end").constant(SIGNATURE_END_OCTETS);
      out.field("major").u8(this.major);
      out.field("minor").u8(this.minor);
      out.field("mechanism").fixed(this.mechanism, this.mechanismAt, this.mechanismLength, 20);
      out.field("as_server").u8(this.asServer);
      out.field("filler").skip(31);
      return out.size();
    }
  }
}

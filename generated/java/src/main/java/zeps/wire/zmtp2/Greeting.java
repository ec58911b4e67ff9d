package zeps.wire.zmtp2;

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
 * The signature, the version, the socket's type, and a frame with an identity that subscribers
 * leave empty.
 *
 * @param socketType What the sender is. Null represents a value that the enumeration does not have;
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
  static final byte[] BEGINNING = {(byte) 0xFF};
  private static final byte[] HEAD = {(byte) 0xFF};

  /**
   * Creates a message; only null is checked.
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
    out.field("revision").constant(REVISION_OCTETS);
    out.field("socket_type").u8(this.socketType == null ? out.absent() : this.socketType.value());
    out.field("final_short").constant(FINAL_SHORT_OCTETS);
    out.field("identity").octets(this.identity, 1, 255L);
    return out.sizes();
  }

  private int write(Object memory, int start, long sizes) {
    final Output out = new Output(memory, start, sizes);
    out.constant(HEAD);
    out.field("padding").skip(8);
    out.field("signature_end").constant(SIGNATURE_END_OCTETS);
    out.field("revision").constant(REVISION_OCTETS);
    out.field("socket_type").u8(this.socketType == null ? out.absent() : this.socketType.value());
    out.field("final_short").constant(FINAL_SHORT_OCTETS);
    out.field("identity").octets(this.identity, 1, 255L);
    return out.size();
  }

  static Greeting read(Object memory, int start, int end) throws DecodeException {
    final Input in = new Input(memory, start, end);
    in.message(NAME, 0);
    in.field("signature").constant(SIGNATURE_OCTETS);
    in.field("padding").skip(8);
    in.field("signature_end").constant(SIGNATURE_END_OCTETS);
    in.field("revision").constant(REVISION_OCTETS);
    final SocketType socketType = in.member(SocketType.of(in.field("socket_type").u8()));
    in.field("final_short").constant(FINAL_SHORT_OCTETS);
    final Octets identity = in.field("identity").octets(1, 255L);
    in.end();
    return new Greeting(socketType, identity);
  }

  /**
   * A view of the frame of a message, without a message object. It can be reused; then only its
   * accessors allocate memory.
   */
  public static final class View {

    private static final byte[] NOTHING = {};

    private Object memory = NOTHING;
    private SocketType socketType;
    private long identity;

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
        this.socketType = null;
        this.identity = 0;
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
      in.field("revision").constant(REVISION_OCTETS);
      final SocketType socketType = in.member(SocketType.of(in.field("socket_type").u8()));
      in.field("final_short").constant(FINAL_SHORT_OCTETS);
      final long identity = in.field("identity").octetsSpan(1, 255L);
      in.end();
      this.memory = memory;
      this.socketType = socketType;
      this.identity = identity;
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
      return Memory.octets(memory, identity);
    }

    /** {@return the size of {@link #identity()} in bytes} */
    public int identityLength() {
      return Memory.length(identity);
    }

    /** {@return a message whose bytes are views of the frame} */
    public Greeting toMessage() {
      return new Greeting(socketType(), identity());
    }
  }

  /**
   * Encodes a message without a message object. It can be reused, and keeps its values; then only
   * {@link #encode} allocates memory. At first, numbers are 0, and values of variable size are
   * empty.
   */
  public static final class Writer {

    private static final byte[] NOTHING = {};

    private SocketType socketType;
    private byte[] identity = NOTHING;
    private int identityAt;
    private int identityLength;

    /** Creates a writer without values. */
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
     * Nothing, for publishers and subscribers. Its bytes, which are checked when the message is
     * encoded.
     *
     * @param octets the array
     * @param offset the index of the first byte
     * @param length the number of bytes
     * @return this
     * @throws IndexOutOfBoundsException if the part is not in the array
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
     * @param octets its bytes, which are copied only from a buffer without an array
     * @return this
     */
    public Writer identity(Octets octets) {
      return octets.hasArray()
          ? identity(octets.array(), octets.offset(), octets.length())
          : identity(octets.toByteArray(), 0, octets.length());
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
      out.field("revision").constant(REVISION_OCTETS);
      out.field("socket_type").u8(this.socketType == null ? out.absent() : this.socketType.value());
      out.field("final_short").constant(FINAL_SHORT_OCTETS);
      out.field("identity").octets(this.identity, this.identityAt, this.identityLength, 1, 255L);
      return out.sizes();
    }

    private int write(Object memory, int start, long sizes) {
      final Output out = new Output(memory, start, sizes);
      out.constant(HEAD);
      out.field("padding").skip(8);
      out.field("signature_end").constant(SIGNATURE_END_OCTETS);
      out.field("revision").constant(REVISION_OCTETS);
      out.field("socket_type").u8(this.socketType == null ? out.absent() : this.socketType.value());
      out.field("final_short").constant(FINAL_SHORT_OCTETS);
      out.field("identity").octets(this.identity, this.identityAt, this.identityLength, 1, 255L);
      return out.size();
    }
  }
}

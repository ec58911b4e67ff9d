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

  private static final byte[] NAME__OCTETS = {0x05, 0x45, 0x52, 0x52, 0x4F, 0x52};
  static final byte[] BEGINNING = {0x05, 0x45, 0x52, 0x52, 0x4F, 0x52};
  private static final byte[] HEAD = {0x05, 0x45, 0x52, 0x52, 0x4F, 0x52};

  /**
   * Creates a message; only null is checked.
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
    out.field("reason").octets(this.reason, 1, 255L);
    return out.sizes();
  }

  private int write(Object memory, int start, long sizes) {
    final Output out = new Output(memory, start, sizes);
    out.constant(HEAD);
    out.field("reason").octets(this.reason, 1, 255L);
    return out.size();
  }

  static Error read(Object memory, int start, int end) throws DecodeException {
    final Input in = new Input(memory, start, end);
    in.message(NAME, 0);
    in.field("name").constant(NAME__OCTETS);
    final Octets reason = in.field("reason").octets(1, 255L);
    in.end();
    return new Error(reason);
  }

  /**
   * A view of the frame of a message, without a message object. It can be reused; then only its
   * accessors allocate memory.
   */
  public static final class View {

    private static final byte[] NOTHING = {};

    private Object memory = NOTHING;
    private long reason;

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
        this.reason = 0;
        throw error;
      }
      return this;
    }

    private void scan(Object memory, int start, int end) throws DecodeException {
      final Input in = new Input(memory, start, end);
      in.message(NAME, 0);
      in.field("name").constant(NAME__OCTETS);
      final long reason = in.field("reason").octetsSpan(1, 255L);
      in.end();
      this.memory = memory;
      this.reason = reason;
    }

    /**
     * Says why, to people.
     *
     * @return its value
     */
    public Octets reason() {
      return Memory.octets(memory, reason);
    }

    /** {@return the size of {@link #reason()} in bytes} */
    public int reasonLength() {
      return Memory.length(reason);
    }

    /** {@return a message whose bytes are views of the frame} */
    public Error toMessage() {
      return new Error(reason());
    }
  }

  /**
   * Encodes a message without a message object. It can be reused, and keeps its values; then only
   * {@link #encode} allocates memory. At first, numbers are 0, and values of variable size are
   * empty.
   */
  public static final class Writer {

    private static final byte[] NOTHING = {};

    private byte[] reason = NOTHING;
    private int reasonAt;
    private int reasonLength;

    /** Creates a writer without values. */
    public Writer() {}

    /**
     * Says why, to people. Its bytes, which are checked when the message is encoded.
     *
     * @param octets the array
     * @param offset the index of the first byte
     * @param length the number of bytes
     * @return this
     * @throws IndexOutOfBoundsException if the part is not in the array
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
     * @param octets its bytes, which are copied only from a buffer without an array
     * @return this
     */
    public Writer reason(Octets octets) {
      return octets.hasArray()
          ? reason(octets.array(), octets.offset(), octets.length())
          : reason(octets.toByteArray(), 0, octets.length());
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
      out.field("reason").octets(this.reason, this.reasonAt, this.reasonLength, 1, 255L);
      return out.sizes();
    }

    private int write(Object memory, int start, long sizes) {
      final Output out = new Output(memory, start, sizes);
      out.constant(HEAD);
      out.field("reason").octets(this.reason, this.reasonAt, this.reasonLength, 1, 255L);
      return out.size();
    }
  }
}

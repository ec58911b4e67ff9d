package zeps.wire.zeps;

import java.nio.ByteBuffer;
import java.util.Objects;
import zeps.wire.DecodeException;
import zeps.wire.EncodeException;
import zeps.wire.Octets;
import zeps.wire.internal.Input;
import zeps.wire.internal.Measure;
import zeps.wire.internal.Memory;
import zeps.wire.internal.Output;
import zeps.wire.internal.Text;

/**
 * Client opens stream.
 *
 * @param stream Stream name.
 */
public record Attach(String stream) implements Message {

  /** The message's number in the model. */
  public static final int ID = 1;

  /** The message's name in the model. */
  public static final String NAME = "ATTACH";

  /** Constant "ZEPS". */
  public static final String PROTOCOL = "ZEPS";

  /** Protocol version 1. */
  public static final long VERSION = 1L;

  private static final byte[] PROTOCOL_OCTETS = {0x04, 0x5A, 0x45, 0x50, 0x53};
  private static final byte[] VERSION_OCTETS = {0x00, 0x01};
  private static final byte[] HEAD = {
    (byte) 0xAA, (byte) 0xA5, 0x01, 0x04, 0x5A, 0x45, 0x50, 0x53, 0x00, 0x01
  };

  /**
   * Creates a message; only null is checked.
   *
   * @param stream Stream name.
   */
  public Attach {
    Objects.requireNonNull(stream, "stream");
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
    out.field("stream").printable(this.stream, 1, 255L);
    return out.sizes();
  }

  private int write(Object memory, int start, long sizes) {
    final Output out = new Output(memory, start, sizes);
    out.constant(HEAD);
    out.field("stream").printable(this.stream, 1, 255L);
    return out.size();
  }

  static Attach read(Object memory, int start, int end) throws DecodeException {
    final Input in = new Input(memory, start, end);
    in.message(NAME, 3);
    in.field("protocol").constant(PROTOCOL_OCTETS);
    in.field("version").constant(VERSION_OCTETS);
    final String stream = in.field("stream").printable(1, 255L);
    in.end();
    return new Attach(stream);
  }

  /**
   * A view of the frame of a message, without a message object. It can be reused; then only its
   * accessors allocate memory.
   */
  public static final class View {

    private static final byte[] NOTHING = {};

    private Object memory = NOTHING;
    private long stream;

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
        this.stream = 0;
        throw error;
      }
      return this;
    }

    private void scan(Object memory, int start, int end) throws DecodeException {
      final Input in = new Input(memory, start, end);
      if (in.id(0xAAA5) != ID) {
        throw in.unknown(2);
      }
      in.message(NAME, 3);
      in.field("protocol").constant(PROTOCOL_OCTETS);
      in.field("version").constant(VERSION_OCTETS);
      final long stream = in.field("stream").printableSpan(1, 255L);
      in.end();
      this.memory = memory;
      this.stream = stream;
    }

    /**
     * Stream name. Each call creates a string.
     *
     * @return its value
     */
    public String stream() {
      return Memory.text(memory, stream);
    }

    /** {@return the bytes of {@link #stream()}, as in the frame} */
    public Octets streamOctets() {
      return Memory.octets(memory, stream);
    }

    /** {@return the size of {@link #stream()} in bytes} */
    public int streamLength() {
      return Memory.length(stream);
    }

    /** {@return a message whose bytes are views of the frame} */
    public Attach toMessage() {
      return new Attach(stream());
    }
  }

  /**
   * Encodes a message without a message object. It can be reused, and keeps its values; then only
   * {@link #encode} allocates memory. At first, numbers are 0, and values of variable size are
   * empty.
   */
  public static final class Writer {

    private static final byte[] NOTHING = {};

    private byte[] stream = NOTHING;
    private int streamAt;
    private int streamLength;

    /** Creates a writer without values. */
    public Writer() {}

    /**
     * Stream name. Its bytes in UTF-8, which are checked when the message is encoded.
     *
     * @param octets the array
     * @param offset the index of the first byte
     * @param length the number of bytes
     * @return this
     * @throws IndexOutOfBoundsException if the part is not in the array
     */
    public Writer stream(byte[] octets, int offset, int length) {
      Objects.checkFromIndexSize(offset, length, octets.length);
      this.stream = octets;
      this.streamAt = offset;
      this.streamLength = length;
      return this;
    }

    /**
     * Stream name.
     *
     * @param octets its bytes, which are copied only from a buffer without an array
     * @return this
     */
    public Writer stream(Octets octets) {
      return octets.hasArray()
          ? stream(octets.array(), octets.offset(), octets.length())
          : stream(octets.toByteArray(), 0, octets.length());
    }

    /**
     * Stream name.
     *
     * @param text a string, which is encoded
     * @return this
     */
    public Writer stream(String text) {
      final byte[] octets = Text.octets(text);
      return stream(octets, 0, octets.length);
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
      out.field("stream").printable(this.stream, this.streamAt, this.streamLength, 1, 255L);
      return out.sizes();
    }

    private int write(Object memory, int start, long sizes) {
      final Output out = new Output(memory, start, sizes);
      out.constant(HEAD);
      out.field("stream").printable(this.stream, this.streamAt, this.streamLength, 1, 255L);
      return out.size();
    }
  }
}

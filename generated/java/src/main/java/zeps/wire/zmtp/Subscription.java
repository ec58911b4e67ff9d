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
 * Message of version 3.0: asks for the messages that begin with a topic.
 *
 * @param topic Any octets, or none.
 */
public record Subscription(Octets topic) implements Message {

  /** The message's number in the model. */
  public static final int ID = 8;

  /** The message's name in the model. */
  public static final String NAME = "SUBSCRIPTION";

  /** Tells a subscription from a cancellation. */
  public static final long FORM = 1L;

  private static final byte[] FORM_OCTETS = {0x01};
  static final byte[] BEGINNING = {0x01};
  private static final byte[] HEAD = {0x01};

  /**
   * Creates a message; only null is checked.
   *
   * @param topic Any octets, or none.
   */
  public Subscription {
    Objects.requireNonNull(topic, "topic");
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
    out.field("topic").octets(this.topic, 0, -1L);
    return out.sizes();
  }

  private int write(Object memory, int start, long sizes) {
    final Output out = new Output(memory, start, sizes);
    out.constant(HEAD);
    out.field("topic").octets(this.topic, 0, -1L);
    return out.size();
  }

  static Subscription read(Object memory, int start, int end) throws DecodeException {
    final Input in = new Input(memory, start, end);
    in.message(NAME, 0);
    in.field("form").constant(FORM_OCTETS);
    final Octets topic = in.field("topic").rest(-1L);
    return new Subscription(topic);
  }

  /**
   * A view of the frame of a message, without a message object. It can be reused; then only its
   * accessors allocate memory.
   */
  public static final class View {

    private static final byte[] NOTHING = {};

    private Object memory = NOTHING;
    private long topic;

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
        this.topic = 0;
        throw error;
      }
      return this;
    }

    private void scan(Object memory, int start, int end) throws DecodeException {
      final Input in = new Input(memory, start, end);
      in.message(NAME, 0);
      in.field("form").constant(FORM_OCTETS);
      final long topic = in.field("topic").restSpan(-1L);
      this.memory = memory;
      this.topic = topic;
    }

    /**
     * Any octets, or none.
     *
     * @return its value
     */
    public Octets topic() {
      return Memory.octets(memory, topic);
    }

    /** {@return the size of {@link #topic()} in bytes} */
    public int topicLength() {
      return Memory.length(topic);
    }

    /** {@return a message whose bytes are views of the frame} */
    public Subscription toMessage() {
      return new Subscription(topic());
    }
  }

  /**
   * Encodes a message without a message object. It can be reused, and keeps its values; then only
   * {@link #encode} allocates memory. At first, numbers are 0, and values of variable size are
   * empty.
   */
  public static final class Writer {

    private static final byte[] NOTHING = {};

    private byte[] topic = NOTHING;
    private int topicAt;
    private int topicLength;

    /** Creates a writer without values. */
    public Writer() {}

    /**
     * Any octets, or none. Its bytes, which are checked when the message is encoded.
     *
     * @param octets the array
     * @param offset the index of the first byte
     * @param length the number of bytes
     * @return this
     * @throws IndexOutOfBoundsException if the part is not in the array
     */
    public Writer topic(byte[] octets, int offset, int length) {
      Objects.checkFromIndexSize(offset, length, octets.length);
      this.topic = octets;
      this.topicAt = offset;
      this.topicLength = length;
      return this;
    }

    /**
     * Any octets, or none.
     *
     * @param octets its bytes, which are copied only from a buffer without an array
     * @return this
     */
    public Writer topic(Octets octets) {
      return octets.hasArray()
          ? topic(octets.array(), octets.offset(), octets.length())
          : topic(octets.toByteArray(), 0, octets.length());
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
      out.field("topic").octets(this.topic, this.topicAt, this.topicLength, 0, -1L);
      return out.sizes();
    }

    private int write(Object memory, int start, long sizes) {
      final Output out = new Output(memory, start, sizes);
      out.constant(HEAD);
      out.field("topic").octets(this.topic, this.topicAt, this.topicLength, 0, -1L);
      return out.size();
    }
  }
}

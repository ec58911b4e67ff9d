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
 * Server delivers a message to the client.
 *
 * @param sequence Sequenced per stream. Unsigned: see {@link Long#compareUnsigned}.
 * @param key Message routing key.
 * @param body Message contents.
 */
public record Deliver(long sequence, String key, Octets body) implements Message {

  /** The message's number in the model. */
  public static final int ID = 7;

  /** The message's name in the model. */
  public static final String NAME = "DELIVER";

  private static final byte[] HEAD = {(byte) 0xAA, (byte) 0xA5, 0x07};

  /**
   * Creates a message; only null is checked.
   *
   * @param sequence Sequenced per stream.
   * @param key Message routing key.
   * @param body Message contents.
   */
  public Deliver {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(body, "body");
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
    out.field("sequence").u64(this.sequence);
    out.field("key").printable(this.key, 1, 255L);
    out.field("body").octets(this.body, 4, 16777216L);
    return out.sizes();
  }

  private int write(Object memory, int start, long sizes) {
    final Output out = new Output(memory, start, sizes);
    out.constant(HEAD);
    out.field("sequence").u64(this.sequence);
    out.field("key").printable(this.key, 1, 255L);
    out.field("body").octets(this.body, 4, 16777216L);
    return out.size();
  }

  static Deliver read(Object memory, int start, int end) throws DecodeException {
    final Input in = new Input(memory, start, end);
    in.message(NAME, 3);
    final long sequence = in.field("sequence").u64();
    final String key = in.field("key").printable(1, 255L);
    final Octets body = in.field("body").octets(4, 16777216L);
    in.end();
    return new Deliver(sequence, key, body);
  }

  /**
   * A view of the frame of a message, without a message object. It can be reused; then only its
   * accessors allocate memory.
   */
  public static final class View {

    private static final byte[] NOTHING = {};

    private Object memory = NOTHING;
    private long sequence;
    private long key;
    private long body;

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
        this.sequence = 0;
        this.key = 0;
        this.body = 0;
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
      final long sequence = in.field("sequence").u64();
      final long key = in.field("key").printableSpan(1, 255L);
      final long body = in.field("body").octetsSpan(4, 16777216L);
      in.end();
      this.memory = memory;
      this.sequence = sequence;
      this.key = key;
      this.body = body;
    }

    /**
     * Sequenced per stream.
     *
     * @return its value
     */
    public long sequence() {
      return sequence;
    }

    /**
     * Message routing key. Each call creates a string.
     *
     * @return its value
     */
    public String key() {
      return Memory.text(memory, key);
    }

    /** {@return the bytes of {@link #key()}, as in the frame} */
    public Octets keyOctets() {
      return Memory.octets(memory, key);
    }

    /** {@return the size of {@link #key()} in bytes} */
    public int keyLength() {
      return Memory.length(key);
    }

    /**
     * Message contents.
     *
     * @return its value
     */
    public Octets body() {
      return Memory.octets(memory, body);
    }

    /** {@return the size of {@link #body()} in bytes} */
    public int bodyLength() {
      return Memory.length(body);
    }

    /** {@return a message whose bytes are views of the frame} */
    public Deliver toMessage() {
      return new Deliver(sequence(), key(), body());
    }
  }

  /**
   * Encodes a message without a message object. It can be reused, and keeps its values; then only
   * {@link #encode} allocates memory. At first, numbers are 0, and values of variable size are
   * empty.
   */
  public static final class Writer {

    private static final byte[] NOTHING = {};

    private long sequence;
    private byte[] key = NOTHING;
    private int keyAt;
    private int keyLength;
    private byte[] body = NOTHING;
    private int bodyAt;
    private int bodyLength;

    /** Creates a writer without values. */
    public Writer() {}

    /**
     * Sequenced per stream.
     *
     * @param sequence its value
     * @return this
     */
    public Writer sequence(long sequence) {
      this.sequence = sequence;
      return this;
    }

    /**
     * Message routing key. Its bytes in UTF-8, which are checked when the message is encoded.
     *
     * @param octets the array
     * @param offset the index of the first byte
     * @param length the number of bytes
     * @return this
     * @throws IndexOutOfBoundsException if the part is not in the array
     */
    public Writer key(byte[] octets, int offset, int length) {
      Objects.checkFromIndexSize(offset, length, octets.length);
      this.key = octets;
      this.keyAt = offset;
      this.keyLength = length;
      return this;
    }

    /**
     * Message routing key.
     *
     * @param octets its bytes, which are copied only from a buffer without an array
     * @return this
     */
    public Writer key(Octets octets) {
      return octets.hasArray()
          ? key(octets.array(), octets.offset(), octets.length())
          : key(octets.toByteArray(), 0, octets.length());
    }

    /**
     * Message routing key.
     *
     * @param text a string, which is encoded
     * @return this
     */
    public Writer key(String text) {
      final byte[] octets = Text.octets(text);
      return key(octets, 0, octets.length);
    }

    /**
     * Message contents. Its bytes, which are checked when the message is encoded.
     *
     * @param octets the array
     * @param offset the index of the first byte
     * @param length the number of bytes
     * @return this
     * @throws IndexOutOfBoundsException if the part is not in the array
     */
    public Writer body(byte[] octets, int offset, int length) {
      Objects.checkFromIndexSize(offset, length, octets.length);
      this.body = octets;
      this.bodyAt = offset;
      this.bodyLength = length;
      return this;
    }

    /**
     * Message contents.
     *
     * @param octets its bytes, which are copied only from a buffer without an array
     * @return this
     */
    public Writer body(Octets octets) {
      return octets.hasArray()
          ? body(octets.array(), octets.offset(), octets.length())
          : body(octets.toByteArray(), 0, octets.length());
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
      out.field("sequence").u64(this.sequence);
      out.field("key").printable(this.key, this.keyAt, this.keyLength, 1, 255L);
      out.field("body").octets(this.body, this.bodyAt, this.bodyLength, 4, 16777216L);
      return out.sizes();
    }

    private int write(Object memory, int start, long sizes) {
      final Output out = new Output(memory, start, sizes);
      out.constant(HEAD);
      out.field("sequence").u64(this.sequence);
      out.field("key").printable(this.key, this.keyAt, this.keyLength, 1, 255L);
      out.field("body").octets(this.body, this.bodyAt, this.bodyLength, 4, 16777216L);
      return out.size();
    }
  }
}

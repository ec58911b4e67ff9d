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
 * Command: answers PING.
 *
 * @param context What came with PING.
 */
public record Pong(Octets context) implements Message {

  /** The message's number in the model. */
  public static final int ID = 5;

  /** The message's name in the model. */
  public static final String NAME = "PONG";

  /** The command's name. */
  public static final String NAME_ = "PONG";

  private static final byte[] NAME__OCTETS = {0x04, 0x50, 0x4F, 0x4E, 0x47};
  static final byte[] BEGINNING = {0x04, 0x50, 0x4F, 0x4E, 0x47};
  private static final byte[] HEAD = {0x04, 0x50, 0x4F, 0x4E, 0x47};

  /**
   * Makes a message; nothing is checked but that nothing is null.
   *
   * @param context What came with PING.
   */
  public Pong {
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
    out.field("context").octets(this.context, 0, 16L);
    return out.sizes();
  }

  private int write(Object memory, int start, long sizes) {
    final Output out = new Output(memory, start, sizes);
    out.constant(HEAD);
    out.field("context").octets(this.context, 0, 16L);
    return out.size();
  }

  static Pong read(Object memory, int start, int end) throws DecodeException {
    final Input in = new Input(memory, start, end);
    in.message(NAME, 0);
    in.field("name").constant(NAME__OCTETS);
    final Octets context = in.field("context").rest(16L);
    return new Pong(context);
  }

  /**
   * Looks into the frame of a message without making one. It may be used again and again; then
   * nothing is allocated but what its accessors make.
   */
  public static final class View {

    private static final byte[] NOTHING = {};

    private Object memory = NOTHING;
    private long context;

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
      return read((Object) frame, 0, frame.length);
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
      return read((Object) data, offset, offset + length);
    }

    /**
     * The same for what lies in a buffer between its position and its limit, neither of which
     * changes.
     *
     * @param buffer the buffer, on the heap or outside of it
     * @return this
     * @throws DecodeException if it is not this message's
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
        this.context = 0;
        throw error;
      }
      return this;
    }

    private void scan(Object memory, int start, int end) throws DecodeException {
      final Input in = new Input(memory, start, end);
      in.message(NAME, 0);
      in.field("name").constant(NAME__OCTETS);
      final long context = in.field("context").restSpan(16L);
      this.memory = memory;
      this.context = context;
    }

    /**
     * What came with PING.
     *
     * @return its value
     */
    public Octets context() {
      return Memory.octets(memory, context);
    }

    /** {@return how many octets {@link #context()} takes} */
    public int contextLength() {
      return Memory.length(context);
    }

    /** {@return a message of its own, whose octets are views of the frame} */
    public Pong toMessage() {
      return new Pong(context());
    }
  }

  /**
   * Encodes a message without making one. It may be used again and again, and keeps what it was
   * given; then nothing is allocated but what {@link #encode} makes. At first, numbers are 0, and
   * what varies in size is empty.
   */
  public static final class Writer {

    private static final byte[] NOTHING = {};

    private byte[] context = NOTHING;
    private int contextAt;
    private int contextLength;

    /** Has no values yet. */
    public Writer() {}

    /**
     * What came with PING. Its octets, which are looked at when the message is encoded, and not
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
     * What came with PING.
     *
     * @param octets its octets, which are copied only if they lie in a buffer without an array
     * @return this
     */
    public Writer context(Octets octets) {
      return octets.hasArray()
          ? context(octets.array(), octets.offset(), octets.length())
          : context(octets.toByteArray(), 0, octets.length());
    }

    /**
     * {@return the message as one frame, in an array of its own}
     *
     * @throws EncodeException if the format cannot carry it
     */
    public byte[] encode() {
      final long sizes = measure(true);
      final byte[] out = new byte[(int) sizes];
      write(out, 0, sizes);
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
      return write(out, offset, measure(true));
    }

    /**
     * Writes the message as one frame from a buffer's position on, which then stands after it;
     * nothing is written unless all of it can be.
     *
     * @param out where to, on the heap or outside of it; what was given must not lie there
     * @return how many octets it has
     * @throws EncodeException if the format cannot carry it
     * @throws java.nio.BufferOverflowException if there is not room enough
     */
    public int encodeTo(ByteBuffer out) {
      final int size = write(out, out.position(), measure(true));
      out.position(out.position() + size);
      return size;
    }

    private long measure(boolean checks) {
      final Measure out = new Measure(NAME, checks);
      out.constant(HEAD);
      out.field("context").octets(this.context, this.contextAt, this.contextLength, 0, 16L);
      return out.sizes();
    }

    private int write(Object memory, int start, long sizes) {
      final Output out = new Output(memory, start, sizes);
      out.constant(HEAD);
      out.field("context").octets(this.context, this.contextAt, this.contextLength, 0, 16L);
      return out.size();
    }
  }
}

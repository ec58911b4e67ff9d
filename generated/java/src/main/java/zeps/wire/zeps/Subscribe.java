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
 * Client subscribes to a set of topics.
 *
 * @param pattern Subscription pattern.
 * @param latest Last known sequence. Unsigned: see {@link Long#compareUnsigned}.
 */
public record Subscribe(String pattern, long latest) implements Message {

  /** The message's number in the model. */
  public static final int ID = 3;

  /** The message's name in the model. */
  public static final String NAME = "SUBSCRIBE";

  private static final byte[] HEAD = {(byte) 0xAA, (byte) 0xA5, 0x03};

  /**
   * Makes a message; nothing is checked but that nothing is null.
   *
   * @param pattern Subscription pattern.
   * @param latest Last known sequence.
   */
  public Subscribe {
    Objects.requireNonNull(pattern, "pattern");
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
    out.field("pattern").printable(this.pattern, 1, 255L);
    out.field("latest").u64(this.latest);
    return out.sizes();
  }

  private int write(Object memory, int start, long sizes) {
    final Output out = new Output(memory, start, sizes);
    out.constant(HEAD);
    out.field("pattern").printable(this.pattern, 1, 255L);
    out.field("latest").u64(this.latest);
    return out.size();
  }

  static Subscribe read(Object memory, int start, int end) throws DecodeException {
    final Input in = new Input(memory, start, end);
    in.message(NAME, 3);
    final String pattern = in.field("pattern").printable(1, 255L);
    final long latest = in.field("latest").u64();
    in.end();
    return new Subscribe(pattern, latest);
  }

  /**
   * Looks into the frame of a message without making one. It may be used again and again; then
   * nothing is allocated but what its accessors make.
   */
  public static final class View {

    private static final byte[] NOTHING = {};

    private Object memory = NOTHING;
    private long pattern;
    private long latest;

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
        this.pattern = 0;
        this.latest = 0;
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
      final long pattern = in.field("pattern").printableSpan(1, 255L);
      final long latest = in.field("latest").u64();
      in.end();
      this.memory = memory;
      this.pattern = pattern;
      this.latest = latest;
    }

    /**
     * Subscription pattern. The string is made at each call.
     *
     * @return its value
     */
    public String pattern() {
      return Memory.text(memory, pattern);
    }

    /** {@return the octets of {@link #pattern()}, as the frame has them} */
    public Octets patternOctets() {
      return Memory.octets(memory, pattern);
    }

    /** {@return how many octets {@link #pattern()} takes} */
    public int patternLength() {
      return Memory.length(pattern);
    }

    /**
     * Last known sequence.
     *
     * @return its value
     */
    public long latest() {
      return latest;
    }

    /** {@return a message of its own, whose octets are views of the frame} */
    public Subscribe toMessage() {
      return new Subscribe(pattern(), latest());
    }
  }

  /**
   * Encodes a message without making one. It may be used again and again, and keeps what it was
   * given; then nothing is allocated but what {@link #encode} makes. At first, numbers are 0, and
   * what varies in size is empty.
   */
  public static final class Writer {

    private static final byte[] NOTHING = {};

    private byte[] pattern = NOTHING;
    private int patternAt;
    private int patternLength;
    private long latest;

    /** Has no values yet. */
    public Writer() {}

    /**
     * Subscription pattern. Its octets in UTF-8, which are looked at when the message is encoded,
     * and not before.
     *
     * @param octets the array
     * @param offset where they begin
     * @param length how many there are
     * @return this
     * @throws IndexOutOfBoundsException if the array has no such part
     */
    public Writer pattern(byte[] octets, int offset, int length) {
      Objects.checkFromIndexSize(offset, length, octets.length);
      this.pattern = octets;
      this.patternAt = offset;
      this.patternLength = length;
      return this;
    }

    /**
     * Subscription pattern.
     *
     * @param octets its octets, which are copied only if they lie in a buffer without an array
     * @return this
     */
    public Writer pattern(Octets octets) {
      return octets.hasArray()
          ? pattern(octets.array(), octets.offset(), octets.length())
          : pattern(octets.toByteArray(), 0, octets.length());
    }

    /**
     * Subscription pattern.
     *
     * @param text a string, of which octets are made
     * @return this
     */
    public Writer pattern(String text) {
      final byte[] octets = Text.octets(text);
      return pattern(octets, 0, octets.length);
    }

    /**
     * Last known sequence.
     *
     * @param latest its value
     * @return this
     */
    public Writer latest(long latest) {
      this.latest = latest;
      return this;
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
      out.field("pattern").printable(this.pattern, this.patternAt, this.patternLength, 1, 255L);
      out.field("latest").u64(this.latest);
      return out.sizes();
    }

    private int write(Object memory, int start, long sizes) {
      final Output out = new Output(memory, start, sizes);
      out.constant(HEAD);
      out.field("pattern").printable(this.pattern, this.patternAt, this.patternLength, 1, 255L);
      out.field("latest").u64(this.latest);
      return out.size();
    }
  }
}

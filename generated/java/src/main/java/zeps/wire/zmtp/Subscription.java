package zeps.wire.zmtp;

import java.util.Objects;
import zeps.wire.DecodeException;
import zeps.wire.EncodeException;
import zeps.wire.Octets;
import zeps.wire.Wire;

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

  /**
   * Makes a message; nothing is checked but that nothing is null.
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
    return Wire.frameSize(1L + topic.length(), NAME);
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
    return Wire.frameSize(1L + topic.length(), NAME);
  }

  private void write(byte[] out, int start) {
    Wire.put8(out, start, 0x01);
    int at = topic.copyTo(out, start + 1);
  }

  static Subscription read(byte[] data, int start, int end) throws DecodeException {
    if (!Wire.holds(data, start, end, FORM_OCTETS)) {
      throw Wire.badConstant(data, start, start, end, FORM_OCTETS, NAME, "form");
    }
    final Octets topic = Octets.wrap(data, start + 1, end - start - 1);
    return new Subscription(topic);
  }

  /**
   * Looks into the frame of a message without making one. It may be used again and again; then
   * nothing is allocated but what its accessors make.
   */
  public static final class View {

    private static final byte[] NOTHING = {};

    private byte[] data = NOTHING;
    private int topicAt;
    private int topicOctets;

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
      topicAt = 0;
      topicOctets = 0;
    }

    private void scan(byte[] data, int start, int end) throws DecodeException {
      if (!Wire.holds(data, start, end, FORM_OCTETS)) {
        throw Wire.badConstant(data, start, start, end, FORM_OCTETS, NAME, "form");
      }
      final int topicAt = start + 1;
      final int topicOctets = end - start - 1;
      this.data = data;
      this.topicAt = topicAt;
      this.topicOctets = topicOctets;
    }

    /**
     * Any octets, or none.
     *
     * @return its value
     */
    public Octets topic() {
      return Octets.wrap(data, topicAt, topicOctets);
    }

    /**
     * How many octets {@link #topic()} takes.
     *
     * @return octets
     */
    public int topicLength() {
      return topicOctets;
    }

    /**
     * The message itself.
     *
     * @return a message of its own; its octets are views of the frame
     */
    public Subscription toMessage() {
      return new Subscription(topic());
    }
  }

  /**
   * Encodes a message without making one. It may be used again and again, and keeps what it was
   * given; then nothing is allocated but what {@link #encode} makes. At first, numbers are 0, and
   * what varies in size is empty.
   */
  public static final class Writer {

    private static final byte[] NOTHING = {};

    private byte[] topic = NOTHING;
    private int topicAt;
    private int topicLength;

    /** Has no values yet. */
    public Writer() {}

    /**
     * Any octets, or none. Its octets, which are looked at when the message is encoded, and not
     * before.
     *
     * @param octets the array
     * @param offset where they begin
     * @param length how many there are
     * @return this
     * @throws IndexOutOfBoundsException if the array has no such part
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
     * @param octets its octets, which are not copied
     * @return this
     */
    public Writer topic(Octets octets) {
      return topic(octets.array(), octets.offset(), octets.length());
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
      return Wire.frameSize(1L + topicLength, NAME);
    }

    private void write(byte[] out, int start) {
      Wire.put8(out, start, 0x01);
      int at = Wire.copy(topic, topicAt, topicLength, out, start + 1);
    }
  }
}

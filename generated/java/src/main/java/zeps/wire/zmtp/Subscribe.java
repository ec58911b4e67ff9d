package zeps.wire.zmtp;

import java.util.Objects;
import zeps.wire.DecodeException;
import zeps.wire.EncodeException;
import zeps.wire.Octets;
import zeps.wire.Wire;

/**
 * Command of version 3.1: asks for the messages that begin with a topic.
 *
 * @param topic Any octets, or none.
 */
public record Subscribe(Octets topic) implements Message {

  /** The message's number in the model. */
  public static final int ID = 6;

  /** The message's name in the model. */
  public static final String NAME = "SUBSCRIBE";

  /** The command's name. */
  public static final String NAME_ = "SUBSCRIBE";

  private static final byte[] NAME_OCTETS = {
    0x09, 0x53, 0x55, 0x42, 0x53, 0x43, 0x52, 0x49, 0x42, 0x45
  };

  /**
   * Makes a message; nothing is checked but that nothing is null.
   *
   * @param topic Any octets, or none.
   */
  public Subscribe {
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
    return Wire.frameSize(10L + topic.length(), NAME);
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
    return Wire.frameSize(10L + topic.length(), NAME);
  }

  private void write(byte[] out, int start) {
    Wire.put64(out, start, 0x0953554253435249L);
    Wire.put16(out, start + 8, 0x4245);
    int at = topic.copyTo(out, start + 10);
  }

  static Subscribe read(byte[] data, int start, int end) throws DecodeException {
    if (!Wire.holds(data, start, end, NAME_OCTETS)) {
      throw Wire.badConstant(data, start, start, end, NAME_OCTETS, NAME, "name");
    }
    final Octets topic = Octets.wrap(data, start + 10, end - start - 10);
    return new Subscribe(topic);
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
      if (!Wire.holds(data, start, end, NAME_OCTETS)) {
        throw Wire.badConstant(data, start, start, end, NAME_OCTETS, NAME, "name");
      }
      final int topicAt = start + 10;
      final int topicOctets = end - start - 10;
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
    public Subscribe toMessage() {
      return new Subscribe(topic());
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
      return Wire.frameSize(10L + topicLength, NAME);
    }

    private void write(byte[] out, int start) {
      Wire.put64(out, start, 0x0953554253435249L);
      Wire.put16(out, start + 8, 0x4245);
      int at = Wire.copy(topic, topicAt, topicLength, out, start + 10);
    }
  }
}

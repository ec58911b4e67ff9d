package zeps.wire.zeps;

import java.util.Objects;
import zeps.wire.DecodeException;
import zeps.wire.EncodeException;
import zeps.wire.ErrorCode;
import zeps.wire.Octets;
import zeps.wire.Text;
import zeps.wire.Wire;

/**
 * Client publishes a new message to the open stream.
 *
 * @param key Message routing key.
 * @param body Message contents.
 */
public record Publish(String key, Octets body) implements Message {

  /** The message's number in the model. */
  public static final int ID = 6;

  /** The message's name in the model. */
  public static final String NAME = "PUBLISH";

  /**
   * Makes a message; nothing is checked but that nothing is null.
   *
   * @param key Message routing key.
   * @param body Message contents.
   */
  public Publish {
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
    return Wire.frameSize(8L + Text.size(key) + body.length(), NAME);
  }

  @Override
  public byte[] encode() {
    final int keySize = Text.printableSize(key);
    final byte[] out = new byte[check(keySize)];
    write(out, 0, keySize);
    return out;
  }

  @Override
  public int encodeTo(byte[] out, int offset) {
    final int keySize = Text.printableSize(key);
    final int size = check(keySize);
    Objects.checkFromIndexSize(offset, size, out.length);
    write(out, offset, keySize);
    return size;
  }

  private int check(int keySize) {
    if (keySize < 0) {
      throw new EncodeException(ErrorCode.BAD_TEXT, NAME, "key");
    }
    if (keySize > 255) {
      throw new EncodeException(ErrorCode.TOO_LONG, NAME, "key");
    }
    if (body.length() > 16777216) {
      throw new EncodeException(ErrorCode.TOO_LONG, NAME, "body");
    }
    return Wire.frameSize(8L + keySize + body.length(), NAME);
  }

  private void write(byte[] out, int start, int keySize) {
    Wire.put16(out, start, 0xAAA5);
    Wire.put8(out, start + 2, 0x06);
    Wire.put8(out, start + 3, keySize);
    int at = Text.put(key, keySize, out, start + 4);
    Wire.put32(out, at, body.length());
    at = body.copyTo(out, at + 4);
  }

  static Publish read(byte[] data, int start, int end) throws DecodeException {
    if (end - start < 4) {
      throw Wire.truncated(NAME, "key", 3);
    }
    final int keyLength = Wire.u8(data, start + 3);
    if (keyLength > end - start - 4) {
      throw Wire.truncated(NAME, "key", 3);
    }
    final String key = Text.printable(data, start + 4, keyLength);
    if (key == null) {
      throw Wire.badText(NAME, "key", 3);
    }
    int at = start + 4 + keyLength;
    if (end - at < 4) {
      throw Wire.truncated(NAME, "body", at - start);
    }
    final long bodyLength = Wire.u32(data, at);
    if (bodyLength > 16777216L) {
      throw Wire.tooLong(NAME, "body", at - start);
    }
    if (bodyLength > end - at - 4) {
      throw Wire.truncated(NAME, "body", at - start);
    }
    final Octets body = Octets.wrap(data, at + 4, (int) bodyLength);
    at += 4 + (int) bodyLength;
    if (end - at > 0) {
      throw Wire.trailing(NAME, null, at - start);
    }
    return new Publish(key, body);
  }

  /**
   * Looks into the frame of a message without making one. It may be used again and again; then
   * nothing is allocated but what its accessors make.
   */
  public static final class View {

    private static final byte[] NOTHING = {};

    private byte[] data = NOTHING;
    private int keyAt;
    private int keyOctets;
    private int bodyAt;
    private int bodyOctets;

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
      keyAt = 0;
      keyOctets = 0;
      bodyAt = 0;
      bodyOctets = 0;
    }

    private void scan(byte[] data, int start, int end) throws DecodeException {
      if (end - start < 2 || Wire.u16(data, start) != 0xAAA5) {
        throw Wire.badSignature(data, start, end, Zeps.SIGNATURE);
      }
      if (end - start < 3) {
        throw Wire.truncated(null, null, 2);
      }
      if (data[start + 2] != 0x06) {
        throw Wire.unknownMessage(2);
      }
      if (end - start < 4) {
        throw Wire.truncated(NAME, "key", 3);
      }
      final int keyLength = Wire.u8(data, start + 3);
      if (keyLength > end - start - 4) {
        throw Wire.truncated(NAME, "key", 3);
      }
      final int keyAt = start + 4;
      final int keyOctets = keyLength;
      if (!Text.isPrintable(data, keyAt, keyOctets)) {
        throw Wire.badText(NAME, "key", 3);
      }
      int at = start + 4 + keyLength;
      if (end - at < 4) {
        throw Wire.truncated(NAME, "body", at - start);
      }
      final long bodyLength = Wire.u32(data, at);
      if (bodyLength > 16777216L) {
        throw Wire.tooLong(NAME, "body", at - start);
      }
      if (bodyLength > end - at - 4) {
        throw Wire.truncated(NAME, "body", at - start);
      }
      final int bodyAt = at + 4;
      final int bodyOctets = (int) bodyLength;
      at += 4 + (int) bodyLength;
      if (end - at > 0) {
        throw Wire.trailing(NAME, null, at - start);
      }
      this.data = data;
      this.keyAt = keyAt;
      this.keyOctets = keyOctets;
      this.bodyAt = bodyAt;
      this.bodyOctets = bodyOctets;
    }

    /**
     * Message routing key. The string is made at each call.
     *
     * @return its value
     */
    public String key() {
      return Text.of(data, keyAt, keyOctets);
    }

    /**
     * The octets of {@link #key()}, as the frame has them.
     *
     * @return octets
     */
    public Octets keyOctets() {
      return Octets.wrap(data, keyAt, keyOctets);
    }

    /**
     * How many octets {@link #key()} takes.
     *
     * @return octets
     */
    public int keyLength() {
      return keyOctets;
    }

    /**
     * Message contents.
     *
     * @return its value
     */
    public Octets body() {
      return Octets.wrap(data, bodyAt, bodyOctets);
    }

    /**
     * How many octets {@link #body()} takes.
     *
     * @return octets
     */
    public int bodyLength() {
      return bodyOctets;
    }

    /**
     * The message itself.
     *
     * @return a message of its own; its octets are views of the frame
     */
    public Publish toMessage() {
      return new Publish(key(), body());
    }
  }

  /**
   * Encodes a message without making one. It may be used again and again, and keeps what it was
   * given; then nothing is allocated but what {@link #encode} makes. At first, numbers are 0, and
   * what varies in size is empty.
   */
  public static final class Writer {

    private static final byte[] NOTHING = {};

    private byte[] key = NOTHING;
    private int keyAt;
    private int keyLength;
    private byte[] body = NOTHING;
    private int bodyAt;
    private int bodyLength;

    /** Has no values yet. */
    public Writer() {}

    /**
     * Message routing key. Its octets in UTF-8, which are looked at when the message is encoded,
     * and not before.
     *
     * @param octets the array
     * @param offset where they begin
     * @param length how many there are
     * @return this
     * @throws IndexOutOfBoundsException if the array has no such part
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
     * @param octets its octets, which are not copied
     * @return this
     */
    public Writer key(Octets octets) {
      return key(octets.array(), octets.offset(), octets.length());
    }

    /**
     * Message routing key.
     *
     * @param text a string, of which octets are made
     * @return this
     */
    public Writer key(String text) {
      final byte[] octets = Text.octets(text);
      return key(octets, 0, octets.length);
    }

    /**
     * Message contents. Its octets, which are looked at when the message is encoded, and not
     * before.
     *
     * @param octets the array
     * @param offset where they begin
     * @param length how many there are
     * @return this
     * @throws IndexOutOfBoundsException if the array has no such part
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
     * @param octets its octets, which are not copied
     * @return this
     */
    public Writer body(Octets octets) {
      return body(octets.array(), octets.offset(), octets.length());
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
      if (!Text.isPrintable(key, keyAt, keyLength)) {
        throw new EncodeException(ErrorCode.BAD_TEXT, NAME, "key");
      }
      if (keyLength > 255) {
        throw new EncodeException(ErrorCode.TOO_LONG, NAME, "key");
      }
      if (bodyLength > 16777216) {
        throw new EncodeException(ErrorCode.TOO_LONG, NAME, "body");
      }
      return Wire.frameSize(8L + keyLength + bodyLength, NAME);
    }

    private void write(byte[] out, int start) {
      Wire.put16(out, start, 0xAAA5);
      Wire.put8(out, start + 2, 0x06);
      Wire.put8(out, start + 3, keyLength);
      int at = Text.put(key, keyAt, keyLength, out, start + 4);
      Wire.put32(out, at, bodyLength);
      at = Wire.copy(body, bodyAt, bodyLength, out, at + 4);
    }
  }
}

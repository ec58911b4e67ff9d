package zeps.wire.zmtp;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import zeps.wire.DecodeException;
import zeps.wire.EncodeException;
import zeps.wire.Entry;
import zeps.wire.ErrorCode;
import zeps.wire.Octets;
import zeps.wire.Wire;

/**
 * Command: the sender is ready, and this is what it is.
 *
 * @param properties Metadata of the connection: Socket-Type, Identity and others.
 */
public record Ready(List<Entry<Octets>> properties) implements Message {

  /** The message's number in the model. */
  public static final int ID = 2;

  /** The message's name in the model. */
  public static final String NAME = "READY";

  /** The command's name. */
  public static final String NAME_ = "READY";

  private static final byte[] NAME_OCTETS = {0x05, 0x52, 0x45, 0x41, 0x44, 0x59};

  /**
   * Makes a message; nothing is checked but that nothing is null.
   *
   * @param properties Metadata of the connection: Socket-Type, Identity and others.
   */
  public Ready {
    properties = List.copyOf(properties);
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
    long total = 6;
    for (final Entry<Octets> propertiesEntry : properties) {
      total += 1L + propertiesEntry.key().length();
      total += 4L + propertiesEntry.value().length();
    }
    return Wire.frameSize(total, NAME);
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
    for (final Entry<Octets> propertiesEntry : properties) {
      if (propertiesEntry.key().length() > 255) {
        throw new EncodeException(ErrorCode.TOO_LONG, NAME, "properties");
      }
    }
    long total = 6;
    for (final Entry<Octets> propertiesEntry : properties) {
      total += 1L + propertiesEntry.key().length();
      total += 4L + propertiesEntry.value().length();
    }
    return Wire.frameSize(total, NAME);
  }

  private void write(byte[] out, int start) {
    Wire.put32(out, start, 0x05524541L);
    Wire.put16(out, start + 4, 0x4459);
    int at = start + 6;
    for (final Entry<Octets> propertiesEntry : properties) {
      Wire.put8(out, at, propertiesEntry.key().length());
      at = propertiesEntry.key().copyTo(out, at + 1);
      Wire.put32(out, at, propertiesEntry.value().length());
      at = propertiesEntry.value().copyTo(out, at + 4);
    }
  }

  static Ready read(byte[] data, int start, int end) throws DecodeException {
    if (!Wire.holds(data, start, end, NAME_OCTETS)) {
      throw Wire.badConstant(data, start, start, end, NAME_OCTETS, NAME, "name");
    }
    int at = start + 6;
    final List<Entry<Octets>> properties = new ArrayList<>();
    while (at < end) {
      if (end - at < 1) {
        throw Wire.truncated(NAME, "properties", at - start);
      }
      final int propertiesLength = Wire.u8(data, at);
      if (propertiesLength > end - at - 1) {
        throw Wire.truncated(NAME, "properties", at - start);
      }
      final Octets propertiesKey = Octets.wrap(data, at + 1, propertiesLength);
      at += 1 + propertiesLength;
      if (end - at < 4) {
        throw Wire.truncated(NAME, "properties", at - start);
      }
      final long propertiesLength_ = Wire.u32(data, at);
      if (propertiesLength_ > end - at - 4) {
        throw Wire.truncated(NAME, "properties", at - start);
      }
      final Octets propertiesItem = Octets.wrap(data, at + 4, (int) propertiesLength_);
      at += 4 + (int) propertiesLength_;
      properties.add(new Entry<>(propertiesKey, propertiesItem));
    }
    return new Ready(properties);
  }
}

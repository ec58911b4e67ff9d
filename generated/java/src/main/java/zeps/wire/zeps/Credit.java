package zeps.wire.zeps;

import java.util.Objects;
import zeps.wire.DecodeException;
import zeps.wire.Wire;

/**
 * Client sends credit to the server.
 *
 * @param credit Credit, in octets. Unsigned: see {@link Long#compareUnsigned}.
 */
public record Credit(long credit) implements Message {

  /** The message's number in the model. */
  public static final int ID = 5;

  /** The message's name in the model. */
  public static final String NAME = "CREDIT";

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
    return 11;
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
    return 11;
  }

  private void write(byte[] out, int start) {
    Wire.put16(out, start, 0xAAA5);
    Wire.put8(out, start + 2, 0x05);
    Wire.put64(out, start + 3, credit);
  }

  static Credit read(byte[] data, int start, int end) throws DecodeException {
    if (end - start < 11) {
      throw Wire.truncated(NAME, "credit", 3);
    }
    final long credit = Wire.u64(data, start + 3);
    if (end - start > 11) {
      throw Wire.trailing(NAME, null, 11);
    }
    return new Credit(credit);
  }
}

package zeps.wire.zeps;

import java.util.Objects;
import zeps.wire.DecodeException;
import zeps.wire.Wire;

/** Server confirms the subscription. */
public record SubscribeOk() implements Message {

  /** The message's number in the model. */
  public static final int ID = 4;

  /** The message's name in the model. */
  public static final String NAME = "SUBSCRIBE-OK";

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
    return 3;
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
    return 3;
  }

  private void write(byte[] out, int start) {
    Wire.put16(out, start, 0xAAA5);
    Wire.put8(out, start + 2, 0x04);
  }

  static SubscribeOk read(byte[] data, int start, int end) throws DecodeException {
    if (end - start > 3) {
      throw Wire.trailing(NAME, null, 3);
    }
    return new SubscribeOk();
  }
}

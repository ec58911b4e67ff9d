package zeps.wire.zeps;

import java.nio.ByteBuffer;
import zeps.wire.DecodeException;
import zeps.wire.internal.Input;
import zeps.wire.internal.Measure;
import zeps.wire.internal.Output;

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

  private static final byte[] HEAD = {(byte) 0xAA, (byte) 0xA5, 0x05};

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
    out.field("credit").u64(this.credit);
    return out.sizes();
  }

  private int write(Object memory, int start, long sizes) {
    final Output out = new Output(memory, start, sizes);
    out.constant(HEAD);
    out.field("credit").u64(this.credit);
    return out.size();
  }

  static Credit read(Object memory, int start, int end) throws DecodeException {
    final Input in = new Input(memory, start, end);
    in.message(NAME, 3);
    final long credit = in.field("credit").u64();
    in.end();
    return new Credit(credit);
  }
}

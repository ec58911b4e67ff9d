package zeps.wire.zmtp;

import java.nio.ByteBuffer;
import java.util.List;
import zeps.wire.DecodeException;
import zeps.wire.Entry;
import zeps.wire.Octets;
import zeps.wire.internal.Input;
import zeps.wire.internal.Measure;
import zeps.wire.internal.Output;

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

  private static final byte[] NAME__OCTETS = {0x05, 0x52, 0x45, 0x41, 0x44, 0x59};
  static final byte[] BEGINNING = {0x05, 0x52, 0x45, 0x41, 0x44, 0x59};
  private static final byte[] HEAD = {0x05, 0x52, 0x45, 0x41, 0x44, 0x59};

  /**
   * Creates a message; only null is checked.
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
    out.field("properties")
        .list(
            this.properties,
            0,
            255L,
            (out1, item) -> {
              out1.octets(item.key(), 1, 255L);
              out1.octets(item.value(), 4, 4294967295L);
            });
    return out.sizes();
  }

  private int write(Object memory, int start, long sizes) {
    final Output out = new Output(memory, start, sizes);
    out.constant(HEAD);
    out.field("properties")
        .list(
            this.properties,
            0,
            255L,
            (out1, item) -> {
              out1.octets(item.key(), 1, 255L);
              out1.octets(item.value(), 4, 4294967295L);
            });
    return out.size();
  }

  static Ready read(Object memory, int start, int end) throws DecodeException {
    final Input in = new Input(memory, start, end);
    in.message(NAME, 0);
    in.field("name").constant(NAME__OCTETS);
    final List<Entry<Octets>> properties =
        in.field("properties")
            .open(255L, item -> new Entry<>(item.octets(1, 255L), item.octets(4, 4294967295L)));
    return new Ready(properties);
  }
}

package zeps.wire.journal;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import zeps.wire.DecodeException;
import zeps.wire.Octets;
import zeps.wire.internal.Input;
import zeps.wire.internal.Measure;
import zeps.wire.internal.Output;

/**
 * Messages that were written together.
 *
 * @param checksum CRC-32C of everything in the block that follows this field.
 * @param indexChecksum CRC-32C of everything between this field and the frames.
 * @param firstSequence Sequence of the first message; the others follow without gaps. Unsigned: see
 *     {@link Long#compareUnsigned}.
 * @param firstTime Earliest of the times, in microseconds since 1970-01-01T00:00:00Z. Unsigned: see
 *     {@link Long#compareUnsigned}.
 * @param lastTime Latest of the times. Unsigned: see {@link Long#compareUnsigned}.
 * @param times When each message was stored.
 * @param ends Where each frame ends, counted from the start of the first.
 * @param keyNumbers Which of the distinct keys each message has, from 0.
 * @param pageChecksums CRC-32C of each page: 4,096 octets of the frames, counted from the start of
 *     the first.
 * @param keyEnds Where each distinct key ends, counted from the start of the first.
 * @param keys The distinct keys, back to back, in the order in which they first occur.
 * @param frames The DELIVER frames, back to back.
 */
public record Block(
    long checksum,
    long indexChecksum,
    long firstSequence,
    long firstTime,
    long lastTime,
    List<Long> times,
    List<Long> ends,
    List<Integer> keyNumbers,
    List<Long> pageChecksums,
    List<Long> keyEnds,
    Octets keys,
    Octets frames)
    implements Message {

  /** The message's number in the model. */
  public static final int ID = 2;

  /** The message's name in the model. */
  public static final String NAME = "BLOCK";

  /** Names the block. */
  public static final Octets MAGIC = Octets.wrap(new byte[] {0x5A, 0x42, 0x4C, 0x4B});

  private static final byte[] MAGIC_OCTETS = {0x5A, 0x42, 0x4C, 0x4B};
  static final byte[] BEGINNING = {0x5A, 0x42, 0x4C, 0x4B};
  private static final byte[] HEAD = {0x5A, 0x42, 0x4C, 0x4B};

  /**
   * Creates a message; only null is checked.
   *
   * @param checksum CRC-32C of everything in the block that follows this field.
   * @param indexChecksum CRC-32C of everything between this field and the frames.
   * @param firstSequence Sequence of the first message; the others follow without gaps.
   * @param firstTime Earliest of the times, in microseconds since 1970-01-01T00:00:00Z.
   * @param lastTime Latest of the times.
   * @param times When each message was stored.
   * @param ends Where each frame ends, counted from the start of the first.
   * @param keyNumbers Which of the distinct keys each message has, from 0.
   * @param pageChecksums CRC-32C of each page: 4,096 octets of the frames, counted from the start
   *     of the first.
   * @param keyEnds Where each distinct key ends, counted from the start of the first.
   * @param keys The distinct keys, back to back, in the order in which they first occur.
   * @param frames The DELIVER frames, back to back.
   */
  public Block {
    times = List.copyOf(times);
    ends = List.copyOf(ends);
    keyNumbers = List.copyOf(keyNumbers);
    pageChecksums = List.copyOf(pageChecksums);
    keyEnds = List.copyOf(keyEnds);
    Objects.requireNonNull(keys, "keys");
    Objects.requireNonNull(frames, "frames");
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
    out.field("ends").agree(this.ends.size(), this.times.size());
    out.field("key_numbers").agree(this.keyNumbers.size(), this.times.size());
    out.constant(HEAD);
    out.field("checksum").u32(this.checksum);
    out.field("index_checksum").u32(this.indexChecksum);
    out.field("first_sequence").u64(this.firstSequence);
    out.field("first_time").u64(this.firstTime);
    out.field("last_time").u64(this.lastTime);
    out.field("times").u32(out.most(this.times.size(), 65536L));
    out.field("frames").u32(out.most(this.frames.length(), 268435456L));
    out.field("page_checksums").u32(out.most(this.pageChecksums.size(), 65536L));
    out.field("key_ends").u32(out.most(this.keyEnds.size(), 65536L));
    out.field("keys").u32(out.most(this.keys.length(), 16711680L));
    out.field("times")
        .list(
            this.times,
            0,
            -1L,
            (out1, item) -> {
              out1.u64(item);
            });
    out.field("ends")
        .list(
            this.ends,
            0,
            -1L,
            (out1, item) -> {
              out1.u32(item);
            });
    out.field("key_numbers")
        .list(
            this.keyNumbers,
            0,
            -1L,
            (out1, item) -> {
              out1.u16(item);
            });
    out.field("page_checksums")
        .list(
            this.pageChecksums,
            0,
            -1L,
            (out1, item) -> {
              out1.u32(item);
            });
    out.field("key_ends")
        .list(
            this.keyEnds,
            0,
            -1L,
            (out1, item) -> {
              out1.u32(item);
            });
    out.field("keys").octets(this.keys, 0, -1L);
    out.field("frames").octets(this.frames, 0, -1L);
    return out.sizes();
  }

  private int write(Object memory, int start, long sizes) {
    final Output out = new Output(memory, start, sizes);
    out.field("ends").agree(this.ends.size(), this.times.size());
    out.field("key_numbers").agree(this.keyNumbers.size(), this.times.size());
    out.constant(HEAD);
    out.field("checksum").u32(this.checksum);
    out.field("index_checksum").u32(this.indexChecksum);
    out.field("first_sequence").u64(this.firstSequence);
    out.field("first_time").u64(this.firstTime);
    out.field("last_time").u64(this.lastTime);
    out.field("times").u32(out.most(this.times.size(), 65536L));
    out.field("frames").u32(out.most(this.frames.length(), 268435456L));
    out.field("page_checksums").u32(out.most(this.pageChecksums.size(), 65536L));
    out.field("key_ends").u32(out.most(this.keyEnds.size(), 65536L));
    out.field("keys").u32(out.most(this.keys.length(), 16711680L));
    out.field("times")
        .list(
            this.times,
            0,
            -1L,
            (out1, item) -> {
              out1.u64(item);
            });
    out.field("ends")
        .list(
            this.ends,
            0,
            -1L,
            (out1, item) -> {
              out1.u32(item);
            });
    out.field("key_numbers")
        .list(
            this.keyNumbers,
            0,
            -1L,
            (out1, item) -> {
              out1.u16(item);
            });
    out.field("page_checksums")
        .list(
            this.pageChecksums,
            0,
            -1L,
            (out1, item) -> {
              out1.u32(item);
            });
    out.field("key_ends")
        .list(
            this.keyEnds,
            0,
            -1L,
            (out1, item) -> {
              out1.u32(item);
            });
    out.field("keys").octets(this.keys, 0, -1L);
    out.field("frames").octets(this.frames, 0, -1L);
    return out.size();
  }

  static Block read(Object memory, int start, int end) throws DecodeException {
    final Input in = new Input(memory, start, end);
    in.message(NAME, 0);
    in.field("magic").constant(MAGIC_OCTETS);
    final long checksum = in.field("checksum").u32();
    final long indexChecksum = in.field("index_checksum").u32();
    final long firstSequence = in.field("first_sequence").u64();
    final long firstTime = in.field("first_time").u64();
    final long lastTime = in.field("last_time").u64();
    final long count = in.most(in.field("count").u32(), 65536L);
    final long framesSize = in.most(in.field("frames_size").u32(), 268435456L);
    final long pageCount = in.most(in.field("page_count").u32(), 65536L);
    final long keyCount = in.most(in.field("key_count").u32(), 65536L);
    final long keysSize = in.most(in.field("keys_size").u32(), 16711680L);
    final List<Long> times = in.field("times").counted(count, -1L, 8, item -> item.u64());
    final List<Long> ends = in.field("ends").counted(count, -1L, 4, item -> item.u32());
    final List<Integer> keyNumbers =
        in.field("key_numbers").counted(count, -1L, 2, item -> item.u16());
    final List<Long> pageChecksums =
        in.field("page_checksums").counted(pageCount, -1L, 4, item -> item.u32());
    final List<Long> keyEnds = in.field("key_ends").counted(keyCount, -1L, 4, item -> item.u32());
    final Octets keys = in.field("keys").measured(keysSize, -1L);
    final Octets frames_ = in.field("frames").measured(framesSize, -1L);
    in.end();
    return new Block(
        checksum,
        indexChecksum,
        firstSequence,
        firstTime,
        lastTime,
        times,
        ends,
        keyNumbers,
        pageChecksums,
        keyEnds,
        keys,
        frames_);
  }
}

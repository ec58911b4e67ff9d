package zeps.wire.journal;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import zeps.wire.DecodeException;
import zeps.wire.EncodeException;
import zeps.wire.ErrorCode;
import zeps.wire.Octets;
import zeps.wire.Wire;

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

  /**
   * Makes a message; nothing is checked but that nothing is null.
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
    return Wire.frameSize(
        56L
            + 8L * times.size()
            + 4L * ends.size()
            + 2L * keyNumbers.size()
            + 4L * pageChecksums.size()
            + 4L * keyEnds.size()
            + keys.length()
            + this.frames.length(),
        NAME);
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
    if (ends.size() != times.size()) {
      throw Wire.miscounted(NAME, "ends", ends.size(), times.size());
    }
    if (keyNumbers.size() != times.size()) {
      throw Wire.miscounted(NAME, "key_numbers", keyNumbers.size(), times.size());
    }
    if (checksum < 0L || checksum > 4294967295L) {
      throw new EncodeException(ErrorCode.TOO_LONG, NAME, "checksum");
    }
    if (indexChecksum < 0L || indexChecksum > 4294967295L) {
      throw new EncodeException(ErrorCode.TOO_LONG, NAME, "index_checksum");
    }
    if (times.size() > 65536) {
      throw new EncodeException(ErrorCode.TOO_LONG, NAME, "times");
    }
    if (this.frames.length() > 268435456) {
      throw new EncodeException(ErrorCode.TOO_LONG, NAME, "frames");
    }
    if (pageChecksums.size() > 65536) {
      throw new EncodeException(ErrorCode.TOO_LONG, NAME, "page_checksums");
    }
    if (keyEnds.size() > 65536) {
      throw new EncodeException(ErrorCode.TOO_LONG, NAME, "key_ends");
    }
    if (keys.length() > 16711680) {
      throw new EncodeException(ErrorCode.TOO_LONG, NAME, "keys");
    }
    for (final long endsItem : ends) {
      if (endsItem < 0L || endsItem > 4294967295L) {
        throw new EncodeException(ErrorCode.TOO_LONG, NAME, "ends");
      }
    }
    for (final int keyNumbersItem : keyNumbers) {
      if (keyNumbersItem < 0 || keyNumbersItem > 65535) {
        throw new EncodeException(ErrorCode.TOO_LONG, NAME, "key_numbers");
      }
    }
    for (final long pageChecksumsItem : pageChecksums) {
      if (pageChecksumsItem < 0L || pageChecksumsItem > 4294967295L) {
        throw new EncodeException(ErrorCode.TOO_LONG, NAME, "page_checksums");
      }
    }
    for (final long keyEndsItem : keyEnds) {
      if (keyEndsItem < 0L || keyEndsItem > 4294967295L) {
        throw new EncodeException(ErrorCode.TOO_LONG, NAME, "key_ends");
      }
    }
    return Wire.frameSize(
        56L
            + 8L * times.size()
            + 4L * ends.size()
            + 2L * keyNumbers.size()
            + 4L * pageChecksums.size()
            + 4L * keyEnds.size()
            + keys.length()
            + this.frames.length(),
        NAME);
  }

  private void write(byte[] out, int start) {
    Wire.put32(out, start, 0x5A424C4BL);
    Wire.put32(out, start + 4, checksum);
    Wire.put32(out, start + 8, indexChecksum);
    Wire.put64(out, start + 12, firstSequence);
    Wire.put64(out, start + 20, firstTime);
    Wire.put64(out, start + 28, lastTime);
    Wire.put32(out, start + 36, times.size());
    Wire.put32(out, start + 40, this.frames.length());
    Wire.put32(out, start + 44, pageChecksums.size());
    Wire.put32(out, start + 48, keyEnds.size());
    Wire.put32(out, start + 52, keys.length());
    int at = start + 56;
    for (final long timesItem : times) {
      Wire.put64(out, at, timesItem);
      at += 8;
    }
    for (final long endsItem : ends) {
      Wire.put32(out, at, endsItem);
      at += 4;
    }
    for (final int keyNumbersItem : keyNumbers) {
      Wire.put16(out, at, keyNumbersItem);
      at += 2;
    }
    for (final long pageChecksumsItem : pageChecksums) {
      Wire.put32(out, at, pageChecksumsItem);
      at += 4;
    }
    for (final long keyEndsItem : keyEnds) {
      Wire.put32(out, at, keyEndsItem);
      at += 4;
    }
    at = keys.copyTo(out, at);
    at = this.frames.copyTo(out, at);
  }

  static Block read(byte[] data, int start, int end) throws DecodeException {
    if (!Wire.holds(data, start, end, MAGIC_OCTETS)) {
      throw Wire.badConstant(data, start, start, end, MAGIC_OCTETS, NAME, "magic");
    }
    if (end - start < 8) {
      throw Wire.truncated(NAME, "checksum", 4);
    }
    final long checksum = Wire.u32(data, start + 4);
    if (end - start < 12) {
      throw Wire.truncated(NAME, "index_checksum", 8);
    }
    final long indexChecksum = Wire.u32(data, start + 8);
    if (end - start < 20) {
      throw Wire.truncated(NAME, "first_sequence", 12);
    }
    final long firstSequence = Wire.u64(data, start + 12);
    if (end - start < 28) {
      throw Wire.truncated(NAME, "first_time", 20);
    }
    final long firstTime = Wire.u64(data, start + 20);
    if (end - start < 36) {
      throw Wire.truncated(NAME, "last_time", 28);
    }
    final long lastTime = Wire.u64(data, start + 28);
    if (end - start < 40) {
      throw Wire.truncated(NAME, "count", 36);
    }
    final long count = Wire.u32(data, start + 36);
    if (count > 65536L) {
      throw Wire.tooLong(NAME, "count", 36);
    }
    if (end - start < 44) {
      throw Wire.truncated(NAME, "frames_size", 40);
    }
    final long framesSize = Wire.u32(data, start + 40);
    if (framesSize > 268435456L) {
      throw Wire.tooLong(NAME, "frames_size", 40);
    }
    if (end - start < 48) {
      throw Wire.truncated(NAME, "page_count", 44);
    }
    final long pageCount = Wire.u32(data, start + 44);
    if (pageCount > 65536L) {
      throw Wire.tooLong(NAME, "page_count", 44);
    }
    if (end - start < 52) {
      throw Wire.truncated(NAME, "key_count", 48);
    }
    final long keyCount = Wire.u32(data, start + 48);
    if (keyCount > 65536L) {
      throw Wire.tooLong(NAME, "key_count", 48);
    }
    if (end - start < 56) {
      throw Wire.truncated(NAME, "keys_size", 52);
    }
    final long keysSize = Wire.u32(data, start + 52);
    if (keysSize > 16711680L) {
      throw Wire.tooLong(NAME, "keys_size", 52);
    }
    if (count > (end - start - 56) / 8) {
      throw Wire.truncated(NAME, "times", 56);
    }
    int at = start + 56;
    final List<Long> times = new ArrayList<>((int) count);
    for (int timesIndex = 0; timesIndex < count; timesIndex++) {
      if (end - at < 8) {
        throw Wire.truncated(NAME, "times", at - start);
      }
      final long timesItem = Wire.u64(data, at);
      times.add(timesItem);
      at += 8;
    }
    if (count > (end - at) / 4) {
      throw Wire.truncated(NAME, "ends", at - start);
    }
    final List<Long> ends = new ArrayList<>((int) count);
    for (int endsIndex = 0; endsIndex < count; endsIndex++) {
      if (end - at < 4) {
        throw Wire.truncated(NAME, "ends", at - start);
      }
      final long endsItem = Wire.u32(data, at);
      ends.add(endsItem);
      at += 4;
    }
    if (count > (end - at) / 2) {
      throw Wire.truncated(NAME, "key_numbers", at - start);
    }
    final List<Integer> keyNumbers = new ArrayList<>((int) count);
    for (int keyNumbersIndex = 0; keyNumbersIndex < count; keyNumbersIndex++) {
      if (end - at < 2) {
        throw Wire.truncated(NAME, "key_numbers", at - start);
      }
      final int keyNumbersItem = Wire.u16(data, at);
      keyNumbers.add(keyNumbersItem);
      at += 2;
    }
    if (pageCount > (end - at) / 4) {
      throw Wire.truncated(NAME, "page_checksums", at - start);
    }
    final List<Long> pageChecksums = new ArrayList<>((int) pageCount);
    for (int pageChecksumsIndex = 0; pageChecksumsIndex < pageCount; pageChecksumsIndex++) {
      if (end - at < 4) {
        throw Wire.truncated(NAME, "page_checksums", at - start);
      }
      final long pageChecksumsItem = Wire.u32(data, at);
      pageChecksums.add(pageChecksumsItem);
      at += 4;
    }
    if (keyCount > (end - at) / 4) {
      throw Wire.truncated(NAME, "key_ends", at - start);
    }
    final List<Long> keyEnds = new ArrayList<>((int) keyCount);
    for (int keyEndsIndex = 0; keyEndsIndex < keyCount; keyEndsIndex++) {
      if (end - at < 4) {
        throw Wire.truncated(NAME, "key_ends", at - start);
      }
      final long keyEndsItem = Wire.u32(data, at);
      keyEnds.add(keyEndsItem);
      at += 4;
    }
    if (keysSize > end - at) {
      throw Wire.truncated(NAME, "keys", at - start);
    }
    final Octets keys = Octets.wrap(data, at, (int) keysSize);
    at += (int) keysSize;
    if (framesSize > end - at) {
      throw Wire.truncated(NAME, "frames", at - start);
    }
    final Octets frames_ = Octets.wrap(data, at, (int) framesSize);
    at += (int) framesSize;
    if (end - at > 0) {
      throw Wire.trailing(NAME, null, at - start);
    }
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

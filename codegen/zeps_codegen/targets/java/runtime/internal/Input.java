package zeps.wire.internal;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import zeps.wire.DecodeException;
import zeps.wire.ErrorCode;
import zeps.wire.Octets;

/**
 * Reads a frame: one method for each operation of a decoder. Each method checks the frame's end
 * before it reads, and throws DecodeException with the message, the field and the offset of the
 * value. The limit -1, the greatest unsigned number, means unlimited.
 *
 * <p>Readers must not leak the object, so that the compiler can allocate it on the stack.
 */
public final class Input {

  private static final int VARINT_OCTETS_MAX = 10;

  private final Object memory;
  private final int start;
  private final int end;
  private final List<byte[]> frames;
  private String message;
  private String field;
  private int at;
  private int begin;
  private int next = 1;

  /** Reads a part of an array or a buffer. */
  public Input(Object memory, int start, int end) {
    this(memory, start, end, List.of());
  }

  /** Reads a message of several frames, the first of which is in an array. */
  public Input(Object memory, int start, int end, List<byte[]> frames) {
    this.memory = memory;
    this.start = start;
    this.end = end;
    this.frames = frames;
    this.at = start;
  }

  // --- which message it is

  /** The message's number, in the first byte. */
  public int id() throws DecodeException {
    if (end == start) {
      throw error(ErrorCode.TRUNCATED, 0);
    }
    return Memory.u8(memory, start);
  }

  /** The message's number, after the signature of two bytes. */
  public int id(int signature) throws DecodeException {
    if (end - start < 3 || Memory.i16(memory, start) != (short) signature) {
      throw unsigned(new byte[] {(byte) (signature >> 8), (byte) signature});
    }
    return Memory.u8(memory, start + 2);
  }

  private DecodeException unsigned(byte[] signature) {
    if (holds(signature)) {
      return error(ErrorCode.TRUNCATED, 2);
    }
    return error(begins(signature) ? ErrorCode.TRUNCATED : ErrorCode.BAD_SIGNATURE, 0);
  }

  /** Checks that the frame begins with a length and a name of that length. */
  public Input name() throws DecodeException {
    if (end - start < 1 || end - start - 1 < Memory.u8(memory, start)) {
      throw error(ErrorCode.TRUNCATED, 0);
    }
    return this;
  }

  /** Checks that the message has this name. */
  public void name(byte[] wanted) throws DecodeException {
    if (!name().holds(wanted)) {
      throw unknown(0);
    }
  }

  /** Whether the frame begins with these bytes. */
  public boolean holds(byte[] wanted) {
    return equal(start, wanted, wanted.length);
  }

  /** The error of an unknown message, or of a frame that ends inside one of these beginnings. */
  public DecodeException unknown(int offset, byte[]... beginnings) {
    boolean cut = Arrays.stream(beginnings).anyMatch(this::begins);
    return error(cut ? ErrorCode.TRUNCATED : ErrorCode.UNKNOWN_MESSAGE, offset);
  }

  private boolean begins(byte[] wanted) {
    return end - start < wanted.length && equal(start, wanted, end - start);
  }

  private boolean equal(int place, byte[] wanted, int length) {
    if (end - place < length) {
      return false;
    }
    if (memory instanceof byte[] array) {
      return Arrays.equals(array, place, place + length, wanted, 0, length);
    }
    return Memory.view(memory, place, length).equals(ByteBuffer.wrap(wanted, 0, length));
  }

  /** Sets the message; its first {@code seen} bytes are not checked again. */
  public void message(String name, int seen) {
    message = name;
    at = start + seen;
  }

  /** Sets the field that is read next. */
  public Input field(String name) {
    field = name;
    return this;
  }

  // --- numbers

  /** One byte, unsigned. */
  public int u8() throws DecodeException {
    return Memory.u8(memory, take(1));
  }

  /** One byte, signed. */
  public int i8() throws DecodeException {
    return (byte) Memory.u8(memory, take(1));
  }

  /** Two bytes, unsigned. */
  public int u16() throws DecodeException {
    return Memory.i16(memory, take(2)) & 0xFFFF;
  }

  /** Two bytes, signed. */
  public int i16() throws DecodeException {
    return Memory.i16(memory, take(2));
  }

  /** Four bytes, unsigned. */
  public long u32() throws DecodeException {
    return Memory.i32(memory, take(4)) & 0xFFFFFFFFL;
  }

  /** Four bytes, signed. */
  public int i32() throws DecodeException {
    return Memory.i32(memory, take(4));
  }

  /** Eight bytes, signed, or unsigned: then numbers from 2^63 on are negative. */
  public long u64() throws DecodeException {
    return Memory.i64(memory, take(8));
  }

  /** A number in LEB128. */
  public long varint() throws DecodeException {
    begin = at;
    long value = 0;
    for (int i = 0; i < VARINT_OCTETS_MAX; i++) {
      if (at == end) {
        throw error(ErrorCode.TRUNCATED);
      }
      int octet = Memory.u8(memory, at++);
      value |= (octet & 0x7FL) << 7 * i;
      if (octet < 0x80) {
        if (i == VARINT_OCTETS_MAX - 1 && octet > 1) {
          break;
        }
        return value;
      }
    }
    throw error(ErrorCode.TOO_LONG);
  }

  /** A signed number in LEB128: the values 0, 1, 2, 3 encode 0, -1, 1, -2. */
  public long zigzag() throws DecodeException {
    long value = varint();
    return value >>> 1 ^ -(value & 1);
  }

  /** Checks that a number does not exceed a limit. */
  public int most(int value, long limit) throws DecodeException {
    if (value > limit) {
      throw error(ErrorCode.TOO_LONG);
    }
    return value;
  }

  /** Checks that an unsigned number does not exceed a limit. */
  public long most(long value, long limit) throws DecodeException {
    if (Long.compareUnsigned(value, limit) > 0) {
      throw error(ErrorCode.TOO_LONG);
    }
    return value;
  }

  /** Checks that a signed number does not exceed a limit. */
  public int mostSigned(int value, long limit) throws DecodeException {
    return most(value, limit);
  }

  /** Checks that a signed number does not exceed a limit. */
  public long mostSigned(long value, long limit) throws DecodeException {
    if (value > limit) {
      throw error(ErrorCode.TOO_LONG);
    }
    return value;
  }

  /** Checks that a number has no bits outside the mask. */
  public int bits(int value, long mask) throws DecodeException {
    return (int) bits((long) value, mask);
  }

  /** Checks that a number has no bits outside the mask. */
  public long bits(long value, long mask) throws DecodeException {
    if ((value & ~mask) != 0) {
      throw error(ErrorCode.BAD_CONSTANT);
    }
    return value;
  }

  /** Checks the relation of the last number. */
  public void related(boolean holds) throws DecodeException {
    if (!holds) {
      throw error(ErrorCode.BAD_RELATION);
    }
  }

  /** Checks that a value is a member of an enumeration; null is not. */
  public <T> T member(T value) throws DecodeException {
    if (value == null) {
      throw error(ErrorCode.BAD_CONSTANT);
    }
    return value;
  }

  // --- bytes and text

  /** A constant. */
  public void constant(byte[] wanted) throws DecodeException {
    begin = at;
    if (!equal(at, wanted, wanted.length)) {
      boolean cut = end - at < wanted.length && equal(at, wanted, end - at);
      throw error(cut ? ErrorCode.TRUNCATED : ErrorCode.BAD_CONSTANT);
    }
    at += wanted.length;
  }

  /** Skips reserved bytes. */
  public void skip(int size) throws DecodeException {
    take(size);
  }

  /** Bytes after their length of {@code prefix} bytes. */
  public Octets octets(int prefix, long limit) throws DecodeException {
    return taken(length(prefix, limit));
  }

  /** The span of the bytes: see {@link Memory}. */
  public long octetsSpan(int prefix, long limit) throws DecodeException {
    return span(length(prefix, limit));
  }

  /** Bytes whose length is in another field. */
  public Octets measured(long length, long limit) throws DecodeException {
    return taken(length(length, limit));
  }

  /** The span of the bytes. */
  public long measuredSpan(long length, long limit) throws DecodeException {
    return span(length(length, limit));
  }

  /** {@code size} bytes. */
  public Octets fixed(int size) throws DecodeException {
    take(size);
    return taken(size);
  }

  /** The span of the bytes. */
  public long fixedSpan(int size) throws DecodeException {
    take(size);
    return span(size);
  }

  /** The remaining bytes of the frame. */
  public Octets rest(long limit) throws DecodeException {
    return taken(length((long) end - at, limit));
  }

  /** The span of the bytes. */
  public long restSpan(long limit) throws DecodeException {
    return span(length((long) end - at, limit));
  }

  /** UTF-8 after its length. */
  public String utf8(int prefix, long limit) throws DecodeException {
    int length = length(prefix, limit);
    return text(Text.utf8(memory, at - length, length));
  }

  /** The span of the text. */
  public long utf8Span(int prefix, long limit) throws DecodeException {
    int length = length(prefix, limit);
    return text(length, Text.isUtf8(memory, at - length, length));
  }

  /** UTF-8 without control characters after its length. */
  public String printable(int prefix, long limit) throws DecodeException {
    int length = length(prefix, limit);
    return text(Text.printable(memory, at - length, length));
  }

  /** The span of the text. */
  public long printableSpan(int prefix, long limit) throws DecodeException {
    int length = length(prefix, limit);
    return text(length, Text.isPrintable(memory, at - length, length));
  }

  /** Visible ASCII after its length. */
  public String vchar(int prefix, long limit) throws DecodeException {
    int length = length(prefix, limit);
    return text(Text.vchar(memory, at - length, length));
  }

  /** The span of the text. */
  public long vcharSpan(int prefix, long limit) throws DecodeException {
    int length = length(prefix, limit);
    return text(length, Text.isVchar(memory, at - length, length));
  }

  /** UTF-8 and the zero byte that ends it. */
  public String topic() throws DecodeException {
    begin = at;
    while (at < end && Memory.u8(memory, at) != 0) {
      at++;
    }
    if (at == end) {
      throw error(ErrorCode.TRUNCATED);
    }
    return text(Text.utf8(memory, begin, at++ - begin));
  }

  private String text(String text) throws DecodeException {
    if (text == null) {
      throw error(ErrorCode.BAD_TEXT);
    }
    return text;
  }

  private long text(int length, boolean good) throws DecodeException {
    if (!good) {
      throw error(ErrorCode.BAD_TEXT);
    }
    return span(length);
  }

  /** The bytes that were skipped last. */
  private Octets taken(int length) {
    return memory instanceof byte[] array
        ? Octets.wrap(array, at - length, length)
        : Memory.octets(memory, span(length));
  }

  private long span(int length) {
    return (long) (at - length) << Integer.SIZE | length;
  }

  // --- lists

  /** Reads an item of a list. */
  @FunctionalInterface
  public interface Item<T> {
    /** Reads the item. */
    T read(Input in) throws DecodeException;
  }

  /** Items after their count of {@code prefix} bytes; each has at least {@code least} bytes. */
  public <T> List<T> list(int prefix, long limit, int least, Item<T> item) throws DecodeException {
    return items(prefix(prefix), limit, least, item);
  }

  /** Items whose count is in another field. */
  public <T> List<T> counted(long count, long limit, int least, Item<T> item)
      throws DecodeException {
    begin = at;
    return items(count, limit, least, item);
  }

  /** Items until the end of the frame. */
  public <T> List<T> open(long limit, Item<T> item) throws DecodeException {
    int first = at;
    List<T> found = new ArrayList<>();
    while (at < end) {
      begin = first;
      most(found.size() + 1L, limit);
      found.add(item.read(this));
    }
    return found;
  }

  private <T> List<T> items(long count, long limit, int least, Item<T> item)
      throws DecodeException {
    room(count, limit, least);
    List<T> found = new ArrayList<>((int) count);
    for (int i = 0; i < count; i++) {
      found.add(item.read(this));
    }
    return found;
  }

  // --- frames

  /** Whether the frame ends here, so that the remaining fields have their defaults. */
  public boolean isAtEnd() {
    return at == end;
  }

  /** Checks that the frame ends here. */
  public void end() throws DecodeException {
    if (at < end) {
      field = null;
      throw error(ErrorCode.TRAILING, at - start);
    }
  }

  /** A separate frame. */
  public Octets frame(long limit) throws DecodeException {
    begin = end;
    if (next >= frames.size()) {
      throw error(ErrorCode.TRUNCATED);
    }
    byte[] frame = frames.get(next++);
    most((long) frame.length, limit);
    return Octets.wrap(frame);
  }

  /** All remaining frames, at least one. */
  public List<Octets> frames(long limit) throws DecodeException {
    List<Octets> found = new ArrayList<>();
    do {
      found.add(frame(limit));
    } while (next < frames.size());
    return found;
  }

  /** Checks that no frame remains. */
  public void lastFrame() throws DecodeException {
    if (next < frames.size()) {
      field = null;
      throw error(ErrorCode.TRAILING, end - start);
    }
  }

  // --- shared by all operations

  /** Skips {@code count} bytes, which the frame must have; returns their offset. */
  private int take(int count) throws DecodeException {
    begin = at;
    if (end - at < count) {
      throw error(ErrorCode.TRUNCATED);
    }
    at += count;
    return begin;
  }

  private long prefix(int size) throws DecodeException {
    switch (size) {
      case 1:
        return u8();
      case 2:
        return u16();
      case 4:
        return u32();
      default:
        return u64();
    }
  }

  /** Skips bytes after their length. Returns the length. */
  private int length(int prefix, long limit) throws DecodeException {
    return pass(prefix(prefix), limit);
  }

  private int length(long length, long limit) throws DecodeException {
    begin = at;
    return pass(length, limit);
  }

  private int pass(long length, long limit) throws DecodeException {
    room(length, limit, 1);
    at += (int) length;
    return (int) length;
  }

  /** Checks a length or a count against its limit, and against the rest of the frame. */
  private void room(long count, long limit, int least) throws DecodeException {
    if (count < 0 || count > (end - at) / least || (limit >= 0 && count > limit)) {
      boolean beyond = Long.compareUnsigned(count, limit) > 0;
      throw error(beyond ? ErrorCode.TOO_LONG : ErrorCode.TRUNCATED);
    }
  }

  private DecodeException error(ErrorCode code) {
    return error(code, begin - start);
  }

  private DecodeException error(ErrorCode code, int offset) {
    return new DecodeException(code, message, field, offset);
  }
}

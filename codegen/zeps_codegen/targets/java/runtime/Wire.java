package zeps.wire;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * What generated codecs share: numbers in network byte order, and errors.
 *
 * <p>Nothing here compares a place with the frame's end; the generated code does, before it reads.
 */
public final class Wire {

  private static final VarHandle U16 =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle U32 =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle U64 =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
  private static final int VARINT_OCTETS_MAX = 10;

  private Wire() {}

  // --- reading

  /**
   * One unsigned octet.
   *
   * @param data the frame
   * @param at the octet's place
   * @return 0 to 255
   */
  public static int u8(byte[] data, int at) {
    return data[at] & 0xFF;
  }

  /**
   * One signed octet.
   *
   * @param data the frame
   * @param at the octet's place
   * @return -128 to 127
   */
  public static int i8(byte[] data, int at) {
    return data[at];
  }

  /**
   * Two octets, unsigned.
   *
   * @param data the frame
   * @param at the first one's place
   * @return 0 to 65535
   */
  public static int u16(byte[] data, int at) {
    return (short) U16.get(data, at) & 0xFFFF;
  }

  /**
   * Two octets, signed.
   *
   * @param data the frame
   * @param at the first one's place
   * @return -32768 to 32767
   */
  public static int i16(byte[] data, int at) {
    return (short) U16.get(data, at);
  }

  /**
   * Four octets, unsigned.
   *
   * @param data the frame
   * @param at the first one's place
   * @return 0 to 2^32 - 1
   */
  public static long u32(byte[] data, int at) {
    return (int) U32.get(data, at) & 0xFFFFFFFFL;
  }

  /**
   * Four octets, signed.
   *
   * @param data the frame
   * @param at the first one's place
   * @return the number
   */
  public static int i32(byte[] data, int at) {
    return (int) U32.get(data, at);
  }

  /**
   * Eight octets; unsigned numbers from 2^63 on are negative.
   *
   * @param data the frame
   * @param at the first one's place
   * @return the number
   */
  public static long u64(byte[] data, int at) {
    return (long) U64.get(data, at);
  }

  /**
   * Octets of the LEB128 number that begins at a place.
   *
   * @param data the frame
   * @param at where the number begins
   * @param end where the frame ends
   * @return its octets; 0 if the frame ends before it does; -1 if it is beyond 64 bits
   */
  public static int varintSpan(byte[] data, int at, int end) {
    int most = Math.min(end - at, VARINT_OCTETS_MAX);
    for (int i = 0; i < most; i++) {
      if (data[at + i] >= 0) {
        return i == VARINT_OCTETS_MAX - 1 && data[at + i] > 1 ? -1 : i + 1;
      }
    }
    return most == VARINT_OCTETS_MAX ? -1 : 0;
  }

  /**
   * The LEB128 number of so many octets.
   *
   * @param data the frame
   * @param at where the number begins
   * @param span its octets
   * @return the number
   */
  public static long varint(byte[] data, int at, int span) {
    long value = 0;
    for (int i = 0; i < span; i++) {
      value |= (data[at + i] & 0x7FL) << 7 * i;
    }
    return value;
  }

  /**
   * A signed number of the unsigned one that stands for it.
   *
   * @param value 0, 1, 2, 3 and so on
   * @return 0, -1, 1, -2 and so on
   */
  public static long unzigzag(long value) {
    return value >>> 1 ^ -(value & 1);
  }

  /**
   * Whether constant octets stand at a place.
   *
   * @param data the frame
   * @param at the place
   * @param end where the frame ends
   * @param wanted the octets
   * @return whether they all do
   */
  public static boolean holds(byte[] data, int at, int end, byte[] wanted) {
    return end - at >= wanted.length
        && Arrays.equals(data, at, at + wanted.length, wanted, 0, wanted.length);
  }

  /**
   * The error of a constant that does not stand at its place: truncated, if the frame ends inside
   * it.
   *
   * @param data the frame
   * @param start where the frame begins
   * @param at where the constant ought to begin
   * @param end where the frame ends
   * @param wanted the constant
   * @param message the message's name
   * @param field the field's name
   * @return the error
   */
  public static DecodeException badConstant(
      byte[] data, int start, int at, int end, byte[] wanted, String message, String field) {
    return new DecodeException(
        begins(data, at, end, wanted) ? ErrorCode.TRUNCATED : ErrorCode.BAD_CONSTANT,
        message,
        field,
        at - start);
  }

  /**
   * Whether what is left of a frame, shorter than constant octets, is how they begin.
   *
   * @param data the frame
   * @param at the place
   * @param end where the frame ends
   * @param wanted the octets
   * @return whether more octets could still make the constant of them
   */
  public static boolean begins(byte[] data, int at, int end, byte[] wanted) {
    int left = end - at;
    return left < wanted.length && Arrays.equals(data, at, end, wanted, 0, left);
  }

  /**
   * The error of a frame without the signature that every frame begins with.
   *
   * @param data the frame
   * @param start where it begins
   * @param end where it ends
   * @param signature what it ought to begin with
   * @return the error
   */
  public static DecodeException badSignature(byte[] data, int start, int end, byte[] signature) {
    ErrorCode code =
        begins(data, start, end, signature) ? ErrorCode.TRUNCATED : ErrorCode.BAD_SIGNATURE;
    return new DecodeException(code, null, null, 0);
  }

  /**
   * The error of a frame that ends inside a field.
   *
   * @param message the message's name, or null as long as it is not known
   * @param field the field's name, or null
   * @param offset where the field begins, in octets from the frame's start
   * @return the error
   */
  public static DecodeException truncated(String message, String field, int offset) {
    return new DecodeException(ErrorCode.TRUNCATED, message, field, offset);
  }

  /**
   * The error of a frame that goes on after its last field.
   *
   * @param message the message's name, or null as long as it is not known
   * @param field the field's name, or null
   * @param offset where the field begins, in octets from the frame's start
   * @return the error
   */
  public static DecodeException trailing(String message, String field, int offset) {
    return new DecodeException(ErrorCode.TRAILING, message, field, offset);
  }

  /**
   * The error of a value that its enumeration does not have.
   *
   * @param message the message's name, or null as long as it is not known
   * @param field the field's name, or null
   * @param offset where the field begins, in octets from the frame's start
   * @return the error
   */
  public static DecodeException badMember(String message, String field, int offset) {
    return new DecodeException(ErrorCode.BAD_CONSTANT, message, field, offset);
  }

  /**
   * The error of text that is not what it ought to be.
   *
   * @param message the message's name, or null as long as it is not known
   * @param field the field's name, or null
   * @param offset where the field begins, in octets from the frame's start
   * @return the error
   */
  public static DecodeException badText(String message, String field, int offset) {
    return new DecodeException(ErrorCode.BAD_TEXT, message, field, offset);
  }

  /**
   * The error of a length, a count or a number beyond its limit.
   *
   * @param message the message's name, or null as long as it is not known
   * @param field the field's name, or null
   * @param offset where the field begins, in octets from the frame's start
   * @return the error
   */
  public static DecodeException tooLong(String message, String field, int offset) {
    return new DecodeException(ErrorCode.TOO_LONG, message, field, offset);
  }

  /**
   * The error of a frame that is none of the protocol's messages, or not the one that was asked
   * for.
   *
   * @param offset where it is named
   * @return the error
   */
  public static DecodeException unknownMessage(int offset) {
    return new DecodeException(ErrorCode.UNKNOWN_MESSAGE, null, null, offset);
  }

  // --- writing

  /**
   * Writes one octet.
   *
   * @param out where to
   * @param at the place
   * @param value the number
   */
  public static void put8(byte[] out, int at, long value) {
    out[at] = (byte) value;
  }

  /**
   * Writes two octets.
   *
   * @param out where to
   * @param at the place
   * @param value the number
   */
  public static void put16(byte[] out, int at, long value) {
    U16.set(out, at, (short) value);
  }

  /**
   * Writes four octets.
   *
   * @param out where to
   * @param at the place
   * @param value the number
   */
  public static void put32(byte[] out, int at, long value) {
    U32.set(out, at, (int) value);
  }

  /**
   * Writes eight octets.
   *
   * @param out where to
   * @param at the place
   * @param value the number
   */
  public static void put64(byte[] out, int at, long value) {
    U64.set(out, at, value);
  }

  /**
   * Writes a LEB128 number.
   *
   * @param out where to
   * @param at the place
   * @param value the number, unsigned
   * @return the place after it
   */
  public static int putVarint(byte[] out, int at, long value) {
    int place = at;
    long left = value;
    while ((left & ~0x7FL) != 0) {
      out[place++] = (byte) (left & 0x7F | 0x80);
      left >>>= 7;
    }
    out[place++] = (byte) left;
    return place;
  }

  /**
   * Octets of a LEB128 number.
   *
   * @param value the number, unsigned
   * @return 1 to 10
   */
  public static int varintSize(long value) {
    return Math.max(1, (Long.SIZE - Long.numberOfLeadingZeros(value) + 6) / 7);
  }

  /**
   * The unsigned number that stands for a signed one.
   *
   * @param value 0, -1, 1, -2 and so on
   * @return 0, 1, 2, 3 and so on
   */
  public static long zigzag(long value) {
    return value << 1 ^ value >> 63;
  }

  /**
   * Writes constant octets.
   *
   * @param out where to
   * @param at the place
   * @param octets what to write
   */
  public static void put(byte[] out, int at, byte[] octets) {
    System.arraycopy(octets, 0, out, at, octets.length);
  }

  /**
   * Writes octets that lie somewhere else.
   *
   * @param data where from
   * @param from the place of the first octet there
   * @param length how many octets
   * @param out where to
   * @param at the place of the first octet
   * @return the place after the last
   */
  public static int copy(byte[] data, int from, int length, byte[] out, int at) {
    System.arraycopy(data, from, out, at, length);
    return at + length;
  }

  /**
   * Writes zeros.
   *
   * @param out where to
   * @param at the place of the first
   * @param count how many
   */
  public static void zero(byte[] out, int at, int count) {
    Arrays.fill(out, at, at + count, (byte) 0);
  }

  /**
   * The size of a frame as an array has it.
   *
   * @param size octets
   * @param message the message's name
   * @return the same
   * @throws EncodeException too-long, if no array has so many
   */
  public static int frameSize(long size, String message) {
    if (size > Integer.MAX_VALUE - Long.BYTES) {
      throw new EncodeException(ErrorCode.TOO_LONG, message, null);
    }
    return (int) size;
  }

  /**
   * The error of a field with another number of items or octets than a sibling says.
   *
   * @param message the message's name
   * @param field the field's name
   * @param seen what it has
   * @param wanted what it ought to have
   * @return the error
   */
  public static EncodeException miscounted(String message, String field, long seen, long wanted) {
    return new EncodeException(
        seen > wanted ? ErrorCode.TOO_LONG : ErrorCode.TRUNCATED, message, field);
  }
}

package zeps.wire.internal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.Charset;
import zeps.wire.Octets;

/**
 * Bytes of an array or of a {@link ByteBuffer}: both are called a memory, and have the same methods
 * here. Offsets in a buffer are absolute; numbers are in network byte order. A <i>span</i> is a
 * part of a memory: its offset in the upper half of a long, its length in the lower half.
 */
public final class Memory {

  private static final VarHandle ARRAY_16 = array(short[].class);
  private static final VarHandle ARRAY_32 = array(int[].class);
  private static final VarHandle ARRAY_64 = array(long[].class);
  private static final VarHandle BUFFER_16 = buffer(short[].class);
  private static final VarHandle BUFFER_32 = buffer(int[].class);
  private static final VarHandle BUFFER_64 = buffer(long[].class);

  private Memory() {}

  private static VarHandle array(Class<?> numbers) {
    return MethodHandles.byteArrayViewVarHandle(numbers, ByteOrder.BIG_ENDIAN);
  }

  private static VarHandle buffer(Class<?> numbers) {
    return MethodHandles.byteBufferViewVarHandle(numbers, ByteOrder.BIG_ENDIAN);
  }

  // --- numbers

  /** A byte as a number from 0 to 255. */
  public static int u8(Object memory, int at) {
    return (memory instanceof byte[] array ? array[at] : ((ByteBuffer) memory).get(at)) & 0xFF;
  }

  static short i16(Object memory, int at) {
    return memory instanceof byte[] array
        ? (short) ARRAY_16.get(array, at)
        : (short) BUFFER_16.get((ByteBuffer) memory, at);
  }

  static int i32(Object memory, int at) {
    return memory instanceof byte[] array
        ? (int) ARRAY_32.get(array, at)
        : (int) BUFFER_32.get((ByteBuffer) memory, at);
  }

  static long i64(Object memory, int at) {
    return memory instanceof byte[] array
        ? (long) ARRAY_64.get(array, at)
        : (long) BUFFER_64.get((ByteBuffer) memory, at);
  }

  static void put8(Object memory, int at, long value) {
    if (memory instanceof byte[] array) {
      array[at] = (byte) value;
    } else {
      ((ByteBuffer) memory).put(at, (byte) value);
    }
  }

  static void put16(Object memory, int at, long value) {
    if (memory instanceof byte[] array) {
      ARRAY_16.set(array, at, (short) value);
    } else {
      BUFFER_16.set((ByteBuffer) memory, at, (short) value);
    }
  }

  static void put32(Object memory, int at, long value) {
    if (memory instanceof byte[] array) {
      ARRAY_32.set(array, at, (int) value);
    } else {
      BUFFER_32.set((ByteBuffer) memory, at, (int) value);
    }
  }

  static void put64(Object memory, int at, long value) {
    if (memory instanceof byte[] array) {
      ARRAY_64.set(array, at, value);
    } else {
      BUFFER_64.set((ByteBuffer) memory, at, value);
    }
  }

  // --- parts

  static int at(long span) {
    return (int) (span >>> 32);
  }

  /** The length of a span. */
  public static int length(long span) {
    return (int) span;
  }

  /** The bytes of a span. */
  public static Octets octets(Object memory, long span) {
    return memory instanceof byte[] array
        ? Octets.wrap(array, at(span), length(span))
        : Octets.wrap(((ByteBuffer) memory).slice(at(span), length(span)));
  }

  /** The text of a span of valid UTF-8. */
  public static String text(Object memory, long span) {
    return Text.of(memory, at(span), length(span));
  }

  /** Bytes decoded by a character set. */
  public static String text(Object memory, int at, int length, Charset charset) {
    return memory instanceof byte[] array
        ? new String(array, at, length, charset)
        : new String(bytes(memory, at, length), charset);
  }

  /** A copy of bytes. */
  public static byte[] bytes(Object memory, int at, int length) {
    byte[] copy = new byte[length];
    copy(memory, at, length, copy, 0);
    return copy;
  }

  /** A buffer of exactly these bytes, without a copy. */
  public static ByteBuffer view(Object memory, int at, int length) {
    return memory instanceof byte[] array
        ? ByteBuffer.wrap(array, at, length).slice()
        : ((ByteBuffer) memory).slice(at, length);
  }

  /** Copies bytes from one memory to another. */
  public static void copy(Object from, int at, int length, Object to, int place) {
    if (from instanceof byte[] source) {
      if (to instanceof byte[] target) {
        System.arraycopy(source, at, target, place, length);
      } else {
        ((ByteBuffer) to).put(place, source, at, length);
      }
    } else if (to instanceof byte[] target) {
      ((ByteBuffer) from).get(at, target, place, length);
    } else {
      ((ByteBuffer) to).put(place, (ByteBuffer) from, at, length);
    }
  }
}

package zeps.wire.internal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * Classes of text: UTF-8, UTF-8 without control characters, and visible ASCII.
 *
 * <p>Control characters are Unicode's category Cc: U+0000 to U+001F and U+007F to U+009F. Decoders
 * return null, and sizes are -1, for text that is not of the class.
 */
public final class Text {

  private static final VarHandle WORDS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());
  private static final long EACH = 0x0101010101010101L;
  private static final long HIGH = 0x80 * EACH;

  private static final byte[] NO_TEXT = {(byte) 0xFF};

  private Text() {}

  /** Well-formed UTF-8, or null. */
  public static String utf8(Object memory, int at, int length) {
    return decoded(memory, at, length, false);
  }

  /** Well-formed UTF-8 without control characters, or null. */
  public static String printable(Object memory, int at, int length) {
    return decoded(memory, at, length, true);
  }

  private static String decoded(Object memory, int at, int length, boolean printable) {
    if (isPrintableAscii(memory, at, length)) {
      return Memory.text(memory, at, length, StandardCharsets.ISO_8859_1);
    }
    return isUtf8(memory, at, at + length, printable) ? of(memory, at, length) : null;
  }

  /** Visible ASCII, U+0021 to U+007E, or null. */
  public static String vchar(Object memory, int at, int length) {
    return isVchar(memory, at, length)
        ? Memory.text(memory, at, length, StandardCharsets.ISO_8859_1)
        : null;
  }

  /** Text that was checked before. */
  public static String of(Object memory, int at, int length) {
    return Memory.text(memory, at, length, StandardCharsets.UTF_8);
  }

  /** Whether bytes are well-formed UTF-8. */
  public static boolean isUtf8(Object memory, int at, int length) {
    return isPrintableAscii(memory, at, length) || isUtf8(memory, at, at + length, false);
  }

  /** Whether bytes are well-formed UTF-8 without control characters. */
  public static boolean isPrintable(Object memory, int at, int length) {
    return isPrintableAscii(memory, at, length) || isUtf8(memory, at, at + length, true);
  }

  /** Whether bytes are visible ASCII. */
  public static boolean isVchar(Object memory, int at, int length) {
    for (int i = at; i < at + length; i++) {
      int octet = Memory.u8(memory, i);
      if (octet <= 0x20 || octet >= 0x7F) {
        return false;
      }
    }
    return true;
  }

  /**
   * The size of any text in UTF-8, at most the greatest int; half a surrogate pair counts as three.
   */
  public static int size(String text) {
    return isPrintableAscii(text) ? text.length() : size(text, false, false);
  }

  /** The size of text in UTF-8, or -1 if it contains half a surrogate pair. */
  public static int utf8Size(String text) {
    return isPrintableAscii(text) ? text.length() : size(text, true, false);
  }

  /** The size of text in UTF-8, or -1 if it contains half a pair or a control character. */
  public static int printableSize(String text) {
    return isPrintableAscii(text) ? text.length() : size(text, true, true);
  }

  /** The size of visible ASCII, or -1 if the text contains another character. */
  public static int vcharSize(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c <= 0x20 || c >= 0x7F) {
        return -1;
      }
    }
    return text.length();
  }

  /** The bytes of text in UTF-8; half a surrogate pair gives bytes that are not valid UTF-8. */
  public static byte[] octets(String text) {
    return utf8Size(text) < 0 ? NO_TEXT.clone() : text.getBytes(StandardCharsets.UTF_8);
  }

  /** Writes characters of one byte each. */
  @SuppressWarnings("deprecation") // deprecated for other text than Latin-1
  static void putAscii(String text, byte[] out, int at) {
    text.getBytes(0, text.length(), out, at);
  }

  private static boolean isPrintableAscii(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < 0x20 || c > 0x7E) {
        return false;
      }
    }
    return true;
  }

  private static boolean isPair(CharSequence text, int at) {
    return Character.isHighSurrogate(text.charAt(at))
        && at + 1 < text.length()
        && Character.isLowSurrogate(text.charAt(at + 1));
  }

  /**
   * The size in UTF-8; -1 for half a surrogate pair if text must be {@code whole}, and for a
   * control character if it must be {@code printable}.
   */
  static int size(CharSequence text, boolean whole, boolean printable) {
    long size = text.length();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (printable && (c < 0x20 || (c >= 0x7F && c <= 0x9F))) {
        return -1;
      }
      if (c >= 0x80) {
        size += c < 0x800 ? 1 : 2;
      }
      if (Character.isSurrogate(c)) {
        if (isPair(text, i)) {
          i++;
        } else if (whole) {
          return -1;
        }
      }
    }
    return (int) Math.min(size, Integer.MAX_VALUE);
  }

  /**
   * Whether bytes of an array are printable ASCII, checked eight at a time. Always false for a
   * buffer.
   */
  private static boolean isPrintableAscii(Object memory, int at, int length) {
    if (!(memory instanceof byte[] data)) {
      return false;
    }
    int i = at;
    int end = at + length;
    for (; i <= end - Long.BYTES; i += Long.BYTES) {
      long word = (long) WORDS.get(data, i);
      long low = (word & ~HIGH) + 0x60 * EACH; // the high bit is set from 0x20 on
      long delete = (word & ~HIGH) + EACH; // the high bit is set from 0x7F on
      if (((word | ~low | delete) & HIGH) != 0) {
        return false;
      }
    }
    for (; i < end; i++) {
      if (data[i] < 0x20 || data[i] == 0x7F) {
        return false;
      }
    }
    return true;
  }

  private static boolean isUtf8(Object memory, int at, int end, boolean printable) {
    int i = at;
    while (i < end) {
      int first = Memory.u8(memory, i++);
      if (first < 0x80) {
        if (printable && (first < 0x20 || first == 0x7F)) {
          return false;
        }
        continue;
      }
      int following =
          first < 0xC2 ? -1 : first < 0xE0 ? 1 : first < 0xF0 ? 2 : first < 0xF5 ? 3 : -1;
      if (following < 0 || end - i < following) {
        return false;
      }
      int second = Memory.u8(memory, i);
      int least = first == 0xE0 || first == 0xF0 ? first == 0xE0 ? 0xA0 : 0x90 : 0x80;
      int most = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
      if (second < least || second > most || (printable && first == 0xC2 && second < 0xA0)) {
        return false;
      }
      for (int k = 1; k < following; k++) {
        if ((Memory.u8(memory, i + k) & 0xC0) != 0x80) {
          return false;
        }
      }
      i += following;
    }
    return true;
  }
}

package zeps.wire;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * What text may hold: UTF-8, UTF-8 without control characters, or visible ASCII.
 *
 * <p>Control characters are Unicode's category Cc: U+0000 to U+001F and U+007F to U+009F. Decoders
 * answer null, and sizes are -1, for text that is not what it ought to be.
 */
public final class Text {

  private static final VarHandle WORDS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());
  private static final long EACH = 0x0101010101010101L;
  private static final long HIGH = 0x80 * EACH;

  private static final byte[] NO_TEXT = {(byte) 0xFF};

  private Text() {}

  /**
   * Well-formed UTF-8.
   *
   * @param data the frame
   * @param at where the text begins
   * @param length its octets, all of which the frame has
   * @return the text, or null
   */
  public static String utf8(byte[] data, int at, int length) {
    if (isPrintableAscii(data, at, length)) {
      return new String(data, at, length, StandardCharsets.ISO_8859_1);
    }
    return isUtf8(data, at, at + length, false) ? of(data, at, length) : null;
  }

  /**
   * Well-formed UTF-8 without control characters.
   *
   * @param data the frame
   * @param at where the text begins
   * @param length its octets, all of which the frame has
   * @return the text, or null
   */
  public static String printable(byte[] data, int at, int length) {
    if (isPrintableAscii(data, at, length)) {
      return new String(data, at, length, StandardCharsets.ISO_8859_1);
    }
    return isUtf8(data, at, at + length, true) ? of(data, at, length) : null;
  }

  /**
   * Visible ASCII, U+0021 to U+007E.
   *
   * @param data the frame
   * @param at where the text begins
   * @param length its octets, all of which the frame has
   * @return the text, or null
   */
  public static String vchar(byte[] data, int at, int length) {
    return isVchar(data, at, length)
        ? new String(data, at, length, StandardCharsets.ISO_8859_1)
        : null;
  }

  /**
   * Text that has been checked before.
   *
   * @param data the frame
   * @param at where the text begins
   * @param length its octets
   * @return the text
   */
  public static String of(byte[] data, int at, int length) {
    return new String(data, at, length, StandardCharsets.UTF_8);
  }

  /**
   * Whether octets are well-formed UTF-8.
   *
   * @param data the frame
   * @param at where the text begins
   * @param length its octets, all of which the frame has
   * @return whether they are
   */
  public static boolean isUtf8(byte[] data, int at, int length) {
    return isPrintableAscii(data, at, length) || isUtf8(data, at, at + length, false);
  }

  /**
   * Whether octets are well-formed UTF-8 without control characters.
   *
   * @param data the frame
   * @param at where the text begins
   * @param length its octets, all of which the frame has
   * @return whether they are
   */
  public static boolean isPrintable(byte[] data, int at, int length) {
    return isPrintableAscii(data, at, length) || isUtf8(data, at, at + length, true);
  }

  /**
   * Whether octets are visible ASCII.
   *
   * @param data the frame
   * @param at where the text begins
   * @param length its octets, all of which the frame has
   * @return whether they are
   */
  public static boolean isVchar(byte[] data, int at, int length) {
    for (int i = at; i < at + length; i++) {
      if (data[i] <= 0x20 || data[i] == 0x7F) {
        return false;
      }
    }
    return true;
  }

  /**
   * Octets of any text in UTF-8; half a surrogate pair counts for three.
   *
   * @param text any text
   * @return its octets, or the greatest int if there are more, which no frame has room for
   */
  public static int size(String text) {
    return isPrintableAscii(text) ? text.length() : size(text, false, false);
  }

  /**
   * Octets of text in UTF-8.
   *
   * @param text any text
   * @return its octets as {@link #size} has them, or -1 if there is half a surrogate pair in it
   */
  public static int utf8Size(String text) {
    return isPrintableAscii(text) ? text.length() : size(text, true, false);
  }

  /**
   * Octets of text without control characters in UTF-8.
   *
   * @param text any text
   * @return its octets as {@link #size} has them, or -1 if there is a control character or half a
   *     surrogate pair in it
   */
  public static int printableSize(String text) {
    return isPrintableAscii(text) ? text.length() : size(text, true, true);
  }

  /**
   * Octets of visible ASCII.
   *
   * @param text any text
   * @return its octets, or -1 if there is another character in it
   */
  public static int vcharSize(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c <= 0x20 || c >= 0x7F) {
        return -1;
      }
    }
    return text.length();
  }

  /**
   * The octets of text in UTF-8, for someone else to check.
   *
   * @param text any text
   * @return its octets; if there is half a surrogate pair in it, octets that are no text
   */
  public static byte[] octets(String text) {
    return utf8Size(text) < 0 ? NO_TEXT.clone() : text.getBytes(StandardCharsets.UTF_8);
  }

  /**
   * Writes text in UTF-8.
   *
   * @param text any text
   * @param size its octets, as one of the sizes above gave them
   * @param out where to
   * @param at the place of the first octet
   * @return the place after the last
   */
  @SuppressWarnings("deprecation") // each character is one octet: exactly what this method is for
  public static int put(String text, int size, byte[] out, int at) {
    if (size == text.length()) {
      text.getBytes(0, size, out, at);
    } else {
      System.arraycopy(text.getBytes(StandardCharsets.UTF_8), 0, out, at, size);
    }
    return at + size;
  }

  /**
   * Writes text that has been checked before; what is short, as keys and names are, without a call.
   *
   * @param data where from
   * @param from the place of the first octet there
   * @param length how many octets
   * @param out where to
   * @param at the place of the first octet
   * @return the place after the last
   */
  public static int put(byte[] data, int from, int length, byte[] out, int at) {
    if (length >= Long.BYTES && length <= 2 * Long.BYTES) {
      long first = (long) WORDS.get(data, from);
      long last = (long) WORDS.get(data, from + length - Long.BYTES); // they may overlap
      WORDS.set(out, at, first);
      WORDS.set(out, at + length - Long.BYTES, last);
    } else {
      System.arraycopy(data, from, out, at, length);
    }
    return at + length;
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
   * Octets in UTF-8; -1 for half a pair if text has to be {@code whole}, and for what is not
   * printable.
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

  private static boolean isPrintableAscii(byte[] data, int at, int length) {
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

  private static boolean isUtf8(byte[] data, int at, int end, boolean printable) {
    int i = at;
    while (i < end) {
      int first = data[i++] & 0xFF;
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
      int second = data[i] & 0xFF;
      int least = first == 0xE0 || first == 0xF0 ? first == 0xE0 ? 0xA0 : 0x90 : 0x80;
      int most = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
      if (second < least || second > most || (printable && first == 0xC2 && second < 0xA0)) {
        return false;
      }
      for (int k = 1; k < following; k++) {
        if ((data[i + k] & 0xC0) != 0x80) {
          return false;
        }
      }
      i += following;
    }
    return true;
  }
}

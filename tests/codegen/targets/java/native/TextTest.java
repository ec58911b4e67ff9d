package zeps.wire.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import zeps.wire.DecodeException;
import zeps.wire.EncodeException;
import zeps.wire.ErrorCode;
import zeps.wire.Octets;

/** Compares the decoding of text with the platform's decoder; tests numbers at their limits. */
final class TextTest {

  private static final int TIMES = 20_000;

  private static String platform(byte[] octets) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(octets)).toString();
    } catch (CharacterCodingException error) {
      return null;
    }
  }

  private static boolean isPrintable(String text) {
    return text.codePoints().noneMatch(point -> Character.getType(point) == Character.CONTROL);
  }

  private static boolean isVchar(String text) {
    return text.chars().allMatch(c -> c >= 0x21 && c <= 0x7E);
  }

  @Test
  void everyPairAndManyMoreOctetsAreReadAsThePlatformReadsThem() {
    for (int i = 0; i < 1 << 16; i++) {
      check(new byte[] {(byte) (i >> 8), (byte) i});
    }
    Random random = new Random(1);
    int[] octets = {
      0, 0x1F, 0x20, 0x7E, 0x7F, 0x80, 0x9F, 0xA0, 0xBF, 0xC2, 0xE0, 0xED, 0xEF, 0xF0, 0xF4
    };
    for (int i = 0; i < TIMES; i++) {
      byte[] text = new byte[random.nextInt(20)];
      for (int k = 0; k < text.length; k++) {
        int any = random.nextBoolean() ? octets[random.nextInt(octets.length)] : 'a';
        text[k] = (byte) (random.nextInt(8) == 0 ? random.nextInt(256) : any);
      }
      check(text);
    }
  }

  private static void check(byte[] octets) {
    byte[] wide = new byte[octets.length + 3];
    System.arraycopy(octets, 0, wide, 2, octets.length);
    String text = platform(octets);
    ByteBuffer direct = ByteBuffer.allocateDirect(wide.length).put(wide).flip();
    check(text, wide, octets.length);
    check(text, direct, octets.length);
    assertEquals(Octets.wrap(octets), Octets.wrap(direct).slice(2, 2 + octets.length));
    if (text != null) {
      assertEquals(octets.length, Text.size(text));
      assertEquals(octets.length, Text.utf8Size(text));
      assertEquals(isPrintable(text) ? octets.length : -1, Text.printableSize(text));
      assertEquals(isVchar(text) ? octets.length : -1, Text.vcharSize(text));
      byte[] out = new byte[octets.length + 2];
      Measure measure = new Measure("POST", true);
      measure.utf8(text, 1, 255);
      Output output = new Output(out, 1, measure.sizes());
      output.utf8(text, 1, 255);
      assertEquals(octets.length + 1, output.size());
      assertEquals(Octets.wrap(octets), Octets.wrap(out, 2, octets.length));
    }
  }

  private static void check(String text, Object memory, int length) {
    boolean printable = text != null && isPrintable(text);
    boolean vchar = text != null && isVchar(text);
    assertEquals(text, Text.utf8(memory, 2, length));
    assertEquals(printable ? text : null, Text.printable(memory, 2, length));
    assertEquals(vchar ? text : null, Text.vchar(memory, 2, length));
    assertEquals(text != null, Text.isUtf8(memory, 2, length));
    assertEquals(printable, Text.isPrintable(memory, 2, length));
    assertEquals(vchar, Text.isVchar(memory, 2, length));
  }

  @Test
  void halfAPairIsNoText() {
    for (String text : new String[] {"\ud800", "a\udc00b", "\udc00\ud800", "é\ud800"}) {
      assertEquals(-1, Text.utf8Size(text));
      assertEquals(-1, Text.printableSize(text));
    }
    assertEquals(4, Text.utf8Size("\ud83d\ude00"));
    assertNull(Text.utf8(new byte[] {(byte) 0xED, (byte) 0xA0, (byte) 0x80}, 0, 3));
  }

  @Test
  void aTextThatNoFrameHasRoomForIsTooLong() {
    assertEquals(Integer.MAX_VALUE, Text.size(new Repeated('€', 716_000_000), true, true));
    assertEquals(Integer.MAX_VALUE, Text.size(new Repeated('é', 1 << 30), false, false));
    assertEquals(3_000_000, Text.size(new Repeated('€', 1_000_000), true, false));
    Measure measure = new Measure("POST", true);
    measure.skip(Integer.MAX_VALUE);
    measure.skip(5);
    EncodeException error = assertThrows(EncodeException.class, measure::sizes);
    assertEquals(ErrorCode.TOO_LONG, error.code());
  }

  /** A sequence that repeats a character. */
  private record Repeated(char character, int length) implements CharSequence {

    @Override
    public char charAt(int index) {
      return character;
    }

    @Override
    public CharSequence subSequence(int start, int end) {
      return new Repeated(character, end - start);
    }
  }

  @Test
  void varintsGoUpToSixtyFourBits() throws DecodeException {
    byte[] out = new byte[10];
    for (int bits = 0; bits <= Long.SIZE; bits++) {
      long value = bits == Long.SIZE ? -1L : (1L << bits) - 1;
      Measure measure = new Measure("POST", true);
      measure.zigzag(value);
      Output output = new Output(out, 0, measure.sizes());
      output.zigzag(value);
      int end = output.size();
      assertEquals(measure.sizes(), end);
      assertEquals(value, new Input(out, 0, end).zigzag());
      assertEquals(ErrorCode.TRUNCATED, refused(new Input(out, 0, end - 1)));
    }
    Arrays.fill(out, (byte) -1);
    out[9] = 1;
    assertEquals(-1L, new Input(out, 0, 10).varint());
    out[9] = 2;
    assertEquals(ErrorCode.TOO_LONG, refused(new Input(out, 0, 10)));
    out[9] = -1;
    assertEquals(ErrorCode.TOO_LONG, refused(new Input(out, 0, 10)));
  }

  private static ErrorCode refused(Input in) {
    return assertThrows(DecodeException.class, in::varint).code();
  }

  @Test
  void unsignedArithmeticStops() {
    assertEquals(-1L, Unsigned.add(-2L, 3, -1L));
    assertEquals(255, Unsigned.add(250, 7, 255));
    assertEquals(0, Unsigned.subtract(1, -1L));
    assertEquals(-2L, Unsigned.subtract(-1L, 1));
    assertEquals(1, Unsigned.min(1, -1L));
  }
}

package zeps.wire.corners;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import zeps.wire.DecodeException;
import zeps.wire.EncodeException;
import zeps.wire.Entry;
import zeps.wire.ErrorCode;
import zeps.wire.Octets;
import zeps.wire.alone.Alone;
import zeps.wire.alone.Padded;

/** Frames of the package generated from helpers/corners. */
final class CornersFramesTest {

  private static final String EQUAL_KEYS =
      "030000" + "016b0000000162" + "016b0000000161" + "0000000000";

  private static byte[] octets(String hex) {
    return HexFormat.of().parseHex(hex);
  }

  private static String refused(String hex) {
    return assertThrows(DecodeException.class, () -> Corners.decode(octets(hex))).getMessage();
  }

  @Test
  void aHashIsItsPairs() throws DecodeException {
    Properties message = (Properties) Corners.decode(octets(EQUAL_KEYS));
    List<Entry<String>> pairs =
        List.of(new Entry<>("k", "b"), new Entry<>("k", "a"), new Entry<>("", ""));
    assertEquals(new Properties(pairs), message);
    assertEquals(EQUAL_KEYS.length() / 2, message.encodedSize());
    assertArrayEquals(octets(EQUAL_KEYS), message.encode());
    Raw raw = new Raw(List.of(new Entry<>(Octets.wrap(octets("ff")), Octets.EMPTY)));
    assertArrayEquals(octets("0501ff00000000"), raw.encode());
    assertEquals(raw, Corners.decode(raw.encode()));
    assertThrows(NullPointerException.class, () -> new Entry<>("k", null));
  }

  @Test
  void aMessageDoesNotChangeWithTheListItWasMadeOf() {
    List<Entry<String>> pairs = new ArrayList<>();
    Properties message = new Properties(pairs);
    pairs.add(new Entry<>("k", "v"));
    assertEquals(List.of(), message.properties());
    assertThrows(UnsupportedOperationException.class, () -> message.properties().clear());
  }

  @Test
  void itemsGoOnToTheEndOfTheFrame() throws DecodeException {
    String item = "0000000000";
    assertEquals(new Properties(List.of()), Corners.decode(octets("030000")));
    List<Entry<String>> three = Collections.nCopies(3, new Entry<>("", ""));
    assertEquals(new Properties(three), Corners.decode(octets("030000" + item.repeat(3))));
    assertEquals(
        "truncated: PROPERTIES.properties at byte 9", refused("030000" + item + "00000000"));
    assertEquals("truncated: PROPERTIES.properties at byte 8", refused("030000" + item + "026b"));
    assertEquals(
        "too-long: PROPERTIES.properties at byte 3", refused("030000" + item.repeat(3) + "ff"));
    assertEquals("truncated: PROPERTIES.gap at byte 1", refused("0300"));
    Properties four = new Properties(Collections.nCopies(4, new Entry<>("", "")));
    assertEquals(ErrorCode.TOO_LONG, assertThrows(EncodeException.class, four::encode).code());
  }

  @Test
  void whatIsReservedIsZeroAndNotLookedAt() throws DecodeException {
    byte[] frame = new byte[32];
    Arrays.fill(frame, (byte) 0xFF);
    frame[0] = 4;
    assertEquals(new Words(List.of()), Corners.decode(frame));
    assertEquals(32, new Words(List.of()).encodeTo(frame, 0));
    byte[] wanted = new byte[32];
    wanted[0] = 4;
    assertArrayEquals(wanted, frame);
    byte[] dirty = {1, 1, 1, 1};
    assertEquals(3, new Properties(List.of()).encodeTo(dirty, 1));
    assertArrayEquals(octets("01030000"), dirty);
  }

  @Test
  void aMessageMayBeginWithNothing() throws DecodeException {
    Padded message = new Padded(Octets.utf8("body"));
    assertEquals(message, Alone.decode(octets("61627f626f6479")));
    assertArrayEquals(octets("00007f626f6479"), message.encode());
    assertEquals("body", new Padded.View().read(octets("61627f626f6479")).body().toUtf8());
    for (String frame : List.of("", "6162", "61627e62")) {
      DecodeException error =
          assertThrows(DecodeException.class, () -> Alone.decode(octets(frame)));
      assertEquals(
          error.getMessage(),
          assertThrows(DecodeException.class, () -> new Padded.View().read(octets(frame)))
              .getMessage());
    }
  }
}

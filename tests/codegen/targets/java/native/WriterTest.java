package zeps.wire.zeps;

import static java.nio.ByteOrder.LITTLE_ENDIAN;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.nio.ReadOnlyBufferException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import zeps.wire.DecodeException;
import zeps.wire.EncodeException;
import zeps.wire.Octets;

/** Writers in a program. The driver's tests compare the writers with the records. */
final class WriterTest {

  private static final int TIMES = 20_000;

  /** Bytes of valid text, and bytes that make a text invalid. */
  private static final byte[] ALPHABET = {
    'a', 'z', ' ', '~', 0x1F, 0x7F, (byte) 0xC2, (byte) 0xA9, (byte) 0x85, (byte) 0xE2, (byte) 0x82
  };

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String refused(Deliver.Writer writer) {
    byte[] out = new byte[1000];
    EncodeException error = assertThrows(EncodeException.class, () -> writer.encodeTo(out, 0));
    assertEquals("DELIVER", error.messageName());
    assertArrayEquals(new byte[1000], out);
    assertThrows(EncodeException.class, writer::encode);
    return error.getMessage();
  }

  @Test
  void partsOfArraysAreWrittenWhereTheyAreWanted() {
    byte[] from = utf8("..stock.é191.24..");
    byte[] wanted = new Deliver(-1L, "stock.é", Octets.utf8("191.24")).encode();
    byte[] out = new byte[wanted.length + 9];
    Deliver.Writer writer = new Deliver.Writer().sequence(-1L).key(from, 2, 8).body(from, 10, 6);
    assertEquals(wanted.length, writer.encodeTo(out, 5));
    assertArrayEquals(wanted, Arrays.copyOfRange(out, 5, 5 + wanted.length));
    assertArrayEquals(new byte[5], Arrays.copyOf(out, 5));
    assertArrayEquals(new byte[4], Arrays.copyOfRange(out, out.length - 4, out.length));
    assertArrayEquals(wanted, writer.encode());
  }

  @Test
  void whatIsNotSetAgainStays() {
    Deliver.Writer writer = new Deliver.Writer();
    assertArrayEquals(new Deliver(0, "", Octets.EMPTY).encode(), writer.encode());
    writer.sequence(1).key("key").body(Octets.utf8("body"));
    for (long sequence = 2; sequence < 5; sequence++) {
      byte[] wanted = new Deliver(sequence, "key", Octets.utf8("body")).encode();
      assertArrayEquals(wanted, writer.sequence(sequence).encode());
    }
  }

  @Test
  void octetsAreLookedAtWhenTheMessageIsEncoded() {
    byte[] key = utf8("abc");
    Deliver.Writer writer = new Deliver.Writer().key(key, 0, 3).body(Octets.wrap(key).slice(1, 3));
    key[2] = 'd';
    assertArrayEquals(new Deliver(0, "abd", Octets.utf8("bd")).encode(), writer.encode());
    key[2] = 7;
    assertEquals("bad-text: DELIVER.key", refused(writer));
  }

  @Test
  void aViewIsTakenOverWithoutACopy() throws DecodeException {
    byte[] frame = new Publish("stock.é", Octets.utf8("191.24")).encode();
    Publish.View view = new Publish.View().read(frame);
    Deliver.Writer writer = new Deliver.Writer().key(view.keyOctets()).body(view.body());
    assertArrayEquals(new Deliver(0, "stock.é", Octets.utf8("191.24")).encode(), writer.encode());
    frame[frame.length - 1] = '5';
    assertArrayEquals(new Deliver(0, "stock.é", Octets.utf8("191.25")).encode(), writer.encode());
  }

  @Test
  void nothingIsWrittenUnlessAllOfItCanBe() {
    byte[] large = new byte[(1 << 24) + 1];
    assertEquals("bad-text: DELIVER.key", refused(new Deliver.Writer().key("\ud800")));
    assertEquals("bad-text: DELIVER.key", refused(new Deliver.Writer().key(large, 0, 256)));
    assertEquals("too-long: DELIVER.key", refused(new Deliver.Writer().key("é".repeat(128))));
    assertEquals(
        "too-long: DELIVER.body", refused(new Deliver.Writer().body(large, 0, large.length)));
    Deliver.Writer writer = new Deliver.Writer().key("key");
    byte[] out = new byte[20];
    assertThrows(IndexOutOfBoundsException.class, () -> writer.encodeTo(out, 2));
    assertThrows(IndexOutOfBoundsException.class, () -> writer.encodeTo(out, -1));
    assertArrayEquals(new byte[20], out);
    assertEquals(19, writer.encodeTo(out, 1));
  }

  @Test
  void buffersAreWrittenFromTheirPositionOn() {
    byte[] frame = new Deliver(7, "stock.é", Octets.utf8("191.24")).encode();
    ByteBuffer source = ByteBuffer.allocateDirect(14).put(utf8("stock.é191.24")).flip();
    Octets octets = Octets.wrap(source);
    Deliver.Writer writer = new Deliver.Writer().sequence(7);
    writer.key(octets.slice(0, 8)).body(octets.slice(8, 14));
    for (ByteBuffer out :
        List.of(ByteBuffer.allocate(64), ByteBuffer.allocateDirect(64).order(LITTLE_ENDIAN))) {
      out.position(3).limit(3 + frame.length);
      assertEquals(frame.length, writer.encodeTo(out));
      assertFalse(out.hasRemaining());
      assertEquals(Octets.wrap(frame), Octets.wrap(out.position(3)));
      out.position(4);
      out.put(4, (byte) 0x55);
      assertThrows(BufferOverflowException.class, () -> writer.encodeTo(out));
      assertEquals(0x55, out.get(4));
      assertEquals(4, out.position());
      assertThrows(
          ReadOnlyBufferException.class, () -> writer.encodeTo(out.clear().asReadOnlyBuffer()));
    }
  }

  @Test
  void whatIsNoPartOfAnArrayIsNotTaken() {
    Deliver.Writer writer = new Deliver.Writer().key("key");
    byte[] octets = new byte[4];
    assertThrows(IndexOutOfBoundsException.class, () -> writer.key(octets, 2, 3));
    assertThrows(IndexOutOfBoundsException.class, () -> writer.key(octets, -1, 3));
    assertThrows(IndexOutOfBoundsException.class, () -> writer.body(octets, 0, -1));
    assertThrows(NullPointerException.class, () -> writer.key((String) null));
    assertArrayEquals(new Deliver(0, "key", Octets.EMPTY).encode(), writer.encode());
  }

  @Test
  void anyOctetsAreTextToBothOrToNeither() {
    Random random = new Random(1);
    Subscribe.Writer writer = new Subscribe.Writer();
    Subscribe.View view = new Subscribe.View();
    for (int i = 0; i < TIMES; i++) {
      byte[] pattern = new byte[random.nextInt(40)];
      for (int k = 0; k < pattern.length; k++) {
        pattern[k] = random.nextInt(9) > 0 ? (byte) 'k' : ALPHABET[random.nextInt(ALPHABET.length)];
      }
      byte[] frame = frame(pattern);
      writer.pattern(pattern, 0, pattern.length);
      try {
        assertArrayEquals(view.read(frame).toMessage().encode(), writer.encode());
        assertArrayEquals(frame, writer.encode());
      } catch (DecodeException error) {
        EncodeException refused = assertThrows(EncodeException.class, writer::encode);
        assertEquals(error.code(), refused.code());
        assertEquals(error.fieldName(), refused.fieldName());
      }
    }
  }

  /** SUBSCRIBE with the given bytes as its pattern; the bytes need not be text. */
  private static byte[] frame(byte[] pattern) {
    byte[] head = {(byte) 0xAA, (byte) 0xA5, 3, (byte) pattern.length};
    return ByteBuffer.allocate(12 + pattern.length).put(head).put(pattern).array();
  }
}

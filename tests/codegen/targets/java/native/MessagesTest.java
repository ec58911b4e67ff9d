package zeps.wire.zeps;

import static java.nio.ByteOrder.LITTLE_ENDIAN;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import zeps.wire.DecodeException;
import zeps.wire.EncodeException;
import zeps.wire.ErrorCode;
import zeps.wire.Octets;

/** Messages in a program. */
final class MessagesTest {

  private static final Deliver DELIVER = new Deliver(-1L, "stock.é", Octets.utf8("191.24"));
  private static final String FRAME =
      "aaa507ffffffffffffffff0873746f636b2ec3a9000000063139312e3234";

  private static byte[] octets(String hex) {
    return HexFormat.of().parseHex(hex);
  }

  private static DecodeException refused(String hex) {
    return assertThrows(DecodeException.class, () -> Zeps.decode(octets(hex)));
  }

  @Test
  void aMessageIsItsFrame() throws DecodeException {
    assertArrayEquals(octets(FRAME), DELIVER.encode());
    assertEquals(FRAME.length() / 2, DELIVER.encodedSize());
    assertEquals(DELIVER, Zeps.decode(octets(FRAME)));
    assertEquals(DELIVER.hashCode(), Zeps.decode(octets(FRAME)).hashCode());
    assertEquals("18446744073709551615", Long.toUnsignedString(DELIVER.sequence()));
  }

  @Test
  void theSealedInterfaceKnowsThemAll() throws DecodeException {
    Message message = Zeps.decode(new Ping().encode());
    assertTrue(message instanceof Ping);
    assertEquals("PING", message.messageName());
    assertEquals(8, message.messageId());
    assertEquals(12, Message.class.getPermittedSubclasses().length);
  }

  @Test
  void partsOfArraysAndBuffersAreDecodedWhereTheyLie() throws DecodeException {
    byte[] wide = new byte[100];
    int size = DELIVER.encodeTo(wide, 7);
    assertEquals(DELIVER, Zeps.decode(wide, 7, size));
    assertEquals(DELIVER, Zeps.decode(ByteBuffer.wrap(wide, 7, size)));
    assertEquals(DELIVER, Zeps.decode(ByteBuffer.wrap(wide, 7, size).slice()));
    assertEquals(DELIVER, Zeps.decode(ByteBuffer.wrap(wide, 7, size).asReadOnlyBuffer()));
  }

  @Test
  void whatLiesOutsideOfTheHeapIsNotCopied() throws DecodeException {
    ByteBuffer direct = ByteBuffer.allocateDirect(100).order(LITTLE_ENDIAN).position(7);
    int size = DELIVER.encodeTo(direct);
    assertEquals(FRAME.length() / 2, size);
    direct.limit(7 + size).position(7);
    Octets body = ((Deliver) Zeps.decode(direct)).body();
    assertEquals(size, direct.remaining());
    assertFalse(body.hasArray());
    assertThrows(UnsupportedOperationException.class, body::array);
    assertEquals(DELIVER.body(), body);
    assertEquals(body, DELIVER.body());
    assertEquals(DELIVER.body().hashCode(), body.hashCode());
    assertEquals(DELIVER.body().toString(), body.toString());
    Deliver.View view = new Deliver.View().read(direct);
    assertEquals(DELIVER, view.toMessage());
    assertArrayEquals(DELIVER.encode(), new Deliver(-1L, "stock.é", body).encode());
    ByteBuffer copy = ByteBuffer.allocateDirect(100);
    assertEquals(size, new Deliver(-1L, "stock.é", body).encodeTo(copy));
    assertEquals(DELIVER, Zeps.decode(copy.flip()));
    direct.put(6 + size, (byte) '5');
    assertEquals("191.25", body.toUtf8());
    assertEquals("191.25", view.body().slice(0, 6).toUtf8());
  }

  @Test
  void octetsAreViewsOfTheFrame() throws DecodeException {
    byte[] frame = DELIVER.encode();
    Octets body = ((Deliver) Zeps.decode(frame)).body();
    frame[frame.length - 1] = '5';
    assertEquals("191.25", body.toUtf8());
    assertEquals('5', body.octetAt(5));
    assertEquals(Octets.utf8(".25"), body.slice(3, 6));
    assertEquals(6, body.toByteBuffer().remaining());
    assertTrue(body.toByteBuffer().isReadOnly());
    assertThrows(IndexOutOfBoundsException.class, () -> body.octetAt(6));
  }

  @Test
  void longStringsAndLargeOctetsSurvive() throws DecodeException {
    String key = "k".repeat(200);
    byte[] body = new byte[300];
    Arrays.fill(body, (byte) 0xFF);
    Publish publish = new Publish(key, Octets.wrap(body));
    assertEquals(publish, Zeps.decode(publish.encode()));
    assertEquals(255, ((Publish) Zeps.decode(publish.encode())).body().octetAt(299));
  }

  @Test
  void errorsSayWhatIsWrongAndWhere() {
    assertEquals("truncated: DELIVER.sequence at byte 3", refused("aaa50700").getMessage());
    assertEquals(ErrorCode.TRAILING, refused("aaa50800").code());
    assertEquals(ErrorCode.BAD_SIGNATURE, refused("aaa408").code());
    assertEquals(ErrorCode.UNKNOWN_MESSAGE, refused("aaa5ff").code());
    assertEquals(ErrorCode.BAD_CONSTANT, refused("aaa501045a455051").code());
    assertEquals(ErrorCode.TRUNCATED, refused("aaa50c02c2").code());
    assertEquals(ErrorCode.BAD_TEXT, refused("aaa50c02c285").code());
    assertEquals(ErrorCode.TOO_LONG, refused("aaa5060001000001").code());
    assertEquals("body", refused("aaa5060001000001").fieldName());
    assertEquals(4, refused("aaa5060001000001").offset());
    assertEquals(0, refused("").getStackTrace().length);
  }

  @Test
  void whatCannotBeCarriedIsRefused() {
    assertEquals(ErrorCode.BAD_TEXT, encoding(new Invalid("\u0007")).code());
    assertEquals(ErrorCode.BAD_TEXT, encoding(new Invalid("\ud800")).code());
    assertEquals(ErrorCode.TOO_LONG, encoding(new Invalid("é".repeat(128))).code());
    assertEquals("reason", encoding(new Invalid("\u0085")).fieldName());
    assertThrows(NullPointerException.class, () -> new Invalid(null));
    assertThrows(IndexOutOfBoundsException.class, () -> new Ping().encodeTo(new byte[2], 0));
  }

  private static EncodeException encoding(Message message) {
    return assertThrows(EncodeException.class, message::encode);
  }

  @Test
  void aViewReadsFrameAfterFrame() throws DecodeException {
    Deliver.View view = new Deliver.View();
    assertEquals(-1L, view.read(octets(FRAME)).sequence());
    assertEquals("stock.é", view.key());
    assertEquals(8, view.keyLength());
    assertEquals(DELIVER, view.toMessage());
    view.read(new Deliver(5, "", Octets.EMPTY).encode());
    assertEquals(new Deliver(5, "", Octets.EMPTY), view.toMessage());
    assertNotEquals(DELIVER, view.toMessage());
  }

  @Test
  void aViewShowsNothingOfAnEarlierFrame() throws DecodeException {
    Deliver.View view = new Deliver.View().read(octets(FRAME));
    assertThrows(DecodeException.class, () -> view.read(octets(FRAME.substring(2))));
    assertEquals(0, view.sequence());
    assertEquals("", view.key());
    assertEquals(Octets.EMPTY, view.body());
    assertThrows(DecodeException.class, () -> view.read(new Ping().encode()));
    assertThrows(DecodeException.class, () -> view.read(octets(FRAME + "00")));
  }

  @Test
  void constantsAreThere() {
    assertEquals("ZEPS", Attach.PROTOCOL);
    assertEquals(1L, Attach.VERSION);
    assertEquals(-1L, Zeps.LATEST_NEW);
  }
}

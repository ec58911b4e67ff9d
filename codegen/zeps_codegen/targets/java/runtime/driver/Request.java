package zeps.wire.driver;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import zeps.wire.Octets;

/** A position in a request. */
final class Request {

  private static final int DEPTH_MAX = 64;

  private final ByteBuffer data;

  Request(byte[] octets) {
    data = ByteBuffer.wrap(octets);
  }

  int octet() {
    need(1);
    return data.get() & 0xFF;
  }

  long unsigned() {
    need(8);
    return data.getLong();
  }

  byte[] blob() {
    need(4);
    return take(data.getInt() & 0xFFFFFFFFL);
  }

  /** One frame, or a count and the frames. */
  List<byte[]> frames(boolean several) {
    List<byte[]> found = new ArrayList<>();
    for (int left = several ? count(4) : 1; left > 0; left--) {
      found.add(blob());
    }
    return found;
  }

  String name() {
    byte[] octets = take(octet());
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(octets)).toString();
    } catch (CharacterCodingException error) {
      throw new BadRequest("a name is not UTF-8");
    }
  }

  Value value() {
    return value(0);
  }

  List<Value> values() {
    return values(count(1), 0);
  }

  /** A count of parts of at least {@code least} bytes each. */
  int count(int least) {
    need(4);
    long count = data.getInt() & 0xFFFFFFFFL;
    if (count * least > data.remaining()) {
      throw new BadRequest("a count exceeds the request");
    }
    return (int) count;
  }

  void end() {
    if (data.hasRemaining()) {
      throw new BadRequest("bytes follow the request");
    }
  }

  private Value value(int depth) {
    if (depth > DEPTH_MAX) {
      throw new BadRequest("values are nested too deeply");
    }
    char tag = (char) octet();
    switch (tag) {
      case 'u':
      case 'i':
        need(8);
        return new Value(tag, data.getLong(), Octets.EMPTY, List.of());
      case 's':
      case 'b':
        return new Value(tag, 0, Octets.wrap(blob()), List.of());
      case 'l':
        return new Value(tag, 0, Octets.EMPTY, values(count(1), depth + 1));
      case 'h':
        return new Value(tag, 0, Octets.EMPTY, values(2 * count(2), depth + 1));
      default:
        throw new BadRequest("unknown kind of value");
    }
  }

  private List<Value> values(int count, int depth) {
    List<Value> found = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      found.add(value(depth));
    }
    return found;
  }

  private void need(int octets) {
    if (data.remaining() < octets) {
      throw new BadRequest("the request is truncated");
    }
  }

  private byte[] take(long count) {
    if (count > data.remaining()) {
      throw new BadRequest("the request is truncated");
    }
    byte[] octets = new byte[(int) count];
    data.get(octets);
    return octets;
  }
}

package zeps.wire.driver;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import zeps.wire.Entry;
import zeps.wire.Octets;

/** A value of a request. A value beyond a Java type becomes a value that the encoder refuses. */
record Value(char tag, long number, Octets octets, List<Value> items) {

  /** Half a surrogate pair: a string that is not valid text. */
  private static final String NO_TEXT = "\ud800";

  long number(char sign) {
    return want(sign).number;
  }

  String text() {
    ByteBuffer buffer = want('s').octets.toByteBuffer();
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(buffer).toString();
    } catch (CharacterCodingException error) {
      return NO_TEXT;
    }
  }

  Octets octets(char kind) {
    return want(kind).octets;
  }

  <T> List<T> list(Function<Value, T> each) {
    List<T> found = new ArrayList<>();
    for (Value item : want('l').items) {
      found.add(each.apply(item));
    }
    return found;
  }

  <T> List<Entry<T>> hash(Function<Value, T> each) {
    List<Entry<T>> found = new ArrayList<>();
    List<Value> parts = want('h').items;
    for (int i = 0; i < parts.size(); i += 2) {
      found.add(new Entry<>(each.apply(parts.get(i)), each.apply(parts.get(i + 1))));
    }
    return found;
  }

  private Value want(char wanted) {
    if (tag != wanted) {
      throw new BadRequest("value of kind " + wanted + " expected, not " + tag);
    }
    return this;
  }
}

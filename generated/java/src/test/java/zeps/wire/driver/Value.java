package zeps.wire.driver;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongFunction;
import zeps.wire.EncodeException;
import zeps.wire.Entry;
import zeps.wire.ErrorCode;
import zeps.wire.Octets;

/**
 * A value as a request has it. What a type of Java's cannot hold becomes what the encoder refuses.
 */
record Value(char tag, long number, Octets octets, List<Value> items) {

  /** Half a surrogate pair: a string that is no text. */
  private static final String NO_TEXT = "\ud800";

  long unsigned() {
    return want('u').number;
  }

  long signed() {
    return want('i').number;
  }

  /** An unsigned number of one or two octets. */
  int unsignedInt() {
    long value = unsigned();
    return value < 0 ? Integer.MAX_VALUE : (int) Math.min(value, Integer.MAX_VALUE);
  }

  /** A signed number of one or two octets. */
  int signedInt() {
    return (int) Math.max(Integer.MIN_VALUE, Math.min(signed(), Integer.MAX_VALUE));
  }

  /**
   * A signed number of four octets, which has no room for anything that its field could not hold.
   */
  int exactInt(ErrorCode otherwise, String message, String field) {
    if (signed() != (int) number) {
      throw new EncodeException(otherwise, message, field);
    }
    return (int) number;
  }

  boolean truth() {
    return unsigned() != 0;
  }

  String text() {
    ByteBuffer buffer = want('s').octets.toByteBuffer();
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(buffer).toString();
    } catch (CharacterCodingException error) {
      return NO_TEXT;
    }
  }

  Octets rawText() {
    return want('s').octets;
  }

  Octets raw() {
    return want('b').octets;
  }

  /** A member of an enumeration, in a list; the field's own may be null. */
  <T> T member(LongFunction<T> of, String message, String field) {
    T found = of.apply(number);
    if (found == null) {
      throw new EncodeException(ErrorCode.BAD_CONSTANT, message, field);
    }
    return found;
  }

  <T> T namedMember(Function<String, T> of, String message, String field) {
    T found = of.apply(text());
    if (found == null) {
      throw new EncodeException(ErrorCode.BAD_CONSTANT, message, field);
    }
    return found;
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
      throw new BadRequest("a value begins with " + tag + " that ought to begin with " + wanted);
    }
    return this;
  }
}

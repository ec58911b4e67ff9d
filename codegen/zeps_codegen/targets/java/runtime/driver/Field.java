package zeps.wire.driver;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.List;
import zeps.wire.EncodeException;
import zeps.wire.Entry;
import zeps.wire.ErrorCode;
import zeps.wire.Octets;

/**
 * A field or a parameter: its name in the model, its type in Java, and the tag of its values in
 * requests and answers (of a list, the innermost items' tag). {@code u} is an unsigned number,
 * {@code i} a signed number, {@code x} one of four bytes, {@code f} four bytes of signed bits;
 * {@code s} is text, also strings of arbitrary bytes, and {@code b} bytes. The suffix {@code *}
 * marks a separate frame.
 */
record Field(String name, char tag, boolean isApart, Type type) {

  /** Reads {@code name:tag}. */
  static Field of(String spelled, Type type) {
    int colon = spelled.indexOf(':');
    String name = spelled.substring(0, colon);
    return new Field(name, spelled.charAt(colon + 1), spelled.endsWith("*"), type);
  }

  /** Converts a request's value to Java. Throws EncodeException if the type cannot hold it. */
  Object take(Value value, String message) {
    return take(value, type, message);
  }

  /** Converts the values of a request, one for each of the fields. */
  static Object[] take(List<Field> fields, List<Value> values, String message) {
    if (values.size() != fields.size()) {
      throw new BadRequest(message + " has " + fields.size() + " values, not " + values.size());
    }
    Object[] taken = new Object[values.size()];
    for (int i = 0; i < taken.length; i++) {
      taken[i] = fields.get(i).take(values.get(i), message);
    }
    return taken;
  }

  private Object take(Value value, Type wanted, String message) {
    if (wanted instanceof ParameterizedType list) {
      Type item = list.getActualTypeArguments()[0];
      if (item instanceof ParameterizedType entry) {
        return value.hash(one -> take(one, entry.getActualTypeArguments()[0], message));
      }
      return value.list(one -> present(take(one, item, message), message));
    }
    if (wanted == String.class) {
      return value.text();
    }
    if (wanted == Octets.class) {
      return value.octets(tag);
    }
    if (wanted == boolean.class) {
      return value.number('u') != 0;
    }
    if (wanted == long.class || wanted == Long.class) {
      return value.number(sign());
    }
    if (wanted == int.class || wanted == Integer.class) {
      return number(value, message);
    }
    return member((Class<?>) wanted, value);
  }

  private char sign() {
    return tag == 'u' ? 'u' : 'i';
  }

  /**
   * If an int cannot hold the number, the field cannot hold it either; a field of four bytes has no
   * other error.
   */
  private int number(Value value, String message) {
    long number = value.number(sign());
    if (tag == 'u' && number < 0) {
      return Integer.MAX_VALUE;
    }
    int nearest = (int) Math.max(Integer.MIN_VALUE, Math.min(number, Integer.MAX_VALUE));
    if (number != nearest && (tag == 'x' || tag == 'f')) {
      throw new EncodeException(
          tag == 'f' ? ErrorCode.BAD_CONSTANT : ErrorCode.TOO_LONG, message, name);
    }
    return nearest;
  }

  private Object member(Class<?> enumeration, Value value) {
    return tag == 's'
        ? Calls.simply(Calls.method(enumeration, "of", String.class), null, value.text())
        : Calls.simply(Calls.method(enumeration, "of", long.class), null, value.number(sign()));
  }

  private Object present(Object item, String message) {
    if (item == null) {
      throw new EncodeException(ErrorCode.BAD_CONSTANT, message, name);
    }
    return item;
  }

  /** Adds a value to an answer. */
  void give(Object value, Answer answer) {
    give(value, type, answer);
  }

  private void give(Object value, Type is, Answer answer) {
    if (is instanceof ParameterizedType list) {
      Type item = list.getActualTypeArguments()[0];
      boolean hash = item instanceof ParameterizedType entry && entry.getRawType() == Entry.class;
      answer.tag(hash ? 'h' : 'l').count(((List<?>) value).size());
      for (Object one : (List<?>) value) {
        if (one instanceof Entry<?> entry) {
          give(entry.key(), Object.class, answer);
          give(entry.value(), Object.class, answer);
        } else {
          give(one, item, answer);
        }
      }
    } else if (value instanceof Enum<?>) {
      Object member = Calls.simply(Calls.method(value.getClass(), "value"), value);
      give(member, Object.class, answer);
    } else if (value instanceof String text) {
      answer.tag('s').blob(Octets.utf8(text).toByteArray());
    } else if (value instanceof Octets octets) {
      answer.tag(tag).blob(octets.toByteArray());
    } else if (value instanceof Boolean truth) {
      answer.number('u', truth ? 1 : 0);
    } else {
      answer.number(sign(), ((Number) value).longValue());
    }
  }
}

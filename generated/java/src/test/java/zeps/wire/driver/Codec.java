package zeps.wire.driver;

import java.util.List;
import zeps.wire.DecodeException;

/** A protocol by its names in the model. */
interface Codec {

  Object decode(byte[] frame) throws DecodeException;

  byte[] encode(Object message);

  /** The same by the message's writer, if it has one. */
  byte[] write(Object message);

  /** The same by a view of the frame that the message was decoded from, and the writer. */
  byte[] rewrite(Object message, byte[] frame) throws DecodeException;

  /** The message of that name with these values, which it may not be able to encode. */
  Object build(String message, List<Value> values);

  /** The message's name and values. */
  void describe(Object message, Answer answer);

  /** The values, as many as a message has fields. */
  static List<Value> fitting(String message, List<Value> values, int wanted) {
    if (values.size() != wanted) {
      throw new BadRequest(message + " has " + wanted + " values, not " + values.size());
    }
    return values;
  }
}

package zeps.wire.driver;

import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import zeps.wire.RemoteException;

/** A protocol by its names in the model. */
final class Codec {

  private final Class<?> main;
  private final Map<String, Kind> kinds = new LinkedHashMap<>();

  Codec(Class<?> main) {
    this.main = main;
  }

  /** Adds a message; see {@link Field} for the spelling of its fields. */
  Codec with(String name, Class<?> type, String... fields) {
    kinds.put(name, new Kind(name, type, fields));
    return this;
  }

  /** The message that a frame holds. */
  Object decode(byte[] frame) throws RemoteException {
    return Calls.call(method("decode", byte[].class), null, frame);
  }

  /** The message that frames hold. */
  Object decodeFrames(List<byte[]> frames) throws RemoteException {
    if (frames.size() == 1) {
      return decode(frames.get(0));
    }
    return Calls.call(method("decodeFrames", List.class), null, frames);
  }

  /** The same, of a buffer outside of the heap. */
  Object decodeDirect(byte[] frame) throws RemoteException {
    ByteBuffer buffer = ByteBuffer.allocateDirect(frame.length + 2).position(1);
    buffer.put(frame).flip().position(1);
    return Calls.call(method("decode", ByteBuffer.class), null, buffer);
  }

  private Method method(String name, Class<?> parameter) {
    return Calls.method(main, name, parameter);
  }

  /** The message of that name with these values, which it may not be able to encode. */
  Object build(String name, List<Value> values) {
    Kind kind = kinds.get(name);
    if (kind == null) {
      throw new BadRequest("no message is called like this");
    }
    return kind.build(values);
  }

  /** What is known of a message's class. */
  Kind of(Object message) {
    for (Kind kind : kinds.values()) {
      if (kind.type().isInstance(message)) {
        return kind;
      }
    }
    throw new IllegalArgumentException("no message of this protocol: " + message);
  }
}

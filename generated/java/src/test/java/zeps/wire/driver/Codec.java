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
  private final Method decode;
  private final Map<String, Kind> kinds = new LinkedHashMap<>();

  Codec(Class<?> main) {
    this.main = main;
    this.decode = Calls.method(main, "decode", byte[].class);
  }

  /** Adds a message; see {@link Field} for the spelling of its fields. */
  Codec with(String name, Class<?> type, String... fields) {
    kinds.put(name, new Kind(name, type, fields));
    return this;
  }

  /** The message in frames. */
  Object decodeFrames(List<byte[]> frames) throws RemoteException {
    if (frames.size() == 1) {
      return Calls.call(decode, null, frames.get(0));
    }
    return Calls.call(Calls.method(main, "decodeFrames", List.class), null, frames);
  }

  /** The same; a single frame is in a direct buffer. */
  Object decodeDirect(List<byte[]> frames) throws RemoteException {
    if (frames.size() != 1) {
      return decodeFrames(frames);
    }
    byte[] frame = frames.get(0);
    ByteBuffer buffer = ByteBuffer.allocateDirect(frame.length + 2).position(1);
    buffer.put(frame).flip().position(1);
    return Calls.call(Calls.method(main, "decode", ByteBuffer.class), null, buffer);
  }

  /** The message of that name with these values, which it may be unable to encode. */
  Object build(String name, List<Value> values) {
    Kind kind = kinds.get(name);
    if (kind == null) {
      throw new BadRequest("unknown message");
    }
    return kind.build(values);
  }

  /** The description of a message's class. */
  Kind of(Object message) {
    for (Kind kind : kinds.values()) {
      if (kind.type().isInstance(message)) {
        return kind;
      }
    }
    throw new IllegalArgumentException("not a message of this protocol: " + message);
  }
}

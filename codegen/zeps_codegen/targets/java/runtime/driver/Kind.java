package zeps.wire.driver;

import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import zeps.wire.EncodeException;
import zeps.wire.RemoteException;

/** A message, by its names in the model. */
final class Kind {

  private final String name;
  private final Class<?> type;
  private final List<Field> fields = new ArrayList<>();
  private final RecordComponent[] components;
  private final Class<?> view;
  private final Class<?> writer;

  Kind(String name, Class<?> type, String... fields) {
    this.name = name;
    this.type = type;
    this.components = type.getRecordComponents();
    for (int i = 0; i < fields.length; i++) {
      this.fields.add(Field.of(fields[i], components[i].getGenericType()));
    }
    this.view = inner("View");
    this.writer = inner("Writer");
  }

  private Class<?> inner(String wanted) {
    return Arrays.stream(type.getClasses())
        .filter(one -> one.getSimpleName().equals(wanted))
        .findFirst()
        .orElse(null);
  }

  Class<?> type() {
    return type;
  }

  Object build(List<Value> values) {
    return Calls.make(type, Field.take(fields, values, name));
  }

  /** The message's name and values. */
  void describe(Object message, Answer answer) {
    answer.name(name).count(fields.size());
    for (int i = 0; i < components.length; i++) {
      fields.get(i).give(value(message, i), answer);
    }
  }

  private Object value(Object message, int index) {
    return Calls.simply(components[index].getAccessor(), message);
  }

  /** Whether the message has several frames. */
  private boolean isApart() {
    return fields.stream().anyMatch(Field::isApart);
  }

  /** The message as one frame. */
  byte[] encode(Object message) {
    if (isApart()) {
      throw new BadRequest(name + " has several frames");
    }
    return (byte[]) Calls.simply(Calls.method(type, "encode"), message);
  }

  /** The message as frames. */
  List<byte[]> encodeFrames(Object message) {
    if (!isApart()) {
      return List.of(encoded(message));
    }
    List<byte[]> frames = new ArrayList<>();
    int total = 0;
    for (Object frame : (List<?>) Calls.simply(Calls.method(type, "encodeFrames"), message)) {
      frames.add((byte[]) frame);
      total += frames.get(frames.size() - 1).length;
    }
    agree(total == (int) Calls.simply(Calls.method(type, "encodedSize"), message));
    return frames;
  }

  /** Encodes into a direct buffer of the encoded size. */
  byte[] encodeDirect(Object message) {
    int size = (int) Calls.simply(Calls.method(type, "encodedSize"), message);
    ByteBuffer buffer = ByteBuffer.allocateDirect(size + 1).position(1);
    Calls.simply(Calls.method(type, "encodeTo", ByteBuffer.class), message, buffer);
    byte[] frame = new byte[buffer.position() - 1];
    buffer.get(1, frame);
    return frame;
  }

  /** Encodes with the message's writer, if it has one. */
  byte[] write(Object message) {
    if (writer == null) {
      return encode(message);
    }
    Object made = Calls.make(writer);
    for (int i = 0; i < components.length; i++) {
      set(made, components[i], components[i].getType(), value(message, i));
    }
    return (byte[]) Calls.simply(Calls.method(writer, "encode"), made);
  }

  /** Encodes with the writer the values of a view of the message's frame. */
  byte[] rewrite(Object message, byte[] frame) throws RemoteException {
    if (view == null) {
      return encode(message);
    }
    ByteBuffer direct = ByteBuffer.allocateDirect(frame.length).put(frame).flip();
    Object seen =
        Calls.call(Calls.method(view, "read", ByteBuffer.class), Calls.make(view), direct);
    Object made = Calls.make(writer);
    for (RecordComponent one : components) {
      Method accessor =
          Calls.only(view, one.getType() == String.class ? octets(one) : one.getName());
      set(made, one, accessor.getReturnType(), Calls.simply(accessor, seen));
    }
    ByteBuffer target = ByteBuffer.allocateDirect(frame.length);
    Calls.simply(Calls.method(writer, "encodeTo", ByteBuffer.class), made, target);
    byte[] written = new byte[target.position()];
    target.get(0, written);
    return written;
  }

  private String octets(RecordComponent text) {
    String wanted = text.getName() + "Octets";
    List<String> taken = Arrays.stream(components).map(RecordComponent::getName).toList();
    while (taken.contains(wanted)) {
      wanted += "_";
    }
    return wanted;
  }

  private void set(Object made, RecordComponent one, Class<?> as, Object value) {
    Calls.simply(Calls.method(writer, one.getName(), as), made, value);
  }

  /** The frame or the error of the record; all other ways of encoding must give the same. */
  byte[] encoded(Object message) {
    byte[] written = {};
    String refusal = null;
    try {
      written = write(message);
    } catch (EncodeException error) {
      refusal = error.getMessage();
    }
    try {
      byte[] frame = encode(message);
      agree(refusal == null && Arrays.equals(frame, written));
      agree(Arrays.equals(frame, encodeDirect(message)));
      return frame;
    } catch (EncodeException error) {
      agree(error.getMessage().equals(refusal));
      throw error;
    }
  }

  static void agree(boolean same) {
    if (!same) {
      throw new IllegalStateException("a message's record, its view and its writer disagree");
    }
  }
}

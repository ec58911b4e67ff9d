package zeps.wire.driver;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import zeps.wire.RemoteException;
import zeps.wire.TimedMachine;

/** A type of machine, by its names in the model. */
final class Automaton {

  /** A method for an event: its argument is a message or parameters. */
  private record Event(String name, Method method, String message, List<Field> parameters) {}

  private record Variable(Field field, Method getter, Method setter) {}

  private final Codec codec;
  private final Class<?> machine;
  private final Class<?> host;
  private final Class<?> internal; // null if the machine has no internal events
  private final Map<String, Event> calls = new LinkedHashMap<>();
  private final Map<String, Variable> variables = new LinkedHashMap<>();
  private final Map<String, Variable> fills = new LinkedHashMap<>();
  private final Map<String, String> actions = new LinkedHashMap<>();

  Automaton(Codec codec, Class<?> machine, Class<?> host, Class<?> internal) {
    this.codec = codec;
    this.machine = machine;
    this.host = host;
    this.internal = internal;
  }

  /** Adds an event with parameters, or without. */
  Automaton call(String name, String method, String... parameters) {
    Method found = Calls.only(machine, method);
    List<Field> fields = new ArrayList<>();
    for (int i = 0; i < parameters.length; i++) {
      fields.add(Field.of(parameters[i], found.getGenericParameterTypes()[i]));
    }
    calls.put(name, new Event(name, found, null, fields));
    return this;
  }

  /** Adds an event that carries a message. */
  Automaton carrier(String name, String method, String message) {
    calls.put(name, new Event(name, Calls.only(machine, method), message, List.of()));
    return this;
  }

  /** Adds a variable. */
  Automaton variable(String spelled, String getter, String setter) {
    Method get = Calls.method(machine, getter);
    Field field = Field.of(spelled, get.getReturnType());
    Method set = Calls.method(machine, setter, get.getReturnType());
    variables.put(field.name(), new Variable(field, get, set));
    return this;
  }

  /** Adds a field that the host fills. */
  Automaton fill(String message, String spelled, String setter) {
    Method set = Calls.only(machine, setter);
    Field field = Field.of(spelled, set.getGenericParameterTypes()[0]);
    fills.put(message + "." + field.name(), new Variable(field, null, set));
    return this;
  }

  /** Adds a host action. */
  Automaton action(String name, String method) {
    actions.put(method, name);
    return this;
  }

  Session start() {
    return new Session();
  }

  /** A step has the name of an event, a variable or an action that the machine does not have. */
  static final class Unknown extends Exception {

    private static final long serialVersionUID = 1;

    Unknown() {
      super(null, null, false, false);
    }
  }

  /** A new machine, and a host that records its calls. */
  final class Session {

    private final Recorder recorder = new Recorder();
    private final Object running;

    private Session() {
      Object asked =
          Proxy.newProxyInstance(
              host.getClassLoader(),
              new Class<?>[] {host},
              (proxy, method, arguments) -> {
                act(method.getName(), arguments);
                return null;
              });
      running = Calls.make(machine, asked);
    }

    private void act(String method, Object[] arguments) {
      if (method.equals("send")) {
        recorder.send(() -> codec.of(arguments[0]).encodeFrames(arguments[0]));
      } else if (method.equals("unsendable")) {
        recorder.unsent();
      } else if (actions.containsKey(method)) {
        recorder.act(actions.get(method));
      }
    }

    private String label(Object member) {
      return (String) Calls.simply(Calls.method(member.getClass(), "label"), member);
    }

    private Object ask(String method) {
      return Calls.simply(Calls.method(machine, method), running);
    }

    Recorder recorder() {
      return recorder;
    }

    void receive(List<byte[]> frames) throws RemoteException {
      Object message = codec.decodeFrames(frames);
      Calls.call(Calls.only(machine, "receive"), running, message);
    }

    /** Whether a guard was true. */
    boolean call(String event, List<Value> values) throws Unknown, RemoteException {
      Event called = calls.get(event);
      if (called == null) {
        throw new Unknown();
      }
      if (called.message != null) {
        Object message = codec.build(called.message, values);
        return (boolean) Calls.call(called.method, running, message);
      }
      Object[] arguments = Field.take(called.parameters, values, event);
      return (boolean) Calls.call(called.method, running, arguments);
    }

    void set(String name, Value value) throws Unknown {
      Variable variable = variables.get(name);
      if (variable == null) {
        throw new Unknown();
      }
      Calls.simply(variable.setter, running, variable.field.take(value, name));
    }

    /** Fills a field of the next message. */
    void fill(String message, String name, Value value) throws Unknown {
      Variable filled = fills.get(message + "." + name);
      if (filled == null) {
        throw new Unknown();
      }
      Calls.simply(filled.setter, running, filled.field.take(value, message));
    }

    /** Makes the action call {@code fail} or {@code raise} with the event the next time it runs. */
    void arm(String how, String action, String event) throws Unknown {
      Object[] known = internal == null ? new Object[0] : internal.getEnumConstants();
      for (Object one : known) {
        if (label(one).equals(event) && actions.containsValue(action)) {
          Method method = Calls.method(machine, how, internal);
          recorder.arm(action, how, () -> Calls.simply(method, running, one));
          return;
        }
      }
      throw new Unknown();
    }

    /** Whether a row handled the event of a timer. */
    boolean advance(long now) throws Unknown {
      if (!TimedMachine.class.isAssignableFrom(machine)) {
        throw new Unknown();
      }
      return ((TimedMachine<?, ?>) running).advance(now);
    }

    void describeDeadline(Answer answer) {
      OptionalLong deadline = ((TimedMachine<?, ?>) running).deadline();
      answer.flag(deadline.isPresent()).unsigned(deadline.orElse(0));
    }

    void describe(Answer answer) {
      answer.name(label(ask("state"))).flag((boolean) ask("isTerminated"));
      answer.count(variables.size());
      for (Variable one : variables.values()) {
        one.field.give(Calls.simply(one.getter, running), answer);
      }
      recorder.describe(answer);
    }
  }
}

package zeps.wire.driver;

import java.util.List;
import zeps.wire.DecodeException;
import zeps.wire.UnexpectedEventException;

/** A fresh machine by its names in the model, and a host that writes down what it is asked for. */
interface Session {

  Recorder recorder();

  void receive(byte[] frame) throws DecodeException, UnexpectedEventException;

  /** Whether a guard held. Unknown if there is no such event. */
  boolean call(String event, List<Value> values) throws Unknown;

  void set(String variable, Value value) throws Unknown;

  /** Unknown unless the machine has this action and this event. */
  void check(String action, String event) throws Unknown;

  String state();

  boolean isTerminated();

  void variables(Answer answer);

  /** A step names an event, a variable or an action that the machine does not have. */
  final class Unknown extends Exception {

    private static final long serialVersionUID = 1;

    Unknown() {
      super(null, null, false, false);
    }
  }
}

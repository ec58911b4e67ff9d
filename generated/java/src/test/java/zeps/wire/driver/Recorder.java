package zeps.wire.driver;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import zeps.wire.EncodeException;

/** The calls of a host since the last step, and the planned failures of its actions. */
final class Recorder {

  private final Map<String, Runnable> armed = new HashMap<>();
  private Answer log = new Answer();
  private int count;
  private boolean refused;

  /** Plans a step for the action's next run; {@code how} is the kind of the plan. */
  void arm(String action, String how, Runnable what) {
    armed.put(action + how, what);
  }

  /** Begins a step. */
  void begin() {
    log = new Answer();
    count = 0;
    refused = false;
  }

  /** Whether the encoding of a message has failed in this step. */
  boolean isRefused() {
    return refused;
  }

  void describe(Answer answer) {
    answer.count(count).append(log.whole());
  }

  /** Records a sent message: its frame, or each of its frames as a blob. */
  void send(Supplier<List<byte[]>> encode) {
    List<byte[]> frames;
    try {
      frames = encode.get();
    } catch (EncodeException error) {
      unsent();
      return;
    }
    Answer whole = new Answer();
    frames.forEach(whole::blob);
    log.name("send").blob(frames.size() == 1 ? frames.get(0) : whole.whole());
    count++;
  }

  /** Records a message that could not be sent. */
  void unsent() {
    refused = true;
    log.name("send").blob(new byte[0]);
    count++;
  }

  void act(String action) {
    log.name(action).blob(new byte[0]);
    count++;
    for (String how : List.of("raise", "fail")) {
      Runnable what = armed.remove(action + how);
      if (what != null) {
        what.run();
      }
    }
  }
}

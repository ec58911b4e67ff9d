package zeps.wire.driver;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import zeps.wire.EncodeException;

/** What a host was asked for since the last step, and what its actions are to do. */
final class Recorder {

  private final Map<String, Runnable> armed = new HashMap<>();
  private Answer log = new Answer();
  private int count;
  private boolean refused;

  /** The next time that the action runs it does this; {@code how} tells apart what it can do. */
  void arm(String action, String how, Runnable what) {
    armed.put(action + how, what);
  }

  /** A step begins. */
  void begin() {
    log = new Answer();
    count = 0;
    refused = false;
  }

  /** Whether encoding a message failed since then. */
  boolean isRefused() {
    return refused;
  }

  void describe(Answer answer) {
    answer.count(count).append(log.whole());
  }

  /** A message is sent: its frame, or each of its frames as a blob. */
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

  /** A message could not be sent. */
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

package zeps.wire.driver;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import zeps.wire.EncodeException;

/** What a host was asked for since the last step, and which of its actions are to fail. */
final class Recorder {

  private final Map<String, String> armed = new HashMap<>();
  private Answer log = new Answer();
  private int count;
  private boolean refused;

  /** From now on the action fails, once. */
  void arm(String action, String event) {
    armed.put(action, event);
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

  void act(String action, Consumer<String> fail) {
    log.name(action).blob(new byte[0]);
    count++;
    String event = armed.remove(action);
    if (event != null) {
      fail.accept(event);
    }
  }
}

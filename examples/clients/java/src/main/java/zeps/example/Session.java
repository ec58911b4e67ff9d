package zeps.example;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.Predicate;
import zeps.wire.Octets;
import zeps.wire.zeps.AttachOk;
import zeps.wire.zeps.Deliver;
import zeps.wire.zeps.Invalid;
import zeps.wire.zeps.Message;
import zeps.wire.zeps.PingOk;
import zeps.wire.zeps.SubscribeOk;
import zeps.wire.zeps.Zeps;
import zeps.wire.zepsclient.ClientHost;
import zeps.wire.zepsclient.ClientMachine;

/** The machine's host. What follows from an action waits until the machine has taken its step. */
final class Session implements ClientHost {

  private static final String PREFIX = "demo/";

  /** Octets of credit. */
  private static final long WINDOW = 1 << 16;

  private final ClientMachine machine = new ClientMachine(this);
  private final Queue<Runnable> next = new ArrayDeque<>();
  private final Predicate<byte[]> socket;
  private final int count;

  /** Begins the bodies of this run, so that messages of others are not taken for ours. */
  private final String tag = ProcessHandle.current().pid() + "-" + System.nanoTime() + " ";

  private String fault;
  private boolean over;
  private long used;
  private int received;
  private long first;
  private long last;

  /** What kept the client from its work. */
  static final class Failure extends Exception {

    private static final long serialVersionUID = 1;

    Failure(String text) {
      super(text);
    }
  }

  Session(Predicate<byte[]> socket, int count) {
    this.socket = socket;
    this.count = count;
  }

  ClientMachine machine() {
    return machine;
  }

  boolean isOver() {
    return over;
  }

  long first() {
    return first;
  }

  long last() {
    return last;
  }

  /** Does what the machine's actions have asked for. */
  void goOn() {
    for (Runnable step = next.poll(); step != null && !over; step = next.poll()) {
      step.run();
    }
  }

  /** Whether all went well. */
  void judge() throws Failure {
    if (fault != null) {
      throw new Failure(fault);
    }
    if (received != count) {
      throw new Failure("detached after " + received + " of " + count + " messages");
    }
  }

  private void stop(String why) {
    fault = why;
    over = true;
  }

  @Override
  public void send(Message message) {
    if (!socket.test(message.encode())) {
      stop("the socket takes no more");
    }
  }

  @Override
  public void attached(AttachOk message) {
    next.add(() -> machine.follow(PREFIX, Zeps.LATEST_ALL));
  }

  @Override
  public void subscribed(SubscribeOk message) {
    next.add(() -> machine.grant(WINDOW));
    for (int i = 1; i <= count; i++) {
      String key = PREFIX + i;
      next.add(() -> machine.post(key, Octets.utf8(tag + key)));
    }
    if (count == 0) {
      next.add(machine::close);
    }
  }

  @Override
  public void takeMessage(Deliver message) {
    used += message.encodedSize();
    if (used > WINDOW / 2) {
      long grant = used;
      used = 0;
      next.add(() -> machine.grant(grant));
    }
    byte[] body = message.body().toByteArray();
    if (!new String(body, StandardCharsets.UTF_8).startsWith(tag)) {
      return;
    }
    received++;
    if (!message.key().equals(PREFIX + received)) {
      stop("expected " + PREFIX + received + ", got " + message.key());
    } else if (received > 1 && Long.compareUnsigned(message.sequence(), last) <= 0) {
      stop("sequences do not ascend");
    }
    first = received == 1 ? message.sequence() : first;
    last = message.sequence();
    if (received == count) {
      next.add(machine::close);
    }
  }

  @Override
  public void answered(PingOk message) {}

  @Override
  public void attachRefused(Invalid message) {
    stop("the broker refused: " + message.reason());
  }

  @Override
  public void sessionLost(Invalid message) {
    stop("the broker ended the session: " + message.reason());
  }

  @Override
  public void brokerLost(Message message) {
    stop("the broker is gone");
  }

  @Override
  public void detached(Message message) {
    over = true;
  }
}

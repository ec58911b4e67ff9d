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
import zeps.wire.zeps.OpenCode;
import zeps.wire.zeps.PingOk;
import zeps.wire.zeps.SubscribeOk;
import zeps.wire.zeps.Zeps;
import zeps.wire.zepsclient.ClientHost;
import zeps.wire.zepsclient.ClientMachine;
import zeps.wire.zepsclient.InternalEvent;

/** The machine's host. Steps that follow from actions wait until the machine has finished. */
final class Session implements ClientHost {

  static final String PREFIX = "demo/";

  /** Bytes of credit. */
  private static final long WINDOW = 1 << 16;

  private final ClientMachine machine = new ClientMachine(this);
  private final Queue<Runnable> next = new ArrayDeque<>();
  private final int count;

  /** Prefix of this run's bodies; messages of other clients do not have it. */
  private final String tag = ProcessHandle.current().pid() + "-" + System.nanoTime() + " ";

  private Predicate<byte[]> socket;
  private String pattern;

  /** Last sequence that was delivered or is lost; subscribing resumes after it. */
  private long latest;

  /** The last notice. */
  private Notice notice;

  private String fault;
  private boolean over;
  private boolean lost;
  private long used;

  /** Number of the last own message that was received back. */
  private int number;

  /** Whether messages are missing since then. */
  private boolean gap;

  private int received;
  private long first;
  private long last;

  /** The client failed. */
  static final class Failure extends Exception {

    private static final long serialVersionUID = 1;

    Failure(String text) {
      super(text);
    }
  }

  Session(int count, String pattern, long latest) {
    this.count = count;
    this.pattern = pattern;
    this.latest = latest;
  }

  ClientMachine machine() {
    return machine;
  }

  boolean isOver() {
    return over;
  }

  void useSocket(Predicate<byte[]> socket) {
    this.socket = socket;
  }

  /** Whether a new connection is needed; resets the flag. */
  boolean takeLoss() {
    boolean was = lost;
    lost = false;
    return was;
  }

  String report() {
    String sequences = Long.toUnsignedString(first) + ".." + Long.toUnsignedString(last);
    return "received " + received + " messages, sequences " + sequences;
  }

  /** Performs the steps that the machine's actions have queued. */
  void goOn() {
    for (Runnable step = next.poll(); step != null && !over; step = next.poll()) {
      step.run();
    }
  }

  /** Throws Failure if the run did not succeed. */
  void judge() throws Failure {
    if (fault != null) {
      throw new Failure(fault);
    }
    if (number != count) {
      throw new Failure("detached after " + number + " of " + count + " messages");
    }
  }

  private void stop(String why) {
    fault = why;
    over = true;
  }

  @Override
  public void send(Message message) {
    if (!socket.test(message.encode())) {
      stop("the socket cannot send");
    }
  }

  @Override
  public void attached(AttachOk message) {
    subscribe();
  }

  private void subscribe() {
    next.add(() -> machine.follow(pattern, latest));
  }

  /** Grants credit, and publishes the messages that were not received back yet. */
  @Override
  public void subscribed(SubscribeOk message) {
    used = 0;
    next.add(() -> machine.grant(WINDOW));
    for (int i = number + 1; i <= count; i++) {
      String key = PREFIX + i;
      Octets body = Octets.utf8(tag + i);
      next.add(() -> machine.post(key, body));
    }
    if (number == count) {
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
    if (latest != Zeps.LATEST_NEW && Long.compareUnsigned(message.sequence(), latest) <= 0) {
      stop("sequences do not ascend");
    }
    latest = message.sequence();
    String body = new String(message.body().toByteArray(), StandardCharsets.UTF_8);
    if (body.startsWith(tag)) {
      takeOurs(Integer.parseInt(body.substring(tag.length())), message);
    }
  }

  private void takeOurs(int found, Deliver message) {
    if (found <= number) {
      return; // a duplicate: published again after the session was lost
    }
    if (found > number + 1 && !gap) {
      stop("expected " + PREFIX + (number + 1) + ", got " + message.key());
    }
    number = found;
    gap = false;
    received++;
    first = received == 1 ? message.sequence() : first;
    last = message.sequence();
    if (number == count) {
      next.add(machine::close);
    }
  }

  /**
   * Handles INVALID by its code: a gap, a refused SUBSCRIBE, another notice, or the end of the
   * session. An unknown code ends the session (ZEPS-INVALID-6).
   */
  @Override
  public void readNotice(Invalid message) {
    notice = Notice.of(message.reason());
    if (notice.isGap()) {
      miss();
    } else if (notice.isRefusal()) {
      machine.fail(InternalEvent.SUBSCRIBE_REFUSED);
    } else if (notice.code() != null) {
      System.err.println("client: notice from the broker: " + message.reason());
    } else {
      machine.fail(InternalEvent.ENDED);
    }
  }

  private void miss() {
    System.out.println(notice.missing());
    if (latest == Zeps.LATEST_NEW || Long.compareUnsigned(latest, notice.last()) < 0) {
      latest = notice.last();
    }
    gap = true;
  }

  /** Subscribes again with a request that the broker accepts. */
  @Override
  public void refused() {
    if (notice.code() == OpenCode.NOT_RETAINED) {
      miss();
    } else if (notice.code() == OpenCode.BEYOND_END) {
      latest = notice.first() - 1;
      System.out.println("reset " + Long.toUnsignedString(latest));
    } else if (!pattern.isEmpty()) {
      System.out.println("refused " + pattern + ": " + notice.reason());
      pattern = ""; // matches every key
    } else {
      stop("the broker refused: " + notice.reason());
    }
    subscribe();
  }

  @Override
  public void answered(PingOk message) {}

  @Override
  public void attachRefused(Invalid message) {
    stop("the broker refused: " + message.reason());
  }

  /** The machine attaches again, over the same socket. */
  @Override
  public void sessionLost() {
    System.err.println("client: the session is lost: " + notice.reason());
    next.clear();
  }

  @Override
  public void brokerLost(Message message) {
    System.err.println("client: the broker is lost");
    next.clear();
    lost = true;
  }

  @Override
  public void detached(Message message) {
    over = true;
  }
}

package zeps.wire.zepsclient;

import java.util.List;
import java.util.Objects;
import zeps.wire.Machine;
import zeps.wire.Octets;
import zeps.wire.Row;
import zeps.wire.Table;
import zeps.wire.UnexpectedEventException;
import zeps.wire.internal.Unsigned;
import zeps.wire.zeps.Attach;
import zeps.wire.zeps.AttachOk;
import zeps.wire.zeps.Credit;
import zeps.wire.zeps.Deliver;
import zeps.wire.zeps.Detach;
import zeps.wire.zeps.DetachOk;
import zeps.wire.zeps.Invalid;
import zeps.wire.zeps.Message;
import zeps.wire.zeps.Ping;
import zeps.wire.zeps.PingOk;
import zeps.wire.zeps.Publish;
import zeps.wire.zeps.Subscribe;
import zeps.wire.zeps.SubscribeOk;

/**
 * ZEPS client session.
 *
 * <p>What a client does for its application. Methods are the application's calls; the host owns the
 * clock, the socket and the resumption point.
 */
public final class ClientMachine extends Machine<State, Event> {

  /** The machine's table. */
  public static final Table<State, Event> TABLE = table();

  private final ClientHost host;
  private long credit = 0L;
  private long pending = 0L;
  private long unanswered = 0L;
  private long unansweredMax = 3L;
  private long stale = 0L;
  private String stream = "";

  /**
   * Creates a machine in its initial state.
   *
   * @param host the host, which implements the actions
   */
  public ClientMachine(ClientHost host) {
    super(TABLE, State.START);
    this.host = host;
  }

  /**
   * Handles a received message.
   *
   * @param message the message
   * @throws UnexpectedEventException if the state does not handle it
   * @throws NullPointerException if it is null; the machine does not change
   */
  public void receive(Message message) throws UnexpectedEventException {
    Objects.requireNonNull(message, "message");
    accept(eventOf(message), message.messageName(), message);
  }

  /**
   * Nothing was sent for a while. Also raised if a PING has no answer and nothing has arrived for a
   * while.
   *
   * @return false if no guard is true
   */
  public boolean heartbeat() {
    return handle(Event.ON_HEARTBEAT, null);
  }

  /**
   * ATTACH or DETACH was not answered in time.
   *
   * @return false if no guard is true
   */
  public boolean expired() {
    return handle(Event.ON_EXPIRED, null);
  }

  /**
   * The host received something that does not decode.
   *
   * @return false if no guard is true
   */
  public boolean malformed() {
    return handle(Event.ON_MALFORMED, null);
  }

  /**
   * Raised when the code of an INVALID is one that ends the session, or is not known.
   *
   * @return false if no guard is true
   */
  public boolean ended() {
    return handle(Event.ON_ENDED, null);
  }

  /**
   * Raised when the code of an INVALID is one that refuses a SUBSCRIBE.
   *
   * @return false if no guard is true
   */
  public boolean subscribeRefused() {
    return handle(Event.ON_SUBSCRIBE_REFUSED, null);
  }

  /**
   * Attach to a stream.
   *
   * @param stream The stream.
   * @return false if no guard is true
   */
  public boolean open(String stream) {
    return handle(Event.ON_OPEN, new OpenCall(stream));
  }

  /**
   * Subscribe.
   *
   * @param pattern The pattern.
   * @param latest The latest.
   * @return false if no guard is true
   */
  public boolean follow(String pattern, long latest) {
    return handle(Event.ON_FOLLOW, new FollowCall(pattern, latest));
  }

  /**
   * Let the broker send this many octets of DELIVER frames more.
   *
   * @param octets The octets.
   * @return false if no guard is true
   */
  public boolean grant(long octets) {
    return handle(Event.ON_GRANT, new GrantCall(octets));
  }

  /**
   * Publish.
   *
   * @param key The key.
   * @param body The body.
   * @return false if no guard is true
   */
  public boolean post(String key, Octets body) {
    return handle(Event.ON_POST, new PostCall(key, body));
  }

  /**
   * Ask for PING-OK: when it comes, everything published before has its sequence.
   *
   * @return false if no guard is true
   */
  public boolean probe() {
    return handle(Event.ON_PROBE, null);
  }

  /**
   * Detach.
   *
   * @return false if no guard is true
   */
  public boolean close() {
    return handle(Event.ON_CLOSE, null);
  }

  /**
   * Skips the remaining steps of the row, then handles the event. Only for calls from inside a host
   * action.
   *
   * @param event the event to handle
   * @throws zeps.wire.UnhandledEventException if no action runs
   */
  public void fail(InternalEvent event) {
    failWith(event.event());
  }

  /**
   * Handles the event after the row, in the new state. It replaces an earlier event of the same
   * row. Only for calls from inside a host action.
   *
   * @param event the event
   * @throws zeps.wire.UnhandledEventException if no action runs
   */
  public void raise(InternalEvent event) {
    raiseLater(event.event());
  }

  /**
   * Octets of DELIVER frames that the broker may still send.
   *
   * @return its value, unsigned
   */
  public long getCredit() {
    return credit;
  }

  /**
   * Octets of DELIVER frames that the broker may still send.
   *
   * @param value its new value, unsigned
   */
  public void setCredit(long value) {
    this.credit = value;
  }

  /**
   * SUBSCRIBE commands without an answer.
   *
   * @return its value, unsigned
   */
  public long getPending() {
    return pending;
  }

  /**
   * SUBSCRIBE commands without an answer.
   *
   * @param value its new value, unsigned
   */
  public void setPending(long value) {
    this.pending = value;
  }

  /**
   * PING commands without an answer.
   *
   * @return its value, unsigned
   */
  public long getUnanswered() {
    return unanswered;
  }

  /**
   * PING commands without an answer.
   *
   * @param value its new value, unsigned
   */
  public void setUnanswered(long value) {
    this.unanswered = value;
  }

  /**
   * PING commands without an answer that mean the broker is gone.
   *
   * @return its value, unsigned
   */
  public long getUnansweredMax() {
    return unansweredMax;
  }

  /**
   * PING commands without an answer that mean the broker is gone.
   *
   * @param value its new value, unsigned
   */
  public void setUnansweredMax(long value) {
    this.unansweredMax = value;
  }

  /**
   * 1 while INVALIDs may still arrive that answer commands of a session that is over.
   *
   * @return its value, unsigned
   */
  public long getStale() {
    return stale;
  }

  /**
   * 1 while INVALIDs may still arrive that answer commands of a session that is over.
   *
   * @param value its new value, unsigned
   */
  public void setStale(long value) {
    this.stale = value;
  }

  /**
   * The stream to attach to.
   *
   * @return its value
   */
  public String getStream() {
    return stream;
  }

  /**
   * The stream to attach to.
   *
   * @param value its new value
   */
  public void setStream(String value) {
    this.stream = value;
  }

  private static Table<State, Event> table() {
    final Table.Builder<State, Event> rows = new Table.Builder<>(State.class, Event.class);
    rows.add(
        new Row<>(
            State.START,
            Event.ON_OPEN,
            null,
            List.of(
                "stream := message.stream",
                "credit := 0",
                "pending := 0",
                "unanswered := 0",
                "send ATTACH(stream = stream)"),
            State.ATTACHING,
            1),
        -1,
        0,
        1,
        2,
        3,
        4);
    rows.add(new Row<>(State.START, Event.DETACH, null, List.of("send DETACH-OK"), null, 1), -1, 5);
    rows.add(new Row<>(State.START, Event.ON_MALFORMED, null, List.of(), null, 0), -1);
    rows.add(new Row<>(State.START, Event.ON_HEARTBEAT, null, List.of(), null, 0), -1);
    rows.add(new Row<>(State.START, Event.ON_EXPIRED, null, List.of(), null, 0), -1);
    rows.add(new Row<>(State.START, Event.ATTACH, null, List.of(), null, 0), -1);
    rows.add(new Row<>(State.START, Event.ATTACH_OK, null, List.of(), null, 0), -1);
    rows.add(new Row<>(State.START, Event.SUBSCRIBE, null, List.of(), null, 0), -1);
    rows.add(new Row<>(State.START, Event.SUBSCRIBE_OK, null, List.of(), null, 0), -1);
    rows.add(new Row<>(State.START, Event.CREDIT, null, List.of(), null, 0), -1);
    rows.add(new Row<>(State.START, Event.PUBLISH, null, List.of(), null, 0), -1);
    rows.add(new Row<>(State.START, Event.DELIVER, null, List.of(), null, 0), -1);
    rows.add(new Row<>(State.START, Event.PING, null, List.of(), null, 0), -1);
    rows.add(new Row<>(State.START, Event.PING_OK, null, List.of(), null, 0), -1);
    rows.add(new Row<>(State.START, Event.DETACH_OK, null, List.of(), null, 0), -1);
    rows.add(new Row<>(State.START, Event.INVALID, null, List.of(), null, 0), -1);
    rows.add(
        new Row<>(
            State.ATTACHING,
            Event.ATTACH_OK,
            null,
            List.of("stale := 0", "attached"),
            State.OPEN,
            2),
        -1,
        6,
        7);
    rows.add(new Row<>(State.ATTACHING, Event.INVALID, "stale == 1", List.of(), null, 0), 8);
    rows.add(
        new Row<>(State.ATTACHING, Event.INVALID, null, List.of("attach_refused"), State.START, 1),
        -1,
        9);
    rows.add(
        new Row<>(
            State.ATTACHING,
            Event.DETACH,
            null,
            List.of("send DETACH-OK", "detached"),
            State.START,
            2),
        -1,
        5,
        10);
    rows.add(
        new Row<>(
            State.ATTACHING,
            Event.ON_EXPIRED,
            null,
            List.of("stale := 0", "broker_lost"),
            State.START,
            2),
        -1,
        6,
        11);
    rows.add(new Row<>(State.ATTACHING, Event.ON_CLOSE, null, List.of(), State.LEAVING, 0), -1);
    rows.add(new Row<>(State.ATTACHING, Event.ON_HEARTBEAT, null, List.of(), null, 0), -1);
    rows.add(
        new Row<>(
            State.ATTACHING, Event.ON_MALFORMED, null, List.of("broker_lost"), State.START, 1),
        -1,
        11);
    rows.add(
        new Row<>(State.ATTACHING, Event.PING, null, List.of("send PING-OK"), null, 1), -1, 12);
    rows.add(new Row<>(State.ATTACHING, Event.ATTACH, null, List.of(), null, 0), -1);
    rows.add(new Row<>(State.ATTACHING, Event.SUBSCRIBE, null, List.of(), null, 0), -1);
    rows.add(new Row<>(State.ATTACHING, Event.SUBSCRIBE_OK, null, List.of(), null, 0), -1);
    rows.add(new Row<>(State.ATTACHING, Event.CREDIT, null, List.of(), null, 0), -1);
    rows.add(new Row<>(State.ATTACHING, Event.PUBLISH, null, List.of(), null, 0), -1);
    rows.add(new Row<>(State.ATTACHING, Event.DELIVER, null, List.of(), null, 0), -1);
    rows.add(new Row<>(State.ATTACHING, Event.PING_OK, null, List.of(), null, 0), -1);
    rows.add(new Row<>(State.ATTACHING, Event.DETACH_OK, null, List.of(), null, 0), -1);
    rows.add(
        new Row<>(State.LEAVING, Event.ATTACH_OK, null, List.of("send DETACH"), State.DETACHING, 1),
        -1,
        13);
    rows.add(new Row<>(State.LEAVING, Event.INVALID, "stale == 1", List.of(), null, 0), 8);
    rows.add(
        new Row<>(State.LEAVING, Event.INVALID, null, List.of("detached"), State.START, 1), -1, 10);
    rows.add(
        new Row<>(
            State.LEAVING,
            Event.DETACH,
            null,
            List.of("send DETACH-OK", "detached"),
            State.START,
            2),
        -1,
        5,
        10);
    rows.add(
        new Row<>(
            State.LEAVING,
            Event.ON_EXPIRED,
            null,
            List.of("stale := 0", "detached"),
            State.START,
            2),
        -1,
        6,
        10);
    rows.add(new Row<>(State.LEAVING, Event.ON_HEARTBEAT, null, List.of(), null, 0), -1);
    rows.add(new Row<>(State.LEAVING, Event.ON_MALFORMED, null, List.of(), null, 0), -1);
    rows.add(new Row<>(State.LEAVING, Event.PING, null, List.of("send PING-OK"), null, 1), -1, 12);
    rows.add(new Row<>(State.LEAVING, Event.ATTACH, null, List.of(), null, 0), -1);
    rows.add(new Row<>(State.LEAVING, Event.SUBSCRIBE, null, List.of(), null, 0), -1);
    rows.add(new Row<>(State.LEAVING, Event.SUBSCRIBE_OK, null, List.of(), null, 0), -1);
    rows.add(new Row<>(State.LEAVING, Event.CREDIT, null, List.of(), null, 0), -1);
    rows.add(new Row<>(State.LEAVING, Event.PUBLISH, null, List.of(), null, 0), -1);
    rows.add(new Row<>(State.LEAVING, Event.DELIVER, null, List.of(), null, 0), -1);
    rows.add(new Row<>(State.LEAVING, Event.PING_OK, null, List.of(), null, 0), -1);
    rows.add(new Row<>(State.LEAVING, Event.DETACH_OK, null, List.of(), null, 0), -1);
    rows.add(
        new Row<>(
            State.OPEN,
            Event.ON_FOLLOW,
            null,
            List.of(
                "pending := pending + 1",
                "send SUBSCRIBE(pattern = message.pattern, latest = message.latest)"),
            null,
            2),
        -1,
        14,
        15);
    rows.add(
        new Row<>(
            State.OPEN,
            Event.SUBSCRIBE_OK,
            "pending > 0",
            List.of("pending := pending - 1", "subscribed"),
            null,
            2),
        18,
        16,
        17);
    rows.add(
        new Row<>(
            State.OPEN,
            Event.ON_GRANT,
            null,
            List.of("credit := credit + message.octets", "send CREDIT(credit = message.octets)"),
            null,
            2),
        -1,
        19,
        20);
    rows.add(
        new Row<>(
            State.OPEN,
            Event.DELIVER,
            "credit >= size(DELIVER)",
            List.of("credit := credit - size(DELIVER)", "take_message"),
            null,
            2),
        23,
        21,
        22);
    rows.add(
        new Row<>(
            State.OPEN,
            Event.ON_POST,
            null,
            List.of("send PUBLISH(key = message.key, body = message.body)"),
            null,
            1),
        -1,
        24);
    rows.add(
        new Row<>(
            State.OPEN,
            Event.ON_PROBE,
            null,
            List.of("unanswered := unanswered + 1", "send PING"),
            null,
            2),
        -1,
        25,
        26);
    rows.add(
        new Row<>(
            State.OPEN,
            Event.ON_HEARTBEAT,
            "unanswered >= unanswered_max",
            List.of("stale := 1", "broker_lost"),
            State.START,
            2),
        28,
        27,
        11);
    rows.add(
        new Row<>(
            State.OPEN,
            Event.ON_HEARTBEAT,
            null,
            List.of("unanswered := unanswered + 1", "send PING"),
            null,
            2),
        -1,
        25,
        26);
    rows.add(
        new Row<>(State.OPEN, Event.PING_OK, null, List.of("unanswered := 0", "answered"), null, 2),
        -1,
        3,
        29);
    rows.add(new Row<>(State.OPEN, Event.INVALID, null, List.of("read_notice"), null, 1), -1, 30);
    rows.add(
        new Row<>(
            State.OPEN,
            Event.ON_ENDED,
            null,
            List.of(
                "stale := 1",
                "session_lost",
                "credit := 0",
                "pending := 0",
                "unanswered := 0",
                "send ATTACH(stream = stream)"),
            State.ATTACHING,
            2),
        -1,
        27,
        31,
        1,
        2,
        3,
        4);
    rows.add(
        new Row<>(
            State.OPEN,
            Event.ON_SUBSCRIBE_REFUSED,
            "pending > 0",
            List.of("pending := pending - 1", "refused"),
            null,
            2),
        18,
        16,
        32);
    rows.add(new Row<>(State.OPEN, Event.ON_SUBSCRIBE_REFUSED, null, List.of(), null, 0), -1);
    rows.add(
        new Row<>(
            State.OPEN, Event.DETACH, null, List.of("send DETACH-OK", "detached"), State.START, 2),
        -1,
        5,
        10);
    rows.add(
        new Row<>(State.OPEN, Event.ON_CLOSE, null, List.of("send DETACH"), State.DETACHING, 1),
        -1,
        13);
    rows.add(new Row<>(State.OPEN, Event.ON_EXPIRED, null, List.of(), null, 0), -1);
    rows.add(
        new Row<>(State.OPEN, Event.ON_MALFORMED, null, List.of("broker_lost"), State.START, 1),
        -1,
        11);
    rows.add(new Row<>(State.OPEN, Event.PING, null, List.of("send PING-OK"), null, 1), -1, 12);
    rows.add(
        new Row<>(State.OPEN, Event.ATTACH, null, List.of("broker_lost"), State.START, 1), -1, 11);
    rows.add(
        new Row<>(State.OPEN, Event.ATTACH_OK, null, List.of("broker_lost"), State.START, 1),
        -1,
        11);
    rows.add(
        new Row<>(State.OPEN, Event.SUBSCRIBE, null, List.of("broker_lost"), State.START, 1),
        -1,
        11);
    rows.add(
        new Row<>(State.OPEN, Event.SUBSCRIBE_OK, null, List.of("broker_lost"), State.START, 1),
        -1,
        11);
    rows.add(
        new Row<>(State.OPEN, Event.CREDIT, null, List.of("broker_lost"), State.START, 1), -1, 11);
    rows.add(
        new Row<>(State.OPEN, Event.PUBLISH, null, List.of("broker_lost"), State.START, 1), -1, 11);
    rows.add(
        new Row<>(State.OPEN, Event.DELIVER, null, List.of("broker_lost"), State.START, 1), -1, 11);
    rows.add(
        new Row<>(State.OPEN, Event.DETACH_OK, null, List.of("broker_lost"), State.START, 1),
        -1,
        11);
    rows.add(
        new Row<>(
            State.DETACHING,
            Event.DETACH_OK,
            null,
            List.of("stale := 0", "detached"),
            State.START,
            2),
        -1,
        6,
        10);
    rows.add(
        new Row<>(State.DETACHING, Event.INVALID, null, List.of("read_notice"), null, 1), -1, 30);
    rows.add(
        new Row<>(
            State.DETACHING,
            Event.ON_ENDED,
            null,
            List.of("stale := 1", "detached"),
            State.START,
            2),
        -1,
        27,
        10);
    rows.add(new Row<>(State.DETACHING, Event.ON_SUBSCRIBE_REFUSED, null, List.of(), null, 0), -1);
    rows.add(
        new Row<>(
            State.DETACHING,
            Event.ON_EXPIRED,
            null,
            List.of("stale := 0", "detached"),
            State.START,
            2),
        -1,
        6,
        10);
    rows.add(new Row<>(State.DETACHING, Event.ON_HEARTBEAT, null, List.of(), null, 0), -1);
    rows.add(new Row<>(State.DETACHING, Event.ON_MALFORMED, null, List.of(), null, 0), -1);
    rows.add(new Row<>(State.DETACHING, Event.ATTACH, null, List.of(), null, 0), -1);
    rows.add(new Row<>(State.DETACHING, Event.ATTACH_OK, null, List.of(), null, 0), -1);
    rows.add(new Row<>(State.DETACHING, Event.SUBSCRIBE, null, List.of(), null, 0), -1);
    rows.add(new Row<>(State.DETACHING, Event.SUBSCRIBE_OK, null, List.of(), null, 0), -1);
    rows.add(new Row<>(State.DETACHING, Event.CREDIT, null, List.of(), null, 0), -1);
    rows.add(new Row<>(State.DETACHING, Event.PUBLISH, null, List.of(), null, 0), -1);
    rows.add(new Row<>(State.DETACHING, Event.DELIVER, null, List.of(), null, 0), -1);
    rows.add(new Row<>(State.DETACHING, Event.PING, null, List.of(), null, 0), -1);
    rows.add(new Row<>(State.DETACHING, Event.PING_OK, null, List.of(), null, 0), -1);
    rows.add(new Row<>(State.DETACHING, Event.DETACH, null, List.of(), null, 0), -1);
    return rows.build();
  }

  private static Event eventOf(Message message) {
    switch (message.messageName()) {
      case "ATTACH":
        return Event.ATTACH;
      case "ATTACH-OK":
        return Event.ATTACH_OK;
      case "SUBSCRIBE":
        return Event.SUBSCRIBE;
      case "SUBSCRIBE-OK":
        return Event.SUBSCRIBE_OK;
      case "CREDIT":
        return Event.CREDIT;
      case "PUBLISH":
        return Event.PUBLISH;
      case "DELIVER":
        return Event.DELIVER;
      case "PING":
        return Event.PING;
      case "PING-OK":
        return Event.PING_OK;
      case "DETACH":
        return Event.DETACH;
      case "DETACH-OK":
        return Event.DETACH_OK;
      case "INVALID":
        return Event.INVALID;
      default:
        return null;
    }
  }

  @Override
  protected void taken(State from, Event event, State to) {
    host.onTransition(from, event, to);
  }

  @Override
  protected boolean holds(int guard, Object carried) {
    switch (guard) {
      case 8:
        return stale == 1L;
      case 18:
        return Long.compareUnsigned(pending, 0L) > 0;
      case 23:
        return Long.compareUnsigned(credit, ((Message) carried).encodedSize()) >= 0;
      case 28:
        return Long.compareUnsigned(unanswered, unansweredMax) >= 0;
      default:
        throw new IllegalArgumentException("unknown guard: " + guard);
    }
  }

  @Override
  protected void step(int step, Object carried) {
    switch (step) {
      case 0:
        stream = ((OpenCall) carried).stream();
        break;
      case 1:
        credit = 0L;
        break;
      case 2:
        pending = 0L;
        break;
      case 3:
        unanswered = 0L;
        break;
      case 4:
        host.send(new Attach(stream));
        break;
      case 5:
        host.send(new DetachOk());
        break;
      case 6:
        stale = 0L;
        break;
      case 7:
        host.attached((AttachOk) carried);
        break;
      case 9:
        host.attachRefused((Invalid) carried);
        break;
      case 10:
        host.detached((Message) carried);
        break;
      case 11:
        host.brokerLost((Message) carried);
        break;
      case 12:
        host.send(new PingOk());
        break;
      case 13:
        host.send(new Detach());
        break;
      case 14:
        pending = Unsigned.add(pending, 1L, 4294967295L);
        break;
      case 15:
        host.send(new Subscribe(((FollowCall) carried).pattern(), ((FollowCall) carried).latest()));
        break;
      case 16:
        pending = Unsigned.min(Unsigned.subtract(pending, 1L), 4294967295L);
        break;
      case 17:
        host.subscribed((SubscribeOk) carried);
        break;
      case 19:
        credit = Unsigned.add(credit, ((GrantCall) carried).octets(), -1L);
        break;
      case 20:
        host.send(new Credit(((GrantCall) carried).octets()));
        break;
      case 21:
        credit = Unsigned.subtract(credit, ((Message) carried).encodedSize());
        break;
      case 22:
        host.takeMessage((Deliver) carried);
        break;
      case 24:
        host.send(new Publish(((PostCall) carried).key(), ((PostCall) carried).body()));
        break;
      case 25:
        unanswered = Unsigned.add(unanswered, 1L, 255L);
        break;
      case 26:
        host.send(new Ping());
        break;
      case 27:
        stale = 1L;
        break;
      case 29:
        host.answered((PingOk) carried);
        break;
      case 30:
        host.readNotice((Invalid) carried);
        break;
      case 31:
        host.sessionLost();
        break;
      case 32:
        host.refused();
        break;
      default:
        throw new IllegalArgumentException("unknown step: " + step);
    }
  }
}

package zeps.wire.zepsserver;

import java.util.List;
import java.util.Objects;
import zeps.wire.Machine;
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
 * ZEPS server session.
 *
 * <p>What a broker does for one client. The host keeps streams, subscriptions and the clock; the
 * machine decides what is legal, what is answered, and how much may be sent.
 */
public final class ServerMachine extends Machine<State, Event> {

  /** The machine's table. */
  public static final Table<State, Event> TABLE = table();

  private final ServerHost host;
  private long credit = 0L;
  private String reason = "";

  /**
   * Creates a machine in its initial state.
   *
   * @param host the host, which implements the actions
   */
  public ServerMachine(ServerHost host) {
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
   * The host received something that does not decode; reason says what.
   *
   * @return false if no guard is true
   */
  public boolean malformed() {
    return handle(Event.ON_MALFORMED, null);
  }

  /**
   * Raised when the stream cannot be opened; reason says why.
   *
   * @return false if no guard is true
   */
  public boolean attachRefused() {
    return handle(Event.ON_ATTACH_REFUSED, null);
  }

  /**
   * Raised when the subscription cannot be granted; reason says why.
   *
   * @return false if no guard is true
   */
  public boolean subscribeRefused() {
    return handle(Event.ON_SUBSCRIBE_REFUSED, null);
  }

  /**
   * Messages that this client was to be delivered are lost; reason says which.
   *
   * @return false if no guard is true
   */
  public boolean gap() {
    return handle(Event.ON_GAP, null);
  }

  /**
   * The client was silent for longer than the timeout.
   *
   * @return false if no guard is true
   */
  public boolean expired() {
    return handle(Event.ON_EXPIRED, null);
  }

  /**
   * The client has been silent for a while; ask whether it is there.
   *
   * @return false if no guard is true
   */
  public boolean heartbeat() {
    return handle(Event.ON_HEARTBEAT, null);
  }

  /**
   * The broker stops.
   *
   * @return false if no guard is true
   */
  public boolean shutdown() {
    return handle(Event.ON_SHUTDOWN, null);
  }

  /**
   * The host has a message for this client.
   *
   * @param message the event's message
   * @return false if no guard is true
   */
  public boolean deliver(Deliver message) {
    return handle(Event.ON_DELIVER, Objects.requireNonNull(message, "message"));
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
   * Octets of DELIVER frames that the client still accepts.
   *
   * @return its value, unsigned
   */
  public long getCredit() {
    return credit;
  }

  /**
   * Octets of DELIVER frames that the client still accepts.
   *
   * @param value its new value, unsigned
   */
  public void setCredit(long value) {
    this.credit = value;
  }

  /**
   * Why the host refused; set by the host before any event that sends it.
   *
   * @return its value
   */
  public String getReason() {
    return reason;
  }

  /**
   * Why the host refused; set by the host before any event that sends it.
   *
   * @param value its new value
   */
  public void setReason(String value) {
    this.reason = value;
  }

  private static Table<State, Event> table() {
    final Table.Builder<State, Event> rows = new Table.Builder<>(State.class, Event.class);
    rows.add(
        new Row<>(
            State.START,
            Event.ATTACH,
            "message.stream == ''",
            List.of("send INVALID(reason = 'stream-name the stream name is empty')"),
            null,
            1),
        1,
        0);
    rows.add(
        new Row<>(
            State.START,
            Event.ATTACH,
            null,
            List.of("credit := 0", "open_stream", "send ATTACH-OK"),
            State.OPEN,
            3),
        -1,
        2,
        3,
        4);
    rows.add(
        new Row<>(
            State.START,
            Event.ON_MALFORMED,
            null,
            List.of("send INVALID(reason = reason)"),
            null,
            1),
        -1,
        5);
    rows.add(
        new Row<>(
            State.START,
            Event.ON_ATTACH_REFUSED,
            null,
            List.of("send INVALID(reason = reason)"),
            null,
            1),
        -1,
        5);
    rows.add(
        new Row<>(
            State.START,
            Event.ATTACH_OK,
            null,
            List.of("send INVALID(reason = 'no-session ATTACH opens a session')"),
            null,
            1),
        -1,
        6);
    rows.add(
        new Row<>(
            State.START,
            Event.SUBSCRIBE,
            null,
            List.of("send INVALID(reason = 'no-session ATTACH opens a session')"),
            null,
            1),
        -1,
        6);
    rows.add(
        new Row<>(
            State.START,
            Event.SUBSCRIBE_OK,
            null,
            List.of("send INVALID(reason = 'no-session ATTACH opens a session')"),
            null,
            1),
        -1,
        6);
    rows.add(
        new Row<>(
            State.START,
            Event.CREDIT,
            null,
            List.of("send INVALID(reason = 'no-session ATTACH opens a session')"),
            null,
            1),
        -1,
        6);
    rows.add(
        new Row<>(
            State.START,
            Event.PUBLISH,
            null,
            List.of("send INVALID(reason = 'no-session ATTACH opens a session')"),
            null,
            1),
        -1,
        6);
    rows.add(
        new Row<>(
            State.START,
            Event.DELIVER,
            null,
            List.of("send INVALID(reason = 'no-session ATTACH opens a session')"),
            null,
            1),
        -1,
        6);
    rows.add(
        new Row<>(
            State.START,
            Event.PING,
            null,
            List.of("send INVALID(reason = 'no-session ATTACH opens a session')"),
            null,
            1),
        -1,
        6);
    rows.add(
        new Row<>(
            State.START,
            Event.PING_OK,
            null,
            List.of("send INVALID(reason = 'no-session ATTACH opens a session')"),
            null,
            1),
        -1,
        6);
    rows.add(
        new Row<>(
            State.START,
            Event.DETACH,
            null,
            List.of("send INVALID(reason = 'no-session ATTACH opens a session')"),
            null,
            1),
        -1,
        6);
    rows.add(
        new Row<>(
            State.START,
            Event.DETACH_OK,
            null,
            List.of("send INVALID(reason = 'no-session ATTACH opens a session')"),
            null,
            1),
        -1,
        6);
    rows.add(
        new Row<>(
            State.START,
            Event.INVALID,
            null,
            List.of("send INVALID(reason = 'no-session ATTACH opens a session')"),
            null,
            1),
        -1,
        6);
    rows.add(
        new Row<>(
            State.OPEN,
            Event.ATTACH,
            "message.stream == ''",
            List.of(
                "close_stream", "send INVALID(reason = 'stream-name the stream name is empty')"),
            State.START,
            2),
        1,
        7,
        0);
    rows.add(
        new Row<>(
            State.OPEN,
            Event.ATTACH,
            null,
            List.of("close_stream", "credit := 0", "open_stream", "send ATTACH-OK"),
            null,
            4),
        -1,
        7,
        2,
        3,
        4);
    rows.add(
        new Row<>(
            State.OPEN,
            Event.SUBSCRIBE,
            null,
            List.of("check_subscription", "send SUBSCRIBE-OK", "add_subscription"),
            null,
            3),
        -1,
        8,
        9,
        10);
    rows.add(
        new Row<>(
            State.OPEN,
            Event.CREDIT,
            null,
            List.of("credit := credit + message.credit", "use_credit"),
            null,
            2),
        -1,
        11,
        12);
    rows.add(new Row<>(State.OPEN, Event.PUBLISH, null, List.of("store_message"), null, 1), -1, 13);
    rows.add(
        new Row<>(
            State.OPEN,
            Event.ON_DELIVER,
            "credit >= size(DELIVER)",
            List.of("credit := credit - size(DELIVER)", "send DELIVER"),
            null,
            2),
        16,
        14,
        15);
    rows.add(new Row<>(State.OPEN, Event.PING, null, List.of("send PING-OK"), null, 1), -1, 17);
    rows.add(new Row<>(State.OPEN, Event.PING_OK, null, List.of(), null, 0), -1);
    rows.add(
        new Row<>(
            State.OPEN,
            Event.DETACH,
            null,
            List.of("close_stream", "send DETACH-OK"),
            State.START,
            2),
        -1,
        7,
        18);
    rows.add(
        new Row<>(State.OPEN, Event.ON_HEARTBEAT, null, List.of("send PING"), null, 1), -1, 19);
    rows.add(
        new Row<>(State.OPEN, Event.ON_SHUTDOWN, null, List.of("send DETACH"), State.DETACHING, 1),
        -1,
        20);
    rows.add(
        new Row<>(State.OPEN, Event.ON_EXPIRED, null, List.of("close_stream"), State.START, 1),
        -1,
        7);
    rows.add(
        new Row<>(
            State.OPEN,
            Event.ON_MALFORMED,
            null,
            List.of("close_stream", "send INVALID(reason = reason)"),
            State.START,
            2),
        -1,
        7,
        5);
    rows.add(
        new Row<>(
            State.OPEN,
            Event.ON_ATTACH_REFUSED,
            null,
            List.of("close_stream", "send INVALID(reason = reason)"),
            State.START,
            2),
        -1,
        7,
        5);
    rows.add(
        new Row<>(
            State.OPEN,
            Event.ON_SUBSCRIBE_REFUSED,
            null,
            List.of("send INVALID(reason = reason)"),
            null,
            1),
        -1,
        5);
    rows.add(
        new Row<>(
            State.OPEN, Event.ON_GAP, null, List.of("send INVALID(reason = reason)"), null, 1),
        -1,
        5);
    rows.add(
        new Row<>(
            State.OPEN,
            Event.ATTACH_OK,
            null,
            List.of(
                "send INVALID(reason = 'unexpected a client does not send this command in an open"
                    + " session')"),
            null,
            1),
        -1,
        21);
    rows.add(
        new Row<>(
            State.OPEN,
            Event.SUBSCRIBE_OK,
            null,
            List.of(
                "send INVALID(reason = 'unexpected a client does not send this command in an open"
                    + " session')"),
            null,
            1),
        -1,
        21);
    rows.add(
        new Row<>(
            State.OPEN,
            Event.DELIVER,
            null,
            List.of(
                "send INVALID(reason = 'unexpected a client does not send this command in an open"
                    + " session')"),
            null,
            1),
        -1,
        21);
    rows.add(
        new Row<>(
            State.OPEN,
            Event.DETACH_OK,
            null,
            List.of(
                "send INVALID(reason = 'unexpected a client does not send this command in an open"
                    + " session')"),
            null,
            1),
        -1,
        21);
    rows.add(
        new Row<>(
            State.OPEN,
            Event.INVALID,
            null,
            List.of(
                "send INVALID(reason = 'unexpected a client does not send this command in an open"
                    + " session')"),
            null,
            1),
        -1,
        21);
    rows.add(
        new Row<>(State.DETACHING, Event.PUBLISH, null, List.of("store_message"), null, 1), -1, 13);
    rows.add(
        new Row<>(State.DETACHING, Event.DETACH_OK, null, List.of("close_stream"), State.START, 1),
        -1,
        7);
    rows.add(
        new Row<>(
            State.DETACHING,
            Event.DETACH,
            null,
            List.of("close_stream", "send DETACH-OK"),
            State.START,
            2),
        -1,
        7,
        18);
    rows.add(
        new Row<>(State.DETACHING, Event.ON_EXPIRED, null, List.of("close_stream"), State.START, 1),
        -1,
        7);
    rows.add(
        new Row<>(
            State.DETACHING,
            Event.ON_MALFORMED,
            null,
            List.of("close_stream", "send INVALID(reason = reason)"),
            State.START,
            2),
        -1,
        7,
        5);
    rows.add(new Row<>(State.DETACHING, Event.ATTACH, null, List.of(), null, 0), -1);
    rows.add(new Row<>(State.DETACHING, Event.ATTACH_OK, null, List.of(), null, 0), -1);
    rows.add(new Row<>(State.DETACHING, Event.SUBSCRIBE, null, List.of(), null, 0), -1);
    rows.add(new Row<>(State.DETACHING, Event.SUBSCRIBE_OK, null, List.of(), null, 0), -1);
    rows.add(new Row<>(State.DETACHING, Event.CREDIT, null, List.of(), null, 0), -1);
    rows.add(new Row<>(State.DETACHING, Event.DELIVER, null, List.of(), null, 0), -1);
    rows.add(new Row<>(State.DETACHING, Event.PING, null, List.of(), null, 0), -1);
    rows.add(new Row<>(State.DETACHING, Event.PING_OK, null, List.of(), null, 0), -1);
    rows.add(new Row<>(State.DETACHING, Event.INVALID, null, List.of(), null, 0), -1);
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
      case 1:
        return ((Attach) carried).stream().equals("");
      case 16:
        return Long.compareUnsigned(credit, ((Message) carried).encodedSize()) >= 0;
      default:
        throw new IllegalArgumentException("unknown guard: " + guard);
    }
  }

  @Override
  protected void step(int step, Object carried) {
    switch (step) {
      case 0:
        host.send(new Invalid("stream-name the stream name is empty"));
        break;
      case 2:
        credit = 0L;
        break;
      case 3:
        host.openStream((Attach) carried);
        break;
      case 4:
        host.send(new AttachOk());
        break;
      case 5:
        host.send(new Invalid(reason));
        break;
      case 6:
        host.send(new Invalid("no-session ATTACH opens a session"));
        break;
      case 7:
        host.closeStream((Message) carried);
        break;
      case 8:
        host.checkSubscription((Subscribe) carried);
        break;
      case 9:
        host.send(new SubscribeOk());
        break;
      case 10:
        host.addSubscription((Subscribe) carried);
        break;
      case 11:
        credit = Unsigned.add(credit, ((Credit) carried).credit(), -1L);
        break;
      case 12:
        host.useCredit((Credit) carried);
        break;
      case 13:
        host.storeMessage((Publish) carried);
        break;
      case 14:
        credit = Unsigned.subtract(credit, ((Message) carried).encodedSize());
        break;
      case 15:
        host.send((Message) carried);
        break;
      case 17:
        host.send(new PingOk());
        break;
      case 18:
        host.send(new DetachOk());
        break;
      case 19:
        host.send(new Ping());
        break;
      case 20:
        host.send(new Detach());
        break;
      case 21:
        host.send(new Invalid("unexpected a client does not send this command in an open session"));
        break;
      default:
        throw new IllegalArgumentException("unknown step: " + step);
    }
  }
}

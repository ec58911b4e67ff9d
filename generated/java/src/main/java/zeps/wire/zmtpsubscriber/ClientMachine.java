package zeps.wire.zmtpsubscriber;

import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import zeps.wire.EncodeException;
import zeps.wire.ErrorCode;
import zeps.wire.Machine;
import zeps.wire.Octets;
import zeps.wire.Row;
import zeps.wire.Table;
import zeps.wire.UnexpectedEventException;
import zeps.wire.internal.Draft;
import zeps.wire.internal.Fit;
import zeps.wire.internal.Unsigned;
import zeps.wire.zmtp.Cancel;
import zeps.wire.zmtp.CancelX;
import zeps.wire.zmtp.Cancellation;
import zeps.wire.zmtp.CancellationX;
import zeps.wire.zmtp.Error;
import zeps.wire.zmtp.Greeting;
import zeps.wire.zmtp.Message;
import zeps.wire.zmtp.Ping;
import zeps.wire.zmtp.Pong;
import zeps.wire.zmtp.Ready;
import zeps.wire.zmtp.Subscribe;
import zeps.wire.zmtp.SubscribeX;
import zeps.wire.zmtp.Subscription;
import zeps.wire.zmtp.SubscriptionX;

/**
 * ZMTP connection of a subscriber.
 *
 * <p>What a SUB or XSUB socket does on one connection. The host frames, keeps the socket's
 * subscriptions, makes a new machine for each connection, and brings every subscription again when
 * one has opened.
 */
public final class ClientMachine extends Machine<State, Event> {

  /** The machine's table. */
  public static final Table<State, Event> TABLE = table();

  private final ClientHost host;
  private Octets mechanism = Octets.utf8("");
  private long minor = 1L;
  private long peerMinor = 0L;
  private long ttl = 0L;
  private long unanswered = 0L;
  private long unansweredMax = 1L;
  private Octets reason = Octets.utf8("");

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
   * Before the start: speak version 3.0.
   *
   * @return false if no guard is true
   */
  public boolean downgrade() {
    return handle(Event.ON_DOWNGRADE, null);
  }

  /**
   * The transport has connected the two.
   *
   * @return false if no guard is true
   */
  public boolean connected() {
    return handle(Event.ON_CONNECTED, null);
  }

  /**
   * The host's own READY. It follows at once when the machine asks for it, before anything else is
   * read.
   *
   * @param message the event's message
   * @return false if no guard is true
   */
  public boolean introduce(Ready message) {
    return handle(Event.ON_INTRODUCE, Objects.requireNonNull(message, "message"));
  }

  /**
   * Raised by a host action: the peer's greeting or its metadata is not acceptable.
   *
   * @return false if no guard is true
   */
  public boolean refused() {
    return handle(Event.ON_REFUSED, null);
  }

  /**
   * Nothing has arrived for a while.
   *
   * @return false if no guard is true
   */
  public boolean heartbeat() {
    return handle(Event.ON_HEARTBEAT, null);
  }

  /**
   * The handshake takes too long, or the peer's time to live has passed.
   *
   * @return false if no guard is true
   */
  public boolean expired() {
    return handle(Event.ON_EXPIRED, null);
  }

  /**
   * Something arrived that does not decode.
   *
   * @return false if no guard is true
   */
  public boolean malformed() {
    return handle(Event.ON_MALFORMED, null);
  }

  /**
   * A command arrived that the models do not have.
   *
   * @return false if no guard is true
   */
  public boolean unknown() {
    return handle(Event.ON_UNKNOWN, null);
  }

  /**
   * The transport has lost the connection.
   *
   * @return false if no guard is true
   */
  public boolean disconnected() {
    return handle(Event.ON_DISCONNECTED, null);
  }

  /**
   * Ask for the messages that begin with a topic, once more.
   *
   * @param topic The topic.
   * @return false if no guard is true
   */
  public boolean subscribe(Octets topic) {
    return handle(Event.ON_SUBSCRIBE, new SubscribeCall(topic));
  }

  /**
   * Take one subscription back.
   *
   * @param topic The topic.
   * @return false if no guard is true
   */
  public boolean unsubscribe(Octets topic) {
    return handle(Event.ON_UNSUBSCRIBE, new UnsubscribeCall(topic));
  }

  /**
   * Ask for the messages that a filter of some kind lets pass, once more.
   *
   * @param kind The kind.
   * @param octets The octets.
   * @return false if no guard is true
   */
  public boolean subscribeFilter(int kind, Octets octets) {
    return handle(Event.ON_SUBSCRIBE_FILTER, new SubscribeFilterCall(kind, octets));
  }

  /**
   * Take one filter back.
   *
   * @param kind The kind.
   * @param octets The octets.
   * @return false if no guard is true
   */
  public boolean unsubscribeFilter(int kind, Octets octets) {
    return handle(Event.ON_UNSUBSCRIBE_FILTER, new UnsubscribeFilterCall(kind, octets));
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
   * The security mechanism of the socket, 20 octets padded with zeros; set by the host before
   * anything else.
   *
   * @return its value
   */
  public Octets getMechanism() {
    return mechanism;
  }

  /**
   * The security mechanism of the socket, 20 octets padded with zeros; set by the host before
   * anything else.
   *
   * @param value its new value
   */
  public void setMechanism(Octets value) {
    this.mechanism = value;
  }

  /**
   * Minor version that is announced.
   *
   * @return its value, unsigned
   */
  public long getMinor() {
    return minor;
  }

  /**
   * Minor version that is announced.
   *
   * @param value its new value, unsigned
   */
  public void setMinor(long value) {
    this.minor = value;
  }

  /**
   * Minor version of the peer: decides how subscriptions are sent.
   *
   * @return its value, unsigned
   */
  public long getPeerMinor() {
    return peerMinor;
  }

  /**
   * Minor version of the peer: decides how subscriptions are sent.
   *
   * @param value its new value, unsigned
   */
  public void setPeerMinor(long value) {
    this.peerMinor = value;
  }

  /**
   * Tenths of a second after which the peer may give up; sent with PING.
   *
   * @return its value, unsigned
   */
  public long getTtl() {
    return ttl;
  }

  /**
   * Tenths of a second after which the peer may give up; sent with PING.
   *
   * @param value its new value, unsigned
   */
  public void setTtl(long value) {
    this.ttl = value;
  }

  /**
   * PINGs without a sign of life since.
   *
   * @return its value, unsigned
   */
  public long getUnanswered() {
    return unanswered;
  }

  /**
   * PINGs without a sign of life since.
   *
   * @param value its new value, unsigned
   */
  public void setUnanswered(long value) {
    this.unanswered = value;
  }

  /**
   * PINGs without a sign of life that mean the peer is gone.
   *
   * @return its value, unsigned
   */
  public long getUnansweredMax() {
    return unansweredMax;
  }

  /**
   * PINGs without a sign of life that mean the peer is gone.
   *
   * @param value its new value, unsigned
   */
  public void setUnansweredMax(long value) {
    this.unansweredMax = value;
  }

  /**
   * Why the host refuses the peer; set before it raises refused.
   *
   * @return its value
   */
  public Octets getReason() {
    return reason;
  }

  /**
   * Why the host refuses the peer; set before it raises refused.
   *
   * @param value its new value
   */
  public void setReason(Octets value) {
    this.reason = value;
  }

  private static Table<State, Event> table() {
    final Table.Builder<State, Event> rows = new Table.Builder<>(State.class, Event.class);
    rows.add(
        new Row<>(State.START, Event.ON_DOWNGRADE, null, List.of("minor := 0"), null, 1), -1, 0);
    rows.add(
        new Row<>(
            State.START,
            Event.ON_CONNECTED,
            null,
            List.of(
                "send GREETING(major = 3, minor = minor, mechanism = mechanism, as_server = 0)"),
            State.GREETING,
            1),
        -1,
        1);
    rows.add(
        new Row<>(
            State.START,
            Event.GREETING,
            null,
            List.of(
                "send GREETING(major = 3, minor = minor, mechanism = mechanism, as_server = 0)",
                "check_greeting",
                "peer_minor := message.minor",
                "ask_for_introduction"),
            State.INTRODUCING,
            4),
        -1,
        1,
        2,
        3,
        4);
    rows.add(
        new Row<>(
            State.START,
            Event.ON_REFUSED,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(new Row<>(State.START, Event.ON_EXPIRED, null, List.of(), null, 0), -1);
    rows.add(
        new Row<>(
            State.START,
            Event.ON_MALFORMED,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.START,
            Event.ON_UNKNOWN,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.START,
            Event.ON_DISCONNECTED,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.START,
            Event.READY,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.START,
            Event.ERROR,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.START,
            Event.PING,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.START,
            Event.PONG,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.START,
            Event.SUBSCRIBE,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.START,
            Event.CANCEL,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.START,
            Event.SUBSCRIPTION,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.START,
            Event.CANCELLATION,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.START,
            Event.SUBSCRIBE_X,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.START,
            Event.CANCEL_X,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.START,
            Event.SUBSCRIPTION_X,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.START,
            Event.CANCELLATION_X,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.GREETING,
            Event.GREETING,
            null,
            List.of("check_greeting", "peer_minor := message.minor", "ask_for_introduction"),
            State.INTRODUCING,
            3),
        -1,
        2,
        3,
        4);
    rows.add(
        new Row<>(
            State.GREETING,
            Event.ON_REFUSED,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.GREETING,
            Event.ON_MALFORMED,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.GREETING,
            Event.ON_UNKNOWN,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.GREETING,
            Event.ON_DISCONNECTED,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.GREETING,
            Event.ON_EXPIRED,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.GREETING,
            Event.READY,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.GREETING,
            Event.ERROR,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.GREETING,
            Event.PING,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.GREETING,
            Event.PONG,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.GREETING,
            Event.SUBSCRIBE,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.GREETING,
            Event.CANCEL,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.GREETING,
            Event.SUBSCRIPTION,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.GREETING,
            Event.CANCELLATION,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.GREETING,
            Event.SUBSCRIBE_X,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.GREETING,
            Event.CANCEL_X,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.GREETING,
            Event.SUBSCRIPTION_X,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.GREETING,
            Event.CANCELLATION_X,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.INTRODUCING, Event.ON_INTRODUCE, null, List.of("send READY"), State.HANDSHAKE, 1),
        -1,
        7);
    rows.add(
        new Row<>(State.INTRODUCING, Event.READY, null, List.of("check_peer"), State.ANSWERING, 1),
        -1,
        8);
    rows.add(
        new Row<>(
            State.INTRODUCING,
            Event.ON_REFUSED,
            null,
            List.of("send ERROR(reason = reason)", "close_connection", "terminate"),
            State.CLOSED,
            1),
        -1,
        9,
        5,
        6);
    rows.add(
        new Row<>(
            State.INTRODUCING,
            Event.ON_MALFORMED,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.INTRODUCING,
            Event.ON_UNKNOWN,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.INTRODUCING,
            Event.ON_DISCONNECTED,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.INTRODUCING,
            Event.ON_EXPIRED,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.INTRODUCING,
            Event.GREETING,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.INTRODUCING,
            Event.ERROR,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.INTRODUCING,
            Event.PING,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.INTRODUCING,
            Event.PONG,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.INTRODUCING,
            Event.SUBSCRIBE,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.INTRODUCING,
            Event.CANCEL,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.INTRODUCING,
            Event.SUBSCRIPTION,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.INTRODUCING,
            Event.CANCELLATION,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.INTRODUCING,
            Event.SUBSCRIBE_X,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.INTRODUCING,
            Event.CANCEL_X,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.INTRODUCING,
            Event.SUBSCRIPTION_X,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.INTRODUCING,
            Event.CANCELLATION_X,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.ANSWERING,
            Event.ON_INTRODUCE,
            null,
            List.of("send READY", "opened"),
            State.OPEN,
            1),
        -1,
        7,
        10);
    rows.add(
        new Row<>(
            State.ANSWERING,
            Event.ON_MALFORMED,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.ANSWERING,
            Event.ON_UNKNOWN,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.ANSWERING,
            Event.ON_DISCONNECTED,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.ANSWERING,
            Event.ON_EXPIRED,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.ANSWERING,
            Event.GREETING,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.ANSWERING,
            Event.READY,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.ANSWERING,
            Event.ERROR,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.ANSWERING,
            Event.PING,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.ANSWERING,
            Event.PONG,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.ANSWERING,
            Event.SUBSCRIBE,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.ANSWERING,
            Event.CANCEL,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.ANSWERING,
            Event.SUBSCRIPTION,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.ANSWERING,
            Event.CANCELLATION,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.ANSWERING,
            Event.SUBSCRIBE_X,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.ANSWERING,
            Event.CANCEL_X,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.ANSWERING,
            Event.SUBSCRIPTION_X,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.ANSWERING,
            Event.CANCELLATION_X,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.HANDSHAKE, Event.READY, null, List.of("check_peer", "opened"), State.OPEN, 1),
        -1,
        8,
        10);
    rows.add(
        new Row<>(
            State.HANDSHAKE,
            Event.ON_REFUSED,
            null,
            List.of("send ERROR(reason = reason)", "close_connection", "terminate"),
            State.CLOSED,
            1),
        -1,
        9,
        5,
        6);
    rows.add(
        new Row<>(
            State.HANDSHAKE,
            Event.ERROR,
            null,
            List.of("peer_refused", "close_connection", "terminate"),
            State.CLOSED,
            1),
        -1,
        11,
        5,
        6);
    rows.add(
        new Row<>(
            State.HANDSHAKE,
            Event.ON_MALFORMED,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.HANDSHAKE,
            Event.ON_UNKNOWN,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.HANDSHAKE,
            Event.ON_DISCONNECTED,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.HANDSHAKE,
            Event.ON_EXPIRED,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.HANDSHAKE,
            Event.GREETING,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.HANDSHAKE,
            Event.PING,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.HANDSHAKE,
            Event.PONG,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.HANDSHAKE,
            Event.SUBSCRIBE,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.HANDSHAKE,
            Event.CANCEL,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.HANDSHAKE,
            Event.SUBSCRIPTION,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.HANDSHAKE,
            Event.CANCELLATION,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.HANDSHAKE,
            Event.SUBSCRIBE_X,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.HANDSHAKE,
            Event.CANCEL_X,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.HANDSHAKE,
            Event.SUBSCRIPTION_X,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.HANDSHAKE,
            Event.CANCELLATION_X,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.OPEN,
            Event.ON_SUBSCRIBE,
            "minor >= 1 and peer_minor >= 1",
            List.of("send SUBSCRIBE(topic = message.topic)"),
            null,
            1),
        13,
        12);
    rows.add(
        new Row<>(
            State.OPEN,
            Event.ON_SUBSCRIBE,
            null,
            List.of("send SUBSCRIPTION(topic = message.topic)"),
            null,
            1),
        -1,
        14);
    rows.add(
        new Row<>(
            State.OPEN,
            Event.ON_UNSUBSCRIBE,
            "minor >= 1 and peer_minor >= 1",
            List.of("send CANCEL(topic = message.topic)"),
            null,
            1),
        13,
        15);
    rows.add(
        new Row<>(
            State.OPEN,
            Event.ON_UNSUBSCRIBE,
            null,
            List.of("send CANCELLATION(topic = message.topic)"),
            null,
            1),
        -1,
        16);
    rows.add(
        new Row<>(
            State.OPEN,
            Event.ON_SUBSCRIBE_FILTER,
            "minor >= 1 and peer_minor >= 1",
            List.of("send SUBSCRIBE-X(kind = message.kind, filter = message.octets)"),
            null,
            1),
        13,
        17);
    rows.add(
        new Row<>(
            State.OPEN,
            Event.ON_SUBSCRIBE_FILTER,
            null,
            List.of("send SUBSCRIPTION-X(kind = message.kind, filter = message.octets)"),
            null,
            1),
        -1,
        18);
    rows.add(
        new Row<>(
            State.OPEN,
            Event.ON_UNSUBSCRIBE_FILTER,
            "minor >= 1 and peer_minor >= 1",
            List.of("send CANCEL-X(kind = message.kind, filter = message.octets)"),
            null,
            1),
        13,
        19);
    rows.add(
        new Row<>(
            State.OPEN,
            Event.ON_UNSUBSCRIBE_FILTER,
            null,
            List.of("send CANCELLATION-X(kind = message.kind, filter = message.octets)"),
            null,
            1),
        -1,
        20);
    rows.add(
        new Row<>(State.OPEN, Event.ON_UNKNOWN, null, List.of("unanswered := 0"), null, 1), -1, 21);
    rows.add(
        new Row<>(
            State.OPEN,
            Event.PING,
            null,
            List.of("unanswered := 0", "send PONG(context = message.context)"),
            null,
            2),
        -1,
        21,
        22);
    rows.add(new Row<>(State.OPEN, Event.PONG, null, List.of("unanswered := 0"), null, 1), -1, 21);
    rows.add(
        new Row<>(
            State.OPEN,
            Event.ERROR,
            null,
            List.of("peer_refused", "close_connection", "terminate"),
            State.CLOSED,
            1),
        -1,
        11,
        5,
        6);
    rows.add(
        new Row<>(
            State.OPEN,
            Event.ON_HEARTBEAT,
            "unanswered >= unanswered_max",
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        23,
        5,
        6);
    rows.add(
        new Row<>(
            State.OPEN,
            Event.ON_HEARTBEAT,
            null,
            List.of("unanswered := unanswered + 1", "send PING(ttl = ttl, context = '')"),
            null,
            2),
        -1,
        24,
        25);
    rows.add(
        new Row<>(
            State.OPEN,
            Event.ON_MALFORMED,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.OPEN,
            Event.ON_DISCONNECTED,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.OPEN,
            Event.ON_EXPIRED,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.OPEN,
            Event.GREETING,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.OPEN,
            Event.READY,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.OPEN,
            Event.SUBSCRIBE,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.OPEN,
            Event.CANCEL,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.OPEN,
            Event.SUBSCRIPTION,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.OPEN,
            Event.CANCELLATION,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.OPEN,
            Event.SUBSCRIBE_X,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.OPEN,
            Event.CANCEL_X,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.OPEN,
            Event.SUBSCRIPTION_X,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(
        new Row<>(
            State.OPEN,
            Event.CANCELLATION_X,
            null,
            List.of("close_connection", "terminate"),
            State.CLOSED,
            0),
        -1,
        5,
        6);
    rows.add(new Row<>(State.CLOSED, Event.ON_MALFORMED, null, List.of(), null, 0), -1);
    rows.add(new Row<>(State.CLOSED, Event.GREETING, null, List.of(), null, 0), -1);
    rows.add(new Row<>(State.CLOSED, Event.READY, null, List.of(), null, 0), -1);
    rows.add(new Row<>(State.CLOSED, Event.ERROR, null, List.of(), null, 0), -1);
    rows.add(new Row<>(State.CLOSED, Event.PING, null, List.of(), null, 0), -1);
    rows.add(new Row<>(State.CLOSED, Event.PONG, null, List.of(), null, 0), -1);
    rows.add(new Row<>(State.CLOSED, Event.SUBSCRIBE, null, List.of(), null, 0), -1);
    rows.add(new Row<>(State.CLOSED, Event.CANCEL, null, List.of(), null, 0), -1);
    rows.add(new Row<>(State.CLOSED, Event.SUBSCRIPTION, null, List.of(), null, 0), -1);
    rows.add(new Row<>(State.CLOSED, Event.CANCELLATION, null, List.of(), null, 0), -1);
    rows.add(new Row<>(State.CLOSED, Event.SUBSCRIBE_X, null, List.of(), null, 0), -1);
    rows.add(new Row<>(State.CLOSED, Event.CANCEL_X, null, List.of(), null, 0), -1);
    rows.add(new Row<>(State.CLOSED, Event.SUBSCRIPTION_X, null, List.of(), null, 0), -1);
    rows.add(new Row<>(State.CLOSED, Event.CANCELLATION_X, null, List.of(), null, 0), -1);
    return rows.build();
  }

  private static Event eventOf(Message message) {
    switch (message.messageName()) {
      case "GREETING":
        return Event.GREETING;
      case "READY":
        return Event.READY;
      case "ERROR":
        return Event.ERROR;
      case "PING":
        return Event.PING;
      case "PONG":
        return Event.PONG;
      case "SUBSCRIBE":
        return Event.SUBSCRIBE;
      case "CANCEL":
        return Event.CANCEL;
      case "SUBSCRIPTION":
        return Event.SUBSCRIPTION;
      case "CANCELLATION":
        return Event.CANCELLATION;
      case "SUBSCRIBE-X":
        return Event.SUBSCRIBE_X;
      case "CANCEL-X":
        return Event.CANCEL_X;
      case "SUBSCRIPTION-X":
        return Event.SUBSCRIPTION_X;
      case "CANCELLATION-X":
        return Event.CANCELLATION_X;
      default:
        return null;
    }
  }

  private void send(Supplier<Message> made, Draft draft) {
    Message message = null;
    EncodeException fault = null;
    try {
      message = made.get();
    } catch (EncodeException error) {
      fault = error;
    }
    if (draft != null) {
      draft.clear();
    }
    if (fault != null) {
      host.unsendable(fault);
      return;
    }
    host.send(message);
  }

  @Override
  protected void taken(State from, Event event, State to) {
    host.onTransition(from, event, to);
  }

  @Override
  protected boolean holds(int guard, Object carried) {
    switch (guard) {
      case 13:
        return (Long.compareUnsigned(minor, 1L) >= 0) && (Long.compareUnsigned(peerMinor, 1L) >= 0);
      case 23:
        return Long.compareUnsigned(unanswered, unansweredMax) >= 0;
      default:
        throw new IllegalArgumentException("unknown guard: " + guard);
    }
  }

  @Override
  protected void step(int step, Object carried) {
    switch (step) {
      case 0:
        minor = 0L;
        break;
      case 1:
        send(
            () ->
                new Greeting(
                    Math.toIntExact(3L),
                    Math.toIntExact(
                        Fit.number("GREETING", "minor", minor, 255L, ErrorCode.TOO_LONG)),
                    Fit.octets("GREETING", "mechanism", mechanism, 20),
                    Math.toIntExact(0L)),
            null);
        break;
      case 2:
        host.checkGreeting((Greeting) carried);
        break;
      case 3:
        peerMinor = Unsigned.min(((Greeting) carried).minor(), 255L);
        break;
      case 4:
        host.askForIntroduction((Greeting) carried);
        break;
      case 5:
        host.closeConnection((Message) carried);
        break;
      case 6:
        terminate();
        break;
      case 7:
        host.send((Message) carried);
        break;
      case 8:
        host.checkPeer((Ready) carried);
        break;
      case 9:
        host.send(new Error(reason));
        break;
      case 10:
        host.opened((Ready) carried);
        break;
      case 11:
        host.peerRefused((Error) carried);
        break;
      case 12:
        host.send(new Subscribe(((SubscribeCall) carried).topic()));
        break;
      case 14:
        host.send(new Subscription(((SubscribeCall) carried).topic()));
        break;
      case 15:
        host.send(new Cancel(((UnsubscribeCall) carried).topic()));
        break;
      case 16:
        host.send(new Cancellation(((UnsubscribeCall) carried).topic()));
        break;
      case 17:
        send(
            () ->
                new SubscribeX(
                    Math.toIntExact(
                        Fit.number(
                            "SUBSCRIBE-X",
                            "kind",
                            ((SubscribeFilterCall) carried).kind(),
                            255L,
                            ErrorCode.TOO_LONG)),
                    ((SubscribeFilterCall) carried).octets()),
            null);
        break;
      case 18:
        send(
            () ->
                new SubscriptionX(
                    Math.toIntExact(
                        Fit.number(
                            "SUBSCRIPTION-X",
                            "kind",
                            ((SubscribeFilterCall) carried).kind(),
                            255L,
                            ErrorCode.TOO_LONG)),
                    ((SubscribeFilterCall) carried).octets()),
            null);
        break;
      case 19:
        send(
            () ->
                new CancelX(
                    Math.toIntExact(
                        Fit.number(
                            "CANCEL-X",
                            "kind",
                            ((UnsubscribeFilterCall) carried).kind(),
                            255L,
                            ErrorCode.TOO_LONG)),
                    ((UnsubscribeFilterCall) carried).octets()),
            null);
        break;
      case 20:
        send(
            () ->
                new CancellationX(
                    Math.toIntExact(
                        Fit.number(
                            "CANCELLATION-X",
                            "kind",
                            ((UnsubscribeFilterCall) carried).kind(),
                            255L,
                            ErrorCode.TOO_LONG)),
                    ((UnsubscribeFilterCall) carried).octets()),
            null);
        break;
      case 21:
        unanswered = 0L;
        break;
      case 22:
        host.send(new Pong(((Ping) carried).context()));
        break;
      case 24:
        unanswered = Unsigned.add(unanswered, 1L, 255L);
        break;
      case 25:
        send(
            () ->
                new Ping(
                    Math.toIntExact(Fit.number("PING", "ttl", ttl, 65535L, ErrorCode.TOO_LONG)),
                    Octets.utf8("")),
            null);
        break;
      default:
        throw new IllegalArgumentException("unknown step: " + step);
    }
  }
}

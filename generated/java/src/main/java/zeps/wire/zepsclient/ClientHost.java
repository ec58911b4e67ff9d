package zeps.wire.zepsclient;

import zeps.wire.zeps.AttachOk;
import zeps.wire.zeps.Deliver;
import zeps.wire.zeps.Invalid;
import zeps.wire.zeps.Message;
import zeps.wire.zeps.PingOk;
import zeps.wire.zeps.SubscribeOk;

/**
 * The host of {@link ClientMachine}.
 *
 * <p>None of these methods may call the machine, except {@link ClientMachine#fail} and {@link
 * ClientMachine#raise}, because the row is not complete: calls throw {@link
 * zeps.wire.UnhandledEventException}.
 */
public interface ClientHost {

  /**
   * Sends a message.
   *
   * @param message the message; its encoding may fail
   */
  void send(Message message);

  /**
   * Called after the steps of a row that was taken, or after a step that failed. The default
   * implementation is empty.
   *
   * @param from the old state
   * @param event the event
   * @param to the new state, which may equal the old one
   */
  default void onTransition(State from, Event event, State to) {}

  /**
   * The session is open: subscribe, grant credit, publish.
   *
   * @param message the event's data; null if it has none
   */
  void attached(AttachOk message);

  /**
   * The broker has refused ATTACH; the reason of INVALID says why.
   *
   * @param message the event's data; null if it has none
   */
  void attachRefused(Invalid message);

  /**
   * The session is over: DETACH was answered, or no answer is expected any more.
   *
   * @param message the event's data; null if it has none
   */
  void detached(Message message);

  /**
   * The broker is gone or breaks the protocol; connect again and attach.
   *
   * @param message the event's data; null if it has none
   */
  void brokerLost(Message message);

  /**
   * A SUBSCRIBE was granted, the oldest of those that wait.
   *
   * @param message the event's data; null if it has none
   */
  void subscribed(SubscribeOk message);

  /**
   * A message for the application. It has used up its part of the credit.
   *
   * @param message the event's data; null if it has none
   */
  void takeMessage(Deliver message);

  /**
   * PING-OK has arrived: everything that was published before the PING has its sequence.
   *
   * @param message the event's data; null if it has none
   */
  void answered(PingOk message);

  /**
   * Reads the code of INVALID: fails with `ended` or `subscribe_refused` if the code ends the
   * session or refuses a SUBSCRIBE. May fail with {@link InternalEvent#ENDED} or {@link
   * InternalEvent#SUBSCRIBE_REFUSED}.
   *
   * @param message the event's data; null if it has none
   */
  void readNotice(Invalid message);

  /**
   * The broker has ended the session; the machine attaches again, with no subscriptions and no
   * credit.
   */
  void sessionLost();

  /** A SUBSCRIBE was refused, the oldest of those that wait. */
  void refused();
}

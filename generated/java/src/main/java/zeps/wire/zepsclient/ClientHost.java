package zeps.wire.zepsclient;

import zeps.wire.zeps.AttachOk;
import zeps.wire.zeps.Deliver;
import zeps.wire.zeps.Invalid;
import zeps.wire.zeps.Message;
import zeps.wire.zeps.PingOk;
import zeps.wire.zeps.SubscribeOk;

/**
 * What {@link ClientMachine} asks of its host.
 *
 * <p>None of these methods may call the machine, which is half way through an event, but for {@link
 * ClientMachine#fail} and {@link ClientMachine#raise}: it throws {@link
 * zeps.wire.UnhandledEventException}.
 */
public interface ClientHost {

  /**
   * Send a message.
   *
   * @param message the message; encoding it may fail
   */
  void send(Message message);

  /**
   * A row was taken: its steps, or those before one that failed. Nothing is done unless the host
   * does it.
   *
   * @param from where the machine was
   * @param event what happened
   * @param to where it is; the same state if it stays, or enters it again
   */
  default void onTransition(State from, Event event, State to) {}

  /**
   * The session is open: subscribe, grant credit, publish.
   *
   * @param message what the event carries; null if it carries nothing
   */
  void attached(AttachOk message);

  /**
   * The broker refuses the stream; the reason of INVALID says why.
   *
   * @param message what the event carries; null if it carries nothing
   */
  void attachRefused(Invalid message);

  /**
   * The session is over, and both sides know it.
   *
   * @param message what the event carries; null if it carries nothing
   */
  void detached(Message message);

  /**
   * The broker is gone or breaks the protocol; connect again and attach.
   *
   * @param message what the event carries; null if it carries nothing
   */
  void brokerLost(Message message);

  /**
   * A SUBSCRIBE was granted, the oldest of those that wait.
   *
   * @param message what the event carries; null if it carries nothing
   */
  void subscribed(SubscribeOk message);

  /**
   * A message for the application. It has used up its part of the credit.
   *
   * @param message what the event carries; null if it carries nothing
   */
  void takeMessage(Deliver message);

  /**
   * PING-OK came: everything that was published before PING has its sequence.
   *
   * @param message what the event carries; null if it carries nothing
   */
  void answered(PingOk message);

  /**
   * Reads the code of INVALID: fails with `ended` or `subscribe_refused` if it says so. May fail
   * with {@link InternalEvent#ENDED} or {@link InternalEvent#SUBSCRIBE_REFUSED}.
   *
   * @param message what the event carries; null if it carries nothing
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

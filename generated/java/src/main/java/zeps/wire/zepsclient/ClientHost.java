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
 * zeps.wire.Machine#fail}: it throws {@link zeps.wire.UnhandledEventException}.
 */
public interface ClientHost {

  /**
   * Send a message.
   *
   * @param message the message; encoding it may fail
   */
  void send(Message message);

  /**
   * The model's action attached.
   *
   * @param message what the event carries; null if it carries nothing
   */
  void attached(AttachOk message);

  /**
   * The model's action attach_refused.
   *
   * @param message what the event carries; null if it carries nothing
   */
  void attachRefused(Invalid message);

  /**
   * The model's action detached.
   *
   * @param message what the event carries; null if it carries nothing
   */
  void detached(Message message);

  /**
   * The model's action broker_lost.
   *
   * @param message what the event carries; null if it carries nothing
   */
  void brokerLost(Message message);

  /**
   * The model's action subscribed.
   *
   * @param message what the event carries; null if it carries nothing
   */
  void subscribed(SubscribeOk message);

  /**
   * The model's action take_message.
   *
   * @param message what the event carries; null if it carries nothing
   */
  void takeMessage(Deliver message);

  /**
   * The model's action answered.
   *
   * @param message what the event carries; null if it carries nothing
   */
  void answered(PingOk message);

  /**
   * The model's action read_notice. May fail with {@link Event#ON_ENDED} or {@link
   * Event#ON_SUBSCRIBE_REFUSED}.
   *
   * @param message what the event carries; null if it carries nothing
   */
  void readNotice(Invalid message);

  /** The model's action session_lost. */
  void sessionLost();

  /** The model's action refused. */
  void refused();
}

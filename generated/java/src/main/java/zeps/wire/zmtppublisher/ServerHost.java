package zeps.wire.zmtppublisher;

import zeps.wire.EncodeException;
import zeps.wire.zmtp.Error;
import zeps.wire.zmtp.Greeting;
import zeps.wire.zmtp.Message;
import zeps.wire.zmtp.Ready;

/**
 * What {@link ServerMachine} asks of its host.
 *
 * <p>None of these methods may call the machine, which is half way through an event, but for {@link
 * zeps.wire.Machine#fail}: it throws {@link zeps.wire.UnhandledEventException}.
 */
public interface ServerHost {

  /**
   * Send a message.
   *
   * @param message the message; encoding it may fail
   */
  void send(Message message);

  /**
   * Called instead of send for a message with a value that its field cannot hold: a number that is
   * too great, or octets that are not as many as the field has.
   *
   * @param error which message and field
   */
  void unsendable(EncodeException error);

  /**
   * The model's action check_greeting. May fail with {@link Event#ON_REFUSED}.
   *
   * @param message what the event carries; null if it carries nothing
   */
  void checkGreeting(Greeting message);

  /**
   * The model's action ask_for_introduction.
   *
   * @param message what the event carries; null if it carries nothing
   */
  void askForIntroduction(Greeting message);

  /**
   * The model's action close_connection.
   *
   * @param message what the event carries; null if it carries nothing
   */
  void closeConnection(Message message);

  /**
   * The model's action check_peer. May fail with {@link Event#ON_REFUSED}.
   *
   * @param message what the event carries; null if it carries nothing
   */
  void checkPeer(Ready message);

  /**
   * The model's action opened.
   *
   * @param message what the event carries; null if it carries nothing
   */
  void opened(Ready message);

  /**
   * The model's action peer_refused.
   *
   * @param message what the event carries; null if it carries nothing
   */
  void peerRefused(Error message);

  /**
   * The model's action add_subscription.
   *
   * @param message what the event carries; null if it carries nothing
   */
  void addSubscription(Message message);

  /**
   * The model's action remove_subscription.
   *
   * @param message what the event carries; null if it carries nothing
   */
  void removeSubscription(Message message);
}

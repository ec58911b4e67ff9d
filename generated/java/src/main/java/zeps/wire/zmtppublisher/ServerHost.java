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
 * ServerMachine#fail} and {@link ServerMachine#raise}: it throws {@link
 * zeps.wire.UnhandledEventException}.
 */
public interface ServerHost {

  /**
   * Send a message.
   *
   * @param message the message; encoding it may fail
   */
  void send(Message message);

  /**
   * Called instead of send for a message with a field that was not filled, or with a value that its
   * field cannot hold: a number that is too great, or octets that are not as many as the field has.
   *
   * @param error which message and field
   */
  void unsendable(EncodeException error);

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
   * Looks at the mechanism and the version of the peer; fails with `refused` if they will not do.
   * May fail with {@link InternalEvent#REFUSED}.
   *
   * @param message what the event carries; null if it carries nothing
   */
  void checkGreeting(Greeting message);

  /**
   * Asks the host for its own READY, which it raises as `introduce` at once.
   *
   * @param message what the event carries; null if it carries nothing
   */
  void askForIntroduction(Greeting message);

  /**
   * Close the transport: the peer is gone or breaks the protocol.
   *
   * @param message what the event carries; null if it carries nothing
   */
  void closeConnection(Message message);

  /**
   * Looks at the metadata of READY; fails with `refused` if the socket types do not fit. May fail
   * with {@link InternalEvent#REFUSED}.
   *
   * @param message what the event carries; null if it carries nothing
   */
  void checkPeer(Ready message);

  /**
   * The handshake is complete.
   *
   * @param message what the event carries; null if it carries nothing
   */
  void opened(Ready message);

  /**
   * The peer refuses the connection; ERROR says why.
   *
   * @param message what the event carries; null if it carries nothing
   */
  void peerRefused(Error message);

  /**
   * The peer wants the messages that begin with the topic, once more.
   *
   * @param message what the event carries; null if it carries nothing
   */
  void addSubscription(Message message);

  /**
   * The peer takes one subscription back.
   *
   * @param message what the event carries; null if it carries nothing
   */
  void removeSubscription(Message message);
}

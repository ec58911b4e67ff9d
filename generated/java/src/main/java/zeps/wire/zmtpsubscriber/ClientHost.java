package zeps.wire.zmtpsubscriber;

import zeps.wire.EncodeException;
import zeps.wire.zmtp.Error;
import zeps.wire.zmtp.Greeting;
import zeps.wire.zmtp.Message;
import zeps.wire.zmtp.Ready;

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
   * Called instead of send for a message with an unfilled field, or with a value that its field
   * cannot hold: a number that is too great, or the wrong number of bytes.
   *
   * @param error the error, with message and field
   */
  void unsendable(EncodeException error);

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
   * Checks the mechanism and the version of the peer; fails with `refused` if they are not
   * acceptable. May fail with {@link InternalEvent#REFUSED}.
   *
   * @param message the event's data; null if it has none
   */
  void checkGreeting(Greeting message);

  /**
   * Asks the host for its own READY, which it raises as `introduce` at once.
   *
   * @param message the event's data; null if it has none
   */
  void askForIntroduction(Greeting message);

  /**
   * Close the transport: the peer is gone or breaks the protocol.
   *
   * @param message the event's data; null if it has none
   */
  void closeConnection(Message message);

  /**
   * Checks the metadata of READY; fails with `refused` if the socket types do not fit. May fail
   * with {@link InternalEvent#REFUSED}.
   *
   * @param message the event's data; null if it has none
   */
  void checkPeer(Ready message);

  /**
   * The handshake is complete.
   *
   * @param message the event's data; null if it has none
   */
  void opened(Ready message);

  /**
   * The peer refuses the connection; ERROR says why.
   *
   * @param message the event's data; null if it has none
   */
  void peerRefused(Error message);
}

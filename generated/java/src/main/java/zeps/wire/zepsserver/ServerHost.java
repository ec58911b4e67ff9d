package zeps.wire.zepsserver;

import zeps.wire.zeps.Attach;
import zeps.wire.zeps.Credit;
import zeps.wire.zeps.Message;
import zeps.wire.zeps.Publish;
import zeps.wire.zeps.Subscribe;

/**
 * The host of {@link ServerMachine}.
 *
 * <p>None of these methods may call the machine, except {@link ServerMachine#fail} and {@link
 * ServerMachine#raise}, because the row is not complete: calls throw {@link
 * zeps.wire.UnhandledEventException}.
 */
public interface ServerHost {

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
   * Attaches the client to the stream, or sets `reason` and fails with `attach_refused`. May fail
   * with {@link InternalEvent#ATTACH_REFUSED}.
   *
   * @param message the event's data; null if it has none
   */
  void openStream(Attach message);

  /**
   * Detaches the client from its stream, if it is attached to one.
   *
   * @param message the event's data; null if it has none
   */
  void closeStream(Message message);

  /**
   * Checks whether the subscription can be granted; if not, sets `reason` and fails with
   * `subscribe_refused`. May fail with {@link InternalEvent#SUBSCRIBE_REFUSED}.
   *
   * @param message the event's data; null if it has none
   */
  void checkSubscription(Subscribe message);

  /**
   * Adds the subscription. Deliveries follow SUBSCRIBE-OK.
   *
   * @param message the event's data; null if it has none
   */
  void addSubscription(Subscribe message);

  /**
   * The client has granted credit: deliver the messages that wait for it.
   *
   * @param message the event's data; null if it has none
   */
  void useCredit(Credit message);

  /**
   * Gives the message its sequence and stores it.
   *
   * @param message the event's data; null if it has none
   */
  void storeMessage(Publish message);
}

package zeps.wire.zepsserver;

import zeps.wire.zeps.Attach;
import zeps.wire.zeps.Credit;
import zeps.wire.zeps.Message;
import zeps.wire.zeps.Publish;
import zeps.wire.zeps.Subscribe;

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
   * A row was taken: its steps, or those before one that failed. Nothing is done unless the host
   * does it.
   *
   * @param from where the machine was
   * @param event what happened
   * @param to where it is; the same state if it stays, or enters it again
   */
  default void onTransition(State from, Event event, State to) {}

  /**
   * Attaches the client to the stream, or sets `reason` and fails with `attach_refused`. May fail
   * with {@link InternalEvent#ATTACH_REFUSED}.
   *
   * @param message what the event carries; null if it carries nothing
   */
  void openStream(Attach message);

  /**
   * Detaches the client from its stream, if it is attached to one.
   *
   * @param message what the event carries; null if it carries nothing
   */
  void closeStream(Message message);

  /**
   * Looks whether the subscription can be granted; if not, sets `reason` and fails with
   * `subscribe_refused`. May fail with {@link InternalEvent#SUBSCRIBE_REFUSED}.
   *
   * @param message what the event carries; null if it carries nothing
   */
  void checkSubscription(Subscribe message);

  /**
   * Adds the subscription. Deliveries follow SUBSCRIBE-OK.
   *
   * @param message what the event carries; null if it carries nothing
   */
  void addSubscription(Subscribe message);

  /**
   * The client accepts more: deliver what waits.
   *
   * @param message what the event carries; null if it carries nothing
   */
  void useCredit(Credit message);

  /**
   * Gives the message its sequence and stores it.
   *
   * @param message what the event carries; null if it carries nothing
   */
  void storeMessage(Publish message);
}

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
   * The model's action open_stream. May fail with {@link Event#ON_ATTACH_REFUSED}.
   *
   * @param message what the event carries; null if it carries nothing
   */
  void openStream(Attach message);

  /**
   * The model's action close_stream.
   *
   * @param message what the event carries; null if it carries nothing
   */
  void closeStream(Message message);

  /**
   * The model's action check_subscription. May fail with {@link Event#ON_SUBSCRIBE_REFUSED}.
   *
   * @param message what the event carries; null if it carries nothing
   */
  void checkSubscription(Subscribe message);

  /**
   * The model's action add_subscription.
   *
   * @param message what the event carries; null if it carries nothing
   */
  void addSubscription(Subscribe message);

  /**
   * The model's action use_credit.
   *
   * @param message what the event carries; null if it carries nothing
   */
  void useCredit(Credit message);

  /**
   * The model's action store_message.
   *
   * @param message what the event carries; null if it carries nothing
   */
  void storeMessage(Publish message);
}

package zeps.wire;

import java.util.Set;

/**
 * A timer of a machine: while the machine is in one of the states, the event is due some time after
 * something happened.
 *
 * @param <S> the machine's states
 * @param <E> the machine's events
 * @param event what happens when the time is over
 * @param since what the timer counts from
 * @param states where it runs
 */
public record Timer<S extends Enum<S>, E extends Enum<E>>(E event, Since since, Set<S> states) {

  /** What a timer counts from. */
  public enum Since {
    /** The state was entered. */
    ENTERED,
    /** A message was sent. */
    SENT,
    /** A message was received. */
    RECEIVED
  }
}

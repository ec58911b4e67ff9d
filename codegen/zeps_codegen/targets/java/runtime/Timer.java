package zeps.wire;

import java.util.Set;

/**
 * A timer of a machine: while the machine is in one of the states, the event is due some time after
 * the timer's start.
 *
 * @param <S> the machine's states
 * @param <E> the machine's events
 * @param event the event that is due
 * @param since the start of the timer
 * @param states the states in which it runs
 */
public record Timer<S extends Enum<S>, E extends Enum<E>>(E event, Since since, Set<S> states) {

  /** The start of a timer. */
  public enum Since {
    /** The state was entered. */
    ENTERED,
    /** A message was sent. */
    SENT,
    /** A message was received. */
    RECEIVED
  }
}

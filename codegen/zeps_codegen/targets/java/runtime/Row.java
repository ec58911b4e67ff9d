package zeps.wire;

import java.util.List;
import java.util.Objects;

/**
 * One row of a machine's table: in this state, at this event, if the guard holds, take these steps
 * and go on to the next state.
 *
 * @param <S> the machine's states
 * @param <E> the machine's events
 * @param state where the machine is
 * @param event what happens
 * @param guard what has to hold, in the model's words; null if nothing has to
 * @param steps what is done, in the model's words
 * @param next where the machine goes; null if it stays, and then does nothing on leaving or
 *     entering
 * @param beforeAt how many of the steps are taken before the state changes
 */
public record Row<S extends Enum<S>, E extends Enum<E>>(
    S state, E event, String guard, List<String> steps, S next, int beforeAt) {

  /**
   * Makes a row.
   *
   * @param state where the machine is
   * @param event what happens
   * @param guard what has to hold, or null
   * @param steps what is done
   * @param next where the machine goes, or null
   * @param beforeAt how many of the steps are taken before the state changes
   */
  public Row {
    Objects.requireNonNull(state, "state");
    Objects.requireNonNull(event, "event");
    steps = List.copyOf(steps);
  }
}

package zeps.wire;

import java.util.List;
import java.util.Objects;

/**
 * A row of a machine's table: in a state, for an event, if the guard is true, it runs its steps and
 * changes to the next state.
 *
 * @param <S> the machine's states
 * @param <E> the machine's events
 * @param state the state
 * @param event the event
 * @param guard the guard in the model's language; null without one
 * @param steps the steps in the model's language
 * @param next the next state; null keeps the state, without its leaving and entering steps
 * @param beforeAt the number of steps that run before the state changes
 */
public record Row<S extends Enum<S>, E extends Enum<E>>(
    S state, E event, String guard, List<String> steps, S next, int beforeAt) {

  /**
   * Creates a row.
   *
   * @param state the state
   * @param event the event
   * @param guard the guard, or null
   * @param steps the steps
   * @param next the next state, or null
   * @param beforeAt the number of steps that run before the state changes
   */
  public Row {
    Objects.requireNonNull(state, "state");
    Objects.requireNonNull(event, "event");
    steps = List.copyOf(steps);
  }
}

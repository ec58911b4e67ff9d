package zeps.wire;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The rows of a machine, in the order in which they are tried.
 *
 * @param <S> the machine's states
 * @param <E> the machine's events
 */
public final class Table<S extends Enum<S>, E extends Enum<E>> {

  private final List<Row<S, E>> rows;
  private final List<Integer> guards;
  private final List<int[]> steps;
  private final int[][][] places;

  private Table(Builder<S, E> made) {
    rows = List.copyOf(made.rows);
    guards = List.copyOf(made.guards);
    steps = List.copyOf(made.steps);
    places = made.places;
  }

  /** {@return the rows in their order; the list cannot be changed} */
  public List<Row<S, E>> rows() {
    return rows;
  }

  /** The indices of the rows for an event in a state; null without rows. */
  int[] places(S state, E event) {
    return places[state.ordinal()][event.ordinal()];
  }

  Row<S, E> row(int place) {
    return rows.get(place);
  }

  int guard(int place) {
    return guards.get(place);
  }

  int[] steps(int place) {
    return steps.get(place);
  }

  /**
   * Collects rows; generated machines use it when their class is loaded.
   *
   * @param <S> the machine's states
   * @param <E> the machine's events
   */
  public static final class Builder<S extends Enum<S>, E extends Enum<E>> {

    private static final int[] NONE = {};

    private final List<Row<S, E>> rows = new ArrayList<>();
    private final List<Integer> guards = new ArrayList<>();
    private final List<int[]> steps = new ArrayList<>();
    private final int[][][] places;

    /**
     * Creates a builder without rows.
     *
     * @param states the machine's states
     * @param events the machine's events
     */
    public Builder(Class<S> states, Class<E> events) {
      places = new int[states.getEnumConstants().length][events.getEnumConstants().length][];
    }

    /**
     * Adds a row at the end.
     *
     * @param row the row
     * @param guard the number of its guard, or -1
     * @param numbers the numbers of its steps
     */
    public void add(Row<S, E> row, int guard, int... numbers) {
      int[][] events = places[row.state().ordinal()];
      int[] before = events[row.event().ordinal()] == null ? NONE : events[row.event().ordinal()];
      int[] after = Arrays.copyOf(before, before.length + 1);
      after[before.length] = rows.size();
      events[row.event().ordinal()] = after;
      rows.add(row);
      guards.add(guard);
      steps.add(numbers);
    }

    /** {@return the table of all rows; no more rows can be added after this call} */
    public Table<S, E> build() {
      return new Table<>(this);
    }
  }
}

package zeps.wire;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What a machine does, as data: its rows, in the order in which they are tried.
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

  /** The places of the rows for an event in a state; null if there are none. */
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
   * Takes rows; generated machines use it while they are loaded.
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
     * No rows yet.
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

    /** {@return the table of all rows; no row may be added after this} */
    public Table<S, E> build() {
      return new Table<>(this);
    }
  }
}

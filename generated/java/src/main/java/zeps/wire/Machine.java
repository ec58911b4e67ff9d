package zeps.wire;

/**
 * The engine under the generated machines: rows tried in order, steps taken in order.
 *
 * <p>A row without a next state stays, and does neither what the state does on leaving nor what it
 * does on entering. A row with one takes the event's steps and those of leaving, changes the state,
 * and then takes those of entering. A host action may call {@link #fail}: the steps that are left
 * are not taken, and the event it names is handled next; more than {@link #RAISES_MAX} in turn are
 * an error. A machine handles one event at a time, and belongs to one thread at a time: it must not
 * be called otherwise from inside an action, {@code send} included, since it is half way through an
 * event. What follows from an action has to wait until the machine has returned.
 *
 * @param <S> its states
 * @param <E> its events
 */
public abstract class Machine<S extends Enum<S>, E extends Enum<E>> {

  /** How many events in turn host actions may fail with while one event is handled. */
  public static final int RAISES_MAX = 8;

  private static final String INSIDE = ": called from inside an action";

  private final Table<S, E> table;
  private S state;
  private boolean busy;
  private E failed;
  private boolean terminated;

  /**
   * A machine at its beginning.
   *
   * @param table what it does
   * @param initial its first state
   */
  protected Machine(Table<S, E> table, S initial) {
    this.table = table;
    this.state = initial;
  }

  /**
   * Where it is.
   *
   * @return its state
   */
  public final S state() {
    return state;
  }

  /**
   * Whether it has come to its end.
   *
   * @return true once the model's step `terminate` was taken
   */
  public final boolean isTerminated() {
    return terminated;
  }

  /**
   * Called by the host from inside a host action: skip the steps that are left, then handle {@code
   * event}.
   *
   * @param event the event that takes the transition's place
   * @throws UnhandledEventException if no action runs
   */
  public final void fail(E event) {
    if (!busy) {
      throw unhandled(event, ": no action runs that could fail");
    }
    failed = event;
  }

  /** The end. */
  protected final void terminate() {
    terminated = true;
  }

  /**
   * Handles a message that arrived.
   *
   * @param event the message's event; null if the machine knows none
   * @param name the message's name
   * @param message the message
   * @throws UnexpectedEventException if no row takes it
   * @throws UnhandledEventException inside an action, and if no row takes what an action failed
   *     with
   */
  protected final void accept(E event, String name, Object message)
      throws UnexpectedEventException {
    if (busy) {
      throw unhandled(name, INSIDE);
    }
    int[] places = event == null ? null : table.places(state, event);
    if (places == null || !handle(places, message)) {
      throw new UnexpectedEventException(name, state.toString());
    }
  }

  /**
   * Handles an event of the host's or the application's.
   *
   * @param event the event
   * @param carried what it carries, or null
   * @return false if no guard held
   * @throws UnhandledEventException if the state has no row for it, inside an action, and if no row
   *     takes what an action failed with
   */
  protected final boolean raise(E event, Object carried) {
    if (busy) {
      throw unhandled(event, INSIDE);
    }
    return handle(places(event), carried);
  }

  /**
   * Whether a guard holds.
   *
   * @param guard its number
   * @param carried what the event carries
   * @return whether it does
   */
  protected abstract boolean holds(int guard, Object carried);

  /**
   * Takes a step.
   *
   * @param step its number
   * @param carried what the event carries
   */
  protected abstract void step(int step, Object carried);

  /** Takes a row, and then those of what actions fail with; false if no guard held. */
  private boolean handle(int[] places, Object carried) {
    busy = true;
    try {
      boolean taken = take(places, carried);
      for (int raised = 0; failed != null; raised++) {
        E event = failed;
        failed = null;
        int[] instead = places(event);
        if (raised == RAISES_MAX) {
          throw unhandled(event, ": too many actions fail in turn");
        }
        if (!take(instead, null)) {
          throw unhandled(event, ": no guard holds");
        }
      }
      return taken;
    } finally {
      busy = false;
      failed = null;
    }
  }

  private int[] places(E event) {
    int[] places = table.places(state, event);
    if (places == null) {
      throw unhandled(event, "");
    }
    return places;
  }

  private UnhandledEventException unhandled(Object event, String why) {
    return new UnhandledEventException(event + " in state " + state + why);
  }

  /** Takes the first row whose guard holds, up to a step that the host makes fail. */
  private boolean take(int[] places, Object carried) {
    for (int place : places) {
      if (table.guard(place) < 0 || holds(table.guard(place), carried)) {
        Row<S, E> row = table.row(place);
        int[] steps = table.steps(place);
        int before = row.next() == null ? steps.length : row.beforeAt();
        if (run(steps, 0, before, carried) && row.next() != null) {
          state = row.next();
          run(steps, before, steps.length, carried);
        }
        return true;
      }
    }
    return false;
  }

  /** Takes some steps; false if the host made one fail. */
  private boolean run(int[] steps, int from, int to, Object carried) {
    for (int i = from; i < to; i++) {
      step(steps[i], carried);
      if (failed != null) {
        return false;
      }
    }
    return true;
  }
}

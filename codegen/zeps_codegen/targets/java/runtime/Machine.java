package zeps.wire;

/**
 * The engine of the generated machines: rows are tried in order, and their steps run in order.
 *
 * <p>A row without a next state keeps the state, and runs neither its leaving nor its entering
 * steps. A row with a next state runs the event's steps and the leaving steps, changes the state,
 * and then runs the entering steps. If a host action fails, the remaining steps are skipped, and
 * the event that it names is handled next. If it raises an event, that is handled after the row.
 * More than {@link #RAISES_MAX} of these events in turn are an error. A machine handles one event
 * at a time, and one thread at a time may use it: inside an action (including {@code send}) only
 * the methods for actions may be called, because the row is not complete. The host must postpone
 * other calls until the machine has returned.
 *
 * @param <S> its states
 * @param <E> its events
 */
public abstract class Machine<S extends Enum<S>, E extends Enum<E>> {

  /** The maximum number of events that host actions may fail with or raise in turn. */
  public static final int RAISES_MAX = 8;

  private final Table<S, E> table;
  private S state;
  private boolean busy;
  private boolean acting;
  private E failed;
  private E raised;
  private boolean terminated;

  /**
   * Creates a machine in its initial state.
   *
   * @param table the rows
   * @param initial the initial state
   */
  protected Machine(Table<S, E> table, S initial) {
    this.table = table;
    this.state = initial;
  }

  /** {@return the current state} */
  public final S state() {
    return state;
  }

  /** {@return whether the model's step `terminate` was taken} */
  public final boolean isTerminated() {
    return terminated;
  }

  /**
   * Skips the remaining steps and handles the event next.
   *
   * @param event the event
   * @throws UnhandledEventException if no action runs
   */
  protected final void failWith(E event) {
    refuseOutside(event);
    failed = event;
  }

  /**
   * Handles the event after the row; it replaces an earlier event.
   *
   * @param event the event
   * @throws UnhandledEventException if no action runs
   */
  protected final void raiseLater(E event) {
    refuseOutside(event);
    raised = event;
  }

  /** Terminates the machine. */
  protected final void terminate() {
    terminated = true;
  }

  /**
   * Handles a received message.
   *
   * @param event the message's event; null if the machine has none for it
   * @param name the message's name
   * @param message the message
   * @throws UnexpectedEventException if no row handles it
   * @throws UnhandledEventException inside an action, and if no row handles an event that an action
   *     fails with or raises
   */
  protected final void accept(E event, String name, Object message)
      throws UnexpectedEventException {
    refuseInside(name);
    if (event != null) {
      received();
    }
    int[] places = event == null ? null : table.places(state, event);
    if (places == null || !handle(places, event, message)) {
      throw new UnexpectedEventException(name, state.toString());
    }
  }

  /**
   * Handles an event of the host or the application.
   *
   * @param event the event
   * @param carried the event's data, or null
   * @return false if no guard is true
   * @throws UnhandledEventException if the state has no row for it, inside an action, and if no row
   *     handles an event that an action fails with or raises
   */
  protected final boolean handle(E event, Object carried) {
    refuseInside(event);
    return handle(places(event), event, carried);
  }

  /**
   * {@return whether a guard is true}
   *
   * @param guard its number
   * @param carried the event's data
   */
  protected abstract boolean holds(int guard, Object carried);

  /**
   * Runs a step.
   *
   * @param step its number
   * @param carried the event's data
   */
  protected abstract void step(int step, Object carried);

  /**
   * Reports a row that was taken, after its steps or after a step that failed.
   *
   * @param from the old state
   * @param event the event
   * @param to the new state
   */
  protected abstract void taken(S from, E event, S to);

  /** Called for every received message. */
  void received() {}

  /** Called when the state has changed, or was entered again. */
  void entered(S before) {}

  final void refuseInside(Object event) {
    if (busy) {
      throw unhandled(event, ": called from inside an action");
    }
  }

  private void refuseOutside(E event) {
    if (!acting) {
      throw unhandled(event, ": called outside an action");
    }
  }

  /**
   * Takes a row, and then the rows of events that actions fail with or raise; false if no guard is
   * true.
   */
  private boolean handle(int[] places, E event, Object carried) {
    busy = true;
    try {
      boolean taken = take(places, event, carried);
      for (int count = 0; failed != null || raised != null; count++) {
        E following = failed != null ? failed : raised;
        failed = null;
        raised = null;
        int[] instead = places(following);
        if (count == RAISES_MAX) {
          throw unhandled(following, ": too many events in turn");
        }
        if (!take(instead, following, null)) {
          throw unhandled(following, ": no guard is true");
        }
      }
      return taken;
    } finally {
      busy = false;
      acting = false;
      failed = null;
      raised = null;
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

  /** Runs the first row with a true guard, until a host action fails. */
  private boolean take(int[] places, E event, Object carried) {
    for (int place : places) {
      if (table.guard(place) < 0 || holds(table.guard(place), carried)) {
        S from = state;
        Row<S, E> row = table.row(place);
        int[] steps = table.steps(place);
        int before = row.next() == null ? steps.length : row.beforeAt();
        if (run(steps, 0, before, carried) && row.next() != null) {
          state = row.next();
          entered(from);
          run(steps, before, steps.length, carried);
        }
        if (terminated) {
          raised = null;
        }
        taken(from, event, state);
        return true;
      }
    }
    return false;
  }

  /** Runs some steps; false if a host action failed. */
  private boolean run(int[] steps, int from, int to, Object carried) {
    acting = true;
    for (int i = from; i < to && failed == null; i++) {
      step(steps[i], carried);
    }
    acting = false;
    return failed == null;
  }
}

package zeps.wire;

/**
 * The engine under the generated machines: rows tried in order, steps taken in order.
 *
 * <p>A row without a next state stays, and does neither what the state does on leaving nor what it
 * does on entering. A row with one takes the event's steps and those of leaving, changes the state,
 * and then takes those of entering. A host action may fail: the steps that are left are not taken,
 * and the event that it names is handled next. Or it raises an event, which is handled after the
 * row. More than {@link #RAISES_MAX} of these in turn are an error. A machine handles one event at
 * a time, and belongs to one thread at a time: it must not be called otherwise from inside an
 * action, {@code send} included, since it is half way through an event. What follows from an action
 * has to wait until the machine has returned.
 *
 * @param <S> its states
 * @param <E> its events
 */
public abstract class Machine<S extends Enum<S>, E extends Enum<E>> {

  /** How many events in turn host actions may fail with or raise while one event is handled. */
  public static final int RAISES_MAX = 8;

  private final Table<S, E> table;
  private S state;
  private boolean busy;
  private boolean acting;
  private E failed;
  private E raised;
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

  /** {@return the state in which the machine is} */
  public final S state() {
    return state;
  }

  /** {@return whether the model's step `terminate` was taken} */
  public final boolean isTerminated() {
    return terminated;
  }

  /**
   * The steps that are left are not taken, and the event is handled next.
   *
   * @param event the event
   * @throws UnhandledEventException if no action runs
   */
  protected final void failWith(E event) {
    refuseOutside(event);
    failed = event;
  }

  /**
   * The event is handled after the row; it takes the place of one that was raised before.
   *
   * @param event the event
   * @throws UnhandledEventException if no action runs
   */
  protected final void raiseLater(E event) {
    refuseOutside(event);
    raised = event;
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
   *     with or raised
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
   * Handles an event of the host's or the application's.
   *
   * @param event the event
   * @param carried what it carries, or null
   * @return false if no guard held
   * @throws UnhandledEventException if the state has no row for it, inside an action, and if no row
   *     takes what an action failed with or raised
   */
  protected final boolean handle(E event, Object carried) {
    refuseInside(event);
    return handle(places(event), event, carried);
  }

  /**
   * {@return whether a guard holds}
   *
   * @param guard its number
   * @param carried what the event carries
   */
  protected abstract boolean holds(int guard, Object carried);

  /**
   * Takes a step.
   *
   * @param step its number
   * @param carried what the event carries
   */
  protected abstract void step(int step, Object carried);

  /**
   * A row was taken, with its steps or those before one that failed.
   *
   * @param from where the machine was
   * @param event what happened
   * @param to where it is
   */
  protected abstract void taken(S from, E event, S to);

  /** A message arrived, whatever comes of it. */
  void received() {}

  /** The state has changed, or was entered again. */
  void entered(S before) {}

  final void refuseInside(Object event) {
    if (busy) {
      throw unhandled(event, ": called from inside an action");
    }
  }

  private void refuseOutside(E event) {
    if (!acting) {
      throw unhandled(event, ": no action runs that could fail or raise it");
    }
  }

  /** Takes a row, and then those of what actions fail with or raise; false if no guard held. */
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
          throw unhandled(following, ": too many actions fail or raise events in turn");
        }
        if (!take(instead, following, null)) {
          throw unhandled(following, ": no guard holds");
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

  /** Takes the first row whose guard holds, up to a step that the host makes fail. */
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

  /** Takes some steps; false if the host made one fail. */
  private boolean run(int[] steps, int from, int to, Object carried) {
    acting = true;
    for (int i = from; i < to && failed == null; i++) {
      step(steps[i], carried);
    }
    acting = false;
    return failed == null;
  }
}

package zeps.wire;

import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;

/**
 * The engine of a machine with timers. It does not measure time: its user calls {@link #advance} at
 * {@link #deadline}, or at any other time. Times are milliseconds of a monotonic clock.
 *
 * @param <S> its states
 * @param <E> its events
 */
public abstract class TimedMachine<S extends Enum<S>, E extends Enum<E>> extends Machine<S, E> {

  private static final long NEVER = -1;

  private final List<Timer<S, E>> timers;
  private final long[] due;
  private long now;
  private boolean runs;

  /**
   * Creates a machine in its initial state. Its timers run from the first {@link #advance} on.
   *
   * @param table the rows
   * @param initial the initial state
   * @param timers the timers
   */
  protected TimedMachine(Table<S, E> table, S initial, List<Timer<S, E>> timers) {
    super(table, initial);
    this.timers = timers;
    this.due = new long[timers.size()];
    Arrays.fill(due, NEVER);
  }

  /**
   * {@return the duration of a timer that starts now, in milliseconds, unsigned; 0 disables it}
   *
   * @param timer its number
   */
  protected abstract long milliseconds(int timer);

  /**
   * Raises the events of the timers that are due, in the order of their deadlines. Each timer
   * restarts before its event is handled.
   *
   * @param time the time, unsigned; an earlier time than before counts as the same time
   * @return whether a row handled one of the events
   * @throws UnhandledEventException as for any other host event; the timers continue
   */
  public final boolean advance(long time) {
    refuseInside("advance");
    if (Long.compareUnsigned(time, now) > 0) {
      now = time;
    }
    if (!runs) {
      runs = true;
      for (int i = 0; i < due.length; i++) {
        if (timers.get(i).states().contains(state())) {
          start(i);
        }
      }
    }
    boolean taken = false;
    for (int next = next(); next >= 0 && Long.compareUnsigned(due[next], now) <= 0; next = next()) {
      start(next);
      taken |= handle(timers.get(next).event(), null);
    }
    return taken;
  }

  /**
   * {@return the time at which the next timer is due, unsigned; empty if all timers are stopped}
   */
  public final OptionalLong deadline() {
    int next = next();
    return next < 0 ? OptionalLong.empty() : OptionalLong.of(due[next]);
  }

  /** The timer that is due first, or the first of several; -1 if all timers are stopped. */
  private int next() {
    int next = -1;
    for (int i = 0; i < due.length; i++) {
      if (Long.compareUnsigned(due[i], next < 0 ? NEVER : due[next]) < 0) {
        next = i;
      }
    }
    return next;
  }

  private void start(int timer) {
    long time = milliseconds(timer);
    long sum = now + time;
    boolean beyond = Long.compareUnsigned(sum, now) < 0;
    due[timer] = !runs || time == 0 || beyond ? NEVER : sum;
  }

  private void restart(Timer.Since since) {
    for (int i = 0; i < due.length; i++) {
      if (timers.get(i).since() == since && timers.get(i).states().contains(state())) {
        start(i);
      }
    }
  }

  /** Called after a message was sent. */
  protected final void sent() {
    restart(Timer.Since.SENT);
  }

  @Override
  void received() {
    restart(Timer.Since.RECEIVED);
  }

  @Override
  void entered(S before) {
    for (int i = 0; i < due.length; i++) {
      Timer<S, E> timer = timers.get(i);
      if (!timer.states().contains(state())) {
        due[i] = NEVER;
      } else if (!timer.states().contains(before) || timer.since() == Timer.Since.ENTERED) {
        start(i);
      }
    }
  }
}

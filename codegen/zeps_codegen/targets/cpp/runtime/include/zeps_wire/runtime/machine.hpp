/// @file
/// The engine of the generated machines: rows are tried in order, and steps run in order.
///
/// A machine is a table. A row applies in a state, to an event, if its guard is true; it runs its steps and changes
/// to the next state, if it has one. A row without a next state runs neither the state's `after` nor its `before`. A
/// row with a next state runs the event's steps and the old state's `after`, changes the state, and then runs the new
/// state's `before`. A host action may fail with an event: the remaining steps are skipped, and that event is handled
/// next. An action may also raise an event, which is handled after the row, in the new state. More than `raises_max` such events in
/// turn are an error.
///
/// A machine handles one event at a time, and one thread at a time may use it: inside an action (including `send`) it
/// refuses other events.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "codec.hpp"
#include "error.hpp"
#include "operations.hpp"
#include "span.hpp"

namespace zeps_wire {

/// The maximum number of events in turn that host actions fail with or raise while one event is handled.
inline constexpr int raises_max = 8;

/// The result of an event.
enum class Outcome : std::uint8_t {
  taken,       ///< a row was taken
  not_taken,   ///< an event of the host or the application for which no guard is true
  unexpected,  ///< a message that the state does not handle: the peer violated the protocol
  unhandled,  ///< an event that the state does not handle, or from inside an action: this program violated the protocol
};

/// A row. `steps[0]` to `steps[before_at - 1]` run before the state changes.
template <class State, class Event>
struct Row {
  State state;
  Event event;
  std::string_view guard;
  Span<const std::string_view> steps;
  std::optional<State> next;
  std::size_t before_at;
};

/// The data of an event: a message, or the parameters of a method.
template <class Message>
struct Carried {
  const Message* message = nullptr;
  const void* call = nullptr;

  /// The message or the parameters, which must be a `T`.
  template <class T>
  [[nodiscard]] const T& as() const noexcept {
    if constexpr (std::is_constructible_v<Message, const T&>) {
      return *std::get_if<T>(message);
    } else {
      return *static_cast<const T*>(call);
    }
  }
};

/// The functions of a row.
template <class Self, class Carried>
struct Action {
  bool (*holds)(const Self&, const Carried&);
  Span<void (*const)(Self&, const Carried&)> steps;
};

/// Finds the rows of a state and an event, in the table's order.
template <std::size_t States, std::size_t Events, std::size_t Rows>
struct Index {
  static constexpr std::size_t none = Rows;
  std::array<std::array<std::size_t, Events>, States> first{};
  std::array<std::size_t, Rows + 1> next{};
};

/// The index of a table, made by the compiler.
template <std::size_t States, std::size_t Events, class State, class Event, std::size_t Rows>
constexpr Index<States, Events, Rows> index_of(const std::array<Row<State, Event>, Rows>& table) noexcept {
  Index<States, Events, Rows> index{};
  for (auto& events : index.first) {
    for (auto& row : events) {
      row = Rows;
    }
  }
  for (std::size_t row = Rows; row-- > 0;) {
    auto& first =
        index.first[static_cast<std::size_t>(table[row].state)][static_cast<std::size_t>(table[row].event)];
    index.next[row] = first;
    first = row;
  }
  return index;
}

/// The start of a timer: when the state was entered, or when the machine last sent or received a message.
enum class Since : std::uint8_t { entered, sent, received };

/// A timer: in the states for which `runs` is true, `event` is due the given milliseconds after `since`.
template <class Self, class State, class Event>
struct Timer {
  Event event;
  Since since;
  std::uint64_t (*milliseconds)(const Self&);
  bool (*runs)(State);
};

/// The timers of a machine, and the time at which each is due.
template <class Self, class State, class Event, std::size_t Size>
class Timers {
 public:
  using All = std::array<Timer<Self, State, Event>, Size>;

  explicit Timers(const All& all) noexcept : all_(&all) { due_.fill(never); }

  /// Changes the state: starts its timers and stops all others. A timer of both states continues, unless it counts from
  /// the entry.
  void enter(const Self& self, State before, State after) noexcept {
    for (std::size_t i = 0; i < Size; ++i) {
      const auto& timer = (*all_)[i];
      if (!timer.runs(after)) {
        due_[i] = never;
      } else if (timer.since == Since::entered || !timer.runs(before)) {
        start(self, i);
      }
    }
  }

  /// Restarts the timers that count from `since`.
  void restart(const Self& self, State state, Since since) noexcept {
    for (std::size_t i = 0; i < Size; ++i) {
      if ((*all_)[i].since == since && (*all_)[i].runs(state)) {
        start(self, i);
      }
    }
  }

  /// Sets the clock to `now` milliseconds. The first call starts the timers of the state.
  void show(const Self& self, State state, std::uint64_t now) noexcept {
    now_ = std::max(now, now_);
    if (!std::exchange(runs_, true)) {
      enter(self, state, state);
      restart(self, state, Since::sent);
      restart(self, state, Since::received);
    }
  }

  /// Returns the event of the timer that is due first, and restarts that timer; empty if no timer is due.
  std::optional<Event> next(const Self& self) noexcept {
    const auto first = std::min_element(due_.begin(), due_.end());
    if (first == due_.end() || *first > now_ || *first == never) {
      return std::nullopt;
    }
    const auto at = static_cast<std::size_t>(first - due_.begin());
    start(self, at);
    return (*all_)[at].event;
  }

  /// The time at which the next timer is due; empty if all timers are stopped.
  [[nodiscard]] std::optional<std::uint64_t> deadline() const noexcept {
    const auto first = std::min_element(due_.begin(), due_.end());
    return first == due_.end() || *first == never ? std::nullopt : std::optional<std::uint64_t>(*first);
  }

 private:
  static constexpr std::uint64_t never = UINT64_MAX;

  void start(const Self& self, std::size_t at) noexcept {
    const std::uint64_t milliseconds = (*all_)[at].milliseconds(self);
    const bool is_due = runs_ && milliseconds > 0 && milliseconds < never - now_;
    due_[at] = is_due ? now_ + milliseconds : never;
  }

  const All* all_;
  std::array<std::uint64_t, Size> due_{};
  std::uint64_t now_ = 0;
  bool runs_ = false;
};

/// The base of every generated machine, `Self`, which has the table, the variables, and `Size` timers. `Carried` is the
/// data of an event.
template <class Self, class State, class Event, class Carried, std::size_t Size = 0>
class Machine {
 public:
  [[nodiscard]] State state() const noexcept { return current_; }
  [[nodiscard]] bool terminated() const noexcept { return ended_; }

 protected:
  using Clock = Timers<Self, State, Event, Size>;

  void terminate_() noexcept { ended_ = true; }

  /// Fails the running action with the event, or raises it. Returns false, without any effect, outside of actions.
  bool fail_(Event event) noexcept {
    failed_ = acting_ ? event : failed_;
    return acting_;
  }
  bool raise_(Event event) noexcept {
    raised_ = acting_ ? event : raised_;
    return acting_;
  }

  template <class Message>
  void send_(const Message& message) {
    self_().host().send(message);
    if constexpr (Size > 0) {
      Error error;
      if (check(message, error)) {
        clock_.restart(self_(), current_, Since::sent);
      }
    }
  }

  /// Handles `event`. Returns `none_there` if it has no row, and `none_held` if no guard is true.
  template <class Table>
  Outcome handle_(Event event, const Carried& carried, Outcome none_there = Outcome::unhandled,
                  Outcome none_held = Outcome::not_taken) {
    if (busy_) {
      return Outcome::unhandled;
    }
    const Handling handling(*this);
    const Outcome outcome = take_<Table>(event, carried);
    if (outcome != Outcome::taken) {
      return outcome == Outcome::unhandled ? none_there : none_held;
    }
    return following_ ? follow_<Table>() : Outcome::taken;
  }

  /// Handles the event of a received message.
  template <class Table>
  Outcome receive_(Event event, const Carried& carried) {
    if (!busy_) {
      clock_.restart(self_(), current_, Since::received);
    }
    return handle_<Table>(event, carried, Outcome::unexpected, Outcome::unexpected);
  }

  /// The result of a message without an event.
  [[nodiscard]] Outcome unknown_() const noexcept { return busy_ ? Outcome::unhandled : Outcome::unexpected; }

  /// Handles the events of the timers that are due.
  template <class Table>
  Outcome advance_(std::uint64_t now) {
    if (busy_) {
      return Outcome::unhandled;
    }
    clock_.show(self_(), current_, now);
    Outcome outcome = Outcome::not_taken;
    while (const auto event = clock_.next(self_())) {
      const Outcome found = handle_<Table>(*event, Carried{});
      if (found == Outcome::unhandled) {
        return found;
      }
      outcome = found == Outcome::taken ? found : outcome;
    }
    return outcome;
  }

  [[nodiscard]] std::optional<std::uint64_t> deadline_() const noexcept { return clock_.deadline(); }

 private:
  friend Self;

  /// Marks the machine as busy while an event is handled, even if the host throws.
  class Handling {
   public:
    explicit Handling(Machine& machine) noexcept : machine_(machine) { machine_.busy_ = true; }
    Handling(const Handling&) = delete;
    Handling& operator=(const Handling&) = delete;
    Handling(Handling&&) = delete;
    Handling& operator=(Handling&&) = delete;
    ~Handling() { machine_.busy_ = machine_.acting_ = false; }

   private:
    Machine& machine_;
  };

  explicit Machine(State initial, const typename Clock::All& timers = no_timers) noexcept
      : current_(initial), clock_(timers) {}
  Machine(const Machine&) = default;
  Machine& operator=(const Machine&) = default;
  Machine(Machine&&) = default;
  Machine& operator=(Machine&&) = default;
  ~Machine() = default;

  Self& self_() noexcept { return static_cast<Self&>(*this); }

  /// Handles the events that actions fail with or raise.
  template <class Table>
  ZEPS_WIRE_APART Outcome follow_() {
    for (int raised = 0; following_ && raised < raises_max; ++raised) {
      if (take_<Table>(*following_, Carried{}) != Outcome::taken) {
        return Outcome::unhandled;
      }
    }
    return following_ ? Outcome::unhandled : Outcome::taken;
  }

  /// Runs the first row with a true guard.
  template <class Table>
  Outcome take_(Event event, [[maybe_unused]] const Carried& carried) {
    constexpr auto none = Table::rows.size();
    std::size_t at = Table::index.first[static_cast<std::size_t>(current_)][static_cast<std::size_t>(event)];
    if (at == none) {
      return Outcome::unhandled;
    }
    if constexpr (none > 0) {
      for (; at != none; at = Table::index.next[at]) {
        const auto& action = Table::actions[at];
        if (action.holds == nullptr || action.holds(self_(), carried)) {
          const State from = current_;
          run_(Table::rows[at], action.steps, carried);
          self_().host().on_transition(from, event, current_);
          return Outcome::taken;
        }
      }
    }
    return Outcome::not_taken;
  }

  /// Runs a row's steps, until a host action fails.
  template <class OneRow, class Steps>
  void run_(const OneRow& row, const Steps& steps, const Carried& carried) {
    failed_.reset();
    raised_.reset();
    for (std::size_t i = 0; i < steps.size() && !failed_; ++i) {
      if (i == row.before_at && row.next) {
        enter_(*row.next);
      }
      acting_ = true;
      steps[i](self_(), carried);
      acting_ = false;
    }
    if (!failed_ && row.before_at >= steps.size() && row.next) {
      enter_(*row.next);
    }
    following_ = failed_ ? failed_ : ended_ ? std::nullopt : raised_;
  }

  void enter_(State state) noexcept { clock_.enter(self_(), std::exchange(current_, state), state); }

  static constexpr typename Clock::All no_timers{};

  State current_;
  bool ended_ = false;
  bool busy_ = false;
  bool acting_ = false;
  std::optional<Event> failed_;
  std::optional<Event> raised_;
  std::optional<Event> following_;  // the event that is handled after the row
  Clock clock_;
};

/// The fields of a message that the host has filled before it is sent. Views must stay valid until then.
template <class M>
class Draft {
 public:
  /// Sets the field at a place, and replaces an earlier value.
  template <std::size_t Place, class Value>
  void fill(const Value& value) noexcept {
    OperationAt<M, Place>::member(message_) = value;
    filled_[Place] = true;
  }

  /// Returns the fields that are filled, and clears them.
  Draft take() noexcept { return std::exchange(*this, Draft()); }

  /// Copies a field to the message. Returns false and calls `unsendable` if it was not filled.
  template <std::size_t Place, class Host>
  bool copy(M& sent, Host& host) const {
    if (!filled_[Place]) {
      host.unsendable({Code::not_set, M::message_name, Layout<M>::names[Place], 0});
      return false;
    }
    return copy_or_zero<Place>(sent);
  }

  /// Copies a field to the message; a field that was not filled is zero or empty. Returns true.
  template <std::size_t Place>
  bool copy_or_zero(M& sent) const noexcept {
    if (filled_[Place]) {
      OperationAt<M, Place>::member(sent) = OperationAt<M, Place>::member(message_);
    } else {
      OperationAt<M, Place>::set_zero(sent);
    }
    return true;
  }

 private:
  M message_{};
  std::array<bool, std::tuple_size_v<typename Layout<M>::Operations>> filled_{};
};

/// Sets the field at `Place` of a message. Returns false and calls `unsendable` if its bytes cannot hold the value.
template <std::size_t Place, class M, class Value, class Host>
bool set(M& message, const Value& value, Host& host) {
  const Code code = OperationAt<M, Place>::assign(message, value);
  if (code != Code::none) {
    host.unsendable({code, M::message_name, Layout<M>::names[Place], 0});
  }
  return code == Code::none;
}

/// The name of a state or an event; "unknown" if the machine does not have it.
template <class Value, std::size_t Size>
[[nodiscard]] constexpr std::string_view name_in(const std::array<std::string_view, Size>& names,
                                                 Value value) noexcept {
  const auto index = static_cast<std::size_t>(value);
  return index < Size ? names[index] : "unknown";
}

/// `left + right`, limited to `greatest`.
[[nodiscard]] constexpr std::uint64_t add(std::uint64_t left, std::uint64_t right,
                                          std::uint64_t greatest = UINT64_MAX) noexcept {
  const std::uint64_t sum = left > UINT64_MAX - right ? UINT64_MAX : left + right;
  return sum < greatest ? sum : greatest;
}

/// `left - right`, or 0 if it is negative.
[[nodiscard]] constexpr std::uint64_t subtract(std::uint64_t left, std::uint64_t right) noexcept {
  return left > right ? left - right : 0;
}

/// A signed number in an expression: negative numbers count as 0.
[[nodiscard]] constexpr std::uint64_t saturated(std::int64_t value) noexcept {
  return value < 0 ? 0 : static_cast<std::uint64_t>(value);
}

/// A copy of the bytes, for a variable.
[[nodiscard]] inline std::vector<std::uint8_t> copied(Octets octets) {
  return {octets.begin(), octets.end()};
}

}  // namespace zeps_wire

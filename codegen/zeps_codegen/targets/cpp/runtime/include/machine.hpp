/// @file
/// The engine under the generated machines: rows tried in order, steps run in order.
///
/// A machine is its table. A row says: in this state, at this event, if the guard holds, run these steps and, if
/// there is a next state, go there. A row without one stays, and runs neither what the state does on leaving nor
/// what it does on entering. A row with one runs the event's steps and the old state's `after`, changes the state,
/// and then runs the new state's `before`. A host action may call `fail`: the steps that are left do not run, and
/// the event it names is handled next. Should an action of that one's row fail as well, and so on, then more than
/// `raises_max` events in turn are an error.
///
/// A machine handles one event at a time, and belongs to one thread at a time: from inside an action, `send` included,
/// whose row is only half done, it takes no other event. The host keeps for later what it wants to do next.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "error.hpp"
#include "operations.hpp"
#include "span.hpp"

namespace zeps_wire {

/// How many events in turn host actions may fail with while one event is handled.
inline constexpr int raises_max = 8;

/// What became of an event.
enum class Outcome : std::uint8_t {
  taken,       ///< a row took it
  not_taken,   ///< the host's or the application's event: no guard held
  unexpected,  ///< a message that the state does not take: the other side broke the protocol
  unhandled,  ///< an event that the state does not take, or from inside an action: this program broke the protocol
};

/// One row. `steps[0]` to `steps[before_at - 1]` run before the state changes.
template <class State, class Event>
struct Row {
  State state;
  Event event;
  std::string_view guard;
  Span<const std::string_view> steps;
  std::optional<State> next;
  std::size_t before_at;
};

/// What a row does, beside what it says.
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

/// What every generated machine can do. `Self` brings the table (`Self::Table`) and the variables; `Carried` is
/// what an event brings along.
template <class Self, class State, class Event, class Carried>
class Machine {
 public:
  [[nodiscard]] State state() const noexcept { return current_; }
  [[nodiscard]] bool terminated() const noexcept { return ended_; }

  /// Called by the host from inside a host action: skip the steps that are left, then handle `event`, which
  /// carries nothing. Anywhere else it does nothing.
  void fail(Event event) noexcept {
    if (busy_) {
      failed_ = event;
    }
  }

 protected:
  void terminate_() noexcept { ended_ = true; }

  /// Handles `event`. Without a row that takes it: `none_there`, or `none_held` if guards alone are in the way.
  template <class Table>
  Outcome handle_(Event event, const Carried& carried, Outcome none_there, Outcome none_held) {
    if (busy_) {
      return Outcome::unhandled;
    }
    const Handling handling(*this);
    const Outcome outcome = take_<Table>(event, carried);
    if (outcome != Outcome::taken) {
      return outcome == Outcome::unhandled ? none_there : none_held;
    }
    return failed_ ? recover_<Table>() : Outcome::taken;
  }

  /// What becomes of a message that no event is for.
  [[nodiscard]] Outcome unknown_() const noexcept { return busy_ ? Outcome::unhandled : Outcome::unexpected; }

 private:
  friend Self;

  /// As long as it lives, an event is being handled. A host that throws leaves the machine usable.
  class Handling {
   public:
    explicit Handling(Machine& machine) noexcept : machine_(machine) { machine_.busy_ = true; }
    Handling(const Handling&) = delete;
    Handling& operator=(const Handling&) = delete;
    Handling(Handling&&) = delete;
    Handling& operator=(Handling&&) = delete;
    ~Handling() {
      machine_.busy_ = false;
      machine_.failed_.reset();
    }

   private:
    Machine& machine_;
  };

  explicit Machine(State initial) noexcept : current_(initial) {}
  Machine(const Machine&) = default;
  Machine& operator=(const Machine&) = default;
  Machine(Machine&&) = default;
  Machine& operator=(Machine&&) = default;
  ~Machine() = default;

  /// Handles the events that actions fail with, one after the other.
  template <class Table>
  ZEPS_WIRE_APART Outcome recover_() {
    for (int raised = 0; failed_ && raised < raises_max; ++raised) {
      const Event instead = *failed_;
      failed_.reset();
      if (Table::needs(instead) || take_<Table>(instead, Carried{}) != Outcome::taken) {
        return Outcome::unhandled;
      }
    }
    return failed_ ? Outcome::unhandled : Outcome::taken;
  }

  /// Runs the steps of the first row whose guard holds, up to one at which the host fails.
  template <class Table>
  Outcome take_(Event event, [[maybe_unused]] const Carried& carried) {
    constexpr auto none = Table::rows.size();
    std::size_t at = Table::index.first[static_cast<std::size_t>(current_)][static_cast<std::size_t>(event)];
    if (at == none) {
      return Outcome::unhandled;
    }
    if constexpr (none > 0) {
      auto& self = static_cast<Self&>(*this);
      for (; at != none; at = Table::index.next[at]) {
        const auto& action = Table::actions[at];
        if (action.holds == nullptr || action.holds(self, carried)) {
          run_(Table::rows[at], action.steps, self, carried);
          return Outcome::taken;
        }
      }
    }
    return Outcome::not_taken;
  }

  /// Runs a row's steps, up to one at which the host fails.
  template <class OneRow, class Steps>
  void run_(const OneRow& row, const Steps& steps, Self& self, const Carried& carried) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (i == row.before_at && row.next) {
        current_ = *row.next;
      }
      steps[i](self, carried);
      if (failed_) {
        return;
      }
    }
    if (row.before_at >= steps.size() && row.next) {
      current_ = *row.next;
    }
  }

  State current_;
  bool ended_ = false;
  bool busy_ = false;
  std::optional<Event> failed_;
};

/// Sets the field at `Place` of a message that is to be sent. False if the field cannot hold the value: its host is told.
template <std::size_t Place, class M, class Value, class Host>
bool set(M& message, const Value& value, Host& host) {
  const Code code = std::tuple_element_t<Place, typename Layout<M>::Operations>::hold(message, value);
  if (code != Code::none) {
    host.unsendable({code, M::message_name, Layout<M>::names[Place], 0});
  }
  return code == Code::none;
}

/// The name of a state or an event; "unknown" if it is none of the machine's.
template <class Value, std::size_t Size>
[[nodiscard]] constexpr std::string_view name_in(const std::array<std::string_view, Size>& names,
                                                 Value value) noexcept {
  const auto index = static_cast<std::size_t>(value);
  return index < Size ? names[index] : "unknown";
}

/// `left + right`, or `greatest` if that is less.
[[nodiscard]] constexpr std::uint64_t add(std::uint64_t left, std::uint64_t right,
                                          std::uint64_t greatest = UINT64_MAX) noexcept {
  const std::uint64_t sum = left > UINT64_MAX - right ? UINT64_MAX : left + right;
  return sum < greatest ? sum : greatest;
}

/// `left - right`, or 0 if it is negative.
[[nodiscard]] constexpr std::uint64_t subtract(std::uint64_t left, std::uint64_t right) noexcept {
  return left > right ? left - right : 0;
}

/// A signed number as expressions compute with it: nothing is below 0.
[[nodiscard]] constexpr std::uint64_t saturated(std::int64_t value) noexcept {
  return value < 0 ? 0 : static_cast<std::uint64_t>(value);
}

/// Copies octets into a variable, of which they may be a part.
inline void assign(std::vector<std::uint8_t>& variable, Octets value) {
  variable = std::vector<std::uint8_t>(value.begin(), value.end());
}

}  // namespace zeps_wire

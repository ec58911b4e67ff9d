/// @file
/// Requests about a machine. `Runner` is the description in driver/bundle.cpp: a machine and its recording host.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codec.hpp"
#include "zeps_wire/runtime/machine.hpp"

namespace zeps_driver {

/// A frame, or several as blobs.
inline Buffer joined(const std::vector<Buffer>& frames) {
  if (frames.size() == 1) {
    return frames.front();
  }
  Answer blobs;
  for (const Buffer& frame : frames) {
    blobs.put_blob(frame);
  }
  return blobs.octets();
}

/// The calls of a host, and the planned failures and events of its actions.
class Record {
 public:
  /// The events of actions, by the actions' names.
  using Events = std::map<std::string, std::uint16_t, std::less<>>;

  /// Records a sent message; a message that cannot be encoded leaves no bytes.
  template <class Message>
  void send(const Message& message) {
    const auto frames = zeps_wire::encode_frames(message);
    refused |= !frames;
    log.emplace_back("send", frames ? joined(*frames) : Buffer());
  }

  /// Records a message that cannot be constructed.
  void unsent() {
    refused = true;
    log.emplace_back("send", Buffer());
  }

  /// Records a host action.
  void act(std::string_view action) { log.emplace_back(std::string(action), Buffer()); }

  /// The planned event of the action, which is removed.
  static std::optional<std::uint16_t> due(Events& events, std::string_view action) {
    const auto found = events.find(action);
    if (found == events.end()) {
      return std::nullopt;
    }
    const std::uint16_t event = found->second;
    events.erase(found);
    return event;
  }

  std::vector<std::pair<std::string, Buffer>> log;
  Events failing;
  Events raising;
  bool refused = false;
};

/// Fills a field of a message to be sent; returns the letter of the outcome.
template <class M, std::size_t Place, class Fill>
char fill_field(const Value& given, Storage& storage, Cursor& cursor, Fill fill) {
  M held{};
  const auto visit = [&](auto kind, auto& value) {
    if (take<decltype(kind)>(given, value, storage)) {
      fill(value);
    } else {
      cursor.fail("a value of another type");
    }
  };
  zeps_wire::OperationAt<M, Place>::visit(held, visit);
  return 'v';
}

inline void put_variable(Answer& answer, std::uint64_t value) { answer.put_tagged('u', value); }
inline void put_variable(Answer& answer, bool value) { answer.put_tagged('u', value ? 1 : 0); }
inline void put_variable(Answer& answer, const std::string& value) {
  answer.put_tagged('s', zeps_wire::octets_of(value));
}
inline void put_variable(Answer& answer, const Buffer& value) { answer.put_tagged('b', Octets(value)); }

inline bool take(const Value& given, std::uint64_t& variable) {
  variable = given.number;
  return given.tag == 'u';
}
inline bool take(const Value& given, bool& variable) {
  variable = given.number != 0;
  return given.tag == 'u';
}
inline bool take(const Value& given, std::string& variable) {
  variable = std::string(zeps_wire::text_of(given.octets));
  return given.tag == 's';
}
inline bool take(const Value& given, Buffer& variable) {
  variable = Buffer(given.octets.begin(), given.octets.end());
  return given.tag == 'b';
}

/// Sets a variable; returns the letter of the outcome.
template <class Variable>
char take_variable(const Value& given, Variable& variable, Cursor& cursor) {
  if (!take(given, variable)) {
    cursor.fail("a value of another type");
  }
  return 'v';
}

/// The values of a call of a method without parameters.
struct NoValues {};

/// The letter of an answer.
inline char letter_of(zeps_wire::Outcome outcome) {
  switch (outcome) {
    case zeps_wire::Outcome::taken: return 't';
    case zeps_wire::Outcome::not_taken: return 'n';
    case zeps_wire::Outcome::unexpected: return 'u';
    case zeps_wire::Outcome::unhandled: return 'h';
  }
  return 'h';
}

/// Executes one step; returns the letter of its outcome.
template <class Runner>
char step(Runner& runner, char letter, Cursor& cursor) {
  switch (letter) {
    case 'm':
    case 'a': {
      typename Runner::Message message;
      zeps_wire::Error error;
      const std::vector<Octets> frames = cursor.frames(letter == 'a');
      const bool whole = !cursor.failed() && (letter == 'a' ? decode_frames(frames, message, error)
                                                            : decode(frames[0], message, error));
      return whole ? letter_of(runner.machine.receive(message)) : 'x';
    }
    case 'c': {
      const std::string_view name = cursor.name();
      const std::vector<Value> values = cursor.values();
      return cursor.failed() ? 'x' : runner.call(name, values, cursor);
    }
    case 'v': {
      const std::string_view name = cursor.name();
      const Value value = cursor.value();
      return cursor.failed() ? 'x' : runner.set(name, value, cursor);
    }
    case 'f':
    case 'n': {
      const std::string_view action = cursor.name();
      const std::string_view event = cursor.name();
      auto& armed = letter == 'f' ? runner.record.failing : runner.record.raising;
      return cursor.failed() ? 'x' : runner.arm(action, event, armed);
    }
    case 'w': {
      const std::string_view message = cursor.name();
      const std::string_view field = cursor.name();
      const Value value = cursor.value();
      return cursor.failed() ? 'x' : runner.fill(message, field, value, cursor);
    }
    case 't': {
      const std::uint64_t now = cursor.number(8);
      return cursor.failed() ? 'x' : runner.advance(now);
    }
    default: cursor.fail("unknown kind of step"); return 'x';
  }
}

/// Runs a new machine through the steps of a request.
template <class Runner>
Buffer machine_answer(Cursor& cursor) {
  Runner runner;
  Answer answer('+');
  const std::uint64_t steps = cursor.number(4);
  for (std::uint64_t i = 0; i < steps && !cursor.failed(); ++i) {
    runner.record.log.clear();
    runner.record.refused = false;
    const char letter = cursor.letter();
    const char outcome = step(runner, letter, cursor);
    answer.put_letter(runner.record.refused ? 'e' : outcome);
    answer.put_name(name_of(runner.machine.state()));
    answer.put_number(runner.machine.terminated() ? 1 : 0, 1);
    runner.put_variables(answer);
    answer.put_number(runner.record.log.size(), 4);
    for (const auto& [name, frame] : runner.record.log) {
      answer.put_name(name);
      answer.put_blob(frame);
    }
    if (letter == 't' && outcome != 'x') {
      const auto deadline = runner.deadline();
      answer.put_number(deadline ? 1 : 0, 1);
      answer.put_number(deadline.value_or(0), 8);
    }
  }
  cursor.end();
  return cursor.failed() ? refusal(cursor.reason()) : answer.octets();
}

}  // namespace zeps_driver

template <>
struct zeps_wire::Layout<zeps_driver::NoValues> : zeps_wire::Layout<zeps_wire::NoMessage> {};

/// @file
/// Machines in rare cases: values too large for a field, calls inside actions, actions that fail in turn.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "check.hpp"
#include "zeps_wire/corners_server.hpp"

namespace {

namespace corners = zeps_wire::corners;
using zeps_wire::Outcome;
using zeps_wire::raises_max;
using zeps_wire::corners_server::InternalEvent;
using zeps_wire::corners_server::ServerHost;
using zeps_wire::corners_server::ServerMachine;

using Said = std::vector<std::string>;

std::string told(const std::string& what, const zeps_wire::Error& error) {
  EXPECT(error.message == "REPORT");
  return what + ": " + std::string(name_of(error.code)) + " " + std::string(error.field);
}

/// A host that records its calls.
struct Notebook final : ServerHost {
  void send(const corners::Message& message) override {
    const auto frame = encode(message);
    said.push_back(frame ? "send" : told("cannot encode", frame.error()));
  }
  void unsendable(const zeps_wire::Error& error) override { said.push_back(told("unsendable", error)); }
  void note() override { said.emplace_back("note"); }
  void warn(const corners::Message* message) override {
    ++warnings;
    if (calls && message != nullptr) {
      called = {machine.receive(*message), machine.receive(corners::Words{}), machine.report()};
    }
    if (fails > 0) {
      --fails;
      machine.fail(InternalEvent::on_oops);
    }
  }

  ServerMachine machine{*this};
  Said said;
  int warnings = 0;
  int fails = 0;  // so many warnings
  bool calls = false;
  std::vector<Outcome> called;
};

corners::Reading reading(std::int64_t degrees, std::int64_t change, std::string_view key) {
  corners::Reading message;
  message.degrees = degrees;
  message.change = change;
  message.key = zeps_wire::octets_of(key);
  return message;
}

const corners::Reading hot = reading(101, 0, "");

void a_negative_number_counts_as_nothing() {
  Notebook book;
  EXPECT(book.machine.receive(reading(-5, INT64_MIN, "a")) == Outcome::taken && book.machine.total == 0);
  EXPECT(book.machine.receive(reading(100, 0, "b")) == Outcome::taken && book.machine.total == 100);
  EXPECT(book.machine.adjust(-7) == Outcome::taken && book.machine.total == 0);
  EXPECT(book.warnings == 0);
}

void report(std::uint64_t total, std::string_view token, const std::string& wanted) {
  Notebook book;
  book.machine.total = total;
  book.machine.token.assign(token.begin(), token.end());
  EXPECT(book.machine.report() == Outcome::taken);
  EXPECT((book.said == Said{wanted, "note"}));
}

void what_a_field_cannot_hold_is_not_sent() {
  report(1, "four", "send");
  report(std::uint64_t{1} << 31U, "four", "unsendable: too-long level");
  report(UINT64_MAX, "four", "unsendable: too-long level");
  report(256, "three", "unsendable: too-long small");
  report(1, "", "unsendable: truncated key");
  report(1, "fives", "unsendable: too-long key");
  report(2, "four", "cannot encode: bad-constant colour");
}

void no_event_is_handled_inside_another() {
  Notebook book;
  book.calls = true;
  EXPECT(book.machine.receive(hot) == Outcome::taken && book.warnings == 1);
  EXPECT((book.called == std::vector<Outcome>{Outcome::unhandled, Outcome::unhandled, Outcome::unhandled}));
  EXPECT(book.said.empty());
  EXPECT(book.machine.report() == Outcome::taken);
}

void actions_fail_in_turn() {
  Notebook book;
  book.fails = raises_max;
  EXPECT(book.machine.receive(hot) == Outcome::taken && book.warnings == 1 + raises_max);
  book.fails = 1000;
  EXPECT(book.machine.receive(hot) == Outcome::unhandled && book.warnings == 2 + 2 * raises_max);
  book.fails = 0;
  EXPECT(book.machine.receive(hot) == Outcome::taken && book.warnings == 3 + 2 * raises_max);
}

void only_an_action_fails() {
  Notebook book;
  EXPECT(!book.machine.fail(InternalEvent::on_oops) && !book.machine.raise(InternalEvent::on_oops));
  EXPECT(book.machine.receive(hot) == Outcome::taken && book.warnings == 1);
  EXPECT(book.said.empty());
}

}  // namespace

int main() {
  a_negative_number_counts_as_nothing();
  what_a_field_cannot_hold_is_not_sent();
  no_event_is_handled_inside_another();
  actions_fail_in_turn();
  only_an_action_fails();
  return failures() == 0 ? 0 : 1;
}

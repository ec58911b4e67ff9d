/// @file
/// Messages with later fields, and machines whose hosts fill messages, raise events and provide a clock.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "check.hpp"
#include "zeps_wire/growing_client.hpp"
#include "zeps_wire/growing_server.hpp"

namespace {

namespace client = zeps_wire::growing_client;
namespace growing = zeps_wire::growing;
namespace server = zeps_wire::growing_server;
using zeps_wire::Code;
using zeps_wire::octets_of;
using zeps_wire::Outcome;

void a_frame_may_end_before_its_defaults_or_go_on() {
  growing::Report report;
  report.first = 1;
  report.last = 2;
  report.level = 9;
  auto frame = *encode(report);
  frame.resize(20);
  growing::Report found;
  zeps_wire::Error error;
  EXPECT(decode(frame, found, error) && found.level == 9 && found.colour == growing::Colour::green);
  EXPECT(found.weight == 7 && found.change == -2 && found.title == "none" && found.code == octets_of("ok"));
  EXPECT(found.body.size() == 2 && found.body[1] == 0xFF && found.token.size() == 16 && found.words.empty());
  frame.resize(19);
  EXPECT(decode(frame, found, error) && found.level == 3);
  frame.resize(18);
  EXPECT(!decode(frame, found, error) && error.code == Code::truncated && error.field == "last");
  auto longer = *encode(growing::Grown{7});
  longer.push_back(1);
  growing::Grown grown;
  EXPECT(decode(longer, grown, error) && grown.size == 7);
}

void numbers_are_related() {
  growing::Report report;
  report.first = 3;
  report.last = 2;
  EXPECT(encode(report).error().code == Code::bad_relation && encode(report).error().field == "last");
  report.last = 3;
  auto frame = *encode(report);
  frame[10] = 4;  // the last byte of `first`
  EXPECT(growing::decode(frame).error().code == Code::bad_relation);
  EXPECT(growing::decode(frame).error().offset == 11);
}

/// A host of the client that records its calls.
struct Asker final : client::ClientHost {
  void send(const growing::Message& message) override { said.emplace_back(name_of(message)); }
  void unsendable(const zeps_wire::Error& error) override {
    said.push_back(std::string(name_of(error.code)) + " " + std::string(error.field));
  }
  void on_transition(client::State from, client::Event event, client::State to) override {
    EXPECT(machine.leave() == Outcome::unhandled);
    said.push_back(std::string(name_of(from)) + " " + std::string(name_of(event)) + " " +
                   std::string(name_of(to)));
  }
  void take(const growing::Answer& /*message*/) override {}
  void give_up() override { said.emplace_back("give up"); }

  client::ClientMachine machine{*this};
  std::vector<std::string> said;
};

void a_host_fills_what_is_sent_once() {
  Asker asker;
  asker.machine.fill_question_number(6);
  asker.machine.fill_question_number(7);
  EXPECT(asker.machine.ask("t") == Outcome::taken && asker.machine.leave() == Outcome::taken);
  EXPECT(asker.machine.ask("t") == Outcome::taken);
  EXPECT((asker.said == std::vector<std::string>{"QUESTION", "resting ask asking", "asking leave resting",
                                                 "not-set number", "resting ask asking"}));
}

void timers_run_on_the_hosts_clock() {
  Asker asker;
  EXPECT(!asker.machine.deadline() && asker.machine.advance(5) == Outcome::not_taken);
  EXPECT(!asker.machine.deadline());
  asker.machine.fill_question_number(7);
  EXPECT(asker.machine.ask("t") == Outcome::taken && asker.machine.deadline() == 1005);
  EXPECT(asker.machine.advance(1004) == Outcome::not_taken && asker.machine.advance(3) == Outcome::not_taken);
  EXPECT(asker.machine.advance(1005) == Outcome::taken && !asker.machine.deadline());
  EXPECT(asker.machine.state() == client::State::resting && asker.said.back() == "asking expired resting");
}

/// A host of the server that raises an event, or fails.
struct Finder final : server::ServerHost {
  void send(const growing::Message& message) override { said.emplace_back(name_of(message)); }
  void unsendable(const zeps_wire::Error& error) override { said.emplace_back(error.field); }
  void look_up(const growing::Question& message) override {
    if (message.number == 1) {
      EXPECT(machine.raise(server::InternalEvent::on_unknown));
      EXPECT(machine.raise(server::InternalEvent::on_found));
    }
    if (message.number == 2) {
      EXPECT(machine.raise(server::InternalEvent::on_found));
      EXPECT(machine.fail(server::InternalEvent::on_unknown));
    }
  }
  void note(const growing::Message* /*message*/) override { said.emplace_back("note"); }

  server::ServerMachine machine{*this};
  std::vector<std::string> said;
};

growing::Question question(std::uint64_t number) {
  growing::Question message;
  message.number = number;
  return message;
}

void what_is_raised_is_handled_after_the_row() {
  Finder finder;
  EXPECT(finder.machine.receive(question(1)) == Outcome::taken);
  EXPECT(finder.machine.state() == server::State::waiting);
  EXPECT((finder.said == std::vector<std::string>{"note", "note", "level"}));
}

void a_failure_discards_what_was_raised() {
  Finder finder;
  EXPECT(finder.machine.receive(question(2)) == Outcome::taken);
  EXPECT(finder.machine.state() == server::State::waiting);
  EXPECT((finder.said == std::vector<std::string>{"note"}));
  EXPECT(!finder.machine.raise(server::InternalEvent::on_found));
}

}  // namespace

int main() {
  a_frame_may_end_before_its_defaults_or_go_on();
  numbers_are_related();
  a_host_fills_what_is_sent_once();
  timers_run_on_the_hosts_clock();
  what_is_raised_is_handled_after_the_row();
  a_failure_discards_what_was_raised();
  return failures() == 0 ? 0 : 1;
}

/// @file
/// The server machine of ZEPS, in a broker.
#include <cstdint>
#include <string>
#include <vector>

#include "check.hpp"
#include "zeps_wire/zeps_server.hpp"

namespace {

namespace zeps = zeps_wire::zeps;
using zeps_wire::Outcome;
using zeps_wire::zeps_server::Event;
using zeps_wire::zeps_server::InternalEvent;
using zeps_wire::zeps_server::ServerHost;
using zeps_wire::zeps_server::ServerMachine;
using zeps_wire::zeps_server::State;

/// A broker that records the calls of its machine.
struct Broker final : ServerHost {
  void send(const zeps::Message& message) override {
    said.emplace_back(name_of(message));
    if (const auto* invalid = std::get_if<zeps::Invalid>(&message)) {
      reason = invalid->reason;
    }
    zeps_wire::Error error;
    std::vector<std::uint8_t> frame;
    if (!encode(message, frame, error)) {
      said.push_back(std::string(name_of(error.code)) + " " + std::string(error.field));
    }
  }
  void open_stream(const zeps::Attach& message) override {
    said.emplace_back("open " + std::string(message.stream));
    if (refuses) {
      machine.reason = answer;
      machine.fail(InternalEvent::on_attach_refused);
    }
  }
  void close_stream(const zeps::Message* message) override {
    said.emplace_back(message == nullptr ? "close" : "close at " + std::string(name_of(*message)));
  }
  void check_subscription(const zeps::Subscribe& /*message*/) override {
    said.emplace_back("check");
    if (refuses) {
      machine.reason = answer;
      machine.fail(InternalEvent::on_subscribe_refused);
    }
  }
  void add_subscription(const zeps::Subscribe& /*message*/) override { said.emplace_back("add"); }
  void use_credit(const zeps::Credit& /*message*/) override { said.emplace_back("use"); }
  void store_message(const zeps::Publish& /*message*/) override { said.emplace_back("store"); }

  std::vector<std::string> heard() {
    std::vector<std::string> all;
    all.swap(said);
    return all;
  }

  ServerMachine machine{*this};
  bool refuses = false;
  std::string answer = "no such stream";
  std::string reason;
  std::vector<std::string> said;
};

using Said = std::vector<std::string>;

zeps::Attach attach(std::string_view stream) {
  zeps::Attach message;
  message.stream = stream;
  return message;
}

void a_session_opens_and_closes() {
  Broker broker;
  EXPECT(broker.machine.state() == State::start);
  EXPECT(broker.machine.receive(attach("stocks")) == Outcome::taken);
  EXPECT(broker.machine.state() == State::open);
  EXPECT((broker.heard() == Said{"open stocks", "ATTACH-OK"}));
  EXPECT(broker.machine.receive(zeps::Subscribe{}) == Outcome::taken);
  EXPECT((broker.heard() == Said{"check", "SUBSCRIBE-OK", "add"}));
  EXPECT(broker.machine.receive(zeps::Detach{}) == Outcome::taken);
  EXPECT((broker.heard() == Said{"close at DETACH", "DETACH-OK"}));
  EXPECT(broker.machine.state() == State::start);
  EXPECT(!broker.machine.terminated());
}

void what_a_host_cannot_do_takes_the_transitions_place() {
  Broker broker;
  broker.refuses = true;
  EXPECT(broker.machine.receive(attach("stocks")) == Outcome::taken);
  EXPECT((broker.heard() == Said{"open stocks", "INVALID"}));
  EXPECT(broker.reason == "no such stream");
  EXPECT(broker.machine.state() == State::start);
}

void a_refused_subscribe_leaves_the_session_open() {
  Broker broker;
  EXPECT(broker.machine.receive(attach("stocks")) == Outcome::taken);
  broker.refuses = true;
  broker.answer = std::string(zeps::OpenCode::bad_pattern) + " not that one";
  EXPECT(broker.machine.receive(zeps::Subscribe{}) == Outcome::taken);
  EXPECT((broker.heard() == Said{"open stocks", "ATTACH-OK", "check", "INVALID"}));
  EXPECT(broker.reason == "bad-pattern not that one");
  EXPECT(broker.machine.state() == State::open);
  broker.refuses = false;
  EXPECT(broker.machine.receive(zeps::Subscribe{}) == Outcome::taken);
  EXPECT((broker.heard() == Said{"check", "SUBSCRIBE-OK", "add"}));
}

void codes_are_two_tables() {
  EXPECT(zeps::is_open_code(zeps::OpenCode::retention));
  EXPECT(!zeps::is_open_code(zeps::EndingCode::no_session));
  EXPECT(zeps::is_ending_code(zeps::EndingCode::no_session));
  EXPECT(!zeps::is_ending_code("code-of-a-later-version"));
}

void text_that_is_too_long_is_the_encoders_to_refuse() {
  Broker broker;
  broker.refuses = true;
  broker.answer = std::string(256, 'x');
  EXPECT(broker.machine.receive(attach("stocks")) == Outcome::taken);
  EXPECT((broker.heard() == Said{"open stocks", "INVALID", "too-long reason"}));
  EXPECT(broker.reason == broker.answer);
}

void guards_look_at_the_message_and_the_variables() {
  Broker broker;
  EXPECT(broker.machine.receive(attach("")) == Outcome::taken);
  EXPECT((broker.heard() == Said{"INVALID"}));
  EXPECT(broker.machine.receive(attach("stocks")) == Outcome::taken);
  zeps::Deliver message;
  message.key = "k";
  EXPECT(broker.machine.deliver(message) == Outcome::not_taken);
  zeps::Credit credit;
  credit.credit = encoded_size(message);
  EXPECT(broker.machine.receive(credit) == Outcome::taken);
  EXPECT(broker.machine.deliver(message) == Outcome::taken);
  EXPECT(broker.machine.credit == 0);
  EXPECT(broker.machine.deliver(message) == Outcome::not_taken);
}

void credit_saturates() {
  Broker broker;
  EXPECT(broker.machine.receive(attach("stocks")) == Outcome::taken);
  zeps::Credit credit;
  credit.credit = UINT64_MAX;
  EXPECT(broker.machine.receive(credit) == Outcome::taken);
  EXPECT(broker.machine.receive(credit) == Outcome::taken);
  EXPECT(broker.machine.credit == UINT64_MAX);
}

void an_event_without_a_row_is_unhandled() {
  Broker broker;
  EXPECT(broker.machine.shutdown() == Outcome::unhandled);
  EXPECT(broker.machine.malformed() == Outcome::taken);
}

void the_table_is_data() {
  const auto table = zeps_wire::zeps_server::table();
  EXPECT(!table.empty());
  EXPECT(table[0].state == State::start);
  EXPECT(table[0].event == Event::attach);
  EXPECT(table[0].guard == "message.stream == ''");
  EXPECT(!table[0].next);
  EXPECT(table[1].next == State::open);
  EXPECT(table[1].steps.size() == 3);
  EXPECT(table[1].steps[1] == "open_stream");
  EXPECT(name_of(State::detaching) == "detaching");
  EXPECT(name_of(Event::on_deliver) == "deliver");
  EXPECT(name_of(Event::deliver) == "DELIVER");
  EXPECT(name_of(InternalEvent::on_attach_refused) == "attach_refused");
  EXPECT(name_of(static_cast<State>(999)) == "unknown" && name_of(static_cast<Event>(999)) == "unknown");
}

}  // namespace

int main() {
  a_session_opens_and_closes();
  what_a_host_cannot_do_takes_the_transitions_place();
  a_refused_subscribe_leaves_the_session_open();
  codes_are_two_tables();
  text_that_is_too_long_is_the_encoders_to_refuse();
  guards_look_at_the_message_and_the_variables();
  credit_saturates();
  an_event_without_a_row_is_unhandled();
  the_table_is_data();
  return failures() == 0 ? 0 : 1;
}

/// @file
/// The protocols and machines that the driver serves.
///
/// Generated from the models: change the models.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "codec.hpp"
#include "driver.hpp"
#include "machine.hpp"
#include "zeps_wire/journal.hpp"
#include "zeps_wire/zeps.hpp"
#include "zeps_wire/zeps_client.hpp"
#include "zeps_wire/zeps_server.hpp"
#include "zeps_wire/zmtp.hpp"
#include "zeps_wire/zmtp_1.hpp"
#include "zeps_wire/zmtp_2.hpp"
#include "zeps_wire/zmtp_frame.hpp"
#include "zeps_wire/zmtp_publisher.hpp"
#include "zeps_wire/zmtp_subscriber.hpp"

namespace zeps_wire {
template <>
struct Layout<zeps_client::OpenCall> : Layout<NoMessage> {
  using Operations =
      std::tuple<operation::Field<&zeps_client::OpenCall::stream, kind::String<1, Text::utf8>>>;
};

template <>
struct Layout<zeps_client::FollowCall> : Layout<NoMessage> {
  using Operations =
      std::tuple<operation::Field<&zeps_client::FollowCall::pattern, kind::String<1, Text::utf8>>,
                 operation::Field<&zeps_client::FollowCall::latest, kind::Number<8>>>;
};

template <>
struct Layout<zeps_client::GrantCall> : Layout<NoMessage> {
  using Operations = std::tuple<operation::Field<&zeps_client::GrantCall::octets, kind::Number<8>>>;
};

template <>
struct Layout<zeps_client::PostCall> : Layout<NoMessage> {
  using Operations = std::tuple<operation::Field<&zeps_client::PostCall::key, kind::String<1, Text::utf8>>,
                                operation::Field<&zeps_client::PostCall::body, kind::Chunk<4>>>;
};

template <>
struct Layout<zmtp_subscriber::SubscribeCall> : Layout<NoMessage> {
  using Operations = std::tuple<operation::Field<&zmtp_subscriber::SubscribeCall::topic, kind::Chunk<4>>>;
};

template <>
struct Layout<zmtp_subscriber::UnsubscribeCall> : Layout<NoMessage> {
  using Operations = std::tuple<operation::Field<&zmtp_subscriber::UnsubscribeCall::topic, kind::Chunk<4>>>;
};

template <>
struct Layout<zmtp_subscriber::SubscribeFilterCall> : Layout<NoMessage> {
  using Operations =
      std::tuple<operation::Field<&zmtp_subscriber::SubscribeFilterCall::kind, kind::Number<1>>,
                 operation::Field<&zmtp_subscriber::SubscribeFilterCall::octets, kind::Chunk<4>>>;
};

template <>
struct Layout<zmtp_subscriber::UnsubscribeFilterCall> : Layout<NoMessage> {
  using Operations =
      std::tuple<operation::Field<&zmtp_subscriber::UnsubscribeFilterCall::kind, kind::Number<1>>,
                 operation::Field<&zmtp_subscriber::UnsubscribeFilterCall::octets, kind::Chunk<4>>>;
};

}  // namespace zeps_wire

namespace zeps_driver {
namespace {

namespace of_zeps_client {

namespace wire = zeps_wire::zeps_client;
namespace zeps = zeps_wire::zeps;

/// A machine and its host.
struct Runner final : wire::ClientHost {
  using Message = zeps::Message;

  void send(const Message& message) override { record.send(message); }
  void attached(const zeps_wire::zeps::AttachOk&) override { act("attached"); }
  void attach_refused(const zeps_wire::zeps::Invalid&) override { act("attach_refused"); }
  void detached(const zeps_wire::zeps::Message*) override { act("detached"); }
  void broker_lost(const zeps_wire::zeps::Message*) override { act("broker_lost"); }
  void subscribed(const zeps_wire::zeps::SubscribeOk&) override { act("subscribed"); }
  void take_message(const zeps_wire::zeps::Deliver&) override { act("take_message"); }
  void answered(const zeps_wire::zeps::PingOk&) override { act("answered"); }
  void read_notice(const zeps_wire::zeps::Invalid&) override { act("read_notice"); }
  void session_lost() override { act("session_lost"); }
  void refused() override { act("refused"); }

  void act(std::string_view action) {
    record.act(action);
    if (const auto event = Record::due(record.raising, action)) {
      machine.raise(static_cast<wire::InternalEvent>(*event));
    }
    if (const auto event = Record::due(record.failing, action)) {
      machine.fail(static_cast<wire::InternalEvent>(*event));
    }
  }

  char call(std::string_view name, [[maybe_unused]] const std::vector<Value>& values,
            [[maybe_unused]] Cursor& cursor) {
    if (name == "heartbeat") {
      NoValues given{};
      return take_values(values, given, storage, cursor) ? letter_of(machine.heartbeat()) : 'x';
    }
    if (name == "expired") {
      NoValues given{};
      return take_values(values, given, storage, cursor) ? letter_of(machine.expired()) : 'x';
    }
    if (name == "malformed") {
      NoValues given{};
      return take_values(values, given, storage, cursor) ? letter_of(machine.malformed()) : 'x';
    }
    if (name == "ended") {
      NoValues given{};
      return take_values(values, given, storage, cursor) ? letter_of(machine.ended()) : 'x';
    }
    if (name == "subscribe_refused") {
      NoValues given{};
      return take_values(values, given, storage, cursor) ? letter_of(machine.subscribe_refused()) : 'x';
    }
    if (name == "open") {
      wire::OpenCall given{};
      return take_values(values, given, storage, cursor) ? letter_of(machine.open(given.stream)) : 'x';
    }
    if (name == "follow") {
      wire::FollowCall given{};
      return take_values(values, given, storage, cursor)
                 ? letter_of(machine.follow(given.pattern, given.latest))
                 : 'x';
    }
    if (name == "grant") {
      wire::GrantCall given{};
      return take_values(values, given, storage, cursor) ? letter_of(machine.grant(given.octets)) : 'x';
    }
    if (name == "post") {
      wire::PostCall given{};
      return take_values(values, given, storage, cursor) ? letter_of(machine.post(given.key, given.body))
                                                         : 'x';
    }
    if (name == "probe") {
      NoValues given{};
      return take_values(values, given, storage, cursor) ? letter_of(machine.probe()) : 'x';
    }
    if (name == "close") {
      NoValues given{};
      return take_values(values, given, storage, cursor) ? letter_of(machine.close()) : 'x';
    }
    return 'x';
  }

  char set([[maybe_unused]] std::string_view name, [[maybe_unused]] const Value& value,
           [[maybe_unused]] Cursor& cursor) {
    if (name == "credit") {
      return take_variable(value, machine.credit, cursor);
    }
    if (name == "pending") {
      return take_variable(value, machine.pending, cursor);
    }
    if (name == "unanswered") {
      return take_variable(value, machine.unanswered, cursor);
    }
    if (name == "unanswered_max") {
      return take_variable(value, machine.unanswered_max, cursor);
    }
    if (name == "stale") {
      return take_variable(value, machine.stale, cursor);
    }
    if (name == "stream") {
      return take_variable(value, machine.stream, cursor);
    }
    return 'x';
  }

  char fill([[maybe_unused]] std::string_view message, [[maybe_unused]] std::string_view field,
            [[maybe_unused]] const Value& value, [[maybe_unused]] Cursor& cursor) {
    return 'x';
  }

  char arm(std::string_view action, [[maybe_unused]] std::string_view event,
           [[maybe_unused]] Record::Events& armed) const {
    constexpr std::array<std::string_view, 10> actions = {
        "attached",     "attach_refused", "detached",    "broker_lost",  "subscribed",
        "take_message", "answered",       "read_notice", "session_lost", "refused"};
    if (std::find(actions.begin(), actions.end(), action) == actions.end()) {
      return 'x';
    }
    if (event == "ended") {
      armed[std::string(action)] = static_cast<std::uint16_t>(wire::InternalEvent::on_ended);
      return 'v';
    }
    if (event == "subscribe_refused") {
      armed[std::string(action)] = static_cast<std::uint16_t>(wire::InternalEvent::on_subscribe_refused);
      return 'v';
    }
    return 'x';
  }

  char advance([[maybe_unused]] std::uint64_t now) { return 'x'; }

  [[nodiscard]] std::optional<std::uint64_t> deadline() const { return std::nullopt; }

  void put_variables(Answer& answer) const {
    answer.put_number(6, 4);
    put_variable(answer, machine.credit);
    put_variable(answer, machine.pending);
    put_variable(answer, machine.unanswered);
    put_variable(answer, machine.unanswered_max);
    put_variable(answer, machine.stale);
    put_variable(answer, machine.stream);
  }

  Record record;
  Storage storage;
  wire::ClientMachine machine{*this};
};

}  // namespace of_zeps_client

namespace of_zeps_server {

namespace wire = zeps_wire::zeps_server;
namespace zeps = zeps_wire::zeps;

/// A machine and its host.
struct Runner final : wire::ServerHost {
  using Message = zeps::Message;

  void send(const Message& message) override { record.send(message); }
  void open_stream(const zeps_wire::zeps::Attach&) override { act("open_stream"); }
  void close_stream(const zeps_wire::zeps::Message*) override { act("close_stream"); }
  void check_subscription(const zeps_wire::zeps::Subscribe&) override { act("check_subscription"); }
  void add_subscription(const zeps_wire::zeps::Subscribe&) override { act("add_subscription"); }
  void use_credit(const zeps_wire::zeps::Credit&) override { act("use_credit"); }
  void store_message(const zeps_wire::zeps::Publish&) override { act("store_message"); }

  void act(std::string_view action) {
    record.act(action);
    if (const auto event = Record::due(record.raising, action)) {
      machine.raise(static_cast<wire::InternalEvent>(*event));
    }
    if (const auto event = Record::due(record.failing, action)) {
      machine.fail(static_cast<wire::InternalEvent>(*event));
    }
  }

  char call(std::string_view name, [[maybe_unused]] const std::vector<Value>& values,
            [[maybe_unused]] Cursor& cursor) {
    if (name == "malformed") {
      NoValues given{};
      return take_values(values, given, storage, cursor) ? letter_of(machine.malformed()) : 'x';
    }
    if (name == "attach_refused") {
      NoValues given{};
      return take_values(values, given, storage, cursor) ? letter_of(machine.attach_refused()) : 'x';
    }
    if (name == "subscribe_refused") {
      NoValues given{};
      return take_values(values, given, storage, cursor) ? letter_of(machine.subscribe_refused()) : 'x';
    }
    if (name == "gap") {
      NoValues given{};
      return take_values(values, given, storage, cursor) ? letter_of(machine.gap()) : 'x';
    }
    if (name == "expired") {
      NoValues given{};
      return take_values(values, given, storage, cursor) ? letter_of(machine.expired()) : 'x';
    }
    if (name == "heartbeat") {
      NoValues given{};
      return take_values(values, given, storage, cursor) ? letter_of(machine.heartbeat()) : 'x';
    }
    if (name == "shutdown") {
      NoValues given{};
      return take_values(values, given, storage, cursor) ? letter_of(machine.shutdown()) : 'x';
    }
    if (name == "deliver") {
      zeps::Deliver given{};
      return take_values(values, given, storage, cursor) ? letter_of(machine.deliver(given)) : 'x';
    }
    return 'x';
  }

  char set([[maybe_unused]] std::string_view name, [[maybe_unused]] const Value& value,
           [[maybe_unused]] Cursor& cursor) {
    if (name == "credit") {
      return take_variable(value, machine.credit, cursor);
    }
    if (name == "reason") {
      return take_variable(value, machine.reason, cursor);
    }
    return 'x';
  }

  char fill([[maybe_unused]] std::string_view message, [[maybe_unused]] std::string_view field,
            [[maybe_unused]] const Value& value, [[maybe_unused]] Cursor& cursor) {
    return 'x';
  }

  char arm(std::string_view action, [[maybe_unused]] std::string_view event,
           [[maybe_unused]] Record::Events& armed) const {
    constexpr std::array<std::string_view, 6> actions = {"open_stream",        "close_stream",
                                                         "check_subscription", "add_subscription",
                                                         "use_credit",         "store_message"};
    if (std::find(actions.begin(), actions.end(), action) == actions.end()) {
      return 'x';
    }
    if (event == "attach_refused") {
      armed[std::string(action)] = static_cast<std::uint16_t>(wire::InternalEvent::on_attach_refused);
      return 'v';
    }
    if (event == "subscribe_refused") {
      armed[std::string(action)] = static_cast<std::uint16_t>(wire::InternalEvent::on_subscribe_refused);
      return 'v';
    }
    return 'x';
  }

  char advance([[maybe_unused]] std::uint64_t now) { return 'x'; }

  [[nodiscard]] std::optional<std::uint64_t> deadline() const { return std::nullopt; }

  void put_variables(Answer& answer) const {
    answer.put_number(2, 4);
    put_variable(answer, machine.credit);
    put_variable(answer, machine.reason);
  }

  Record record;
  Storage storage;
  wire::ServerMachine machine{*this};
};

}  // namespace of_zeps_server

namespace of_zmtp_publisher {

namespace wire = zeps_wire::zmtp_publisher;
namespace zmtp = zeps_wire::zmtp;

/// A machine and its host.
struct Runner final : wire::ServerHost {
  using Message = zmtp::Message;

  void send(const Message& message) override { record.send(message); }
  void unsendable(const zeps_wire::Error& /*error*/) override { record.unsent(); }
  void check_greeting(const zeps_wire::zmtp::Greeting&) override { act("check_greeting"); }
  void ask_for_introduction(const zeps_wire::zmtp::Greeting&) override { act("ask_for_introduction"); }
  void close_connection(const zeps_wire::zmtp::Message*) override { act("close_connection"); }
  void check_peer(const zeps_wire::zmtp::Ready&) override { act("check_peer"); }
  void opened(const zeps_wire::zmtp::Ready&) override { act("opened"); }
  void peer_refused(const zeps_wire::zmtp::Error&) override { act("peer_refused"); }
  void add_subscription(const zeps_wire::zmtp::Message*) override { act("add_subscription"); }
  void remove_subscription(const zeps_wire::zmtp::Message*) override { act("remove_subscription"); }

  void act(std::string_view action) {
    record.act(action);
    if (const auto event = Record::due(record.raising, action)) {
      machine.raise(static_cast<wire::InternalEvent>(*event));
    }
    if (const auto event = Record::due(record.failing, action)) {
      machine.fail(static_cast<wire::InternalEvent>(*event));
    }
  }

  char call(std::string_view name, [[maybe_unused]] const std::vector<Value>& values,
            [[maybe_unused]] Cursor& cursor) {
    if (name == "downgrade") {
      NoValues given{};
      return take_values(values, given, storage, cursor) ? letter_of(machine.downgrade()) : 'x';
    }
    if (name == "connected") {
      NoValues given{};
      return take_values(values, given, storage, cursor) ? letter_of(machine.connected()) : 'x';
    }
    if (name == "introduce") {
      zmtp::Ready given{};
      return take_values(values, given, storage, cursor) ? letter_of(machine.introduce(given)) : 'x';
    }
    if (name == "refused") {
      NoValues given{};
      return take_values(values, given, storage, cursor) ? letter_of(machine.refused()) : 'x';
    }
    if (name == "heartbeat") {
      NoValues given{};
      return take_values(values, given, storage, cursor) ? letter_of(machine.heartbeat()) : 'x';
    }
    if (name == "expired") {
      NoValues given{};
      return take_values(values, given, storage, cursor) ? letter_of(machine.expired()) : 'x';
    }
    if (name == "malformed") {
      NoValues given{};
      return take_values(values, given, storage, cursor) ? letter_of(machine.malformed()) : 'x';
    }
    if (name == "unknown") {
      NoValues given{};
      return take_values(values, given, storage, cursor) ? letter_of(machine.unknown()) : 'x';
    }
    if (name == "disconnected") {
      NoValues given{};
      return take_values(values, given, storage, cursor) ? letter_of(machine.disconnected()) : 'x';
    }
    return 'x';
  }

  char set([[maybe_unused]] std::string_view name, [[maybe_unused]] const Value& value,
           [[maybe_unused]] Cursor& cursor) {
    if (name == "mechanism") {
      return take_variable(value, machine.mechanism, cursor);
    }
    if (name == "minor") {
      return take_variable(value, machine.minor_, cursor);
    }
    if (name == "ttl") {
      return take_variable(value, machine.ttl, cursor);
    }
    if (name == "unanswered") {
      return take_variable(value, machine.unanswered, cursor);
    }
    if (name == "unanswered_max") {
      return take_variable(value, machine.unanswered_max, cursor);
    }
    if (name == "reason") {
      return take_variable(value, machine.reason, cursor);
    }
    return 'x';
  }

  char fill([[maybe_unused]] std::string_view message, [[maybe_unused]] std::string_view field,
            [[maybe_unused]] const Value& value, [[maybe_unused]] Cursor& cursor) {
    return 'x';
  }

  char arm(std::string_view action, [[maybe_unused]] std::string_view event,
           [[maybe_unused]] Record::Events& armed) const {
    constexpr std::array<std::string_view, 8> actions = {
        "check_greeting", "ask_for_introduction", "close_connection", "check_peer",
        "opened",         "peer_refused",         "add_subscription", "remove_subscription"};
    if (std::find(actions.begin(), actions.end(), action) == actions.end()) {
      return 'x';
    }
    if (event == "refused") {
      armed[std::string(action)] = static_cast<std::uint16_t>(wire::InternalEvent::on_refused);
      return 'v';
    }
    return 'x';
  }

  char advance([[maybe_unused]] std::uint64_t now) { return 'x'; }

  [[nodiscard]] std::optional<std::uint64_t> deadline() const { return std::nullopt; }

  void put_variables(Answer& answer) const {
    answer.put_number(6, 4);
    put_variable(answer, machine.mechanism);
    put_variable(answer, machine.minor_);
    put_variable(answer, machine.ttl);
    put_variable(answer, machine.unanswered);
    put_variable(answer, machine.unanswered_max);
    put_variable(answer, machine.reason);
  }

  Record record;
  Storage storage;
  wire::ServerMachine machine{*this};
};

}  // namespace of_zmtp_publisher

namespace of_zmtp_subscriber {

namespace wire = zeps_wire::zmtp_subscriber;
namespace zmtp = zeps_wire::zmtp;

/// A machine and its host.
struct Runner final : wire::ClientHost {
  using Message = zmtp::Message;

  void send(const Message& message) override { record.send(message); }
  void unsendable(const zeps_wire::Error& /*error*/) override { record.unsent(); }
  void check_greeting(const zeps_wire::zmtp::Greeting&) override { act("check_greeting"); }
  void ask_for_introduction(const zeps_wire::zmtp::Greeting&) override { act("ask_for_introduction"); }
  void close_connection(const zeps_wire::zmtp::Message*) override { act("close_connection"); }
  void check_peer(const zeps_wire::zmtp::Ready&) override { act("check_peer"); }
  void opened(const zeps_wire::zmtp::Ready&) override { act("opened"); }
  void peer_refused(const zeps_wire::zmtp::Error&) override { act("peer_refused"); }

  void act(std::string_view action) {
    record.act(action);
    if (const auto event = Record::due(record.raising, action)) {
      machine.raise(static_cast<wire::InternalEvent>(*event));
    }
    if (const auto event = Record::due(record.failing, action)) {
      machine.fail(static_cast<wire::InternalEvent>(*event));
    }
  }

  char call(std::string_view name, [[maybe_unused]] const std::vector<Value>& values,
            [[maybe_unused]] Cursor& cursor) {
    if (name == "downgrade") {
      NoValues given{};
      return take_values(values, given, storage, cursor) ? letter_of(machine.downgrade()) : 'x';
    }
    if (name == "connected") {
      NoValues given{};
      return take_values(values, given, storage, cursor) ? letter_of(machine.connected()) : 'x';
    }
    if (name == "introduce") {
      zmtp::Ready given{};
      return take_values(values, given, storage, cursor) ? letter_of(machine.introduce(given)) : 'x';
    }
    if (name == "refused") {
      NoValues given{};
      return take_values(values, given, storage, cursor) ? letter_of(machine.refused()) : 'x';
    }
    if (name == "heartbeat") {
      NoValues given{};
      return take_values(values, given, storage, cursor) ? letter_of(machine.heartbeat()) : 'x';
    }
    if (name == "expired") {
      NoValues given{};
      return take_values(values, given, storage, cursor) ? letter_of(machine.expired()) : 'x';
    }
    if (name == "malformed") {
      NoValues given{};
      return take_values(values, given, storage, cursor) ? letter_of(machine.malformed()) : 'x';
    }
    if (name == "unknown") {
      NoValues given{};
      return take_values(values, given, storage, cursor) ? letter_of(machine.unknown()) : 'x';
    }
    if (name == "disconnected") {
      NoValues given{};
      return take_values(values, given, storage, cursor) ? letter_of(machine.disconnected()) : 'x';
    }
    if (name == "subscribe") {
      wire::SubscribeCall given{};
      return take_values(values, given, storage, cursor) ? letter_of(machine.subscribe(given.topic)) : 'x';
    }
    if (name == "unsubscribe") {
      wire::UnsubscribeCall given{};
      return take_values(values, given, storage, cursor) ? letter_of(machine.unsubscribe(given.topic)) : 'x';
    }
    if (name == "subscribe_filter") {
      wire::SubscribeFilterCall given{};
      return take_values(values, given, storage, cursor)
                 ? letter_of(machine.subscribe_filter(given.kind, given.octets))
                 : 'x';
    }
    if (name == "unsubscribe_filter") {
      wire::UnsubscribeFilterCall given{};
      return take_values(values, given, storage, cursor)
                 ? letter_of(machine.unsubscribe_filter(given.kind, given.octets))
                 : 'x';
    }
    return 'x';
  }

  char set([[maybe_unused]] std::string_view name, [[maybe_unused]] const Value& value,
           [[maybe_unused]] Cursor& cursor) {
    if (name == "mechanism") {
      return take_variable(value, machine.mechanism, cursor);
    }
    if (name == "minor") {
      return take_variable(value, machine.minor_, cursor);
    }
    if (name == "peer_minor") {
      return take_variable(value, machine.peer_minor, cursor);
    }
    if (name == "ttl") {
      return take_variable(value, machine.ttl, cursor);
    }
    if (name == "unanswered") {
      return take_variable(value, machine.unanswered, cursor);
    }
    if (name == "unanswered_max") {
      return take_variable(value, machine.unanswered_max, cursor);
    }
    if (name == "reason") {
      return take_variable(value, machine.reason, cursor);
    }
    return 'x';
  }

  char fill([[maybe_unused]] std::string_view message, [[maybe_unused]] std::string_view field,
            [[maybe_unused]] const Value& value, [[maybe_unused]] Cursor& cursor) {
    return 'x';
  }

  char arm(std::string_view action, [[maybe_unused]] std::string_view event,
           [[maybe_unused]] Record::Events& armed) const {
    constexpr std::array<std::string_view, 6> actions = {
        "check_greeting", "ask_for_introduction", "close_connection", "check_peer", "opened", "peer_refused"};
    if (std::find(actions.begin(), actions.end(), action) == actions.end()) {
      return 'x';
    }
    if (event == "refused") {
      armed[std::string(action)] = static_cast<std::uint16_t>(wire::InternalEvent::on_refused);
      return 'v';
    }
    return 'x';
  }

  char advance([[maybe_unused]] std::uint64_t now) { return 'x'; }

  [[nodiscard]] std::optional<std::uint64_t> deadline() const { return std::nullopt; }

  void put_variables(Answer& answer) const {
    answer.put_number(7, 4);
    put_variable(answer, machine.mechanism);
    put_variable(answer, machine.minor_);
    put_variable(answer, machine.peer_minor);
    put_variable(answer, machine.ttl);
    put_variable(answer, machine.unanswered);
    put_variable(answer, machine.unanswered_max);
    put_variable(answer, machine.reason);
  }

  Record record;
  Storage storage;
  wire::ClientMachine machine{*this};
};

}  // namespace of_zmtp_subscriber

constexpr std::array<ProtocolEntry, 6> all_protocols = {{
    {"journal", &decode_answer<zeps_wire::journal::Message>, &encode_answer<zeps_wire::journal::Message>,
     &measure_answer<zeps_wire::journal::Message>},
    {"zeps", &decode_answer<zeps_wire::zeps::Message>, &encode_answer<zeps_wire::zeps::Message>,
     &measure_answer<zeps_wire::zeps::Message>},
    {"zmtp", &decode_answer<zeps_wire::zmtp::Message>, &encode_answer<zeps_wire::zmtp::Message>,
     &measure_answer<zeps_wire::zmtp::Message>},
    {"zmtp_1", &decode_answer<zeps_wire::zmtp_1::Message>, &encode_answer<zeps_wire::zmtp_1::Message>,
     &measure_answer<zeps_wire::zmtp_1::Message>},
    {"zmtp_2", &decode_answer<zeps_wire::zmtp_2::Message>, &encode_answer<zeps_wire::zmtp_2::Message>,
     &measure_answer<zeps_wire::zmtp_2::Message>},
    {"zmtp_frame", &decode_answer<zeps_wire::zmtp_frame::Message>,
     &encode_answer<zeps_wire::zmtp_frame::Message>, &measure_answer<zeps_wire::zmtp_frame::Message>},
}};

constexpr std::array<MachineEntry, 4> all_machines = {{
    {"zeps_client", &machine_answer<of_zeps_client::Runner>},
    {"zeps_server", &machine_answer<of_zeps_server::Runner>},
    {"zmtp_publisher", &machine_answer<of_zmtp_publisher::Runner>},
    {"zmtp_subscriber", &machine_answer<of_zmtp_subscriber::Runner>},
}};

}  // namespace

zeps_wire::Span<const ProtocolEntry> protocols() noexcept { return all_protocols; }

zeps_wire::Span<const MachineEntry> machines() noexcept { return all_machines; }

}  // namespace zeps_driver

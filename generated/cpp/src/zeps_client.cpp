#include "zeps_wire/zeps_client.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>

namespace zeps_wire::zeps_client {

/// The guards and steps of the rows.
struct Steps {
  static void set_stream_1(ClientMachine& machine, const Carried& carried) {
    const auto& message = carried.as<OpenCall>();
    machine.stream = message.stream;
  }

  static void set_credit_2(ClientMachine& machine, const Carried&) { machine.credit = 0U; }

  static void set_pending_3(ClientMachine& machine, const Carried&) { machine.pending = 0U; }

  static void set_unanswered_4(ClientMachine& machine, const Carried&) { machine.unanswered = 0U; }

  static void send_attach_5(ClientMachine& machine, const Carried&) {
    zeps::Attach sent;
    sent.stream = machine.stream;
    machine.send_(sent);
  }

  static void send_detach_ok_6(ClientMachine& machine, const Carried&) {
    zeps::DetachOk sent;
    machine.send_(sent);
  }

  static void set_stale_7(ClientMachine& machine, const Carried&) { machine.stale = 0U; }

  static void do_attached_8(ClientMachine& machine, const Carried& carried) {
    const auto& message = carried.as<zeps::AttachOk>();
    machine.host().attached(message);
  }

  static bool holds_9(const ClientMachine& machine, const Carried&) { return machine.stale == 1U; }

  static void do_attach_refused_10(ClientMachine& machine, const Carried& carried) {
    const auto& message = carried.as<zeps::Invalid>();
    machine.host().attach_refused(message);
  }

  static void do_detached_11(ClientMachine& machine, const Carried& carried) {
    machine.host().detached(carried.message);
  }

  static void do_broker_lost_12(ClientMachine& machine, const Carried& carried) {
    machine.host().broker_lost(carried.message);
  }

  static void send_ping_ok_13(ClientMachine& machine, const Carried&) {
    zeps::PingOk sent;
    machine.send_(sent);
  }

  static void send_detach_14(ClientMachine& machine, const Carried&) {
    zeps::Detach sent;
    machine.send_(sent);
  }

  static void set_pending_15(ClientMachine& machine, const Carried&) {
    machine.pending = zeps_wire::add(machine.pending, 1U, 4294967295U);
  }

  static void send_subscribe_16(ClientMachine& machine, const Carried& carried) {
    const auto& message = carried.as<FollowCall>();
    zeps::Subscribe sent;
    sent.pattern = message.pattern;
    sent.latest = message.latest;
    machine.send_(sent);
  }

  static void set_pending_17(ClientMachine& machine, const Carried&) {
    machine.pending = std::min<std::uint64_t>(zeps_wire::subtract(machine.pending, 1U), 4294967295U);
  }

  static void do_subscribed_18(ClientMachine& machine, const Carried& carried) {
    const auto& message = carried.as<zeps::SubscribeOk>();
    machine.host().subscribed(message);
  }

  static bool holds_19(const ClientMachine& machine, const Carried&) {
    return std::greater<>()(machine.pending, 0U);
  }

  static void set_credit_20(ClientMachine& machine, const Carried& carried) {
    const auto& message = carried.as<GrantCall>();
    machine.credit = zeps_wire::add(machine.credit, message.octets);
  }

  static void send_credit_21(ClientMachine& machine, const Carried& carried) {
    const auto& message = carried.as<GrantCall>();
    zeps::Credit sent;
    sent.credit = message.octets;
    machine.send_(sent);
  }

  static void set_credit_22(ClientMachine& machine, const Carried& carried) {
    const auto& message = carried.as<zeps::Deliver>();
    machine.credit = zeps_wire::subtract(machine.credit, encoded_size(message));
  }

  static void do_take_message_23(ClientMachine& machine, const Carried& carried) {
    const auto& message = carried.as<zeps::Deliver>();
    machine.host().take_message(message);
  }

  static bool holds_24(const ClientMachine& machine, const Carried& carried) {
    const auto& message = carried.as<zeps::Deliver>();
    return machine.credit >= encoded_size(message);
  }

  static void send_publish_25(ClientMachine& machine, const Carried& carried) {
    const auto& message = carried.as<PostCall>();
    zeps::Publish sent;
    sent.key = message.key;
    sent.body = message.body;
    machine.send_(sent);
  }

  static void set_unanswered_26(ClientMachine& machine, const Carried&) {
    machine.unanswered = zeps_wire::add(machine.unanswered, 1U, 255U);
  }

  static void send_ping_27(ClientMachine& machine, const Carried&) {
    zeps::Ping sent;
    machine.send_(sent);
  }

  static void set_stale_28(ClientMachine& machine, const Carried&) { machine.stale = 1U; }

  static bool holds_29(const ClientMachine& machine, const Carried&) {
    return machine.unanswered >= machine.unanswered_max;
  }

  static void do_answered_30(ClientMachine& machine, const Carried& carried) {
    const auto& message = carried.as<zeps::PingOk>();
    machine.host().answered(message);
  }

  static void do_read_notice_31(ClientMachine& machine, const Carried& carried) {
    const auto& message = carried.as<zeps::Invalid>();
    machine.host().read_notice(message);
  }

  static void do_session_lost_32(ClientMachine& machine, const Carried&) { machine.host().session_lost(); }

  static void do_refused_33(ClientMachine& machine, const Carried&) { machine.host().refused(); }
};

namespace {

using Run = void (*)(ClientMachine&, const Carried&);

constexpr std::string_view steps_1[] = {"stream := message.stream", "credit := 0", "pending := 0",
                                        "unanswered := 0", "send ATTACH(stream = stream)"};
constexpr std::string_view steps_2[] = {"send DETACH-OK"};
constexpr std::string_view steps_4[] = {"stale := 0", "attached"};
constexpr std::string_view steps_5[] = {"attach_refused"};
constexpr std::string_view steps_6[] = {"send DETACH-OK", "detached"};
constexpr std::string_view steps_7[] = {"stale := 0", "broker_lost"};
constexpr std::string_view steps_8[] = {"broker_lost"};
constexpr std::string_view steps_9[] = {"send PING-OK"};
constexpr std::string_view steps_10[] = {"send DETACH"};
constexpr std::string_view steps_11[] = {"detached"};
constexpr std::string_view steps_12[] = {"stale := 0", "detached"};
constexpr std::string_view steps_13[] = {
    "pending := pending + 1", "send SUBSCRIBE(pattern = message.pattern, latest = message.latest)"};
constexpr std::string_view steps_14[] = {"pending := pending - 1", "subscribed"};
constexpr std::string_view steps_15[] = {"credit := credit + message.octets",
                                         "send CREDIT(credit = message.octets)"};
constexpr std::string_view steps_16[] = {"credit := credit - size(DELIVER)", "take_message"};
constexpr std::string_view steps_17[] = {"send PUBLISH(key = message.key, body = message.body)"};
constexpr std::string_view steps_18[] = {"unanswered := unanswered + 1", "send PING"};
constexpr std::string_view steps_19[] = {"stale := 1", "broker_lost"};
constexpr std::string_view steps_20[] = {"unanswered := 0", "answered"};
constexpr std::string_view steps_21[] = {"read_notice"};
constexpr std::string_view steps_22[] = {"stale := 1",   "session_lost",    "credit := 0",
                                         "pending := 0", "unanswered := 0", "send ATTACH(stream = stream)"};
constexpr std::string_view steps_23[] = {"pending := pending - 1", "refused"};
constexpr std::string_view steps_24[] = {"stale := 1", "detached"};

constexpr Run run_1[] = {&Steps::set_stream_1, &Steps::set_credit_2, &Steps::set_pending_3,
                         &Steps::set_unanswered_4, &Steps::send_attach_5};
constexpr Run run_2[] = {&Steps::send_detach_ok_6};
constexpr Run run_4[] = {&Steps::set_stale_7, &Steps::do_attached_8};
constexpr Run run_5[] = {&Steps::do_attach_refused_10};
constexpr Run run_6[] = {&Steps::send_detach_ok_6, &Steps::do_detached_11};
constexpr Run run_7[] = {&Steps::set_stale_7, &Steps::do_broker_lost_12};
constexpr Run run_8[] = {&Steps::do_broker_lost_12};
constexpr Run run_9[] = {&Steps::send_ping_ok_13};
constexpr Run run_10[] = {&Steps::send_detach_14};
constexpr Run run_11[] = {&Steps::do_detached_11};
constexpr Run run_12[] = {&Steps::set_stale_7, &Steps::do_detached_11};
constexpr Run run_13[] = {&Steps::set_pending_15, &Steps::send_subscribe_16};
constexpr Run run_14[] = {&Steps::set_pending_17, &Steps::do_subscribed_18};
constexpr Run run_15[] = {&Steps::set_credit_20, &Steps::send_credit_21};
constexpr Run run_16[] = {&Steps::set_credit_22, &Steps::do_take_message_23};
constexpr Run run_17[] = {&Steps::send_publish_25};
constexpr Run run_18[] = {&Steps::set_unanswered_26, &Steps::send_ping_27};
constexpr Run run_19[] = {&Steps::set_stale_28, &Steps::do_broker_lost_12};
constexpr Run run_20[] = {&Steps::set_unanswered_4, &Steps::do_answered_30};
constexpr Run run_21[] = {&Steps::do_read_notice_31};
constexpr Run run_22[] = {&Steps::set_stale_28,  &Steps::do_session_lost_32, &Steps::set_credit_2,
                          &Steps::set_pending_3, &Steps::set_unanswered_4,   &Steps::send_attach_5};
constexpr Run run_23[] = {&Steps::set_pending_17, &Steps::do_refused_33};
constexpr Run run_24[] = {&Steps::set_stale_28, &Steps::do_detached_11};

constexpr std::array<std::string_view, 5> state_names = {"start", "attaching", "leaving", "open",
                                                         "detaching"};

constexpr std::array<std::string_view, 23> event_names = {"ATTACH",
                                                          "ATTACH-OK",
                                                          "SUBSCRIBE",
                                                          "SUBSCRIBE-OK",
                                                          "CREDIT",
                                                          "PUBLISH",
                                                          "DELIVER",
                                                          "PING",
                                                          "PING-OK",
                                                          "DETACH",
                                                          "DETACH-OK",
                                                          "INVALID",
                                                          "heartbeat",
                                                          "expired",
                                                          "malformed",
                                                          "ended",
                                                          "subscribe_refused",
                                                          "open",
                                                          "follow",
                                                          "grant",
                                                          "post",
                                                          "probe",
                                                          "close"};

}  // namespace

/// The machine's table.
struct Table {
  static constexpr std::array<Row<State, Event>, 92> rows = {{
      {State::start, Event::on_open, {}, steps_1, State::attaching, 1},
      {State::start, Event::detach, {}, steps_2, std::nullopt, 1},
      {State::start, Event::on_malformed, {}, {}, std::nullopt, 0},
      {State::start, Event::on_heartbeat, {}, {}, std::nullopt, 0},
      {State::start, Event::on_expired, {}, {}, std::nullopt, 0},
      {State::start, Event::attach, {}, {}, std::nullopt, 0},
      {State::start, Event::attach_ok, {}, {}, std::nullopt, 0},
      {State::start, Event::subscribe, {}, {}, std::nullopt, 0},
      {State::start, Event::subscribe_ok, {}, {}, std::nullopt, 0},
      {State::start, Event::credit, {}, {}, std::nullopt, 0},
      {State::start, Event::publish, {}, {}, std::nullopt, 0},
      {State::start, Event::deliver, {}, {}, std::nullopt, 0},
      {State::start, Event::ping, {}, {}, std::nullopt, 0},
      {State::start, Event::ping_ok, {}, {}, std::nullopt, 0},
      {State::start, Event::detach_ok, {}, {}, std::nullopt, 0},
      {State::start, Event::invalid, {}, {}, std::nullopt, 0},
      {State::attaching, Event::attach_ok, {}, steps_4, State::open, 2},
      {State::attaching, Event::invalid, "stale == 1", {}, std::nullopt, 0},
      {State::attaching, Event::invalid, {}, steps_5, State::start, 1},
      {State::attaching, Event::detach, {}, steps_6, State::start, 2},
      {State::attaching, Event::on_expired, {}, steps_7, State::start, 2},
      {State::attaching, Event::on_close, {}, {}, State::leaving, 0},
      {State::attaching, Event::on_heartbeat, {}, {}, std::nullopt, 0},
      {State::attaching, Event::on_malformed, {}, steps_8, State::start, 1},
      {State::attaching, Event::ping, {}, steps_9, std::nullopt, 1},
      {State::attaching, Event::attach, {}, {}, std::nullopt, 0},
      {State::attaching, Event::subscribe, {}, {}, std::nullopt, 0},
      {State::attaching, Event::subscribe_ok, {}, {}, std::nullopt, 0},
      {State::attaching, Event::credit, {}, {}, std::nullopt, 0},
      {State::attaching, Event::publish, {}, {}, std::nullopt, 0},
      {State::attaching, Event::deliver, {}, {}, std::nullopt, 0},
      {State::attaching, Event::ping_ok, {}, {}, std::nullopt, 0},
      {State::attaching, Event::detach_ok, {}, {}, std::nullopt, 0},
      {State::leaving, Event::attach_ok, {}, steps_10, State::detaching, 1},
      {State::leaving, Event::invalid, "stale == 1", {}, std::nullopt, 0},
      {State::leaving, Event::invalid, {}, steps_11, State::start, 1},
      {State::leaving, Event::detach, {}, steps_6, State::start, 2},
      {State::leaving, Event::on_expired, {}, steps_12, State::start, 2},
      {State::leaving, Event::on_heartbeat, {}, {}, std::nullopt, 0},
      {State::leaving, Event::on_malformed, {}, {}, std::nullopt, 0},
      {State::leaving, Event::ping, {}, steps_9, std::nullopt, 1},
      {State::leaving, Event::attach, {}, {}, std::nullopt, 0},
      {State::leaving, Event::subscribe, {}, {}, std::nullopt, 0},
      {State::leaving, Event::subscribe_ok, {}, {}, std::nullopt, 0},
      {State::leaving, Event::credit, {}, {}, std::nullopt, 0},
      {State::leaving, Event::publish, {}, {}, std::nullopt, 0},
      {State::leaving, Event::deliver, {}, {}, std::nullopt, 0},
      {State::leaving, Event::ping_ok, {}, {}, std::nullopt, 0},
      {State::leaving, Event::detach_ok, {}, {}, std::nullopt, 0},
      {State::open, Event::on_follow, {}, steps_13, std::nullopt, 2},
      {State::open, Event::subscribe_ok, "pending > 0", steps_14, std::nullopt, 2},
      {State::open, Event::on_grant, {}, steps_15, std::nullopt, 2},
      {State::open, Event::deliver, "credit >= size(DELIVER)", steps_16, std::nullopt, 2},
      {State::open, Event::on_post, {}, steps_17, std::nullopt, 1},
      {State::open, Event::on_probe, {}, steps_18, std::nullopt, 2},
      {State::open, Event::on_heartbeat, "unanswered >= unanswered_max", steps_19, State::start, 2},
      {State::open, Event::on_heartbeat, {}, steps_18, std::nullopt, 2},
      {State::open, Event::ping_ok, {}, steps_20, std::nullopt, 2},
      {State::open, Event::invalid, {}, steps_21, std::nullopt, 1},
      {State::open, Event::on_ended, {}, steps_22, State::attaching, 2},
      {State::open, Event::on_subscribe_refused, "pending > 0", steps_23, std::nullopt, 2},
      {State::open, Event::on_subscribe_refused, {}, {}, std::nullopt, 0},
      {State::open, Event::detach, {}, steps_6, State::start, 2},
      {State::open, Event::on_close, {}, steps_10, State::detaching, 1},
      {State::open, Event::on_expired, {}, {}, std::nullopt, 0},
      {State::open, Event::on_malformed, {}, steps_8, State::start, 1},
      {State::open, Event::ping, {}, steps_9, std::nullopt, 1},
      {State::open, Event::attach, {}, steps_8, State::start, 1},
      {State::open, Event::attach_ok, {}, steps_8, State::start, 1},
      {State::open, Event::subscribe, {}, steps_8, State::start, 1},
      {State::open, Event::subscribe_ok, {}, steps_8, State::start, 1},
      {State::open, Event::credit, {}, steps_8, State::start, 1},
      {State::open, Event::publish, {}, steps_8, State::start, 1},
      {State::open, Event::deliver, {}, steps_8, State::start, 1},
      {State::open, Event::detach_ok, {}, steps_8, State::start, 1},
      {State::detaching, Event::detach_ok, {}, steps_12, State::start, 2},
      {State::detaching, Event::invalid, {}, steps_21, std::nullopt, 1},
      {State::detaching, Event::on_ended, {}, steps_24, State::start, 2},
      {State::detaching, Event::on_subscribe_refused, {}, {}, std::nullopt, 0},
      {State::detaching, Event::on_expired, {}, steps_12, State::start, 2},
      {State::detaching, Event::on_heartbeat, {}, {}, std::nullopt, 0},
      {State::detaching, Event::on_malformed, {}, {}, std::nullopt, 0},
      {State::detaching, Event::attach, {}, {}, std::nullopt, 0},
      {State::detaching, Event::attach_ok, {}, {}, std::nullopt, 0},
      {State::detaching, Event::subscribe, {}, {}, std::nullopt, 0},
      {State::detaching, Event::subscribe_ok, {}, {}, std::nullopt, 0},
      {State::detaching, Event::credit, {}, {}, std::nullopt, 0},
      {State::detaching, Event::publish, {}, {}, std::nullopt, 0},
      {State::detaching, Event::deliver, {}, {}, std::nullopt, 0},
      {State::detaching, Event::ping, {}, {}, std::nullopt, 0},
      {State::detaching, Event::ping_ok, {}, {}, std::nullopt, 0},
      {State::detaching, Event::detach, {}, {}, std::nullopt, 0},
  }};

  static constexpr std::array<Action<ClientMachine, Carried>, 92> actions = {{
      {nullptr, run_1},
      {nullptr, run_2},
      {nullptr, {}},
      {nullptr, {}},
      {nullptr, {}},
      {nullptr, {}},
      {nullptr, {}},
      {nullptr, {}},
      {nullptr, {}},
      {nullptr, {}},
      {nullptr, {}},
      {nullptr, {}},
      {nullptr, {}},
      {nullptr, {}},
      {nullptr, {}},
      {nullptr, {}},
      {nullptr, run_4},
      {&Steps::holds_9, {}},
      {nullptr, run_5},
      {nullptr, run_6},
      {nullptr, run_7},
      {nullptr, {}},
      {nullptr, {}},
      {nullptr, run_8},
      {nullptr, run_9},
      {nullptr, {}},
      {nullptr, {}},
      {nullptr, {}},
      {nullptr, {}},
      {nullptr, {}},
      {nullptr, {}},
      {nullptr, {}},
      {nullptr, {}},
      {nullptr, run_10},
      {&Steps::holds_9, {}},
      {nullptr, run_11},
      {nullptr, run_6},
      {nullptr, run_12},
      {nullptr, {}},
      {nullptr, {}},
      {nullptr, run_9},
      {nullptr, {}},
      {nullptr, {}},
      {nullptr, {}},
      {nullptr, {}},
      {nullptr, {}},
      {nullptr, {}},
      {nullptr, {}},
      {nullptr, {}},
      {nullptr, run_13},
      {&Steps::holds_19, run_14},
      {nullptr, run_15},
      {&Steps::holds_24, run_16},
      {nullptr, run_17},
      {nullptr, run_18},
      {&Steps::holds_29, run_19},
      {nullptr, run_18},
      {nullptr, run_20},
      {nullptr, run_21},
      {nullptr, run_22},
      {&Steps::holds_19, run_23},
      {nullptr, {}},
      {nullptr, run_6},
      {nullptr, run_10},
      {nullptr, {}},
      {nullptr, run_8},
      {nullptr, run_9},
      {nullptr, run_8},
      {nullptr, run_8},
      {nullptr, run_8},
      {nullptr, run_8},
      {nullptr, run_8},
      {nullptr, run_8},
      {nullptr, run_8},
      {nullptr, run_8},
      {nullptr, run_12},
      {nullptr, run_21},
      {nullptr, run_24},
      {nullptr, {}},
      {nullptr, run_12},
      {nullptr, {}},
      {nullptr, {}},
      {nullptr, {}},
      {nullptr, {}},
      {nullptr, {}},
      {nullptr, {}},
      {nullptr, {}},
      {nullptr, {}},
      {nullptr, {}},
      {nullptr, {}},
      {nullptr, {}},
      {nullptr, {}},
  }};

  static constexpr auto index = index_of<5, 23>(rows);
};

std::string_view name_of(State state) noexcept { return name_in(state_names, state); }

std::string_view name_of(Event event) noexcept { return name_in(event_names, event); }

std::string_view name_of(InternalEvent event) noexcept { return name_of(static_cast<Event>(event)); }

Span<const Row<State, Event>> table() noexcept { return Table::rows; }

ClientMachine::ClientMachine(ClientHost& host) noexcept : Machine(State::start), host_(&host) {}

Outcome ClientMachine::receive(const zeps::Message& message) {
  if (std::holds_alternative<zeps::Attach>(message)) {
    return receive_<Table>(Event::attach, {&message, nullptr});
  }
  if (std::holds_alternative<zeps::AttachOk>(message)) {
    return receive_<Table>(Event::attach_ok, {&message, nullptr});
  }
  if (std::holds_alternative<zeps::Subscribe>(message)) {
    return receive_<Table>(Event::subscribe, {&message, nullptr});
  }
  if (std::holds_alternative<zeps::SubscribeOk>(message)) {
    return receive_<Table>(Event::subscribe_ok, {&message, nullptr});
  }
  if (std::holds_alternative<zeps::Credit>(message)) {
    return receive_<Table>(Event::credit, {&message, nullptr});
  }
  if (std::holds_alternative<zeps::Publish>(message)) {
    return receive_<Table>(Event::publish, {&message, nullptr});
  }
  if (std::holds_alternative<zeps::Deliver>(message)) {
    return receive_<Table>(Event::deliver, {&message, nullptr});
  }
  if (std::holds_alternative<zeps::Ping>(message)) {
    return receive_<Table>(Event::ping, {&message, nullptr});
  }
  if (std::holds_alternative<zeps::PingOk>(message)) {
    return receive_<Table>(Event::ping_ok, {&message, nullptr});
  }
  if (std::holds_alternative<zeps::Detach>(message)) {
    return receive_<Table>(Event::detach, {&message, nullptr});
  }
  if (std::holds_alternative<zeps::DetachOk>(message)) {
    return receive_<Table>(Event::detach_ok, {&message, nullptr});
  }
  if (std::holds_alternative<zeps::Invalid>(message)) {
    return receive_<Table>(Event::invalid, {&message, nullptr});
  }
  return unknown_();
}

Outcome ClientMachine::heartbeat() { return handle_<Table>(Event::on_heartbeat, {nullptr, nullptr}); }

Outcome ClientMachine::expired() { return handle_<Table>(Event::on_expired, {nullptr, nullptr}); }

Outcome ClientMachine::malformed() { return handle_<Table>(Event::on_malformed, {nullptr, nullptr}); }

Outcome ClientMachine::ended() { return handle_<Table>(Event::on_ended, {nullptr, nullptr}); }

Outcome ClientMachine::subscribe_refused() {
  return handle_<Table>(Event::on_subscribe_refused, {nullptr, nullptr});
}

Outcome ClientMachine::open(std::string_view stream_) {
  const OpenCall call{stream_};
  return handle_<Table>(Event::on_open, {nullptr, &call});
}

Outcome ClientMachine::follow(std::string_view pattern, std::uint64_t latest) {
  const FollowCall call{pattern, latest};
  return handle_<Table>(Event::on_follow, {nullptr, &call});
}

Outcome ClientMachine::grant(std::uint64_t octets) {
  const GrantCall call{octets};
  return handle_<Table>(Event::on_grant, {nullptr, &call});
}

Outcome ClientMachine::post(std::string_view key, zeps_wire::Octets body) {
  const PostCall call{key, body};
  return handle_<Table>(Event::on_post, {nullptr, &call});
}

Outcome ClientMachine::probe() { return handle_<Table>(Event::on_probe, {nullptr, nullptr}); }

Outcome ClientMachine::close() { return handle_<Table>(Event::on_close, {nullptr, nullptr}); }

}  // namespace zeps_wire::zeps_client

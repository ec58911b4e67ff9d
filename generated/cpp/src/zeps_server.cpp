#include "zeps_wire/zeps_server.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>

namespace zeps_wire::zeps_server {

/// The guards and steps of the rows.
struct Steps {
  static void send_invalid_1(ServerMachine& machine, const Carried&) {
    zeps::Invalid sent;
    sent.reason = std::string_view("stream-name the stream name is empty");
    machine.send_(sent);
  }

  static bool holds_2(const ServerMachine&, const Carried& carried) {
    const auto& message = carried.as<zeps::Attach>();
    return message.stream == std::string_view("");
  }

  static void set_credit_3(ServerMachine& machine, const Carried&) { machine.credit = 0U; }

  static void do_open_stream_4(ServerMachine& machine, const Carried& carried) {
    const auto& message = carried.as<zeps::Attach>();
    machine.host().open_stream(message);
  }

  static void send_attach_ok_5(ServerMachine& machine, const Carried&) {
    zeps::AttachOk sent;
    machine.send_(sent);
  }

  static void send_invalid_6(ServerMachine& machine, const Carried&) {
    zeps::Invalid sent;
    sent.reason = machine.reason;
    machine.send_(sent);
  }

  static void send_invalid_7(ServerMachine& machine, const Carried&) {
    zeps::Invalid sent;
    sent.reason = std::string_view("no-session ATTACH opens a session");
    machine.send_(sent);
  }

  static void do_close_stream_8(ServerMachine& machine, const Carried& carried) {
    machine.host().close_stream(carried.message);
  }

  static void do_check_subscription_9(ServerMachine& machine, const Carried& carried) {
    const auto& message = carried.as<zeps::Subscribe>();
    machine.host().check_subscription(message);
  }

  static void send_subscribe_ok_10(ServerMachine& machine, const Carried&) {
    zeps::SubscribeOk sent;
    machine.send_(sent);
  }

  static void do_add_subscription_11(ServerMachine& machine, const Carried& carried) {
    const auto& message = carried.as<zeps::Subscribe>();
    machine.host().add_subscription(message);
  }

  static void set_credit_12(ServerMachine& machine, const Carried& carried) {
    const auto& message = carried.as<zeps::Credit>();
    machine.credit = zeps_wire::add(machine.credit, message.credit);
  }

  static void do_use_credit_13(ServerMachine& machine, const Carried& carried) {
    const auto& message = carried.as<zeps::Credit>();
    machine.host().use_credit(message);
  }

  static void do_store_message_14(ServerMachine& machine, const Carried& carried) {
    const auto& message = carried.as<zeps::Publish>();
    machine.host().store_message(message);
  }

  static void set_credit_15(ServerMachine& machine, const Carried& carried) {
    const auto& message = carried.as<zeps::Deliver>();
    machine.credit = zeps_wire::subtract(machine.credit, encoded_size(message));
  }

  static void send_deliver_16(ServerMachine& machine, const Carried& carried) {
    machine.send_(*carried.message);
  }

  static bool holds_17(const ServerMachine& machine, const Carried& carried) {
    const auto& message = carried.as<zeps::Deliver>();
    return machine.credit >= encoded_size(message);
  }

  static void send_ping_ok_18(ServerMachine& machine, const Carried&) {
    zeps::PingOk sent;
    machine.send_(sent);
  }

  static void send_detach_ok_19(ServerMachine& machine, const Carried&) {
    zeps::DetachOk sent;
    machine.send_(sent);
  }

  static void send_ping_20(ServerMachine& machine, const Carried&) {
    zeps::Ping sent;
    machine.send_(sent);
  }

  static void send_detach_21(ServerMachine& machine, const Carried&) {
    zeps::Detach sent;
    machine.send_(sent);
  }

  static void send_invalid_22(ServerMachine& machine, const Carried&) {
    zeps::Invalid sent;
    sent.reason = std::string_view("unexpected a client does not send this command in an open session");
    machine.send_(sent);
  }
};

namespace {

using Run = void (*)(ServerMachine&, const Carried&);

constexpr std::string_view steps_1[] = {"send INVALID(reason = 'stream-name the stream name is empty')"};
constexpr std::string_view steps_2[] = {"credit := 0", "open_stream", "send ATTACH-OK"};
constexpr std::string_view steps_3[] = {"send INVALID(reason = reason)"};
constexpr std::string_view steps_4[] = {"send INVALID(reason = 'no-session ATTACH opens a session')"};
constexpr std::string_view steps_5[] = {"close_stream",
                                        "send INVALID(reason = 'stream-name the stream name is empty')"};
constexpr std::string_view steps_6[] = {"close_stream", "credit := 0", "open_stream", "send ATTACH-OK"};
constexpr std::string_view steps_7[] = {"check_subscription", "send SUBSCRIBE-OK", "add_subscription"};
constexpr std::string_view steps_8[] = {"credit := credit + message.credit", "use_credit"};
constexpr std::string_view steps_9[] = {"store_message"};
constexpr std::string_view steps_10[] = {"credit := credit - size(DELIVER)", "send DELIVER"};
constexpr std::string_view steps_11[] = {"send PING-OK"};
constexpr std::string_view steps_13[] = {"close_stream", "send DETACH-OK"};
constexpr std::string_view steps_14[] = {"send PING"};
constexpr std::string_view steps_15[] = {"send DETACH"};
constexpr std::string_view steps_16[] = {"close_stream"};
constexpr std::string_view steps_17[] = {"close_stream", "send INVALID(reason = reason)"};
constexpr std::string_view steps_18[] = {
    "send INVALID(reason = 'unexpected a client does not send this command in an open session')"};

constexpr Run run_1[] = {&Steps::send_invalid_1};
constexpr Run run_2[] = {&Steps::set_credit_3, &Steps::do_open_stream_4, &Steps::send_attach_ok_5};
constexpr Run run_3[] = {&Steps::send_invalid_6};
constexpr Run run_4[] = {&Steps::send_invalid_7};
constexpr Run run_5[] = {&Steps::do_close_stream_8, &Steps::send_invalid_1};
constexpr Run run_6[] = {&Steps::do_close_stream_8, &Steps::set_credit_3, &Steps::do_open_stream_4,
                         &Steps::send_attach_ok_5};
constexpr Run run_7[] = {&Steps::do_check_subscription_9, &Steps::send_subscribe_ok_10,
                         &Steps::do_add_subscription_11};
constexpr Run run_8[] = {&Steps::set_credit_12, &Steps::do_use_credit_13};
constexpr Run run_9[] = {&Steps::do_store_message_14};
constexpr Run run_10[] = {&Steps::set_credit_15, &Steps::send_deliver_16};
constexpr Run run_11[] = {&Steps::send_ping_ok_18};
constexpr Run run_13[] = {&Steps::do_close_stream_8, &Steps::send_detach_ok_19};
constexpr Run run_14[] = {&Steps::send_ping_20};
constexpr Run run_15[] = {&Steps::send_detach_21};
constexpr Run run_16[] = {&Steps::do_close_stream_8};
constexpr Run run_17[] = {&Steps::do_close_stream_8, &Steps::send_invalid_6};
constexpr Run run_18[] = {&Steps::send_invalid_22};

constexpr std::array<std::string_view, 3> state_names = {"start", "open", "detaching"};

constexpr std::array<std::string_view, 20> event_names = {
    "ATTACH",    "ATTACH-OK", "SUBSCRIBE", "SUBSCRIBE-OK",   "CREDIT",
    "PUBLISH",   "DELIVER",   "PING",      "PING-OK",        "DETACH",
    "DETACH-OK", "INVALID",   "malformed", "attach_refused", "subscribe_refused",
    "gap",       "expired",   "heartbeat", "shutdown",       "deliver"};

}  // namespace

/// The machine's table.
struct Table {
  static constexpr std::array<Row<State, Event>, 50> rows = {{
      {State::start, Event::attach, "message.stream == ''", steps_1, std::nullopt, 1},
      {State::start, Event::attach, {}, steps_2, State::open, 3},
      {State::start, Event::on_malformed, {}, steps_3, std::nullopt, 1},
      {State::start, Event::on_attach_refused, {}, steps_3, std::nullopt, 1},
      {State::start, Event::attach_ok, {}, steps_4, std::nullopt, 1},
      {State::start, Event::subscribe, {}, steps_4, std::nullopt, 1},
      {State::start, Event::subscribe_ok, {}, steps_4, std::nullopt, 1},
      {State::start, Event::credit, {}, steps_4, std::nullopt, 1},
      {State::start, Event::publish, {}, steps_4, std::nullopt, 1},
      {State::start, Event::deliver, {}, steps_4, std::nullopt, 1},
      {State::start, Event::ping, {}, steps_4, std::nullopt, 1},
      {State::start, Event::ping_ok, {}, steps_4, std::nullopt, 1},
      {State::start, Event::detach, {}, steps_4, std::nullopt, 1},
      {State::start, Event::detach_ok, {}, steps_4, std::nullopt, 1},
      {State::start, Event::invalid, {}, steps_4, std::nullopt, 1},
      {State::open, Event::attach, "message.stream == ''", steps_5, State::start, 2},
      {State::open, Event::attach, {}, steps_6, std::nullopt, 4},
      {State::open, Event::subscribe, {}, steps_7, std::nullopt, 3},
      {State::open, Event::credit, {}, steps_8, std::nullopt, 2},
      {State::open, Event::publish, {}, steps_9, std::nullopt, 1},
      {State::open, Event::on_deliver, "credit >= size(DELIVER)", steps_10, std::nullopt, 2},
      {State::open, Event::ping, {}, steps_11, std::nullopt, 1},
      {State::open, Event::ping_ok, {}, {}, std::nullopt, 0},
      {State::open, Event::detach, {}, steps_13, State::start, 2},
      {State::open, Event::on_heartbeat, {}, steps_14, std::nullopt, 1},
      {State::open, Event::on_shutdown, {}, steps_15, State::detaching, 1},
      {State::open, Event::on_expired, {}, steps_16, State::start, 1},
      {State::open, Event::on_malformed, {}, steps_17, State::start, 2},
      {State::open, Event::on_attach_refused, {}, steps_17, State::start, 2},
      {State::open, Event::on_subscribe_refused, {}, steps_3, std::nullopt, 1},
      {State::open, Event::on_gap, {}, steps_3, std::nullopt, 1},
      {State::open, Event::attach_ok, {}, steps_18, std::nullopt, 1},
      {State::open, Event::subscribe_ok, {}, steps_18, std::nullopt, 1},
      {State::open, Event::deliver, {}, steps_18, std::nullopt, 1},
      {State::open, Event::detach_ok, {}, steps_18, std::nullopt, 1},
      {State::open, Event::invalid, {}, steps_18, std::nullopt, 1},
      {State::detaching, Event::publish, {}, steps_9, std::nullopt, 1},
      {State::detaching, Event::detach_ok, {}, steps_16, State::start, 1},
      {State::detaching, Event::detach, {}, steps_13, State::start, 2},
      {State::detaching, Event::on_expired, {}, steps_16, State::start, 1},
      {State::detaching, Event::on_malformed, {}, steps_17, State::start, 2},
      {State::detaching, Event::attach, {}, {}, std::nullopt, 0},
      {State::detaching, Event::attach_ok, {}, {}, std::nullopt, 0},
      {State::detaching, Event::subscribe, {}, {}, std::nullopt, 0},
      {State::detaching, Event::subscribe_ok, {}, {}, std::nullopt, 0},
      {State::detaching, Event::credit, {}, {}, std::nullopt, 0},
      {State::detaching, Event::deliver, {}, {}, std::nullopt, 0},
      {State::detaching, Event::ping, {}, {}, std::nullopt, 0},
      {State::detaching, Event::ping_ok, {}, {}, std::nullopt, 0},
      {State::detaching, Event::invalid, {}, {}, std::nullopt, 0},
  }};

  static constexpr std::array<Action<ServerMachine, Carried>, 50> actions = {{
      {&Steps::holds_2, run_1},
      {nullptr, run_2},
      {nullptr, run_3},
      {nullptr, run_3},
      {nullptr, run_4},
      {nullptr, run_4},
      {nullptr, run_4},
      {nullptr, run_4},
      {nullptr, run_4},
      {nullptr, run_4},
      {nullptr, run_4},
      {nullptr, run_4},
      {nullptr, run_4},
      {nullptr, run_4},
      {nullptr, run_4},
      {&Steps::holds_2, run_5},
      {nullptr, run_6},
      {nullptr, run_7},
      {nullptr, run_8},
      {nullptr, run_9},
      {&Steps::holds_17, run_10},
      {nullptr, run_11},
      {nullptr, {}},
      {nullptr, run_13},
      {nullptr, run_14},
      {nullptr, run_15},
      {nullptr, run_16},
      {nullptr, run_17},
      {nullptr, run_17},
      {nullptr, run_3},
      {nullptr, run_3},
      {nullptr, run_18},
      {nullptr, run_18},
      {nullptr, run_18},
      {nullptr, run_18},
      {nullptr, run_18},
      {nullptr, run_9},
      {nullptr, run_16},
      {nullptr, run_13},
      {nullptr, run_16},
      {nullptr, run_17},
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

  static constexpr auto index = index_of<3, 20>(rows);
};

std::string_view name_of(State state) noexcept { return name_in(state_names, state); }

std::string_view name_of(Event event) noexcept { return name_in(event_names, event); }

std::string_view name_of(InternalEvent event) noexcept { return name_of(static_cast<Event>(event)); }

Span<const Row<State, Event>> table() noexcept { return Table::rows; }

ServerMachine::ServerMachine(ServerHost& host) noexcept : Machine(State::start), host_(&host) {}

Outcome ServerMachine::receive(const zeps::Message& message) {
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

Outcome ServerMachine::malformed() { return handle_<Table>(Event::on_malformed, {nullptr, nullptr}); }

Outcome ServerMachine::attach_refused() {
  return handle_<Table>(Event::on_attach_refused, {nullptr, nullptr});
}

Outcome ServerMachine::subscribe_refused() {
  return handle_<Table>(Event::on_subscribe_refused, {nullptr, nullptr});
}

Outcome ServerMachine::gap() { return handle_<Table>(Event::on_gap, {nullptr, nullptr}); }

Outcome ServerMachine::expired() { return handle_<Table>(Event::on_expired, {nullptr, nullptr}); }

Outcome ServerMachine::heartbeat() { return handle_<Table>(Event::on_heartbeat, {nullptr, nullptr}); }

Outcome ServerMachine::shutdown() { return handle_<Table>(Event::on_shutdown, {nullptr, nullptr}); }

Outcome ServerMachine::deliver(const zeps::Deliver& message) {
  const zeps::Message carried(message);
  return handle_<Table>(Event::on_deliver, {&carried, nullptr});
}

}  // namespace zeps_wire::zeps_server

#include "zeps_wire/zeps_server.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>

namespace zeps_wire::zeps_server {

/// What rows look at and do.
struct Steps {
  static void send_invalid(ServerMachine& machine, const Carried&) {
    zeps::Invalid sent;
    sent.reason = "stream-name the stream name is empty";
    machine.host().send(sent);
  }

  static bool holds(const ServerMachine&, const Carried& carried) {
    const auto& message = *std::get_if<zeps::Attach>(carried.message);
    return message.stream == "";
  }

  static void set_credit(ServerMachine& machine, const Carried&) { machine.credit = 0U; }

  static void do_open_stream(ServerMachine& machine, const Carried& carried) {
    const auto& message = *std::get_if<zeps::Attach>(carried.message);
    machine.host().open_stream(message);
  }

  static void send_attach_ok(ServerMachine& machine, const Carried&) {
    machine.host().send(zeps::AttachOk{});
  }

  static void send_invalid_2(ServerMachine& machine, const Carried&) {
    zeps::Invalid sent;
    sent.reason = machine.reason;
    machine.host().send(sent);
  }

  static void send_invalid_3(ServerMachine& machine, const Carried&) {
    zeps::Invalid sent;
    sent.reason = "no-session ATTACH opens a session";
    machine.host().send(sent);
  }

  static void do_close_stream(ServerMachine& machine, const Carried& carried) {
    machine.host().close_stream(carried.message);
  }

  static void do_check_subscription(ServerMachine& machine, const Carried& carried) {
    const auto& message = *std::get_if<zeps::Subscribe>(carried.message);
    machine.host().check_subscription(message);
  }

  static void send_subscribe_ok(ServerMachine& machine, const Carried&) {
    machine.host().send(zeps::SubscribeOk{});
  }

  static void do_add_subscription(ServerMachine& machine, const Carried& carried) {
    const auto& message = *std::get_if<zeps::Subscribe>(carried.message);
    machine.host().add_subscription(message);
  }

  static void set_credit_2(ServerMachine& machine, const Carried& carried) {
    const auto& message = *std::get_if<zeps::Credit>(carried.message);
    machine.credit = zeps_wire::add(machine.credit, message.credit);
  }

  static void do_use_credit(ServerMachine& machine, const Carried& carried) {
    const auto& message = *std::get_if<zeps::Credit>(carried.message);
    machine.host().use_credit(message);
  }

  static void do_store_message(ServerMachine& machine, const Carried& carried) {
    const auto& message = *std::get_if<zeps::Publish>(carried.message);
    machine.host().store_message(message);
  }

  static void set_credit_3(ServerMachine& machine, const Carried& carried) {
    const auto& message = *std::get_if<zeps::Deliver>(carried.message);
    machine.credit = zeps_wire::subtract(machine.credit, encoded_size(message));
  }

  static void send_deliver(ServerMachine& machine, const Carried& carried) {
    machine.host().send(*carried.message);
  }

  static bool holds_2(const ServerMachine& machine, const Carried& carried) {
    const auto& message = *std::get_if<zeps::Deliver>(carried.message);
    return machine.credit >= encoded_size(message);
  }

  static void send_ping_ok(ServerMachine& machine, const Carried&) { machine.host().send(zeps::PingOk{}); }

  static void send_detach_ok(ServerMachine& machine, const Carried&) {
    machine.host().send(zeps::DetachOk{});
  }

  static void send_ping(ServerMachine& machine, const Carried&) { machine.host().send(zeps::Ping{}); }

  static void send_detach(ServerMachine& machine, const Carried&) { machine.host().send(zeps::Detach{}); }

  static void send_invalid_4(ServerMachine& machine, const Carried&) {
    zeps::Invalid sent;
    sent.reason = "unexpected a client does not send this command in an open session";
    machine.host().send(sent);
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
constexpr std::string_view steps_12[] = {"close_stream", "send DETACH-OK"};
constexpr std::string_view steps_13[] = {"send PING"};
constexpr std::string_view steps_14[] = {"send DETACH"};
constexpr std::string_view steps_15[] = {"close_stream"};
constexpr std::string_view steps_16[] = {"close_stream", "send INVALID(reason = reason)"};
constexpr std::string_view steps_17[] = {
    "send INVALID(reason = 'unexpected a client does not send this command in an open session')"};

constexpr Run run_1[] = {&Steps::send_invalid};
constexpr Run run_2[] = {&Steps::set_credit, &Steps::do_open_stream, &Steps::send_attach_ok};
constexpr Run run_3[] = {&Steps::send_invalid_2};
constexpr Run run_4[] = {&Steps::send_invalid_3};
constexpr Run run_5[] = {&Steps::do_close_stream, &Steps::send_invalid};
constexpr Run run_6[] = {&Steps::do_close_stream, &Steps::set_credit, &Steps::do_open_stream,
                         &Steps::send_attach_ok};
constexpr Run run_7[] = {&Steps::do_check_subscription, &Steps::send_subscribe_ok,
                         &Steps::do_add_subscription};
constexpr Run run_8[] = {&Steps::set_credit_2, &Steps::do_use_credit};
constexpr Run run_9[] = {&Steps::do_store_message};
constexpr Run run_10[] = {&Steps::set_credit_3, &Steps::send_deliver};
constexpr Run run_11[] = {&Steps::send_ping_ok};
constexpr Run run_12[] = {&Steps::do_close_stream, &Steps::send_detach_ok};
constexpr Run run_13[] = {&Steps::send_ping};
constexpr Run run_14[] = {&Steps::send_detach};
constexpr Run run_15[] = {&Steps::do_close_stream};
constexpr Run run_16[] = {&Steps::do_close_stream, &Steps::send_invalid_2};
constexpr Run run_17[] = {&Steps::send_invalid_4};

constexpr std::array<std::string_view, 3> state_names = {
    "start",
    "open",
    "detaching",
};

constexpr std::array<std::string_view, 20> event_names = {
    "ATTACH",    "ATTACH-OK", "SUBSCRIBE", "SUBSCRIBE-OK",   "CREDIT",
    "PUBLISH",   "DELIVER",   "PING",      "PING-OK",        "DETACH",
    "DETACH-OK", "INVALID",   "malformed", "attach_refused", "subscribe_refused",
    "gap",       "expired",   "heartbeat", "shutdown",       "deliver",
};

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
      {State::open, Event::detach, {}, steps_12, State::start, 2},
      {State::open, Event::on_heartbeat, {}, steps_13, std::nullopt, 1},
      {State::open, Event::on_shutdown, {}, steps_14, State::detaching, 1},
      {State::open, Event::on_expired, {}, steps_15, State::start, 1},
      {State::open, Event::on_malformed, {}, steps_16, State::start, 2},
      {State::open, Event::on_attach_refused, {}, steps_16, State::start, 2},
      {State::open, Event::on_subscribe_refused, {}, steps_3, std::nullopt, 1},
      {State::open, Event::on_gap, {}, steps_3, std::nullopt, 1},
      {State::open, Event::attach_ok, {}, steps_17, std::nullopt, 1},
      {State::open, Event::subscribe_ok, {}, steps_17, std::nullopt, 1},
      {State::open, Event::deliver, {}, steps_17, std::nullopt, 1},
      {State::open, Event::detach_ok, {}, steps_17, std::nullopt, 1},
      {State::open, Event::invalid, {}, steps_17, std::nullopt, 1},
      {State::detaching, Event::publish, {}, steps_9, std::nullopt, 1},
      {State::detaching, Event::detach_ok, {}, steps_15, State::start, 1},
      {State::detaching, Event::detach, {}, steps_12, State::start, 2},
      {State::detaching, Event::on_expired, {}, steps_15, State::start, 1},
      {State::detaching, Event::on_malformed, {}, steps_16, State::start, 2},
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
      {&Steps::holds, run_1}, {nullptr, run_2},  {nullptr, run_3},
      {nullptr, run_3},       {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},       {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},       {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},       {nullptr, run_4},  {nullptr, run_4},
      {&Steps::holds, run_5}, {nullptr, run_6},  {nullptr, run_7},
      {nullptr, run_8},       {nullptr, run_9},  {&Steps::holds_2, run_10},
      {nullptr, run_11},      {nullptr, {}},     {nullptr, run_12},
      {nullptr, run_13},      {nullptr, run_14}, {nullptr, run_15},
      {nullptr, run_16},      {nullptr, run_16}, {nullptr, run_3},
      {nullptr, run_3},       {nullptr, run_17}, {nullptr, run_17},
      {nullptr, run_17},      {nullptr, run_17}, {nullptr, run_17},
      {nullptr, run_9},       {nullptr, run_15}, {nullptr, run_12},
      {nullptr, run_15},      {nullptr, run_16}, {nullptr, {}},
      {nullptr, {}},          {nullptr, {}},     {nullptr, {}},
      {nullptr, {}},          {nullptr, {}},     {nullptr, {}},
      {nullptr, {}},          {nullptr, {}},
  }};

  static constexpr auto index = index_of<3, 20>(rows);

  /// Whether the event carries something, and cannot be handled without.
  static constexpr bool needs([[maybe_unused]] Event event) noexcept {
    return event == Event::attach || event == Event::attach_ok || event == Event::subscribe ||
           event == Event::subscribe_ok || event == Event::credit || event == Event::publish ||
           event == Event::deliver || event == Event::ping || event == Event::ping_ok ||
           event == Event::detach || event == Event::detach_ok || event == Event::invalid ||
           event == Event::on_deliver;
  }
};

std::string_view name_of(State state) noexcept { return state_names[static_cast<std::size_t>(state)]; }

std::string_view name_of(Event event) noexcept { return event_names[static_cast<std::size_t>(event)]; }

Span<const Row<State, Event>> table() noexcept { return Table::rows; }

ServerMachine::ServerMachine(ServerHost& host) noexcept : Machine(State::start), host_(&host) {}

Outcome ServerMachine::receive(const zeps::Message& message) {
  Carried carried;
  carried.message = &message;
  if (std::holds_alternative<zeps::Attach>(message)) {
    return handle_<Table>(Event::attach, carried, Outcome::unexpected, Outcome::unexpected);
  }
  if (std::holds_alternative<zeps::AttachOk>(message)) {
    return handle_<Table>(Event::attach_ok, carried, Outcome::unexpected, Outcome::unexpected);
  }
  if (std::holds_alternative<zeps::Subscribe>(message)) {
    return handle_<Table>(Event::subscribe, carried, Outcome::unexpected, Outcome::unexpected);
  }
  if (std::holds_alternative<zeps::SubscribeOk>(message)) {
    return handle_<Table>(Event::subscribe_ok, carried, Outcome::unexpected, Outcome::unexpected);
  }
  if (std::holds_alternative<zeps::Credit>(message)) {
    return handle_<Table>(Event::credit, carried, Outcome::unexpected, Outcome::unexpected);
  }
  if (std::holds_alternative<zeps::Publish>(message)) {
    return handle_<Table>(Event::publish, carried, Outcome::unexpected, Outcome::unexpected);
  }
  if (std::holds_alternative<zeps::Deliver>(message)) {
    return handle_<Table>(Event::deliver, carried, Outcome::unexpected, Outcome::unexpected);
  }
  if (std::holds_alternative<zeps::Ping>(message)) {
    return handle_<Table>(Event::ping, carried, Outcome::unexpected, Outcome::unexpected);
  }
  if (std::holds_alternative<zeps::PingOk>(message)) {
    return handle_<Table>(Event::ping_ok, carried, Outcome::unexpected, Outcome::unexpected);
  }
  if (std::holds_alternative<zeps::Detach>(message)) {
    return handle_<Table>(Event::detach, carried, Outcome::unexpected, Outcome::unexpected);
  }
  if (std::holds_alternative<zeps::DetachOk>(message)) {
    return handle_<Table>(Event::detach_ok, carried, Outcome::unexpected, Outcome::unexpected);
  }
  if (std::holds_alternative<zeps::Invalid>(message)) {
    return handle_<Table>(Event::invalid, carried, Outcome::unexpected, Outcome::unexpected);
  }
  return unknown_();
}

Outcome ServerMachine::malformed() {
  Carried carried;
  return handle_<Table>(Event::on_malformed, carried, Outcome::unhandled, Outcome::not_taken);
}

Outcome ServerMachine::attach_refused() {
  Carried carried;
  return handle_<Table>(Event::on_attach_refused, carried, Outcome::unhandled, Outcome::not_taken);
}

Outcome ServerMachine::subscribe_refused() {
  Carried carried;
  return handle_<Table>(Event::on_subscribe_refused, carried, Outcome::unhandled, Outcome::not_taken);
}

Outcome ServerMachine::gap() {
  Carried carried;
  return handle_<Table>(Event::on_gap, carried, Outcome::unhandled, Outcome::not_taken);
}

Outcome ServerMachine::expired() {
  Carried carried;
  return handle_<Table>(Event::on_expired, carried, Outcome::unhandled, Outcome::not_taken);
}

Outcome ServerMachine::heartbeat() {
  Carried carried;
  return handle_<Table>(Event::on_heartbeat, carried, Outcome::unhandled, Outcome::not_taken);
}

Outcome ServerMachine::shutdown() {
  Carried carried;
  return handle_<Table>(Event::on_shutdown, carried, Outcome::unhandled, Outcome::not_taken);
}

Outcome ServerMachine::deliver(const zeps::Deliver& message) {
  const zeps::Message any(message);
  Carried carried;
  carried.message = &any;
  return handle_<Table>(Event::on_deliver, carried, Outcome::unhandled, Outcome::not_taken);
}

}  // namespace zeps_wire::zeps_server

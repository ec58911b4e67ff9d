#include "zeps_wire/zmtp_publisher.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>

namespace zeps_wire::zmtp_publisher {

/// The guards and steps of the rows.
struct Steps {
  static void set_minor_1(ServerMachine& machine, const Carried&) { machine.minor_ = 0U; }

  static void send_greeting_2(ServerMachine& machine, const Carried&) {
    zmtp::Greeting sent;
    sent.major_ = 3U;
    sent.as_server = 0U;
    if (set<3>(sent, machine.minor_, machine.host()) &&
        set<4>(sent, zeps_wire::Octets(machine.mechanism), machine.host())) {
      machine.send_(sent);
    }
  }

  static void do_check_greeting_3(ServerMachine& machine, const Carried& carried) {
    const auto& message = carried.as<zmtp::Greeting>();
    machine.host().check_greeting(message);
  }

  static void do_ask_for_introduction_4(ServerMachine& machine, const Carried& carried) {
    const auto& message = carried.as<zmtp::Greeting>();
    machine.host().ask_for_introduction(message);
  }

  static void do_close_connection_5(ServerMachine& machine, const Carried& carried) {
    machine.host().close_connection(carried.message);
  }

  static void terminate_6(ServerMachine& machine, const Carried&) { machine.terminate_(); }

  static void send_ready_7(ServerMachine& machine, const Carried& carried) {
    machine.send_(*carried.message);
  }

  static void do_check_peer_8(ServerMachine& machine, const Carried& carried) {
    const auto& message = carried.as<zmtp::Ready>();
    machine.host().check_peer(message);
  }

  static void send_error_9(ServerMachine& machine, const Carried&) {
    zmtp::Error sent;
    sent.reason = zeps_wire::text_of(zeps_wire::Octets(machine.reason));
    machine.send_(sent);
  }

  static void do_opened_10(ServerMachine& machine, const Carried& carried) {
    const auto& message = carried.as<zmtp::Ready>();
    machine.host().opened(message);
  }

  static void do_peer_refused_11(ServerMachine& machine, const Carried& carried) {
    const auto& message = carried.as<zmtp::Error>();
    machine.host().peer_refused(message);
  }

  static void set_unanswered_12(ServerMachine& machine, const Carried&) { machine.unanswered = 0U; }

  static void do_add_subscription_13(ServerMachine& machine, const Carried& carried) {
    machine.host().add_subscription(carried.message);
  }

  static void do_remove_subscription_14(ServerMachine& machine, const Carried& carried) {
    machine.host().remove_subscription(carried.message);
  }

  static void send_pong_15(ServerMachine& machine, const Carried& carried) {
    const auto& message = carried.as<zmtp::Ping>();
    zmtp::Pong sent;
    sent.context = message.context;
    machine.send_(sent);
  }

  static bool holds_16(const ServerMachine& machine, const Carried&) {
    return machine.unanswered >= machine.unanswered_max;
  }

  static void set_unanswered_17(ServerMachine& machine, const Carried&) {
    machine.unanswered = zeps_wire::add(machine.unanswered, 1U, 255U);
  }

  static void send_ping_18(ServerMachine& machine, const Carried&) {
    zmtp::Ping sent;
    sent.context = zeps_wire::octets_of(std::string_view(""));
    if (set<0>(sent, machine.ttl, machine.host())) {
      machine.send_(sent);
    }
  }
};

namespace {

using Run = void (*)(ServerMachine&, const Carried&);

constexpr std::string_view steps_1[] = {"minor := 0"};
constexpr std::string_view steps_2[] = {
    "send GREETING(major = 3, minor = minor, mechanism = mechanism, as_server = 0)"};
constexpr std::string_view steps_3[] = {
    "send GREETING(major = 3, minor = minor, mechanism = mechanism, as_server = 0)", "check_greeting",
    "ask_for_introduction"};
constexpr std::string_view steps_4[] = {"close_connection", "terminate"};
constexpr std::string_view steps_6[] = {"check_greeting", "ask_for_introduction"};
constexpr std::string_view steps_7[] = {"send READY"};
constexpr std::string_view steps_8[] = {"check_peer"};
constexpr std::string_view steps_9[] = {"send ERROR(reason = reason)", "close_connection", "terminate"};
constexpr std::string_view steps_10[] = {"send READY", "opened"};
constexpr std::string_view steps_11[] = {"check_peer", "opened"};
constexpr std::string_view steps_12[] = {"peer_refused", "close_connection", "terminate"};
constexpr std::string_view steps_13[] = {"unanswered := 0", "add_subscription"};
constexpr std::string_view steps_14[] = {"unanswered := 0", "remove_subscription"};
constexpr std::string_view steps_15[] = {"unanswered := 0"};
constexpr std::string_view steps_16[] = {"unanswered := 0", "send PONG(context = message.context)"};
constexpr std::string_view steps_17[] = {"unanswered := unanswered + 1",
                                         "send PING(ttl = ttl, context = '')"};

constexpr Run run_1[] = {&Steps::set_minor_1};
constexpr Run run_2[] = {&Steps::send_greeting_2};
constexpr Run run_3[] = {&Steps::send_greeting_2, &Steps::do_check_greeting_3,
                         &Steps::do_ask_for_introduction_4};
constexpr Run run_4[] = {&Steps::do_close_connection_5, &Steps::terminate_6};
constexpr Run run_6[] = {&Steps::do_check_greeting_3, &Steps::do_ask_for_introduction_4};
constexpr Run run_7[] = {&Steps::send_ready_7};
constexpr Run run_8[] = {&Steps::do_check_peer_8};
constexpr Run run_9[] = {&Steps::send_error_9, &Steps::do_close_connection_5, &Steps::terminate_6};
constexpr Run run_10[] = {&Steps::send_ready_7, &Steps::do_opened_10};
constexpr Run run_11[] = {&Steps::do_check_peer_8, &Steps::do_opened_10};
constexpr Run run_12[] = {&Steps::do_peer_refused_11, &Steps::do_close_connection_5, &Steps::terminate_6};
constexpr Run run_13[] = {&Steps::set_unanswered_12, &Steps::do_add_subscription_13};
constexpr Run run_14[] = {&Steps::set_unanswered_12, &Steps::do_remove_subscription_14};
constexpr Run run_15[] = {&Steps::set_unanswered_12};
constexpr Run run_16[] = {&Steps::set_unanswered_12, &Steps::send_pong_15};
constexpr Run run_17[] = {&Steps::set_unanswered_17, &Steps::send_ping_18};

constexpr std::array<std::string_view, 7> state_names = {"start",     "greeting", "introducing", "answering",
                                                         "handshake", "open",     "closed"};

constexpr std::array<std::string_view, 22> event_names = {
    "GREETING",       "READY",        "ERROR",        "PING",        "PONG",     "SUBSCRIBE",
    "CANCEL",         "SUBSCRIPTION", "CANCELLATION", "SUBSCRIBE-X", "CANCEL-X", "SUBSCRIPTION-X",
    "CANCELLATION-X", "downgrade",    "connected",    "introduce",   "refused",  "heartbeat",
    "expired",        "malformed",    "unknown",      "disconnected"};

}  // namespace

/// The machine's table.
struct Table {
  static constexpr std::array<Row<State, Event>, 126> rows = {{
      {State::start, Event::on_downgrade, {}, steps_1, std::nullopt, 1},
      {State::start, Event::on_connected, {}, steps_2, State::greeting, 1},
      {State::start, Event::greeting, {}, steps_3, State::introducing, 3},
      {State::start, Event::on_refused, {}, steps_4, State::closed, 0},
      {State::start, Event::on_expired, {}, {}, std::nullopt, 0},
      {State::start, Event::on_malformed, {}, steps_4, State::closed, 0},
      {State::start, Event::on_unknown, {}, steps_4, State::closed, 0},
      {State::start, Event::on_disconnected, {}, steps_4, State::closed, 0},
      {State::start, Event::ready, {}, steps_4, State::closed, 0},
      {State::start, Event::error, {}, steps_4, State::closed, 0},
      {State::start, Event::ping, {}, steps_4, State::closed, 0},
      {State::start, Event::pong, {}, steps_4, State::closed, 0},
      {State::start, Event::subscribe, {}, steps_4, State::closed, 0},
      {State::start, Event::cancel, {}, steps_4, State::closed, 0},
      {State::start, Event::subscription, {}, steps_4, State::closed, 0},
      {State::start, Event::cancellation, {}, steps_4, State::closed, 0},
      {State::start, Event::subscribe_x, {}, steps_4, State::closed, 0},
      {State::start, Event::cancel_x, {}, steps_4, State::closed, 0},
      {State::start, Event::subscription_x, {}, steps_4, State::closed, 0},
      {State::start, Event::cancellation_x, {}, steps_4, State::closed, 0},
      {State::greeting, Event::greeting, {}, steps_6, State::introducing, 2},
      {State::greeting, Event::on_refused, {}, steps_4, State::closed, 0},
      {State::greeting, Event::on_malformed, {}, steps_4, State::closed, 0},
      {State::greeting, Event::on_unknown, {}, steps_4, State::closed, 0},
      {State::greeting, Event::on_disconnected, {}, steps_4, State::closed, 0},
      {State::greeting, Event::on_expired, {}, steps_4, State::closed, 0},
      {State::greeting, Event::ready, {}, steps_4, State::closed, 0},
      {State::greeting, Event::error, {}, steps_4, State::closed, 0},
      {State::greeting, Event::ping, {}, steps_4, State::closed, 0},
      {State::greeting, Event::pong, {}, steps_4, State::closed, 0},
      {State::greeting, Event::subscribe, {}, steps_4, State::closed, 0},
      {State::greeting, Event::cancel, {}, steps_4, State::closed, 0},
      {State::greeting, Event::subscription, {}, steps_4, State::closed, 0},
      {State::greeting, Event::cancellation, {}, steps_4, State::closed, 0},
      {State::greeting, Event::subscribe_x, {}, steps_4, State::closed, 0},
      {State::greeting, Event::cancel_x, {}, steps_4, State::closed, 0},
      {State::greeting, Event::subscription_x, {}, steps_4, State::closed, 0},
      {State::greeting, Event::cancellation_x, {}, steps_4, State::closed, 0},
      {State::introducing, Event::on_introduce, {}, steps_7, State::handshake, 1},
      {State::introducing, Event::ready, {}, steps_8, State::answering, 1},
      {State::introducing, Event::on_refused, {}, steps_9, State::closed, 1},
      {State::introducing, Event::on_malformed, {}, steps_4, State::closed, 0},
      {State::introducing, Event::on_unknown, {}, steps_4, State::closed, 0},
      {State::introducing, Event::on_disconnected, {}, steps_4, State::closed, 0},
      {State::introducing, Event::on_expired, {}, steps_4, State::closed, 0},
      {State::introducing, Event::greeting, {}, steps_4, State::closed, 0},
      {State::introducing, Event::error, {}, steps_4, State::closed, 0},
      {State::introducing, Event::ping, {}, steps_4, State::closed, 0},
      {State::introducing, Event::pong, {}, steps_4, State::closed, 0},
      {State::introducing, Event::subscribe, {}, steps_4, State::closed, 0},
      {State::introducing, Event::cancel, {}, steps_4, State::closed, 0},
      {State::introducing, Event::subscription, {}, steps_4, State::closed, 0},
      {State::introducing, Event::cancellation, {}, steps_4, State::closed, 0},
      {State::introducing, Event::subscribe_x, {}, steps_4, State::closed, 0},
      {State::introducing, Event::cancel_x, {}, steps_4, State::closed, 0},
      {State::introducing, Event::subscription_x, {}, steps_4, State::closed, 0},
      {State::introducing, Event::cancellation_x, {}, steps_4, State::closed, 0},
      {State::answering, Event::on_introduce, {}, steps_10, State::open, 1},
      {State::answering, Event::on_malformed, {}, steps_4, State::closed, 0},
      {State::answering, Event::on_unknown, {}, steps_4, State::closed, 0},
      {State::answering, Event::on_disconnected, {}, steps_4, State::closed, 0},
      {State::answering, Event::on_expired, {}, steps_4, State::closed, 0},
      {State::answering, Event::greeting, {}, steps_4, State::closed, 0},
      {State::answering, Event::ready, {}, steps_4, State::closed, 0},
      {State::answering, Event::error, {}, steps_4, State::closed, 0},
      {State::answering, Event::ping, {}, steps_4, State::closed, 0},
      {State::answering, Event::pong, {}, steps_4, State::closed, 0},
      {State::answering, Event::subscribe, {}, steps_4, State::closed, 0},
      {State::answering, Event::cancel, {}, steps_4, State::closed, 0},
      {State::answering, Event::subscription, {}, steps_4, State::closed, 0},
      {State::answering, Event::cancellation, {}, steps_4, State::closed, 0},
      {State::answering, Event::subscribe_x, {}, steps_4, State::closed, 0},
      {State::answering, Event::cancel_x, {}, steps_4, State::closed, 0},
      {State::answering, Event::subscription_x, {}, steps_4, State::closed, 0},
      {State::answering, Event::cancellation_x, {}, steps_4, State::closed, 0},
      {State::handshake, Event::ready, {}, steps_11, State::open, 1},
      {State::handshake, Event::on_refused, {}, steps_9, State::closed, 1},
      {State::handshake, Event::error, {}, steps_12, State::closed, 1},
      {State::handshake, Event::on_malformed, {}, steps_4, State::closed, 0},
      {State::handshake, Event::on_unknown, {}, steps_4, State::closed, 0},
      {State::handshake, Event::on_disconnected, {}, steps_4, State::closed, 0},
      {State::handshake, Event::on_expired, {}, steps_4, State::closed, 0},
      {State::handshake, Event::greeting, {}, steps_4, State::closed, 0},
      {State::handshake, Event::ping, {}, steps_4, State::closed, 0},
      {State::handshake, Event::pong, {}, steps_4, State::closed, 0},
      {State::handshake, Event::subscribe, {}, steps_4, State::closed, 0},
      {State::handshake, Event::cancel, {}, steps_4, State::closed, 0},
      {State::handshake, Event::subscription, {}, steps_4, State::closed, 0},
      {State::handshake, Event::cancellation, {}, steps_4, State::closed, 0},
      {State::handshake, Event::subscribe_x, {}, steps_4, State::closed, 0},
      {State::handshake, Event::cancel_x, {}, steps_4, State::closed, 0},
      {State::handshake, Event::subscription_x, {}, steps_4, State::closed, 0},
      {State::handshake, Event::cancellation_x, {}, steps_4, State::closed, 0},
      {State::open, Event::subscribe, {}, steps_13, std::nullopt, 2},
      {State::open, Event::subscription, {}, steps_13, std::nullopt, 2},
      {State::open, Event::cancel, {}, steps_14, std::nullopt, 2},
      {State::open, Event::cancellation, {}, steps_14, std::nullopt, 2},
      {State::open, Event::subscribe_x, {}, steps_13, std::nullopt, 2},
      {State::open, Event::subscription_x, {}, steps_13, std::nullopt, 2},
      {State::open, Event::cancel_x, {}, steps_14, std::nullopt, 2},
      {State::open, Event::cancellation_x, {}, steps_14, std::nullopt, 2},
      {State::open, Event::on_unknown, {}, steps_15, std::nullopt, 1},
      {State::open, Event::ping, {}, steps_16, std::nullopt, 2},
      {State::open, Event::pong, {}, steps_15, std::nullopt, 1},
      {State::open, Event::error, {}, steps_12, State::closed, 1},
      {State::open, Event::on_heartbeat, "unanswered >= unanswered_max", steps_4, State::closed, 0},
      {State::open, Event::on_heartbeat, {}, steps_17, std::nullopt, 2},
      {State::open, Event::on_malformed, {}, steps_4, State::closed, 0},
      {State::open, Event::on_disconnected, {}, steps_4, State::closed, 0},
      {State::open, Event::on_expired, {}, steps_4, State::closed, 0},
      {State::open, Event::greeting, {}, steps_4, State::closed, 0},
      {State::open, Event::ready, {}, steps_4, State::closed, 0},
      {State::closed, Event::on_malformed, {}, {}, std::nullopt, 0},
      {State::closed, Event::greeting, {}, {}, std::nullopt, 0},
      {State::closed, Event::ready, {}, {}, std::nullopt, 0},
      {State::closed, Event::error, {}, {}, std::nullopt, 0},
      {State::closed, Event::ping, {}, {}, std::nullopt, 0},
      {State::closed, Event::pong, {}, {}, std::nullopt, 0},
      {State::closed, Event::subscribe, {}, {}, std::nullopt, 0},
      {State::closed, Event::cancel, {}, {}, std::nullopt, 0},
      {State::closed, Event::subscription, {}, {}, std::nullopt, 0},
      {State::closed, Event::cancellation, {}, {}, std::nullopt, 0},
      {State::closed, Event::subscribe_x, {}, {}, std::nullopt, 0},
      {State::closed, Event::cancel_x, {}, {}, std::nullopt, 0},
      {State::closed, Event::subscription_x, {}, {}, std::nullopt, 0},
      {State::closed, Event::cancellation_x, {}, {}, std::nullopt, 0},
  }};

  static constexpr std::array<Action<ServerMachine, Carried>, 126> actions = {{
      {nullptr, run_1},  {nullptr, run_2},
      {nullptr, run_3},  {nullptr, run_4},
      {nullptr, {}},     {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_6},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_7},  {nullptr, run_8},
      {nullptr, run_9},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_10},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_11},
      {nullptr, run_9},  {nullptr, run_12},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_13},
      {nullptr, run_13}, {nullptr, run_14},
      {nullptr, run_14}, {nullptr, run_13},
      {nullptr, run_13}, {nullptr, run_14},
      {nullptr, run_14}, {nullptr, run_15},
      {nullptr, run_16}, {nullptr, run_15},
      {nullptr, run_12}, {&Steps::holds_16, run_4},
      {nullptr, run_17}, {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, {}},     {nullptr, {}},
      {nullptr, {}},     {nullptr, {}},
      {nullptr, {}},     {nullptr, {}},
      {nullptr, {}},     {nullptr, {}},
      {nullptr, {}},     {nullptr, {}},
      {nullptr, {}},     {nullptr, {}},
      {nullptr, {}},     {nullptr, {}},
  }};

  static constexpr auto index = index_of<7, 22>(rows);
};

std::string_view name_of(State state) noexcept { return name_in(state_names, state); }

std::string_view name_of(Event event) noexcept { return name_in(event_names, event); }

std::string_view name_of(InternalEvent event) noexcept { return name_of(static_cast<Event>(event)); }

Span<const Row<State, Event>> table() noexcept { return Table::rows; }

ServerMachine::ServerMachine(ServerHost& host) noexcept : Machine(State::start), host_(&host) {}

Outcome ServerMachine::receive(const zmtp::Message& message) {
  if (std::holds_alternative<zmtp::Greeting>(message)) {
    return receive_<Table>(Event::greeting, {&message, nullptr});
  }
  if (std::holds_alternative<zmtp::Ready>(message)) {
    return receive_<Table>(Event::ready, {&message, nullptr});
  }
  if (std::holds_alternative<zmtp::Error>(message)) {
    return receive_<Table>(Event::error, {&message, nullptr});
  }
  if (std::holds_alternative<zmtp::Ping>(message)) {
    return receive_<Table>(Event::ping, {&message, nullptr});
  }
  if (std::holds_alternative<zmtp::Pong>(message)) {
    return receive_<Table>(Event::pong, {&message, nullptr});
  }
  if (std::holds_alternative<zmtp::Subscribe>(message)) {
    return receive_<Table>(Event::subscribe, {&message, nullptr});
  }
  if (std::holds_alternative<zmtp::Cancel>(message)) {
    return receive_<Table>(Event::cancel, {&message, nullptr});
  }
  if (std::holds_alternative<zmtp::Subscription>(message)) {
    return receive_<Table>(Event::subscription, {&message, nullptr});
  }
  if (std::holds_alternative<zmtp::Cancellation>(message)) {
    return receive_<Table>(Event::cancellation, {&message, nullptr});
  }
  if (std::holds_alternative<zmtp::SubscribeX>(message)) {
    return receive_<Table>(Event::subscribe_x, {&message, nullptr});
  }
  if (std::holds_alternative<zmtp::CancelX>(message)) {
    return receive_<Table>(Event::cancel_x, {&message, nullptr});
  }
  if (std::holds_alternative<zmtp::SubscriptionX>(message)) {
    return receive_<Table>(Event::subscription_x, {&message, nullptr});
  }
  if (std::holds_alternative<zmtp::CancellationX>(message)) {
    return receive_<Table>(Event::cancellation_x, {&message, nullptr});
  }
  return unknown_();
}

Outcome ServerMachine::downgrade() { return handle_<Table>(Event::on_downgrade, {nullptr, nullptr}); }

Outcome ServerMachine::connected() { return handle_<Table>(Event::on_connected, {nullptr, nullptr}); }

Outcome ServerMachine::introduce(const zmtp::Ready& message) {
  const zmtp::Message carried(message);
  return handle_<Table>(Event::on_introduce, {&carried, nullptr});
}

Outcome ServerMachine::refused() { return handle_<Table>(Event::on_refused, {nullptr, nullptr}); }

Outcome ServerMachine::heartbeat() { return handle_<Table>(Event::on_heartbeat, {nullptr, nullptr}); }

Outcome ServerMachine::expired() { return handle_<Table>(Event::on_expired, {nullptr, nullptr}); }

Outcome ServerMachine::malformed() { return handle_<Table>(Event::on_malformed, {nullptr, nullptr}); }

Outcome ServerMachine::unknown() { return handle_<Table>(Event::on_unknown, {nullptr, nullptr}); }

Outcome ServerMachine::disconnected() { return handle_<Table>(Event::on_disconnected, {nullptr, nullptr}); }

}  // namespace zeps_wire::zmtp_publisher

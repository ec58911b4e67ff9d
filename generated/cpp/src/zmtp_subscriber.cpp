#include "zeps_wire/zmtp_subscriber.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>

namespace zeps_wire::zmtp_subscriber {

/// The guards and steps of the rows.
struct Steps {
  static void set_minor_1(ClientMachine& machine, const Carried&) { machine.minor_ = 0U; }

  static void send_greeting_2(ClientMachine& machine, const Carried&) {
    zmtp::Greeting sent;
    sent.major_ = 3U;
    sent.as_server = 0U;
    if (set<3>(sent, machine.minor_, machine.host()) &&
        set<4>(sent, zeps_wire::Octets(machine.mechanism), machine.host())) {
      machine.send_(sent);
    }
  }

  static void do_check_greeting_3(ClientMachine& machine, const Carried& carried) {
    const auto& message = carried.as<zmtp::Greeting>();
    machine.host().check_greeting(message);
  }

  static void set_peer_minor_4(ClientMachine& machine, const Carried& carried) {
    const auto& message = carried.as<zmtp::Greeting>();
    machine.peer_minor = std::min<std::uint64_t>(message.minor_, 255U);
  }

  static void do_ask_for_introduction_5(ClientMachine& machine, const Carried& carried) {
    const auto& message = carried.as<zmtp::Greeting>();
    machine.host().ask_for_introduction(message);
  }

  static void do_close_connection_6(ClientMachine& machine, const Carried& carried) {
    machine.host().close_connection(carried.message);
  }

  static void terminate_7(ClientMachine& machine, const Carried&) { machine.terminate_(); }

  static void send_ready_8(ClientMachine& machine, const Carried& carried) {
    machine.send_(*carried.message);
  }

  static void do_check_peer_9(ClientMachine& machine, const Carried& carried) {
    const auto& message = carried.as<zmtp::Ready>();
    machine.host().check_peer(message);
  }

  static void send_error_10(ClientMachine& machine, const Carried&) {
    zmtp::Error sent;
    sent.reason = zeps_wire::text_of(zeps_wire::Octets(machine.reason));
    machine.send_(sent);
  }

  static void do_opened_11(ClientMachine& machine, const Carried& carried) {
    const auto& message = carried.as<zmtp::Ready>();
    machine.host().opened(message);
  }

  static void do_peer_refused_12(ClientMachine& machine, const Carried& carried) {
    const auto& message = carried.as<zmtp::Error>();
    machine.host().peer_refused(message);
  }

  static void send_subscribe_13(ClientMachine& machine, const Carried& carried) {
    const auto& message = carried.as<SubscribeCall>();
    zmtp::Subscribe sent;
    sent.topic = message.topic;
    machine.send_(sent);
  }

  static bool holds_14(const ClientMachine& machine, const Carried&) {
    return (machine.minor_ >= 1U) && (machine.peer_minor >= 1U);
  }

  static void send_subscription_15(ClientMachine& machine, const Carried& carried) {
    const auto& message = carried.as<SubscribeCall>();
    zmtp::Subscription sent;
    sent.topic = message.topic;
    machine.send_(sent);
  }

  static void send_cancel_16(ClientMachine& machine, const Carried& carried) {
    const auto& message = carried.as<UnsubscribeCall>();
    zmtp::Cancel sent;
    sent.topic = message.topic;
    machine.send_(sent);
  }

  static void send_cancellation_17(ClientMachine& machine, const Carried& carried) {
    const auto& message = carried.as<UnsubscribeCall>();
    zmtp::Cancellation sent;
    sent.topic = message.topic;
    machine.send_(sent);
  }

  static void send_subscribe_x_18(ClientMachine& machine, const Carried& carried) {
    const auto& message = carried.as<SubscribeFilterCall>();
    zmtp::SubscribeX sent;
    sent.filter = message.octets;
    if (set<0>(sent, message.kind, machine.host())) {
      machine.send_(sent);
    }
  }

  static void send_subscription_x_19(ClientMachine& machine, const Carried& carried) {
    const auto& message = carried.as<SubscribeFilterCall>();
    zmtp::SubscriptionX sent;
    sent.filter = message.octets;
    if (set<0>(sent, message.kind, machine.host())) {
      machine.send_(sent);
    }
  }

  static void send_cancel_x_20(ClientMachine& machine, const Carried& carried) {
    const auto& message = carried.as<UnsubscribeFilterCall>();
    zmtp::CancelX sent;
    sent.filter = message.octets;
    if (set<0>(sent, message.kind, machine.host())) {
      machine.send_(sent);
    }
  }

  static void send_cancellation_x_21(ClientMachine& machine, const Carried& carried) {
    const auto& message = carried.as<UnsubscribeFilterCall>();
    zmtp::CancellationX sent;
    sent.filter = message.octets;
    if (set<0>(sent, message.kind, machine.host())) {
      machine.send_(sent);
    }
  }

  static void set_unanswered_22(ClientMachine& machine, const Carried&) { machine.unanswered = 0U; }

  static void send_pong_23(ClientMachine& machine, const Carried& carried) {
    const auto& message = carried.as<zmtp::Ping>();
    zmtp::Pong sent;
    sent.context = message.context;
    machine.send_(sent);
  }

  static bool holds_24(const ClientMachine& machine, const Carried&) {
    return machine.unanswered >= machine.unanswered_max;
  }

  static void set_unanswered_25(ClientMachine& machine, const Carried&) {
    machine.unanswered = zeps_wire::add(machine.unanswered, 1U, 255U);
  }

  static void send_ping_26(ClientMachine& machine, const Carried&) {
    zmtp::Ping sent;
    sent.context = zeps_wire::octets_of(std::string_view(""));
    if (set<0>(sent, machine.ttl, machine.host())) {
      machine.send_(sent);
    }
  }
};

namespace {

using Run = void (*)(ClientMachine&, const Carried&);

constexpr std::string_view steps_1[] = {"minor := 0"};
constexpr std::string_view steps_2[] = {
    "send GREETING(major = 3, minor = minor, mechanism = mechanism, as_server = 0)"};
constexpr std::string_view steps_3[] = {
    "send GREETING(major = 3, minor = minor, mechanism = mechanism, as_server = 0)", "check_greeting",
    "peer_minor := message.minor", "ask_for_introduction"};
constexpr std::string_view steps_4[] = {"close_connection", "terminate"};
constexpr std::string_view steps_6[] = {"check_greeting", "peer_minor := message.minor",
                                        "ask_for_introduction"};
constexpr std::string_view steps_7[] = {"send READY"};
constexpr std::string_view steps_8[] = {"check_peer"};
constexpr std::string_view steps_9[] = {"send ERROR(reason = reason)", "close_connection", "terminate"};
constexpr std::string_view steps_10[] = {"send READY", "opened"};
constexpr std::string_view steps_11[] = {"check_peer", "opened"};
constexpr std::string_view steps_12[] = {"peer_refused", "close_connection", "terminate"};
constexpr std::string_view steps_13[] = {"send SUBSCRIBE(topic = message.topic)"};
constexpr std::string_view steps_14[] = {"send SUBSCRIPTION(topic = message.topic)"};
constexpr std::string_view steps_15[] = {"send CANCEL(topic = message.topic)"};
constexpr std::string_view steps_16[] = {"send CANCELLATION(topic = message.topic)"};
constexpr std::string_view steps_17[] = {"send SUBSCRIBE-X(kind = message.kind, filter = message.octets)"};
constexpr std::string_view steps_18[] = {"send SUBSCRIPTION-X(kind = message.kind, filter = message.octets)"};
constexpr std::string_view steps_19[] = {"send CANCEL-X(kind = message.kind, filter = message.octets)"};
constexpr std::string_view steps_20[] = {"send CANCELLATION-X(kind = message.kind, filter = message.octets)"};
constexpr std::string_view steps_21[] = {"unanswered := 0"};
constexpr std::string_view steps_22[] = {"unanswered := 0", "send PONG(context = message.context)"};
constexpr std::string_view steps_23[] = {"unanswered := unanswered + 1",
                                         "send PING(ttl = ttl, context = '')"};

constexpr Run run_1[] = {&Steps::set_minor_1};
constexpr Run run_2[] = {&Steps::send_greeting_2};
constexpr Run run_3[] = {&Steps::send_greeting_2, &Steps::do_check_greeting_3, &Steps::set_peer_minor_4,
                         &Steps::do_ask_for_introduction_5};
constexpr Run run_4[] = {&Steps::do_close_connection_6, &Steps::terminate_7};
constexpr Run run_6[] = {&Steps::do_check_greeting_3, &Steps::set_peer_minor_4,
                         &Steps::do_ask_for_introduction_5};
constexpr Run run_7[] = {&Steps::send_ready_8};
constexpr Run run_8[] = {&Steps::do_check_peer_9};
constexpr Run run_9[] = {&Steps::send_error_10, &Steps::do_close_connection_6, &Steps::terminate_7};
constexpr Run run_10[] = {&Steps::send_ready_8, &Steps::do_opened_11};
constexpr Run run_11[] = {&Steps::do_check_peer_9, &Steps::do_opened_11};
constexpr Run run_12[] = {&Steps::do_peer_refused_12, &Steps::do_close_connection_6, &Steps::terminate_7};
constexpr Run run_13[] = {&Steps::send_subscribe_13};
constexpr Run run_14[] = {&Steps::send_subscription_15};
constexpr Run run_15[] = {&Steps::send_cancel_16};
constexpr Run run_16[] = {&Steps::send_cancellation_17};
constexpr Run run_17[] = {&Steps::send_subscribe_x_18};
constexpr Run run_18[] = {&Steps::send_subscription_x_19};
constexpr Run run_19[] = {&Steps::send_cancel_x_20};
constexpr Run run_20[] = {&Steps::send_cancellation_x_21};
constexpr Run run_21[] = {&Steps::set_unanswered_22};
constexpr Run run_22[] = {&Steps::set_unanswered_22, &Steps::send_pong_23};
constexpr Run run_23[] = {&Steps::set_unanswered_25, &Steps::send_ping_26};

constexpr std::array<std::string_view, 7> state_names = {"start",     "greeting", "introducing", "answering",
                                                         "handshake", "open",     "closed"};

constexpr std::array<std::string_view, 26> event_names = {
    "GREETING",          "READY",          "ERROR",          "PING",         "PONG",
    "SUBSCRIBE",         "CANCEL",         "SUBSCRIPTION",   "CANCELLATION", "SUBSCRIBE-X",
    "CANCEL-X",          "SUBSCRIPTION-X", "CANCELLATION-X", "downgrade",    "connected",
    "introduce",         "refused",        "heartbeat",      "expired",      "malformed",
    "unknown",           "disconnected",   "subscribe",      "unsubscribe",  "subscribe_filter",
    "unsubscribe_filter"};

}  // namespace

/// The machine's table.
struct Table {
  static constexpr std::array<Row<State, Event>, 134> rows = {{
      {State::start, Event::on_downgrade, {}, steps_1, std::nullopt, 1},
      {State::start, Event::on_connected, {}, steps_2, State::greeting, 1},
      {State::start, Event::greeting, {}, steps_3, State::introducing, 4},
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
      {State::greeting, Event::greeting, {}, steps_6, State::introducing, 3},
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
      {State::open, Event::on_subscribe, "minor >= 1 and peer_minor >= 1", steps_13, std::nullopt, 1},
      {State::open, Event::on_subscribe, {}, steps_14, std::nullopt, 1},
      {State::open, Event::on_unsubscribe, "minor >= 1 and peer_minor >= 1", steps_15, std::nullopt, 1},
      {State::open, Event::on_unsubscribe, {}, steps_16, std::nullopt, 1},
      {State::open, Event::on_subscribe_filter, "minor >= 1 and peer_minor >= 1", steps_17, std::nullopt, 1},
      {State::open, Event::on_subscribe_filter, {}, steps_18, std::nullopt, 1},
      {State::open, Event::on_unsubscribe_filter, "minor >= 1 and peer_minor >= 1", steps_19, std::nullopt,
       1},
      {State::open, Event::on_unsubscribe_filter, {}, steps_20, std::nullopt, 1},
      {State::open, Event::on_unknown, {}, steps_21, std::nullopt, 1},
      {State::open, Event::ping, {}, steps_22, std::nullopt, 2},
      {State::open, Event::pong, {}, steps_21, std::nullopt, 1},
      {State::open, Event::error, {}, steps_12, State::closed, 1},
      {State::open, Event::on_heartbeat, "unanswered >= unanswered_max", steps_4, State::closed, 0},
      {State::open, Event::on_heartbeat, {}, steps_23, std::nullopt, 2},
      {State::open, Event::on_malformed, {}, steps_4, State::closed, 0},
      {State::open, Event::on_disconnected, {}, steps_4, State::closed, 0},
      {State::open, Event::on_expired, {}, steps_4, State::closed, 0},
      {State::open, Event::greeting, {}, steps_4, State::closed, 0},
      {State::open, Event::ready, {}, steps_4, State::closed, 0},
      {State::open, Event::subscribe, {}, steps_4, State::closed, 0},
      {State::open, Event::cancel, {}, steps_4, State::closed, 0},
      {State::open, Event::subscription, {}, steps_4, State::closed, 0},
      {State::open, Event::cancellation, {}, steps_4, State::closed, 0},
      {State::open, Event::subscribe_x, {}, steps_4, State::closed, 0},
      {State::open, Event::cancel_x, {}, steps_4, State::closed, 0},
      {State::open, Event::subscription_x, {}, steps_4, State::closed, 0},
      {State::open, Event::cancellation_x, {}, steps_4, State::closed, 0},
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

  static constexpr std::array<Action<ClientMachine, Carried>, 134> actions = {{
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
      {nullptr, run_4},  {&Steps::holds_14, run_13},
      {nullptr, run_14}, {&Steps::holds_14, run_15},
      {nullptr, run_16}, {&Steps::holds_14, run_17},
      {nullptr, run_18}, {&Steps::holds_14, run_19},
      {nullptr, run_20}, {nullptr, run_21},
      {nullptr, run_22}, {nullptr, run_21},
      {nullptr, run_12}, {&Steps::holds_24, run_4},
      {nullptr, run_23}, {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
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

  static constexpr auto index = index_of<7, 26>(rows);
};

std::string_view name_of(State state) noexcept { return name_in(state_names, state); }

std::string_view name_of(Event event) noexcept { return name_in(event_names, event); }

std::string_view name_of(InternalEvent event) noexcept { return name_of(static_cast<Event>(event)); }

Span<const Row<State, Event>> table() noexcept { return Table::rows; }

ClientMachine::ClientMachine(ClientHost& host) noexcept : Machine(State::start), host_(&host) {}

Outcome ClientMachine::receive(const zmtp::Message& message) {
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

Outcome ClientMachine::downgrade() { return handle_<Table>(Event::on_downgrade, {nullptr, nullptr}); }

Outcome ClientMachine::connected() { return handle_<Table>(Event::on_connected, {nullptr, nullptr}); }

Outcome ClientMachine::introduce(const zmtp::Ready& message) {
  const zmtp::Message carried(message);
  return handle_<Table>(Event::on_introduce, {&carried, nullptr});
}

Outcome ClientMachine::refused() { return handle_<Table>(Event::on_refused, {nullptr, nullptr}); }

Outcome ClientMachine::heartbeat() { return handle_<Table>(Event::on_heartbeat, {nullptr, nullptr}); }

Outcome ClientMachine::expired() { return handle_<Table>(Event::on_expired, {nullptr, nullptr}); }

Outcome ClientMachine::malformed() { return handle_<Table>(Event::on_malformed, {nullptr, nullptr}); }

Outcome ClientMachine::unknown() { return handle_<Table>(Event::on_unknown, {nullptr, nullptr}); }

Outcome ClientMachine::disconnected() { return handle_<Table>(Event::on_disconnected, {nullptr, nullptr}); }

Outcome ClientMachine::subscribe(zeps_wire::Octets topic) {
  const SubscribeCall call{topic};
  return handle_<Table>(Event::on_subscribe, {nullptr, &call});
}

Outcome ClientMachine::unsubscribe(zeps_wire::Octets topic) {
  const UnsubscribeCall call{topic};
  return handle_<Table>(Event::on_unsubscribe, {nullptr, &call});
}

Outcome ClientMachine::subscribe_filter(std::uint64_t kind, zeps_wire::Octets octets) {
  const SubscribeFilterCall call{kind, octets};
  return handle_<Table>(Event::on_subscribe_filter, {nullptr, &call});
}

Outcome ClientMachine::unsubscribe_filter(std::uint64_t kind, zeps_wire::Octets octets) {
  const UnsubscribeFilterCall call{kind, octets};
  return handle_<Table>(Event::on_unsubscribe_filter, {nullptr, &call});
}

}  // namespace zeps_wire::zmtp_subscriber

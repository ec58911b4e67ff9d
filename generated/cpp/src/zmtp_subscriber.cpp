#include "zeps_wire/zmtp_subscriber.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>

namespace zeps_wire::zmtp_subscriber {

/// What rows look at and do.
struct Steps {
  static void set_minor(ClientMachine& machine, const Carried&) { machine.minor_ = 0U; }

  static void send_greeting(ClientMachine& machine, const Carried&) {
    zmtp::Greeting sent;
    sent.major_ = 3U;
    const std::uint64_t value_1 = machine.minor_;
    if (value_1 > 255U) {
      return machine.host().unsendable({zeps_wire::Code::too_long, "GREETING", "minor", 0});
    }
    sent.minor_ = value_1;
    const zeps_wire::Octets value_2 = zeps_wire::Octets(machine.mechanism);
    if (value_2.size() != 20U) {
      return machine.host().unsendable(
          {value_2.size() > 20U ? zeps_wire::Code::too_long : zeps_wire::Code::truncated, "GREETING",
           "mechanism", 0});
    }
    sent.mechanism = value_2;
    sent.as_server = 0U;
    machine.host().send(sent);
  }

  static void do_check_greeting(ClientMachine& machine, const Carried& carried) {
    const auto& message = *std::get_if<zmtp::Greeting>(carried.message);
    machine.host().check_greeting(message);
  }

  static void set_peer_minor(ClientMachine& machine, const Carried& carried) {
    const auto& message = *std::get_if<zmtp::Greeting>(carried.message);
    machine.peer_minor = std::min<std::uint64_t>(message.minor_, 255U);
  }

  static void do_ask_for_introduction(ClientMachine& machine, const Carried& carried) {
    const auto& message = *std::get_if<zmtp::Greeting>(carried.message);
    machine.host().ask_for_introduction(message);
  }

  static void do_close_connection(ClientMachine& machine, const Carried& carried) {
    machine.host().close_connection(carried.message);
  }

  static void terminate(ClientMachine& machine, const Carried&) { machine.terminate_(); }

  static void send_ready(ClientMachine& machine, const Carried& carried) {
    machine.host().send(*carried.message);
  }

  static void do_check_peer(ClientMachine& machine, const Carried& carried) {
    const auto& message = *std::get_if<zmtp::Ready>(carried.message);
    machine.host().check_peer(message);
  }

  static void send_error(ClientMachine& machine, const Carried&) {
    zmtp::Error sent;
    sent.reason = zeps_wire::text_of(zeps_wire::Octets(machine.reason));
    machine.host().send(sent);
  }

  static void do_opened(ClientMachine& machine, const Carried& carried) {
    const auto& message = *std::get_if<zmtp::Ready>(carried.message);
    machine.host().opened(message);
  }

  static void do_peer_refused(ClientMachine& machine, const Carried& carried) {
    const auto& message = *std::get_if<zmtp::Error>(carried.message);
    machine.host().peer_refused(message);
  }

  static void send_subscribe(ClientMachine& machine, const Carried& carried) {
    const auto& message = *carried.subscribe;
    zmtp::Subscribe sent;
    sent.topic = message.topic;
    machine.host().send(sent);
  }

  static bool holds(const ClientMachine& machine, const Carried&) {
    return (machine.minor_ >= 1U) && (machine.peer_minor >= 1U);
  }

  static void send_subscription(ClientMachine& machine, const Carried& carried) {
    const auto& message = *carried.subscribe;
    zmtp::Subscription sent;
    sent.topic = message.topic;
    machine.host().send(sent);
  }

  static void send_cancel(ClientMachine& machine, const Carried& carried) {
    const auto& message = *carried.unsubscribe;
    zmtp::Cancel sent;
    sent.topic = message.topic;
    machine.host().send(sent);
  }

  static void send_cancellation(ClientMachine& machine, const Carried& carried) {
    const auto& message = *carried.unsubscribe;
    zmtp::Cancellation sent;
    sent.topic = message.topic;
    machine.host().send(sent);
  }

  static void send_subscribe_x(ClientMachine& machine, const Carried& carried) {
    const auto& message = *carried.subscribe_filter;
    zmtp::SubscribeX sent;
    const std::uint64_t value_1 = message.kind;
    if (value_1 > 255U) {
      return machine.host().unsendable({zeps_wire::Code::too_long, "SUBSCRIBE-X", "kind", 0});
    }
    sent.kind = value_1;
    sent.filter = message.octets;
    machine.host().send(sent);
  }

  static void send_subscription_x(ClientMachine& machine, const Carried& carried) {
    const auto& message = *carried.subscribe_filter;
    zmtp::SubscriptionX sent;
    const std::uint64_t value_1 = message.kind;
    if (value_1 > 255U) {
      return machine.host().unsendable({zeps_wire::Code::too_long, "SUBSCRIPTION-X", "kind", 0});
    }
    sent.kind = value_1;
    sent.filter = message.octets;
    machine.host().send(sent);
  }

  static void send_cancel_x(ClientMachine& machine, const Carried& carried) {
    const auto& message = *carried.unsubscribe_filter;
    zmtp::CancelX sent;
    const std::uint64_t value_1 = message.kind;
    if (value_1 > 255U) {
      return machine.host().unsendable({zeps_wire::Code::too_long, "CANCEL-X", "kind", 0});
    }
    sent.kind = value_1;
    sent.filter = message.octets;
    machine.host().send(sent);
  }

  static void send_cancellation_x(ClientMachine& machine, const Carried& carried) {
    const auto& message = *carried.unsubscribe_filter;
    zmtp::CancellationX sent;
    const std::uint64_t value_1 = message.kind;
    if (value_1 > 255U) {
      return machine.host().unsendable({zeps_wire::Code::too_long, "CANCELLATION-X", "kind", 0});
    }
    sent.kind = value_1;
    sent.filter = message.octets;
    machine.host().send(sent);
  }

  static void set_unanswered(ClientMachine& machine, const Carried&) { machine.unanswered = 0U; }

  static void send_pong(ClientMachine& machine, const Carried& carried) {
    const auto& message = *std::get_if<zmtp::Ping>(carried.message);
    zmtp::Pong sent;
    sent.context = message.context;
    machine.host().send(sent);
  }

  static bool holds_2(const ClientMachine& machine, const Carried&) {
    return machine.unanswered >= machine.unanswered_max;
  }

  static void set_unanswered_2(ClientMachine& machine, const Carried&) {
    machine.unanswered = zeps_wire::add(machine.unanswered, 1U, 255U);
  }

  static void send_ping(ClientMachine& machine, const Carried&) {
    zmtp::Ping sent;
    const std::uint64_t value_1 = machine.ttl;
    if (value_1 > 65535U) {
      return machine.host().unsendable({zeps_wire::Code::too_long, "PING", "ttl", 0});
    }
    sent.ttl = value_1;
    sent.context = zeps_wire::octets_of("");
    machine.host().send(sent);
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
constexpr std::string_view steps_5[] = {"check_greeting", "peer_minor := message.minor",
                                        "ask_for_introduction"};
constexpr std::string_view steps_6[] = {"send READY"};
constexpr std::string_view steps_7[] = {"check_peer"};
constexpr std::string_view steps_8[] = {"send ERROR(reason = reason)", "close_connection", "terminate"};
constexpr std::string_view steps_9[] = {"send READY", "opened"};
constexpr std::string_view steps_10[] = {"check_peer", "opened"};
constexpr std::string_view steps_11[] = {"peer_refused", "close_connection", "terminate"};
constexpr std::string_view steps_12[] = {"send SUBSCRIBE(topic = message.topic)"};
constexpr std::string_view steps_13[] = {"send SUBSCRIPTION(topic = message.topic)"};
constexpr std::string_view steps_14[] = {"send CANCEL(topic = message.topic)"};
constexpr std::string_view steps_15[] = {"send CANCELLATION(topic = message.topic)"};
constexpr std::string_view steps_16[] = {"send SUBSCRIBE-X(kind = message.kind, filter = message.octets)"};
constexpr std::string_view steps_17[] = {"send SUBSCRIPTION-X(kind = message.kind, filter = message.octets)"};
constexpr std::string_view steps_18[] = {"send CANCEL-X(kind = message.kind, filter = message.octets)"};
constexpr std::string_view steps_19[] = {"send CANCELLATION-X(kind = message.kind, filter = message.octets)"};
constexpr std::string_view steps_20[] = {"unanswered := 0"};
constexpr std::string_view steps_21[] = {"unanswered := 0", "send PONG(context = message.context)"};
constexpr std::string_view steps_22[] = {"unanswered := unanswered + 1",
                                         "send PING(ttl = ttl, context = '')"};

constexpr Run run_1[] = {&Steps::set_minor};
constexpr Run run_2[] = {&Steps::send_greeting};
constexpr Run run_3[] = {&Steps::send_greeting, &Steps::do_check_greeting, &Steps::set_peer_minor,
                         &Steps::do_ask_for_introduction};
constexpr Run run_4[] = {&Steps::do_close_connection, &Steps::terminate};
constexpr Run run_5[] = {&Steps::do_check_greeting, &Steps::set_peer_minor, &Steps::do_ask_for_introduction};
constexpr Run run_6[] = {&Steps::send_ready};
constexpr Run run_7[] = {&Steps::do_check_peer};
constexpr Run run_8[] = {&Steps::send_error, &Steps::do_close_connection, &Steps::terminate};
constexpr Run run_9[] = {&Steps::send_ready, &Steps::do_opened};
constexpr Run run_10[] = {&Steps::do_check_peer, &Steps::do_opened};
constexpr Run run_11[] = {&Steps::do_peer_refused, &Steps::do_close_connection, &Steps::terminate};
constexpr Run run_12[] = {&Steps::send_subscribe};
constexpr Run run_13[] = {&Steps::send_subscription};
constexpr Run run_14[] = {&Steps::send_cancel};
constexpr Run run_15[] = {&Steps::send_cancellation};
constexpr Run run_16[] = {&Steps::send_subscribe_x};
constexpr Run run_17[] = {&Steps::send_subscription_x};
constexpr Run run_18[] = {&Steps::send_cancel_x};
constexpr Run run_19[] = {&Steps::send_cancellation_x};
constexpr Run run_20[] = {&Steps::set_unanswered};
constexpr Run run_21[] = {&Steps::set_unanswered, &Steps::send_pong};
constexpr Run run_22[] = {&Steps::set_unanswered_2, &Steps::send_ping};

constexpr std::array<std::string_view, 7> state_names = {
    "start", "greeting", "introducing", "answering", "handshake", "open", "closed",
};

constexpr std::array<std::string_view, 26> event_names = {
    "GREETING",
    "READY",
    "ERROR",
    "PING",
    "PONG",
    "SUBSCRIBE",
    "CANCEL",
    "SUBSCRIPTION",
    "CANCELLATION",
    "SUBSCRIBE-X",
    "CANCEL-X",
    "SUBSCRIPTION-X",
    "CANCELLATION-X",
    "downgrade",
    "connected",
    "introduce",
    "refused",
    "heartbeat",
    "expired",
    "malformed",
    "unknown",
    "disconnected",
    "subscribe",
    "unsubscribe",
    "subscribe_filter",
    "unsubscribe_filter",
};

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
      {State::greeting, Event::greeting, {}, steps_5, State::introducing, 3},
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
      {State::introducing, Event::on_introduce, {}, steps_6, State::handshake, 1},
      {State::introducing, Event::ready, {}, steps_7, State::answering, 1},
      {State::introducing, Event::on_refused, {}, steps_8, State::closed, 1},
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
      {State::answering, Event::on_introduce, {}, steps_9, State::open, 1},
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
      {State::handshake, Event::ready, {}, steps_10, State::open, 1},
      {State::handshake, Event::on_refused, {}, steps_8, State::closed, 1},
      {State::handshake, Event::error, {}, steps_11, State::closed, 1},
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
      {State::open, Event::on_subscribe, "minor >= 1 and peer_minor >= 1", steps_12, std::nullopt, 1},
      {State::open, Event::on_subscribe, {}, steps_13, std::nullopt, 1},
      {State::open, Event::on_unsubscribe, "minor >= 1 and peer_minor >= 1", steps_14, std::nullopt, 1},
      {State::open, Event::on_unsubscribe, {}, steps_15, std::nullopt, 1},
      {State::open, Event::on_subscribe_filter, "minor >= 1 and peer_minor >= 1", steps_16, std::nullopt, 1},
      {State::open, Event::on_subscribe_filter, {}, steps_17, std::nullopt, 1},
      {State::open, Event::on_unsubscribe_filter, "minor >= 1 and peer_minor >= 1", steps_18, std::nullopt,
       1},
      {State::open, Event::on_unsubscribe_filter, {}, steps_19, std::nullopt, 1},
      {State::open, Event::on_unknown, {}, steps_20, std::nullopt, 1},
      {State::open, Event::ping, {}, steps_21, std::nullopt, 2},
      {State::open, Event::pong, {}, steps_20, std::nullopt, 1},
      {State::open, Event::error, {}, steps_11, State::closed, 1},
      {State::open, Event::on_heartbeat, "unanswered >= unanswered_max", steps_4, State::closed, 0},
      {State::open, Event::on_heartbeat, {}, steps_22, std::nullopt, 2},
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
      {nullptr, run_5},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_6},  {nullptr, run_7},
      {nullptr, run_8},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_9},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_10},
      {nullptr, run_8},  {nullptr, run_11},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {nullptr, run_4},
      {nullptr, run_4},  {&Steps::holds, run_12},
      {nullptr, run_13}, {&Steps::holds, run_14},
      {nullptr, run_15}, {&Steps::holds, run_16},
      {nullptr, run_17}, {&Steps::holds, run_18},
      {nullptr, run_19}, {nullptr, run_20},
      {nullptr, run_21}, {nullptr, run_20},
      {nullptr, run_11}, {&Steps::holds_2, run_4},
      {nullptr, run_22}, {nullptr, run_4},
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

  /// Whether the event carries something, and cannot be handled without.
  static constexpr bool needs([[maybe_unused]] Event event) noexcept {
    return event == Event::greeting || event == Event::ready || event == Event::error ||
           event == Event::ping || event == Event::pong || event == Event::subscribe ||
           event == Event::cancel || event == Event::subscription || event == Event::cancellation ||
           event == Event::subscribe_x || event == Event::cancel_x || event == Event::subscription_x ||
           event == Event::cancellation_x || event == Event::on_introduce || event == Event::on_subscribe ||
           event == Event::on_unsubscribe || event == Event::on_subscribe_filter ||
           event == Event::on_unsubscribe_filter;
  }
};

std::string_view name_of(State state) noexcept { return state_names[static_cast<std::size_t>(state)]; }

std::string_view name_of(Event event) noexcept { return event_names[static_cast<std::size_t>(event)]; }

Span<const Row<State, Event>> table() noexcept { return Table::rows; }

ClientMachine::ClientMachine(ClientHost& host) noexcept : Machine(State::start), host_(&host) {}

Outcome ClientMachine::receive(const zmtp::Message& message) {
  Carried carried;
  carried.message = &message;
  if (std::holds_alternative<zmtp::Greeting>(message)) {
    return handle_<Table>(Event::greeting, carried, Outcome::unexpected, Outcome::unexpected);
  }
  if (std::holds_alternative<zmtp::Ready>(message)) {
    return handle_<Table>(Event::ready, carried, Outcome::unexpected, Outcome::unexpected);
  }
  if (std::holds_alternative<zmtp::Error>(message)) {
    return handle_<Table>(Event::error, carried, Outcome::unexpected, Outcome::unexpected);
  }
  if (std::holds_alternative<zmtp::Ping>(message)) {
    return handle_<Table>(Event::ping, carried, Outcome::unexpected, Outcome::unexpected);
  }
  if (std::holds_alternative<zmtp::Pong>(message)) {
    return handle_<Table>(Event::pong, carried, Outcome::unexpected, Outcome::unexpected);
  }
  if (std::holds_alternative<zmtp::Subscribe>(message)) {
    return handle_<Table>(Event::subscribe, carried, Outcome::unexpected, Outcome::unexpected);
  }
  if (std::holds_alternative<zmtp::Cancel>(message)) {
    return handle_<Table>(Event::cancel, carried, Outcome::unexpected, Outcome::unexpected);
  }
  if (std::holds_alternative<zmtp::Subscription>(message)) {
    return handle_<Table>(Event::subscription, carried, Outcome::unexpected, Outcome::unexpected);
  }
  if (std::holds_alternative<zmtp::Cancellation>(message)) {
    return handle_<Table>(Event::cancellation, carried, Outcome::unexpected, Outcome::unexpected);
  }
  if (std::holds_alternative<zmtp::SubscribeX>(message)) {
    return handle_<Table>(Event::subscribe_x, carried, Outcome::unexpected, Outcome::unexpected);
  }
  if (std::holds_alternative<zmtp::CancelX>(message)) {
    return handle_<Table>(Event::cancel_x, carried, Outcome::unexpected, Outcome::unexpected);
  }
  if (std::holds_alternative<zmtp::SubscriptionX>(message)) {
    return handle_<Table>(Event::subscription_x, carried, Outcome::unexpected, Outcome::unexpected);
  }
  if (std::holds_alternative<zmtp::CancellationX>(message)) {
    return handle_<Table>(Event::cancellation_x, carried, Outcome::unexpected, Outcome::unexpected);
  }
  return unknown_();
}

Outcome ClientMachine::downgrade() {
  Carried carried;
  return handle_<Table>(Event::on_downgrade, carried, Outcome::unhandled, Outcome::not_taken);
}

Outcome ClientMachine::connected() {
  Carried carried;
  return handle_<Table>(Event::on_connected, carried, Outcome::unhandled, Outcome::not_taken);
}

Outcome ClientMachine::introduce(const zmtp::Ready& message) {
  const zmtp::Message any(message);
  Carried carried;
  carried.message = &any;
  return handle_<Table>(Event::on_introduce, carried, Outcome::unhandled, Outcome::not_taken);
}

Outcome ClientMachine::refused() {
  Carried carried;
  return handle_<Table>(Event::on_refused, carried, Outcome::unhandled, Outcome::not_taken);
}

Outcome ClientMachine::heartbeat() {
  Carried carried;
  return handle_<Table>(Event::on_heartbeat, carried, Outcome::unhandled, Outcome::not_taken);
}

Outcome ClientMachine::expired() {
  Carried carried;
  return handle_<Table>(Event::on_expired, carried, Outcome::unhandled, Outcome::not_taken);
}

Outcome ClientMachine::malformed() {
  Carried carried;
  return handle_<Table>(Event::on_malformed, carried, Outcome::unhandled, Outcome::not_taken);
}

Outcome ClientMachine::unknown() {
  Carried carried;
  return handle_<Table>(Event::on_unknown, carried, Outcome::unhandled, Outcome::not_taken);
}

Outcome ClientMachine::disconnected() {
  Carried carried;
  return handle_<Table>(Event::on_disconnected, carried, Outcome::unhandled, Outcome::not_taken);
}

Outcome ClientMachine::subscribe(zeps_wire::Octets topic) {
  const SubscribeCall call{topic};
  Carried carried;
  carried.subscribe = &call;
  return handle_<Table>(Event::on_subscribe, carried, Outcome::unhandled, Outcome::not_taken);
}

Outcome ClientMachine::unsubscribe(zeps_wire::Octets topic) {
  const UnsubscribeCall call{topic};
  Carried carried;
  carried.unsubscribe = &call;
  return handle_<Table>(Event::on_unsubscribe, carried, Outcome::unhandled, Outcome::not_taken);
}

Outcome ClientMachine::subscribe_filter(std::uint64_t kind, zeps_wire::Octets octets) {
  const SubscribeFilterCall call{kind, octets};
  Carried carried;
  carried.subscribe_filter = &call;
  return handle_<Table>(Event::on_subscribe_filter, carried, Outcome::unhandled, Outcome::not_taken);
}

Outcome ClientMachine::unsubscribe_filter(std::uint64_t kind, zeps_wire::Octets octets) {
  const UnsubscribeFilterCall call{kind, octets};
  Carried carried;
  carried.unsubscribe_filter = &call;
  return handle_<Table>(Event::on_unsubscribe_filter, carried, Outcome::unhandled, Outcome::not_taken);
}

}  // namespace zeps_wire::zmtp_subscriber

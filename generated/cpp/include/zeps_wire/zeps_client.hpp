/// @file
/// ZEPS client session.
///
/// What a client does for its application. Methods are the application's calls; the host owns the clock,
/// the socket and the resumption point.
///
/// Generated from the models: change the models.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "zeps_wire/runtime/machine.hpp"
#include "zeps_wire/zeps.hpp"

namespace zeps_wire::zeps_client {

/// The states; the first is the initial state.
enum class State : std::uint16_t {
  /// Not attached.
  start,
  /// ATTACH is sent on entry. If an earlier session was lost, the broker answers each command of it that
  /// was still on its way by INVALID, before it answers ATTACH; these INVALIDs are ignored until ATTACH-OK
  /// or the timer.
  attaching,
  /// The application closed before ATTACH was answered. DETACH waits for the answer: if both were on their
  /// way, an INVALID could answer either.
  leaving,
  /// Attached.
  open,
  /// DETACH is sent; what still arrives is dropped. PING is not answered any more, nor is a DETACH of the
  /// broker that crosses this one: the broker takes this one for the answer, and sends DETACH-OK.
  detaching,
};

/// The events: received messages, and (`on_…`) those that the host or the application raises.
enum class Event : std::uint16_t {
  /// Client opens stream.
  attach,
  /// Server grants the client access.
  attach_ok,
  /// Client subscribes to a set of topics.
  subscribe,
  /// Server confirms the subscription.
  subscribe_ok,
  /// Client sends credit to the server.
  credit,
  /// Client publishes a new message to the open stream.
  publish,
  /// Server delivers a message to the client.
  deliver,
  /// Client or server sends a heartbeat.
  ping,
  /// Client or server answers a heartbeat.
  ping_ok,
  /// Client or server closes the peering.
  detach,
  /// Client or server confirms the close.
  detach_ok,
  /// Server tells client it sent an invalid message.
  invalid,
  /// Nothing was sent for a while. Also raised if a PING has no answer and nothing has arrived for a while.
  on_heartbeat,
  /// ATTACH or DETACH was not answered in time.
  on_expired,
  /// The host received something that does not decode.
  on_malformed,
  /// Raised when the code of an INVALID is one that ends the session, or is not known.
  on_ended,
  /// Raised when the code of an INVALID is one that refuses a SUBSCRIBE.
  on_subscribe_refused,
  /// Attach to a stream.
  on_open,
  /// Subscribe.
  on_follow,
  /// Let the broker send this many octets of DELIVER frames more.
  on_grant,
  /// Publish.
  on_post,
  /// Ask for PING-OK: when it comes, everything published before has its sequence.
  on_probe,
  /// Detach.
  on_close,
};

/// The events that a host action may fail with or raise. They carry no data.
enum class InternalEvent : std::uint16_t {
  /// Raised when the code of an INVALID is one that ends the session, or is not known.
  on_ended = static_cast<std::uint16_t>(Event::on_ended),
  /// Raised when the code of an INVALID is one that refuses a SUBSCRIBE.
  on_subscribe_refused = static_cast<std::uint16_t>(Event::on_subscribe_refused),
};

/// The model's name of the event; "unknown" if it does not exist.
[[nodiscard]] std::string_view name_of(InternalEvent event) noexcept;

/// The model's name of the state; "unknown" if it does not exist.
[[nodiscard]] std::string_view name_of(State state) noexcept;

/// The model's name of the event; "unknown" if it does not exist.
[[nodiscard]] std::string_view name_of(Event event) noexcept;

/// The machine as data, in the model's order.
[[nodiscard]] Span<const Row<State, Event>> table() noexcept;

/// The parameters of `open`.
struct OpenCall {
  std::string_view stream{};
};

/// The parameters of `follow`.
struct FollowCall {
  std::string_view pattern{};
  std::uint64_t latest{};
};

/// The parameters of `grant`.
struct GrantCall {
  std::uint64_t octets{};
};

/// The parameters of `post`.
struct PostCall {
  std::string_view key{};
  zeps_wire::Octets body{};
};

/// The host of the machine: sends its messages and runs its actions. An action gets the data of its event; if its
/// events carry data of different types, it gets a pointer to the message, which is null for an event without a
/// message. While an action runs, the machine refuses other events: the host must postpone them.
class ClientHost {
 public:
  ClientHost() = default;
  ClientHost(const ClientHost&) = default;
  ClientHost& operator=(const ClientHost&) = default;
  ClientHost(ClientHost&&) = default;
  ClientHost& operator=(ClientHost&&) = default;
  virtual ~ClientHost() = default;

  /// Sends a message, whose encoding may fail. Its views are valid during the call only.
  virtual void send(const zeps::Message& message) = 0;

  /// Called for each row that was taken, after its steps or after a step that failed.
  virtual void on_transition(State /*from*/, Event /*event*/, State /*to*/) {}

  /// The session is open: subscribe, grant credit, publish.
  virtual void attached(const zeps::AttachOk& message) = 0;

  /// The broker has refused ATTACH; the reason of INVALID says why.
  virtual void attach_refused(const zeps::Invalid& message) = 0;

  /// The session is over: DETACH was answered, or no answer is expected any more.
  virtual void detached(const zeps::Message* message) = 0;

  /// The broker is gone or breaks the protocol; connect again and attach.
  virtual void broker_lost(const zeps::Message* message) = 0;

  /// A SUBSCRIBE was granted, the oldest of those that wait.
  virtual void subscribed(const zeps::SubscribeOk& message) = 0;

  /// A message for the application. It has used up its part of the credit.
  virtual void take_message(const zeps::Deliver& message) = 0;

  /// PING-OK has arrived: everything that was published before the PING has its sequence.
  virtual void answered(const zeps::PingOk& message) = 0;

  /// Reads the code of INVALID: fails with `ended` or `subscribe_refused` if the code ends the session or
  /// refuses a SUBSCRIBE.
  ///
  /// May fail with `on_ended`, `on_subscribe_refused`.
  virtual void read_notice(const zeps::Invalid& message) = 0;

  /// The broker has ended the session; the machine attaches again, with no subscriptions and no credit.
  virtual void session_lost() = 0;

  /// A SUBSCRIBE was refused, the oldest of those that wait.
  virtual void refused() = 0;
};

using Carried = zeps_wire::Carried<zeps::Message>;

/// ZEPS client session.
class ClientMachine : public Machine<ClientMachine, State, Event, Carried> {
 public:
  /// `host` must outlive the machine.
  explicit ClientMachine(ClientHost& host) noexcept;

  [[nodiscard]] ClientHost& host() const noexcept { return *host_; }

  /// Handles a received message. Returns taken, unexpected, or unhandled: inside an action, or if no row handles an
  /// event that an action failed with or raised.
  Outcome receive(const zeps::Message& message);

  /// Nothing was sent for a while. Also raised if a PING has no answer and nothing has arrived for a while.
  /// Returns taken, not_taken if no guard is true, or unhandled.
  Outcome heartbeat();

  /// ATTACH or DETACH was not answered in time.
  /// Returns taken, not_taken if no guard is true, or unhandled.
  Outcome expired();

  /// The host received something that does not decode.
  /// Returns taken, not_taken if no guard is true, or unhandled.
  Outcome malformed();

  /// Raised when the code of an INVALID is one that ends the session, or is not known.
  /// Returns taken, not_taken if no guard is true, or unhandled.
  Outcome ended();

  /// Raised when the code of an INVALID is one that refuses a SUBSCRIBE.
  /// Returns taken, not_taken if no guard is true, or unhandled.
  Outcome subscribe_refused();

  /// Attach to a stream.
  /// Returns taken, not_taken if no guard is true, or unhandled.
  Outcome open(std::string_view stream_);

  /// Subscribe.
  /// Returns taken, not_taken if no guard is true, or unhandled.
  Outcome follow(std::string_view pattern, std::uint64_t latest);

  /// Let the broker send this many octets of DELIVER frames more.
  /// Returns taken, not_taken if no guard is true, or unhandled.
  Outcome grant(std::uint64_t octets);

  /// Publish.
  /// Returns taken, not_taken if no guard is true, or unhandled.
  Outcome post(std::string_view key, zeps_wire::Octets body);

  /// Ask for PING-OK: when it comes, everything published before has its sequence.
  /// Returns taken, not_taken if no guard is true, or unhandled.
  Outcome probe();

  /// Detach.
  /// Returns taken, not_taken if no guard is true, or unhandled.
  Outcome close();

  /// Makes the running host action fail: the remaining steps are skipped, and `event` is handled next. Returns false,
  /// without any effect, outside of actions.
  bool fail(InternalEvent event) noexcept { return fail_(static_cast<Event>(event)); }

  /// Raises `event` in the running host action: it is handled after the row, in the new state, unless an action fails
  /// or the machine terminates. A later event replaces it. Returns false, without any effect, outside of actions.
  bool raise(InternalEvent event) noexcept { return raise_(static_cast<Event>(event)); }

  /// Octets of DELIVER frames that the broker may still send.
  std::uint64_t credit{0U};

  /// SUBSCRIBE commands without an answer.
  std::uint64_t pending{0U};

  /// PING commands without an answer.
  std::uint64_t unanswered{0U};

  /// PING commands without an answer that mean the broker is gone.
  std::uint64_t unanswered_max{3U};

  /// 1 while INVALIDs may still arrive that answer commands of a session that is over.
  std::uint64_t stale{0U};

  /// The stream to attach to.
  std::string stream{};

 private:
  friend struct Steps;
  friend struct Table;

  ClientHost* host_;
};

}  // namespace zeps_wire::zeps_client

/// @file
/// ZEPS server session.
///
/// What a broker does for one client. The host keeps streams, subscriptions and the clock; the machine
/// decides what is legal, what is answered, and how much may be sent.
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

namespace zeps_wire::zeps_server {

/// The states; the first is the initial state.
enum class State : std::uint16_t {
  /// No session. Only ATTACH is understood.
  start,
  /// The client is attached to a stream.
  open,
  /// DETACH was sent. What the client published before it received DETACH is stored; its other commands are
  /// ignored.
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
  /// The host received something that does not decode; reason says what.
  on_malformed,
  /// Raised when the stream cannot be opened; reason says why.
  on_attach_refused,
  /// Raised when the subscription cannot be granted; reason says why.
  on_subscribe_refused,
  /// Messages that this client was to be delivered are lost; reason says which.
  on_gap,
  /// The client was silent for longer than the timeout.
  on_expired,
  /// The client has been silent for a while; ask whether it is there.
  on_heartbeat,
  /// The broker stops.
  on_shutdown,
  /// The host has a message for this client.
  on_deliver,
};

/// The events that a host action may fail with or raise. They carry no data.
enum class InternalEvent : std::uint16_t {
  /// Raised when the stream cannot be opened; reason says why.
  on_attach_refused = static_cast<std::uint16_t>(Event::on_attach_refused),
  /// Raised when the subscription cannot be granted; reason says why.
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

/// The host of the machine: sends its messages and runs its actions. An action gets the data of its event; if its
/// events carry data of different types, it gets a pointer to the message, which is null for an event without a
/// message. While an action runs, the machine refuses other events: the host must postpone them.
class ServerHost {
 public:
  ServerHost() = default;
  ServerHost(const ServerHost&) = default;
  ServerHost& operator=(const ServerHost&) = default;
  ServerHost(ServerHost&&) = default;
  ServerHost& operator=(ServerHost&&) = default;
  virtual ~ServerHost() = default;

  /// Sends a message, whose encoding may fail. Its views are valid during the call only.
  virtual void send(const zeps::Message& message) = 0;

  /// Called for each row that was taken, after its steps or after a step that failed.
  virtual void on_transition(State /*from*/, Event /*event*/, State /*to*/) {}

  /// Attaches the client to the stream, or sets `reason` and fails with `attach_refused`.
  ///
  /// May fail with `on_attach_refused`.
  virtual void open_stream(const zeps::Attach& message) = 0;

  /// Detaches the client from its stream, if it is attached to one.
  virtual void close_stream(const zeps::Message* message) = 0;

  /// Checks whether the subscription can be granted; if not, sets `reason` and fails with
  /// `subscribe_refused`.
  ///
  /// May fail with `on_subscribe_refused`.
  virtual void check_subscription(const zeps::Subscribe& message) = 0;

  /// Adds the subscription. Deliveries follow SUBSCRIBE-OK.
  virtual void add_subscription(const zeps::Subscribe& message) = 0;

  /// The client has granted credit: deliver the messages that wait for it.
  virtual void use_credit(const zeps::Credit& message) = 0;

  /// Gives the message its sequence and stores it.
  virtual void store_message(const zeps::Publish& message) = 0;
};

using Carried = zeps_wire::Carried<zeps::Message>;

/// ZEPS server session.
class ServerMachine : public Machine<ServerMachine, State, Event, Carried> {
 public:
  /// `host` must outlive the machine.
  explicit ServerMachine(ServerHost& host) noexcept;

  [[nodiscard]] ServerHost& host() const noexcept { return *host_; }

  /// Handles a received message. Returns taken, unexpected, or unhandled: inside an action, or if no row handles an
  /// event that an action failed with or raised.
  Outcome receive(const zeps::Message& message);

  /// The host received something that does not decode; reason says what.
  /// Returns taken, not_taken if no guard is true, or unhandled.
  Outcome malformed();

  /// Raised when the stream cannot be opened; reason says why.
  /// Returns taken, not_taken if no guard is true, or unhandled.
  Outcome attach_refused();

  /// Raised when the subscription cannot be granted; reason says why.
  /// Returns taken, not_taken if no guard is true, or unhandled.
  Outcome subscribe_refused();

  /// Messages that this client was to be delivered are lost; reason says which.
  /// Returns taken, not_taken if no guard is true, or unhandled.
  Outcome gap();

  /// The client was silent for longer than the timeout.
  /// Returns taken, not_taken if no guard is true, or unhandled.
  Outcome expired();

  /// The client has been silent for a while; ask whether it is there.
  /// Returns taken, not_taken if no guard is true, or unhandled.
  Outcome heartbeat();

  /// The broker stops.
  /// Returns taken, not_taken if no guard is true, or unhandled.
  Outcome shutdown();

  /// The host has a message for this client.
  /// Returns taken, not_taken if no guard is true, or unhandled.
  Outcome deliver(const zeps::Deliver& message);

  /// Makes the running host action fail: the remaining steps are skipped, and `event` is handled next. Returns false,
  /// without any effect, outside of actions.
  bool fail(InternalEvent event) noexcept { return fail_(static_cast<Event>(event)); }

  /// Raises `event` in the running host action: it is handled after the row, in the new state, unless an action fails
  /// or the machine terminates. A later event replaces it. Returns false, without any effect, outside of actions.
  bool raise(InternalEvent event) noexcept { return raise_(static_cast<Event>(event)); }

  /// Octets of DELIVER frames that the client still accepts.
  std::uint64_t credit{0U};

  /// Why the host refused; set by the host before any event that sends it.
  std::string reason{};

 private:
  friend struct Steps;
  friend struct Table;

  ServerHost* host_;
};

}  // namespace zeps_wire::zeps_server

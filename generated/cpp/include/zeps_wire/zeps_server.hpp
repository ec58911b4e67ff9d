/// @file
/// ZEPS server session.
///
/// What a broker does for one client. The host keeps streams, subscriptions and the clock; the machine
/// decides what is legal, what is answered, and how much may be sent.
///
/// Generated from the model; edit that instead.
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

/// Where a session is. The first is where it begins.
enum class State : std::uint16_t {
  /// No session. Only ATTACH is understood.
  start,
  /// The client is attached to a stream.
  open,
  /// The broker said DETACH. What the client had published before it heard of it still counts.
  detaching,
};

/// What may happen: a message arrives, or (`on_…`) the host or the application says so.
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

/// What a host action may fail with or raise. They carry nothing.
enum class InternalEvent : std::uint16_t {
  /// Raised when the stream cannot be opened; reason says why.
  on_attach_refused = static_cast<std::uint16_t>(Event::on_attach_refused),
  /// Raised when the subscription cannot be granted; reason says why.
  on_subscribe_refused = static_cast<std::uint16_t>(Event::on_subscribe_refused),
};

/// What the model calls the event; "unknown" if it is none.
[[nodiscard]] std::string_view name_of(InternalEvent event) noexcept;

/// What the model calls the state; "unknown" if it is none.
[[nodiscard]] std::string_view name_of(State state) noexcept;

/// What the model calls the event; "unknown" if it is none.
[[nodiscard]] std::string_view name_of(Event event) noexcept;

/// The machine as data, in the model's order.
[[nodiscard]] Span<const Row<State, Event>> table() noexcept;

/// What the machine asks of its host. An action gets what the event carries; several kinds of events share one that
/// takes a pointer, which is null if there is no message. None of them may give the machine an event, since it is half way
/// through one: what follows has to wait until the machine has returned.
class ServerHost {
 public:
  ServerHost() = default;
  ServerHost(const ServerHost&) = default;
  ServerHost& operator=(const ServerHost&) = default;
  ServerHost(ServerHost&&) = default;
  ServerHost& operator=(ServerHost&&) = default;
  virtual ~ServerHost() = default;

  /// Send it, or let it be seen that it cannot be encoded. What it shows lives as long as this call.
  virtual void send(const zeps::Message& message) = 0;

  /// A row was taken: its steps have run, or those up to one that failed. It changes nothing.
  virtual void on_transition(State /*from*/, Event /*event*/, State /*to*/) {}

  /// Attaches the client to the stream, or sets `reason` and fails with `attach_refused`.
  ///
  /// May fail with `on_attach_refused`.
  virtual void open_stream(const zeps::Attach& message) = 0;

  /// Detaches the client from its stream, if it is attached to one.
  virtual void close_stream(const zeps::Message* message) = 0;

  /// Looks whether the subscription can be granted; if not, sets `reason` and fails with
  /// `subscribe_refused`.
  ///
  /// May fail with `on_subscribe_refused`.
  virtual void check_subscription(const zeps::Subscribe& message) = 0;

  /// Adds the subscription. Deliveries follow SUBSCRIBE-OK.
  virtual void add_subscription(const zeps::Subscribe& message) = 0;

  /// The client accepts more: deliver what waits.
  virtual void use_credit(const zeps::Credit& message) = 0;

  /// Gives the message its sequence and stores it.
  virtual void store_message(const zeps::Publish& message) = 0;
};

/// What an event brings along: a message, or the parameters of a call.
struct Carried {
  const zeps::Message* message = nullptr;
  const void* call = nullptr;
};

/// ZEPS server session, as its table says.
class ServerMachine : public Machine<ServerMachine, State, Event, Carried> {
 public:
  /// `host` has to live as long as the machine.
  explicit ServerMachine(ServerHost& host) noexcept;

  [[nodiscard]] ServerHost& host() const noexcept { return *host_; }

  /// Handles a message that arrived: taken, unexpected, or unhandled inside an action, and if the host failed with an
  /// event that no row takes.
  Outcome receive(const zeps::Message& message);

  /// The host received something that does not decode; reason says what.
  /// Taken, not_taken if no guard holds, or unhandled.
  Outcome malformed();

  /// Raised when the stream cannot be opened; reason says why.
  /// Taken, not_taken if no guard holds, or unhandled.
  Outcome attach_refused();

  /// Raised when the subscription cannot be granted; reason says why.
  /// Taken, not_taken if no guard holds, or unhandled.
  Outcome subscribe_refused();

  /// Messages that this client was to be delivered are lost; reason says which.
  /// Taken, not_taken if no guard holds, or unhandled.
  Outcome gap();

  /// The client was silent for longer than the timeout.
  /// Taken, not_taken if no guard holds, or unhandled.
  Outcome expired();

  /// The client has been silent for a while; ask whether it is there.
  /// Taken, not_taken if no guard holds, or unhandled.
  Outcome heartbeat();

  /// The broker stops.
  /// Taken, not_taken if no guard holds, or unhandled.
  Outcome shutdown();

  /// The host has a message for this client.
  /// Taken, not_taken if no guard holds, or unhandled.
  Outcome deliver(const zeps::Deliver& message);

  /// For a host action that cannot do what it was asked: the steps that are left do not run, and `event` is handled next.
  /// Outside of actions nothing happens, and it returns false.
  bool fail(InternalEvent event) noexcept { return fail_(static_cast<Event>(event)); }

  /// For a host action: `event` is handled after the row, in the state that was reached, unless an action fails or the
  /// machine has terminated. A later one takes its place. Outside of actions nothing happens, and it returns false.
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

/// @file
/// ZMTP connection of a publisher.
///
/// What a PUB or XPUB socket does on one connection, bound or connected, from the greeting to the end. The
/// host frames, knows the socket's subscriptions and queues, and closes the connection when the machine has
/// terminated.
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
#include "zeps_wire/zmtp.hpp"

namespace zeps_wire::zmtp_publisher {

/// The states; the first is the initial state.
enum class State : std::uint16_t {
  /// Nothing was sent yet. A socket that is greeted first greets back, even if it refuses the peer.
  start,
  /// Our greeting is sent; theirs is not there.
  greeting,
  /// Both greetings are there. Our READY does not wait for theirs.
  introducing,
  /// Their READY was first; the host still owes ours.
  answering,
  /// Our READY is sent; theirs is not there.
  handshake,
  /// The two talk. Subscriptions are taken in either form, for versions 3.0 and 3.1 differ in nothing else.
  open,
  /// The connection is over.
  closed,
};

/// The events: received messages, and (`on_…`) those that the host or the application raises.
enum class Event : std::uint16_t {
  /// Opens a connection, in either direction.
  greeting,
  /// Command: the sender is ready, and this is what it is.
  ready,
  /// Command: the sender refuses the peer.
  error,
  /// Command: asks for a sign of life.
  ping,
  /// Command: answers PING.
  pong,
  /// Command of version 3.1: asks for the messages that begin with a topic.
  subscribe,
  /// Command of version 3.1: takes one subscription back.
  cancel,
  /// Message of version 3.0: asks for the messages that begin with a topic.
  subscription,
  /// Message of version 3.0: takes one subscription back.
  cancellation,
  /// Command of our extension, for version 3.1: asks for the messages that a filter of some kind lets pass.
  subscribe_x,
  /// Command of our extension, for version 3.1: takes one filter back.
  cancel_x,
  /// Message of our extension, for version 3.0: asks for the messages that a filter of some kind lets pass.
  subscription_x,
  /// Message of our extension, for version 3.0: takes one filter back.
  cancellation_x,
  /// Before the start: speak version 3.0.
  on_downgrade,
  /// The transport has connected the two.
  on_connected,
  /// The host's own READY. It follows at once when the machine asks for it, before anything else is read.
  on_introduce,
  /// Raised by a host action: the peer's greeting or its metadata is not acceptable.
  on_refused,
  /// Nothing has arrived for a while.
  on_heartbeat,
  /// The handshake takes too long, or the peer's time to live has passed.
  on_expired,
  /// Something arrived that does not decode.
  on_malformed,
  /// A command arrived that the models do not have.
  on_unknown,
  /// The transport has lost the connection.
  on_disconnected,
};

/// The events that a host action may fail with or raise. They carry no data.
enum class InternalEvent : std::uint16_t {
  /// Raised by a host action: the peer's greeting or its metadata is not acceptable.
  on_refused = static_cast<std::uint16_t>(Event::on_refused),
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
  virtual void send(const zmtp::Message& message) = 0;

  /// Called instead of `send` for a message with an unfilled field, or with a value that its field cannot hold: a
  /// number that is too great, or the wrong number of bytes.
  virtual void unsendable(const zeps_wire::Error& error) = 0;

  /// Called for each row that was taken, after its steps or after a step that failed.
  virtual void on_transition(State /*from*/, Event /*event*/, State /*to*/) {}

  /// Checks the mechanism and the version of the peer; fails with `refused` if they are not acceptable.
  ///
  /// May fail with `on_refused`.
  virtual void check_greeting(const zmtp::Greeting& message) = 0;

  /// Asks the host for its own READY, which it raises as `introduce` at once.
  virtual void ask_for_introduction(const zmtp::Greeting& message) = 0;

  /// Close the transport: the peer is gone or breaks the protocol.
  virtual void close_connection(const zmtp::Message* message) = 0;

  /// Checks the metadata of READY; fails with `refused` if the socket types do not fit.
  ///
  /// May fail with `on_refused`.
  virtual void check_peer(const zmtp::Ready& message) = 0;

  /// The handshake is complete.
  virtual void opened(const zmtp::Ready& message) = 0;

  /// The peer refuses the connection; ERROR says why.
  virtual void peer_refused(const zmtp::Error& message) = 0;

  /// The peer wants the messages that begin with the topic, once more.
  virtual void add_subscription(const zmtp::Message* message) = 0;

  /// The peer takes one subscription back.
  virtual void remove_subscription(const zmtp::Message* message) = 0;
};

using Carried = zeps_wire::Carried<zmtp::Message>;

/// ZMTP connection of a publisher.
class ServerMachine : public Machine<ServerMachine, State, Event, Carried> {
 public:
  /// `host` must outlive the machine.
  explicit ServerMachine(ServerHost& host) noexcept;

  [[nodiscard]] ServerHost& host() const noexcept { return *host_; }

  /// Handles a received message. Returns taken, unexpected, or unhandled: inside an action, or if no row handles an
  /// event that an action failed with or raised.
  Outcome receive(const zmtp::Message& message);

  /// Before the start: speak version 3.0.
  /// Returns taken, not_taken if no guard is true, or unhandled.
  Outcome downgrade();

  /// The transport has connected the two.
  /// Returns taken, not_taken if no guard is true, or unhandled.
  Outcome connected();

  /// The host's own READY. It follows at once when the machine asks for it, before anything else is read.
  /// Returns taken, not_taken if no guard is true, or unhandled.
  Outcome introduce(const zmtp::Ready& message);

  /// Raised by a host action: the peer's greeting or its metadata is not acceptable.
  /// Returns taken, not_taken if no guard is true, or unhandled.
  Outcome refused();

  /// Nothing has arrived for a while.
  /// Returns taken, not_taken if no guard is true, or unhandled.
  Outcome heartbeat();

  /// The handshake takes too long, or the peer's time to live has passed.
  /// Returns taken, not_taken if no guard is true, or unhandled.
  Outcome expired();

  /// Something arrived that does not decode.
  /// Returns taken, not_taken if no guard is true, or unhandled.
  Outcome malformed();

  /// A command arrived that the models do not have.
  /// Returns taken, not_taken if no guard is true, or unhandled.
  Outcome unknown();

  /// The transport has lost the connection.
  /// Returns taken, not_taken if no guard is true, or unhandled.
  Outcome disconnected();

  /// Makes the running host action fail: the remaining steps are skipped, and `event` is handled next. Returns false,
  /// without any effect, outside of actions.
  bool fail(InternalEvent event) noexcept { return fail_(static_cast<Event>(event)); }

  /// Raises `event` in the running host action: it is handled after the row, in the new state, unless an action fails
  /// or the machine terminates. A later event replaces it. Returns false, without any effect, outside of actions.
  bool raise(InternalEvent event) noexcept { return raise_(static_cast<Event>(event)); }

  /// The security mechanism of the socket, 20 octets padded with zeros; set by the host before anything
  /// else.
  std::vector<std::uint8_t> mechanism{};

  /// Minor version that is announced.
  std::uint64_t minor_{1U};

  /// Tenths of a second after which the peer may give up; sent with PING.
  std::uint64_t ttl{0U};

  /// PINGs without a sign of life since.
  std::uint64_t unanswered{0U};

  /// PINGs without a sign of life that mean the peer is gone.
  std::uint64_t unanswered_max{1U};

  /// Why the host refuses the peer; set before it raises refused.
  std::vector<std::uint8_t> reason{};

 private:
  friend struct Steps;
  friend struct Table;

  ServerHost* host_;
};

}  // namespace zeps_wire::zmtp_publisher

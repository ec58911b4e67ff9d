/// @file
/// ZeroMQ Enterprise Publish-Subscribe.
///
/// ZEPS is a broker-based publish-subscribe protocol. A client attaches to one stream of a broker,
/// publishes messages to it, and receives those that match its subscriptions, from any point of the
/// stream's history on.
///
/// Generated from the models: change the models.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <tuple>
#include <variant>

#include "zeps_wire/runtime/codec.hpp"

namespace zeps_wire::zeps {

/// A `latest` that asks for everything retained.
inline constexpr std::uint64_t latest_all = 0U;

/// A `latest` that asks for new messages only.
inline constexpr std::uint64_t latest_new = 18446744073709551615U;

/// Codes of INVALID that end the session. A code that a client does not know counts as one of these.
struct EndingCode {
  /// The frame cannot be decoded, or the message has several parts.
  static constexpr std::string_view malformed = "malformed";
  /// The command's number is not defined in this version.
  static constexpr std::string_view unknown_command = "unknown-command";
  /// A command other than ATTACH came without a session.
  static constexpr std::string_view no_session = "no-session";
  /// The connection chose its own routing id.
  static constexpr std::string_view routing_id = "routing-id";
  /// Refuses ATTACH: another protocol.
  static constexpr std::string_view unsupported_protocol = "unsupported-protocol";
  /// Refuses ATTACH: a version that the broker does not speak.
  static constexpr std::string_view unsupported_version = "unsupported-version";
  /// Refuses ATTACH: the stream name is empty.
  static constexpr std::string_view stream_name = "stream-name";
  /// Refuses ATTACH: the broker cannot read the stream, or may not begin another one; trying again later
  /// may help.
  static constexpr std::string_view stream_unavailable = "stream-unavailable";
  /// Refuses ATTACH: the broker has as many sessions as it may have, or no memory for another; trying again
  /// later may help.
  static constexpr std::string_view too_many_sessions = "too-many-sessions";
  /// Refuses ATTACH: the broker is stopping; trying again later may help.
  static constexpr std::string_view stopping = "stopping";
};

/// Whether `value` is a member.
[[nodiscard]] constexpr bool is_ending_code(std::string_view value) noexcept {
  return value == "malformed" || value == "unknown-command" || value == "no-session" ||
         value == "routing-id" || value == "unsupported-protocol" || value == "unsupported-version" ||
         value == "stream-name" || value == "stream-unavailable" || value == "too-many-sessions" ||
         value == "stopping";
}

/// Codes of INVALID that leave an open session as it is.
struct OpenCode {
  /// A command that only the broker sends, or DETACH-OK without DETACH; it was ignored.
  static constexpr std::string_view unexpected = "unexpected";
  /// Refuses SUBSCRIBE: the pattern does not have the syntax of the stream's matching style.
  static constexpr std::string_view bad_pattern = "bad-pattern";
  /// Refuses SUBSCRIBE: the session has as many subscriptions as it may have, or the broker no resources
  /// for another.
  static constexpr std::string_view too_many_subscriptions = "too-many-subscriptions";
  /// Refuses SUBSCRIBE: the sequences from first, which is `latest` + 1, to last are no longer retained.
  static constexpr std::string_view not_retained = "not-retained";
  /// Refuses SUBSCRIBE: the sequences from first to last, which is `latest`, do not exist; the stream ends
  /// before first.
  static constexpr std::string_view beyond_end = "beyond-end";
  /// A notice: the sequences from first to last were to be delivered, and retention has removed them.
  static constexpr std::string_view retention = "retention";
  /// A notice: the sequences from first to last were to be delivered, and the journal is damaged there.
  static constexpr std::string_view damage = "damage";
};

/// Whether `value` is a member.
[[nodiscard]] constexpr bool is_open_code(std::string_view value) noexcept {
  return value == "unexpected" || value == "bad-pattern" || value == "too-many-subscriptions" ||
         value == "not-retained" || value == "beyond-end" || value == "retention" || value == "damage";
}

/// Client opens stream.
struct Attach {
  static constexpr std::string_view message_name = "ATTACH";
  static constexpr std::uint64_t message_id = 1U;
  /// Constant "ZEPS".
  static constexpr std::string_view protocol = "ZEPS";
  /// Protocol version 1.
  static constexpr std::uint64_t version = 1U;

  /// Stream name.
  std::string_view stream{};
};

/// Server grants the client access.
struct AttachOk {
  static constexpr std::string_view message_name = "ATTACH-OK";
  static constexpr std::uint64_t message_id = 2U;
};

/// Client subscribes to a set of topics.
struct Subscribe {
  static constexpr std::string_view message_name = "SUBSCRIBE";
  static constexpr std::uint64_t message_id = 3U;

  /// Subscription pattern.
  std::string_view pattern{};
  /// Last known sequence.
  std::uint64_t latest{};
};

/// Server confirms the subscription.
struct SubscribeOk {
  static constexpr std::string_view message_name = "SUBSCRIBE-OK";
  static constexpr std::uint64_t message_id = 4U;
};

/// Client sends credit to the server.
struct Credit {
  static constexpr std::string_view message_name = "CREDIT";
  static constexpr std::uint64_t message_id = 5U;

  /// Credit, in octets.
  std::uint64_t credit{};
};

/// Client publishes a new message to the open stream.
struct Publish {
  static constexpr std::string_view message_name = "PUBLISH";
  static constexpr std::uint64_t message_id = 6U;

  /// Message routing key.
  std::string_view key{};
  /// Message contents.
  zeps_wire::Octets body{};
};

/// Server delivers a message to the client.
struct Deliver {
  static constexpr std::string_view message_name = "DELIVER";
  static constexpr std::uint64_t message_id = 7U;

  /// Sequenced per stream.
  std::uint64_t sequence{};
  /// Message routing key.
  std::string_view key{};
  /// Message contents.
  zeps_wire::Octets body{};
};

/// Client or server sends a heartbeat.
struct Ping {
  static constexpr std::string_view message_name = "PING";
  static constexpr std::uint64_t message_id = 8U;
};

/// Client or server answers a heartbeat.
struct PingOk {
  static constexpr std::string_view message_name = "PING-OK";
  static constexpr std::uint64_t message_id = 9U;
};

/// Client or server closes the peering.
struct Detach {
  static constexpr std::string_view message_name = "DETACH";
  static constexpr std::uint64_t message_id = 10U;
};

/// Client or server confirms the close.
struct DetachOk {
  static constexpr std::string_view message_name = "DETACH-OK";
  static constexpr std::uint64_t message_id = 11U;
};

/// Server tells client it sent an invalid message.
struct Invalid {
  static constexpr std::string_view message_name = "INVALID";
  static constexpr std::uint64_t message_id = 12U;

  /// Printable explanation.
  std::string_view reason{};
};

/// Any message.
using Message = std::variant<Attach, AttachOk, Subscribe, SubscribeOk, Credit, Publish, Deliver, Ping, PingOk,
                             Detach, DetachOk, Invalid>;

/// Decodes a frame. Text, bytes and lists of the message are views of the frame.
[[nodiscard]] zeps_wire::Result<Message> decode(zeps_wire::Octets frame) noexcept;

/// Decodes a frame into `message`. Returns false and sets `error` if the frame is not valid.
bool decode(zeps_wire::Octets frame, Message& message, zeps_wire::Error& error) noexcept;

/// Decodes a message of several frames. Its lists of frames are views of `frames`.
[[nodiscard]] zeps_wire::Result<Message> decode_frames(
    zeps_wire::Span<const zeps_wire::Octets> frames) noexcept;

/// Decodes a message of several frames into `message`. Returns false and sets `error` if they are not valid.
bool decode_frames(zeps_wire::Span<const zeps_wire::Octets> frames, Message& message,
                   zeps_wire::Error& error) noexcept;

using zeps_wire::check;
using zeps_wire::decode;
using zeps_wire::decode_frames;
using zeps_wire::encode;
using zeps_wire::encode_frames;
using zeps_wire::encoded_size;
using zeps_wire::name_of;
using zeps_wire::write;

}  // namespace zeps_wire::zeps

// The layouts of the messages.
namespace zeps_wire {

template <>
struct Layout<zeps::Attach> : Closed {
  static constexpr auto by = Beginning::Dispatch::number;
  using Head = operation::Constant<0xAA, 0xA5, 0x01>;
  using Operations =
      std::tuple<operation::Constant<0x04, 0x5A, 0x45, 0x50, 0x53>, operation::Constant<0x00, 0x01>,
                 operation::Field<&zeps::Attach::stream, kind::String<1, Text::printable>>>;
  static constexpr std::array<std::string_view, 3> names = {"protocol", "version", "stream"};
};

template <>
struct Layout<zeps::AttachOk> : Closed {
  static constexpr auto by = Beginning::Dispatch::number;
  using Head = operation::Constant<0xAA, 0xA5, 0x02>;
  using Operations = std::tuple<>;
  static constexpr std::array<std::string_view, 0> names = {};
};

template <>
struct Layout<zeps::Subscribe> : Closed {
  static constexpr auto by = Beginning::Dispatch::number;
  using Head = operation::Constant<0xAA, 0xA5, 0x03>;
  using Operations = std::tuple<operation::Field<&zeps::Subscribe::pattern, kind::String<1, Text::printable>>,
                                operation::Field<&zeps::Subscribe::latest, kind::Number<8>>>;
  static constexpr std::array<std::string_view, 2> names = {"pattern", "latest"};
};

template <>
struct Layout<zeps::SubscribeOk> : Closed {
  static constexpr auto by = Beginning::Dispatch::number;
  using Head = operation::Constant<0xAA, 0xA5, 0x04>;
  using Operations = std::tuple<>;
  static constexpr std::array<std::string_view, 0> names = {};
};

template <>
struct Layout<zeps::Credit> : Closed {
  static constexpr auto by = Beginning::Dispatch::number;
  using Head = operation::Constant<0xAA, 0xA5, 0x05>;
  using Operations = std::tuple<operation::Field<&zeps::Credit::credit, kind::Number<8>>>;
  static constexpr std::array<std::string_view, 1> names = {"credit"};
};

template <>
struct Layout<zeps::Publish> : Closed {
  static constexpr auto by = Beginning::Dispatch::number;
  using Head = operation::Constant<0xAA, 0xA5, 0x06>;
  using Operations = std::tuple<operation::Field<&zeps::Publish::key, kind::String<1, Text::printable>>,
                                operation::Field<&zeps::Publish::body, kind::Chunk<4, 16777216U>>>;
  static constexpr std::array<std::string_view, 2> names = {"key", "body"};
};

template <>
struct Layout<zeps::Deliver> : Closed {
  static constexpr auto by = Beginning::Dispatch::number;
  using Head = operation::Constant<0xAA, 0xA5, 0x07>;
  using Operations = std::tuple<operation::Field<&zeps::Deliver::sequence, kind::Number<8>>,
                                operation::Field<&zeps::Deliver::key, kind::String<1, Text::printable>>,
                                operation::Field<&zeps::Deliver::body, kind::Chunk<4, 16777216U>>>;
  static constexpr std::array<std::string_view, 3> names = {"sequence", "key", "body"};
};

template <>
struct Layout<zeps::Ping> : Closed {
  static constexpr auto by = Beginning::Dispatch::number;
  using Head = operation::Constant<0xAA, 0xA5, 0x08>;
  using Operations = std::tuple<>;
  static constexpr std::array<std::string_view, 0> names = {};
};

template <>
struct Layout<zeps::PingOk> : Closed {
  static constexpr auto by = Beginning::Dispatch::number;
  using Head = operation::Constant<0xAA, 0xA5, 0x09>;
  using Operations = std::tuple<>;
  static constexpr std::array<std::string_view, 0> names = {};
};

template <>
struct Layout<zeps::Detach> : Closed {
  static constexpr auto by = Beginning::Dispatch::number;
  using Head = operation::Constant<0xAA, 0xA5, 0x0A>;
  using Operations = std::tuple<>;
  static constexpr std::array<std::string_view, 0> names = {};
};

template <>
struct Layout<zeps::DetachOk> : Closed {
  static constexpr auto by = Beginning::Dispatch::number;
  using Head = operation::Constant<0xAA, 0xA5, 0x0B>;
  using Operations = std::tuple<>;
  static constexpr std::array<std::string_view, 0> names = {};
};

template <>
struct Layout<zeps::Invalid> : Closed {
  static constexpr auto by = Beginning::Dispatch::number;
  using Head = operation::Constant<0xAA, 0xA5, 0x0C>;
  using Operations = std::tuple<operation::Field<&zeps::Invalid::reason, kind::String<1, Text::printable>>>;
  static constexpr std::array<std::string_view, 1> names = {"reason"};
};

}  // namespace zeps_wire

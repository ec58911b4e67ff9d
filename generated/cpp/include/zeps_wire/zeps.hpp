/// @file
/// ZeroMQ Enterprise Publish-Subscribe.
///
/// ZEPS is a broker-based publish-subscribe protocol. A client attaches to one stream of a broker,
/// publishes messages to it, and receives those that match its subscriptions, from any point of the
/// stream's history on.
///
/// Generated from the model; edit that instead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>

#include "zeps_wire/runtime/codec.hpp"

namespace zeps_wire::zeps {

/// A `latest` that asks for everything retained.
inline constexpr std::uint64_t latest_all = 0U;

/// A `latest` that asks for new messages only.
inline constexpr std::uint64_t latest_new = 18446744073709551615U;

/// Codes of INVALID after which there is no session. A code that a client does not know counts as one of
/// these.
struct EndingCode {
  /// What arrived cannot be decoded.
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
  /// Refuses ATTACH: the broker cannot serve the stream; trying again later may help.
  static constexpr std::string_view stream_unavailable = "stream-unavailable";
  /// Refuses ATTACH: the broker has as many sessions as it may have; trying again later may help.
  static constexpr std::string_view too_many_sessions = "too-many-sessions";
  /// Refuses ATTACH: the broker is stopping; trying again later may help.
  static constexpr std::string_view stopping = "stopping";
};

/// Whether `value` is one of them.
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
  /// Refuses SUBSCRIBE: the session has as many subscriptions as it may have.
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

/// Whether `value` is one of them.
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

/// The message that `frame` holds, to its last octet. Its text, octets and lists are views of the frame.
[[nodiscard]] zeps_wire::Result<Message> decode(zeps_wire::Octets frame) noexcept;

/// The same into a message that is there. False, and the error, if the frame holds none.
bool decode(zeps_wire::Octets frame, Message& message, zeps_wire::Error& error) noexcept;

/// Whether the message can be encoded. False, and the error, if its format cannot carry it.
bool check(const Message& message, zeps_wire::Error& error) noexcept;

/// Octets of the encoded message.
[[nodiscard]] std::size_t encoded_size(const Message& message) noexcept;

/// Lays the message down from `at` on, where there is room for `encoded_size`. Only after `check`. Returns where it
/// ends.
std::uint8_t* write(const Message& message, std::uint8_t* at) noexcept;

/// What the model calls the message.
[[nodiscard]] std::string_view name_of(const Message& message) noexcept;

using zeps_wire::encode;

/// How the messages lie on the wire: what they begin with, and the kind of each field.
namespace layout {

struct Attach {
  static constexpr std::uint8_t head[] = {0xAA, 0xA5, 0x01, 0x04, 0x5A, 0x45, 0x50, 0x53, 0x00, 0x01};
  static constexpr std::uint8_t protocol[] = {0x04, 0x5A, 0x45, 0x50, 0x53};
  static constexpr std::uint8_t version[] = {0x00, 0x01};
  static constexpr zeps_wire::Constant constants[] = {{"protocol", protocol}, {"version", version}};
  static constexpr zeps_wire::Beginning beginning = {"ATTACH", zeps_wire::Beginning::Dispatch::number,
                                                     zeps_wire::Octets(head, 3), constants};
  using stream = zeps_wire::kind::String<1, zeps_wire::Text::printable>;
};

struct AttachOk {
  static constexpr std::uint8_t head[] = {0xAA, 0xA5, 0x02};
  static constexpr zeps_wire::Beginning beginning = {
      "ATTACH-OK", zeps_wire::Beginning::Dispatch::number, zeps_wire::Octets(head, 3), {}};
};

struct Subscribe {
  static constexpr std::uint8_t head[] = {0xAA, 0xA5, 0x03};
  static constexpr zeps_wire::Beginning beginning = {
      "SUBSCRIBE", zeps_wire::Beginning::Dispatch::number, zeps_wire::Octets(head, 3), {}};
  using pattern = zeps_wire::kind::String<1, zeps_wire::Text::printable>;
  using latest = zeps_wire::kind::Number<8>;
};

struct SubscribeOk {
  static constexpr std::uint8_t head[] = {0xAA, 0xA5, 0x04};
  static constexpr zeps_wire::Beginning beginning = {
      "SUBSCRIBE-OK", zeps_wire::Beginning::Dispatch::number, zeps_wire::Octets(head, 3), {}};
};

struct Credit {
  static constexpr std::uint8_t head[] = {0xAA, 0xA5, 0x05};
  static constexpr zeps_wire::Beginning beginning = {
      "CREDIT", zeps_wire::Beginning::Dispatch::number, zeps_wire::Octets(head, 3), {}};
  using credit = zeps_wire::kind::Number<8>;
};

struct Publish {
  static constexpr std::uint8_t head[] = {0xAA, 0xA5, 0x06};
  static constexpr zeps_wire::Beginning beginning = {
      "PUBLISH", zeps_wire::Beginning::Dispatch::number, zeps_wire::Octets(head, 3), {}};
  using key = zeps_wire::kind::String<1, zeps_wire::Text::printable>;
  using body = zeps_wire::kind::Chunk<4, 16777216U>;
};

struct Deliver {
  static constexpr std::uint8_t head[] = {0xAA, 0xA5, 0x07};
  static constexpr zeps_wire::Beginning beginning = {
      "DELIVER", zeps_wire::Beginning::Dispatch::number, zeps_wire::Octets(head, 3), {}};
  using sequence = zeps_wire::kind::Number<8>;
  using key = zeps_wire::kind::String<1, zeps_wire::Text::printable>;
  using body = zeps_wire::kind::Chunk<4, 16777216U>;
};

struct Ping {
  static constexpr std::uint8_t head[] = {0xAA, 0xA5, 0x08};
  static constexpr zeps_wire::Beginning beginning = {
      "PING", zeps_wire::Beginning::Dispatch::number, zeps_wire::Octets(head, 3), {}};
};

struct PingOk {
  static constexpr std::uint8_t head[] = {0xAA, 0xA5, 0x09};
  static constexpr zeps_wire::Beginning beginning = {
      "PING-OK", zeps_wire::Beginning::Dispatch::number, zeps_wire::Octets(head, 3), {}};
};

struct Detach {
  static constexpr std::uint8_t head[] = {0xAA, 0xA5, 0x0A};
  static constexpr zeps_wire::Beginning beginning = {
      "DETACH", zeps_wire::Beginning::Dispatch::number, zeps_wire::Octets(head, 3), {}};
};

struct DetachOk {
  static constexpr std::uint8_t head[] = {0xAA, 0xA5, 0x0B};
  static constexpr zeps_wire::Beginning beginning = {
      "DETACH-OK", zeps_wire::Beginning::Dispatch::number, zeps_wire::Octets(head, 3), {}};
};

struct Invalid {
  static constexpr std::uint8_t head[] = {0xAA, 0xA5, 0x0C};
  static constexpr zeps_wire::Beginning beginning = {
      "INVALID", zeps_wire::Beginning::Dispatch::number, zeps_wire::Octets(head, 3), {}};
  using reason = zeps_wire::kind::String<1, zeps_wire::Text::printable>;
};

}  // namespace layout

/// The same as `decode`, field by field: it knows what is wrong.
ZEPS_WIRE_APART bool decode_closely(zeps_wire::Octets frame, Attach& message,
                                    zeps_wire::Error& error) noexcept;

/// Attach of a frame that ought to hold one. False, and the error, if it does not.
ZEPS_WIRE_INLINE bool decode(zeps_wire::Octets frame, [[maybe_unused]] Attach& message,
                             zeps_wire::Error& error) noexcept {
  const std::uint8_t* at = nullptr;
  std::size_t spare = 0;
  const bool whole = glance_head(frame, layout::Attach::head, 11U, at, spare) &&
                     layout::Attach::stream::glance_last(at, spare, message.stream);
  return ZEPS_WIRE_LIKELY(whole) || decode_closely(frame, message, error);
}

/// The same as `check`, field by field: it knows what is wrong.
ZEPS_WIRE_APART bool check_closely(const Attach& message, zeps_wire::Error& error) noexcept;

/// Whether it can be encoded. False, and the error, if its format cannot carry it.
ZEPS_WIRE_INLINE bool check(const Attach& message, zeps_wire::Error& error) noexcept {
  const bool fine = carries<layout::Attach::stream>(message.stream);
  return ZEPS_WIRE_LIKELY(fine) || check_closely(message, error);
}

/// Octets of the encoded message.
[[nodiscard]] ZEPS_WIRE_INLINE std::size_t encoded_size([[maybe_unused]] const Attach& message) noexcept {
  return 10U + layout::Attach::stream::size(message.stream);
}

/// Lays it down from `at` on, where there is room for `encoded_size`. Only after `check`. Returns where it ends.
ZEPS_WIRE_INLINE std::uint8_t* write([[maybe_unused]] const Attach& message, std::uint8_t* at) noexcept {
  at = store_constant(at, layout::Attach::head);
  at = layout::Attach::stream::write(at, message.stream);
  return at;
}

/// The same as `decode`, field by field: it knows what is wrong.
ZEPS_WIRE_APART bool decode_closely(zeps_wire::Octets frame, AttachOk& message,
                                    zeps_wire::Error& error) noexcept;

/// AttachOk of a frame that ought to hold one. False, and the error, if it does not.
ZEPS_WIRE_INLINE bool decode(zeps_wire::Octets frame, [[maybe_unused]] AttachOk& message,
                             zeps_wire::Error& error) noexcept {
  const std::uint8_t* at = nullptr;
  std::size_t spare = 0;
  const bool whole = glance_head(frame, layout::AttachOk::head, 3U, at, spare) && spare == 0;
  return ZEPS_WIRE_LIKELY(whole) || decode_closely(frame, message, error);
}

/// Whether it can be encoded: always.
constexpr bool check(const AttachOk&, zeps_wire::Error&) noexcept { return true; }

/// Octets of the encoded message.
[[nodiscard]] ZEPS_WIRE_INLINE std::size_t encoded_size([[maybe_unused]] const AttachOk& message) noexcept {
  return 3U;
}

/// Lays it down from `at` on, where there is room for `encoded_size`. Only after `check`. Returns where it ends.
ZEPS_WIRE_INLINE std::uint8_t* write([[maybe_unused]] const AttachOk& message, std::uint8_t* at) noexcept {
  at = store_constant(at, layout::AttachOk::head);
  return at;
}

/// The same as `decode`, field by field: it knows what is wrong.
ZEPS_WIRE_APART bool decode_closely(zeps_wire::Octets frame, Subscribe& message,
                                    zeps_wire::Error& error) noexcept;

/// Subscribe of a frame that ought to hold one. False, and the error, if it does not.
ZEPS_WIRE_INLINE bool decode(zeps_wire::Octets frame, [[maybe_unused]] Subscribe& message,
                             zeps_wire::Error& error) noexcept {
  const std::uint8_t* at = nullptr;
  std::size_t spare = 0;
  const bool whole = glance_head(frame, layout::Subscribe::head, 12U, at, spare) &&
                     layout::Subscribe::pattern::glance(at, spare, message.pattern) &&
                     layout::Subscribe::latest::glance(at, spare, message.latest) && spare == 0;
  return ZEPS_WIRE_LIKELY(whole) || decode_closely(frame, message, error);
}

/// The same as `check`, field by field: it knows what is wrong.
ZEPS_WIRE_APART bool check_closely(const Subscribe& message, zeps_wire::Error& error) noexcept;

/// Whether it can be encoded. False, and the error, if its format cannot carry it.
ZEPS_WIRE_INLINE bool check(const Subscribe& message, zeps_wire::Error& error) noexcept {
  const bool fine = carries<layout::Subscribe::pattern>(message.pattern);
  return ZEPS_WIRE_LIKELY(fine) || check_closely(message, error);
}

/// Octets of the encoded message.
[[nodiscard]] ZEPS_WIRE_INLINE std::size_t encoded_size([[maybe_unused]] const Subscribe& message) noexcept {
  return 11U + layout::Subscribe::pattern::size(message.pattern);
}

/// Lays it down from `at` on, where there is room for `encoded_size`. Only after `check`. Returns where it ends.
ZEPS_WIRE_INLINE std::uint8_t* write([[maybe_unused]] const Subscribe& message, std::uint8_t* at) noexcept {
  at = store_constant(at, layout::Subscribe::head);
  at = layout::Subscribe::pattern::write(at, message.pattern);
  at = layout::Subscribe::latest::write(at, message.latest);
  return at;
}

/// The same as `decode`, field by field: it knows what is wrong.
ZEPS_WIRE_APART bool decode_closely(zeps_wire::Octets frame, SubscribeOk& message,
                                    zeps_wire::Error& error) noexcept;

/// SubscribeOk of a frame that ought to hold one. False, and the error, if it does not.
ZEPS_WIRE_INLINE bool decode(zeps_wire::Octets frame, [[maybe_unused]] SubscribeOk& message,
                             zeps_wire::Error& error) noexcept {
  const std::uint8_t* at = nullptr;
  std::size_t spare = 0;
  const bool whole = glance_head(frame, layout::SubscribeOk::head, 3U, at, spare) && spare == 0;
  return ZEPS_WIRE_LIKELY(whole) || decode_closely(frame, message, error);
}

/// Whether it can be encoded: always.
constexpr bool check(const SubscribeOk&, zeps_wire::Error&) noexcept { return true; }

/// Octets of the encoded message.
[[nodiscard]] ZEPS_WIRE_INLINE std::size_t encoded_size(
    [[maybe_unused]] const SubscribeOk& message) noexcept {
  return 3U;
}

/// Lays it down from `at` on, where there is room for `encoded_size`. Only after `check`. Returns where it ends.
ZEPS_WIRE_INLINE std::uint8_t* write([[maybe_unused]] const SubscribeOk& message, std::uint8_t* at) noexcept {
  at = store_constant(at, layout::SubscribeOk::head);
  return at;
}

/// The same as `decode`, field by field: it knows what is wrong.
ZEPS_WIRE_APART bool decode_closely(zeps_wire::Octets frame, Credit& message,
                                    zeps_wire::Error& error) noexcept;

/// Credit of a frame that ought to hold one. False, and the error, if it does not.
ZEPS_WIRE_INLINE bool decode(zeps_wire::Octets frame, [[maybe_unused]] Credit& message,
                             zeps_wire::Error& error) noexcept {
  const std::uint8_t* at = nullptr;
  std::size_t spare = 0;
  const bool whole = glance_head(frame, layout::Credit::head, 11U, at, spare) &&
                     layout::Credit::credit::glance(at, spare, message.credit) && spare == 0;
  return ZEPS_WIRE_LIKELY(whole) || decode_closely(frame, message, error);
}

/// Whether it can be encoded: always.
constexpr bool check(const Credit&, zeps_wire::Error&) noexcept { return true; }

/// Octets of the encoded message.
[[nodiscard]] ZEPS_WIRE_INLINE std::size_t encoded_size([[maybe_unused]] const Credit& message) noexcept {
  return 11U;
}

/// Lays it down from `at` on, where there is room for `encoded_size`. Only after `check`. Returns where it ends.
ZEPS_WIRE_INLINE std::uint8_t* write([[maybe_unused]] const Credit& message, std::uint8_t* at) noexcept {
  at = store_constant(at, layout::Credit::head);
  at = layout::Credit::credit::write(at, message.credit);
  return at;
}

/// The same as `decode`, field by field: it knows what is wrong.
ZEPS_WIRE_APART bool decode_closely(zeps_wire::Octets frame, Publish& message,
                                    zeps_wire::Error& error) noexcept;

/// Publish of a frame that ought to hold one. False, and the error, if it does not.
ZEPS_WIRE_INLINE bool decode(zeps_wire::Octets frame, [[maybe_unused]] Publish& message,
                             zeps_wire::Error& error) noexcept {
  const std::uint8_t* at = nullptr;
  std::size_t spare = 0;
  const bool whole = glance_head(frame, layout::Publish::head, 8U, at, spare) &&
                     layout::Publish::key::glance(at, spare, message.key) &&
                     layout::Publish::body::glance_last(at, spare, message.body);
  return ZEPS_WIRE_LIKELY(whole) || decode_closely(frame, message, error);
}

/// The same as `check`, field by field: it knows what is wrong.
ZEPS_WIRE_APART bool check_closely(const Publish& message, zeps_wire::Error& error) noexcept;

/// Whether it can be encoded. False, and the error, if its format cannot carry it.
ZEPS_WIRE_INLINE bool check(const Publish& message, zeps_wire::Error& error) noexcept {
  const bool fine =
      carries<layout::Publish::key>(message.key) && carries<layout::Publish::body>(message.body);
  return ZEPS_WIRE_LIKELY(fine) || check_closely(message, error);
}

/// Octets of the encoded message.
[[nodiscard]] ZEPS_WIRE_INLINE std::size_t encoded_size([[maybe_unused]] const Publish& message) noexcept {
  return 3U + layout::Publish::key::size(message.key) + layout::Publish::body::size(message.body);
}

/// Lays it down from `at` on, where there is room for `encoded_size`. Only after `check`. Returns where it ends.
ZEPS_WIRE_INLINE std::uint8_t* write([[maybe_unused]] const Publish& message, std::uint8_t* at) noexcept {
  at = store_constant(at, layout::Publish::head);
  at = layout::Publish::key::write(at, message.key);
  at = layout::Publish::body::write(at, message.body);
  return at;
}

/// The same as `decode`, field by field: it knows what is wrong.
ZEPS_WIRE_APART bool decode_closely(zeps_wire::Octets frame, Deliver& message,
                                    zeps_wire::Error& error) noexcept;

/// Deliver of a frame that ought to hold one. False, and the error, if it does not.
ZEPS_WIRE_INLINE bool decode(zeps_wire::Octets frame, [[maybe_unused]] Deliver& message,
                             zeps_wire::Error& error) noexcept {
  const std::uint8_t* at = nullptr;
  std::size_t spare = 0;
  const bool whole = glance_head(frame, layout::Deliver::head, 16U, at, spare) &&
                     layout::Deliver::sequence::glance(at, spare, message.sequence) &&
                     layout::Deliver::key::glance(at, spare, message.key) &&
                     layout::Deliver::body::glance_last(at, spare, message.body);
  return ZEPS_WIRE_LIKELY(whole) || decode_closely(frame, message, error);
}

/// The same as `check`, field by field: it knows what is wrong.
ZEPS_WIRE_APART bool check_closely(const Deliver& message, zeps_wire::Error& error) noexcept;

/// Whether it can be encoded. False, and the error, if its format cannot carry it.
ZEPS_WIRE_INLINE bool check(const Deliver& message, zeps_wire::Error& error) noexcept {
  const bool fine =
      carries<layout::Deliver::key>(message.key) && carries<layout::Deliver::body>(message.body);
  return ZEPS_WIRE_LIKELY(fine) || check_closely(message, error);
}

/// Octets of the encoded message.
[[nodiscard]] ZEPS_WIRE_INLINE std::size_t encoded_size([[maybe_unused]] const Deliver& message) noexcept {
  return 11U + layout::Deliver::key::size(message.key) + layout::Deliver::body::size(message.body);
}

/// Lays it down from `at` on, where there is room for `encoded_size`. Only after `check`. Returns where it ends.
ZEPS_WIRE_INLINE std::uint8_t* write([[maybe_unused]] const Deliver& message, std::uint8_t* at) noexcept {
  at = store_constant(at, layout::Deliver::head);
  at = layout::Deliver::sequence::write(at, message.sequence);
  at = layout::Deliver::key::write(at, message.key);
  at = layout::Deliver::body::write(at, message.body);
  return at;
}

/// The same as `decode`, field by field: it knows what is wrong.
ZEPS_WIRE_APART bool decode_closely(zeps_wire::Octets frame, Ping& message, zeps_wire::Error& error) noexcept;

/// Ping of a frame that ought to hold one. False, and the error, if it does not.
ZEPS_WIRE_INLINE bool decode(zeps_wire::Octets frame, [[maybe_unused]] Ping& message,
                             zeps_wire::Error& error) noexcept {
  const std::uint8_t* at = nullptr;
  std::size_t spare = 0;
  const bool whole = glance_head(frame, layout::Ping::head, 3U, at, spare) && spare == 0;
  return ZEPS_WIRE_LIKELY(whole) || decode_closely(frame, message, error);
}

/// Whether it can be encoded: always.
constexpr bool check(const Ping&, zeps_wire::Error&) noexcept { return true; }

/// Octets of the encoded message.
[[nodiscard]] ZEPS_WIRE_INLINE std::size_t encoded_size([[maybe_unused]] const Ping& message) noexcept {
  return 3U;
}

/// Lays it down from `at` on, where there is room for `encoded_size`. Only after `check`. Returns where it ends.
ZEPS_WIRE_INLINE std::uint8_t* write([[maybe_unused]] const Ping& message, std::uint8_t* at) noexcept {
  at = store_constant(at, layout::Ping::head);
  return at;
}

/// The same as `decode`, field by field: it knows what is wrong.
ZEPS_WIRE_APART bool decode_closely(zeps_wire::Octets frame, PingOk& message,
                                    zeps_wire::Error& error) noexcept;

/// PingOk of a frame that ought to hold one. False, and the error, if it does not.
ZEPS_WIRE_INLINE bool decode(zeps_wire::Octets frame, [[maybe_unused]] PingOk& message,
                             zeps_wire::Error& error) noexcept {
  const std::uint8_t* at = nullptr;
  std::size_t spare = 0;
  const bool whole = glance_head(frame, layout::PingOk::head, 3U, at, spare) && spare == 0;
  return ZEPS_WIRE_LIKELY(whole) || decode_closely(frame, message, error);
}

/// Whether it can be encoded: always.
constexpr bool check(const PingOk&, zeps_wire::Error&) noexcept { return true; }

/// Octets of the encoded message.
[[nodiscard]] ZEPS_WIRE_INLINE std::size_t encoded_size([[maybe_unused]] const PingOk& message) noexcept {
  return 3U;
}

/// Lays it down from `at` on, where there is room for `encoded_size`. Only after `check`. Returns where it ends.
ZEPS_WIRE_INLINE std::uint8_t* write([[maybe_unused]] const PingOk& message, std::uint8_t* at) noexcept {
  at = store_constant(at, layout::PingOk::head);
  return at;
}

/// The same as `decode`, field by field: it knows what is wrong.
ZEPS_WIRE_APART bool decode_closely(zeps_wire::Octets frame, Detach& message,
                                    zeps_wire::Error& error) noexcept;

/// Detach of a frame that ought to hold one. False, and the error, if it does not.
ZEPS_WIRE_INLINE bool decode(zeps_wire::Octets frame, [[maybe_unused]] Detach& message,
                             zeps_wire::Error& error) noexcept {
  const std::uint8_t* at = nullptr;
  std::size_t spare = 0;
  const bool whole = glance_head(frame, layout::Detach::head, 3U, at, spare) && spare == 0;
  return ZEPS_WIRE_LIKELY(whole) || decode_closely(frame, message, error);
}

/// Whether it can be encoded: always.
constexpr bool check(const Detach&, zeps_wire::Error&) noexcept { return true; }

/// Octets of the encoded message.
[[nodiscard]] ZEPS_WIRE_INLINE std::size_t encoded_size([[maybe_unused]] const Detach& message) noexcept {
  return 3U;
}

/// Lays it down from `at` on, where there is room for `encoded_size`. Only after `check`. Returns where it ends.
ZEPS_WIRE_INLINE std::uint8_t* write([[maybe_unused]] const Detach& message, std::uint8_t* at) noexcept {
  at = store_constant(at, layout::Detach::head);
  return at;
}

/// The same as `decode`, field by field: it knows what is wrong.
ZEPS_WIRE_APART bool decode_closely(zeps_wire::Octets frame, DetachOk& message,
                                    zeps_wire::Error& error) noexcept;

/// DetachOk of a frame that ought to hold one. False, and the error, if it does not.
ZEPS_WIRE_INLINE bool decode(zeps_wire::Octets frame, [[maybe_unused]] DetachOk& message,
                             zeps_wire::Error& error) noexcept {
  const std::uint8_t* at = nullptr;
  std::size_t spare = 0;
  const bool whole = glance_head(frame, layout::DetachOk::head, 3U, at, spare) && spare == 0;
  return ZEPS_WIRE_LIKELY(whole) || decode_closely(frame, message, error);
}

/// Whether it can be encoded: always.
constexpr bool check(const DetachOk&, zeps_wire::Error&) noexcept { return true; }

/// Octets of the encoded message.
[[nodiscard]] ZEPS_WIRE_INLINE std::size_t encoded_size([[maybe_unused]] const DetachOk& message) noexcept {
  return 3U;
}

/// Lays it down from `at` on, where there is room for `encoded_size`. Only after `check`. Returns where it ends.
ZEPS_WIRE_INLINE std::uint8_t* write([[maybe_unused]] const DetachOk& message, std::uint8_t* at) noexcept {
  at = store_constant(at, layout::DetachOk::head);
  return at;
}

/// The same as `decode`, field by field: it knows what is wrong.
ZEPS_WIRE_APART bool decode_closely(zeps_wire::Octets frame, Invalid& message,
                                    zeps_wire::Error& error) noexcept;

/// Invalid of a frame that ought to hold one. False, and the error, if it does not.
ZEPS_WIRE_INLINE bool decode(zeps_wire::Octets frame, [[maybe_unused]] Invalid& message,
                             zeps_wire::Error& error) noexcept {
  const std::uint8_t* at = nullptr;
  std::size_t spare = 0;
  const bool whole = glance_head(frame, layout::Invalid::head, 4U, at, spare) &&
                     layout::Invalid::reason::glance_last(at, spare, message.reason);
  return ZEPS_WIRE_LIKELY(whole) || decode_closely(frame, message, error);
}

/// The same as `check`, field by field: it knows what is wrong.
ZEPS_WIRE_APART bool check_closely(const Invalid& message, zeps_wire::Error& error) noexcept;

/// Whether it can be encoded. False, and the error, if its format cannot carry it.
ZEPS_WIRE_INLINE bool check(const Invalid& message, zeps_wire::Error& error) noexcept {
  const bool fine = carries<layout::Invalid::reason>(message.reason);
  return ZEPS_WIRE_LIKELY(fine) || check_closely(message, error);
}

/// Octets of the encoded message.
[[nodiscard]] ZEPS_WIRE_INLINE std::size_t encoded_size([[maybe_unused]] const Invalid& message) noexcept {
  return 3U + layout::Invalid::reason::size(message.reason);
}

/// Lays it down from `at` on, where there is room for `encoded_size`. Only after `check`. Returns where it ends.
ZEPS_WIRE_INLINE std::uint8_t* write([[maybe_unused]] const Invalid& message, std::uint8_t* at) noexcept {
  at = store_constant(at, layout::Invalid::head);
  at = layout::Invalid::reason::write(at, message.reason);
  return at;
}

}  // namespace zeps_wire::zeps

/// @file
/// ZMTP 3, publish-subscribe.
///
/// What two ZMTP peers say to each other on one connection: a greeting, which stands by itself, and then
/// what frames hold, the body of a command or of a message. A publisher takes a message for what it begins
/// with: SUBSCRIPTION and CANCELLATION are what version 3.0 has for the commands SUBSCRIBE and CANCEL of
/// version 3.1. An extension of ours, ZMTP-E, lets a subscriber ask by filters of other kinds than the
/// beginning of a message. A filter has a kind, one octet, whose meaning publishers and subscribers agree
/// on elsewhere, and any octets. Whoever does not know the kind of a filter sends everything, which is
/// always right: filtering at the publisher saves traffic and nothing else.
///
/// Generated from the model; edit that instead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>

#include "zeps_wire/runtime/codec.hpp"

namespace zeps_wire::zmtp {

/// Opens a connection, in either direction.
struct Greeting {
  static constexpr std::string_view message_name = "GREETING";
  static constexpr std::uint64_t message_id = 1U;
  /// First octet of the signature.
  static constexpr std::uint64_t signature = 255U;
  /// Last octet of the signature.
  static constexpr std::uint64_t signature_end = 127U;

  /// Major version.
  std::uint64_t major_{};
  /// Minor version.
  std::uint64_t minor_{};
  /// Name of the security mechanism, padded with zeros.
  zeps_wire::Octets mechanism{};
  /// 1 for the server of a mechanism that has one.
  std::uint64_t as_server{};
};

/// Command: the sender is ready, and this is what it is.
struct Ready {
  static constexpr std::string_view message_name = "READY";
  static constexpr std::uint64_t message_id = 2U;
  /// The command's name.
  static constexpr std::string_view name = "READY";

  /// Metadata of the connection: Socket-Type, Identity and others.
  zeps_wire::List<zeps_wire::Pair> properties{};
};

/// Command: the sender refuses the peer.
struct Error {
  static constexpr std::string_view message_name = "ERROR";
  static constexpr std::uint64_t message_id = 3U;
  /// The command's name.
  static constexpr std::string_view name = "ERROR";

  /// Says why, to people.
  std::string_view reason{};
};

/// Command: asks for a sign of life.
struct Ping {
  static constexpr std::string_view message_name = "PING";
  static constexpr std::uint64_t message_id = 4U;
  /// The command's name.
  static constexpr std::string_view name = "PING";

  /// Tenths of a second after which silence means that the sender is gone; 0 for none.
  std::uint64_t ttl{};
  /// Comes back in PONG.
  zeps_wire::Octets context{};
};

/// Command: answers PING.
struct Pong {
  static constexpr std::string_view message_name = "PONG";
  static constexpr std::uint64_t message_id = 5U;
  /// The command's name.
  static constexpr std::string_view name = "PONG";

  /// What came with PING.
  zeps_wire::Octets context{};
};

/// Command of version 3.1: asks for the messages that begin with a topic.
struct Subscribe {
  static constexpr std::string_view message_name = "SUBSCRIBE";
  static constexpr std::uint64_t message_id = 6U;
  /// The command's name.
  static constexpr std::string_view name = "SUBSCRIBE";

  /// Any octets, or none.
  zeps_wire::Octets topic{};
};

/// Command of version 3.1: takes one subscription back.
struct Cancel {
  static constexpr std::string_view message_name = "CANCEL";
  static constexpr std::uint64_t message_id = 7U;
  /// The command's name.
  static constexpr std::string_view name = "CANCEL";

  /// Any octets, or none.
  zeps_wire::Octets topic{};
};

/// Message of version 3.0: asks for the messages that begin with a topic.
struct Subscription {
  static constexpr std::string_view message_name = "SUBSCRIPTION";
  static constexpr std::uint64_t message_id = 8U;
  /// Tells a subscription from a cancellation.
  static constexpr std::uint64_t form = 1U;

  /// Any octets, or none.
  zeps_wire::Octets topic{};
};

/// Message of version 3.0: takes one subscription back.
struct Cancellation {
  static constexpr std::string_view message_name = "CANCELLATION";
  static constexpr std::uint64_t message_id = 9U;
  /// Tells a cancellation from a subscription.
  static constexpr std::uint64_t form = 0U;

  /// Any octets, or none.
  zeps_wire::Octets topic{};
};

/// Command of our extension, for version 3.1: asks for the messages that a filter of some kind lets pass.
struct SubscribeX {
  static constexpr std::string_view message_name = "SUBSCRIBE-X";
  static constexpr std::uint64_t message_id = 10U;
  /// The command's name.
  static constexpr std::string_view name = "SUBSCRIBE-X";

  /// What the filter means; 255 is no kind.
  std::uint64_t kind{};
  /// Any octets, or none.
  zeps_wire::Octets filter{};
};

/// Command of our extension, for version 3.1: takes one filter back.
struct CancelX {
  static constexpr std::string_view message_name = "CANCEL-X";
  static constexpr std::uint64_t message_id = 11U;
  /// The command's name.
  static constexpr std::string_view name = "CANCEL-X";

  /// What the filter means; 255 is no kind.
  std::uint64_t kind{};
  /// Any octets, or none.
  zeps_wire::Octets filter{};
};

/// Message of our extension, for version 3.0: asks for the messages that a filter of some kind lets pass.
struct SubscriptionX {
  static constexpr std::string_view message_name = "SUBSCRIPTION-X";
  static constexpr std::uint64_t message_id = 12U;
  /// Tells it from the other forms.
  static constexpr std::uint64_t form = 2U;

  /// What the filter means; 255 is no kind.
  std::uint64_t kind{};
  /// Any octets, or none.
  zeps_wire::Octets filter{};
};

/// Message of our extension, for version 3.0: takes one filter back.
struct CancellationX {
  static constexpr std::string_view message_name = "CANCELLATION-X";
  static constexpr std::uint64_t message_id = 13U;
  /// Tells it from the other forms.
  static constexpr std::uint64_t form = 3U;

  /// What the filter means; 255 is no kind.
  std::uint64_t kind{};
  /// Any octets, or none.
  zeps_wire::Octets filter{};
};

/// Any message.
using Message = std::variant<Greeting, Ready, Error, Ping, Pong, Subscribe, Cancel, Subscription,
                             Cancellation, SubscribeX, CancelX, SubscriptionX, CancellationX>;

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

struct Greeting {
  static constexpr std::uint8_t head[] = {0xFF};
  static constexpr std::uint8_t signature_end[] = {0x7F};
  static constexpr std::uint8_t signature[] = {0xFF};
  static constexpr zeps_wire::Beginning beginning = {
      "GREETING", zeps_wire::Beginning::Dispatch::constant, zeps_wire::Octets(head, 1), {}};
  using major_ = zeps_wire::kind::Number<1>;
  using minor_ = zeps_wire::kind::Number<1>;
  using mechanism = zeps_wire::kind::Fixed<20>;
  using as_server = zeps_wire::kind::Number<1>;
};

struct Ready {
  static constexpr std::uint8_t head[] = {0x05, 0x52, 0x45, 0x41, 0x44, 0x59};
  static constexpr std::uint8_t name[] = {0x05, 0x52, 0x45, 0x41, 0x44, 0x59};
  static constexpr zeps_wire::Beginning beginning = {
      "READY", zeps_wire::Beginning::Dispatch::constant, zeps_wire::Octets(head, 6), {}};
  using properties = zeps_wire::kind::OpenEnded<zeps_wire::kind::Entry<zeps_wire::Text::octets>>;
};

struct Error {
  static constexpr std::uint8_t head[] = {0x05, 0x45, 0x52, 0x52, 0x4F, 0x52};
  static constexpr std::uint8_t name[] = {0x05, 0x45, 0x52, 0x52, 0x4F, 0x52};
  static constexpr zeps_wire::Beginning beginning = {
      "ERROR", zeps_wire::Beginning::Dispatch::constant, zeps_wire::Octets(head, 6), {}};
  using reason = zeps_wire::kind::String<1, zeps_wire::Text::octets>;
};

struct Ping {
  static constexpr std::uint8_t head[] = {0x04, 0x50, 0x49, 0x4E, 0x47};
  static constexpr std::uint8_t name[] = {0x04, 0x50, 0x49, 0x4E, 0x47};
  static constexpr zeps_wire::Beginning beginning = {
      "PING", zeps_wire::Beginning::Dispatch::constant, zeps_wire::Octets(head, 5), {}};
  using ttl = zeps_wire::kind::Number<2>;
  using context = zeps_wire::kind::Rest<16U>;
};

struct Pong {
  static constexpr std::uint8_t head[] = {0x04, 0x50, 0x4F, 0x4E, 0x47};
  static constexpr std::uint8_t name[] = {0x04, 0x50, 0x4F, 0x4E, 0x47};
  static constexpr zeps_wire::Beginning beginning = {
      "PONG", zeps_wire::Beginning::Dispatch::constant, zeps_wire::Octets(head, 5), {}};
  using context = zeps_wire::kind::Rest<16U>;
};

struct Subscribe {
  static constexpr std::uint8_t head[] = {0x09, 0x53, 0x55, 0x42, 0x53, 0x43, 0x52, 0x49, 0x42, 0x45};
  static constexpr std::uint8_t name[] = {0x09, 0x53, 0x55, 0x42, 0x53, 0x43, 0x52, 0x49, 0x42, 0x45};
  static constexpr zeps_wire::Beginning beginning = {
      "SUBSCRIBE", zeps_wire::Beginning::Dispatch::constant, zeps_wire::Octets(head, 10), {}};
  using topic = zeps_wire::kind::Rest<>;
};

struct Cancel {
  static constexpr std::uint8_t head[] = {0x06, 0x43, 0x41, 0x4E, 0x43, 0x45, 0x4C};
  static constexpr std::uint8_t name[] = {0x06, 0x43, 0x41, 0x4E, 0x43, 0x45, 0x4C};
  static constexpr zeps_wire::Beginning beginning = {
      "CANCEL", zeps_wire::Beginning::Dispatch::constant, zeps_wire::Octets(head, 7), {}};
  using topic = zeps_wire::kind::Rest<>;
};

struct Subscription {
  static constexpr std::uint8_t head[] = {0x01};
  static constexpr std::uint8_t form[] = {0x01};
  static constexpr zeps_wire::Beginning beginning = {
      "SUBSCRIPTION", zeps_wire::Beginning::Dispatch::constant, zeps_wire::Octets(head, 1), {}};
  using topic = zeps_wire::kind::Rest<>;
};

struct Cancellation {
  static constexpr std::uint8_t head[] = {0x00};
  static constexpr std::uint8_t form[] = {0x00};
  static constexpr zeps_wire::Beginning beginning = {
      "CANCELLATION", zeps_wire::Beginning::Dispatch::constant, zeps_wire::Octets(head, 1), {}};
  using topic = zeps_wire::kind::Rest<>;
};

struct SubscribeX {
  static constexpr std::uint8_t head[] = {0x0B, 0x53, 0x55, 0x42, 0x53, 0x43,
                                          0x52, 0x49, 0x42, 0x45, 0x2D, 0x58};
  static constexpr std::uint8_t name[] = {0x0B, 0x53, 0x55, 0x42, 0x53, 0x43,
                                          0x52, 0x49, 0x42, 0x45, 0x2D, 0x58};
  static constexpr zeps_wire::Beginning beginning = {
      "SUBSCRIBE-X", zeps_wire::Beginning::Dispatch::constant, zeps_wire::Octets(head, 12), {}};
  using kind = zeps_wire::kind::Number<1>;
  using filter = zeps_wire::kind::Rest<>;
};

struct CancelX {
  static constexpr std::uint8_t head[] = {0x08, 0x43, 0x41, 0x4E, 0x43, 0x45, 0x4C, 0x2D, 0x58};
  static constexpr std::uint8_t name[] = {0x08, 0x43, 0x41, 0x4E, 0x43, 0x45, 0x4C, 0x2D, 0x58};
  static constexpr zeps_wire::Beginning beginning = {
      "CANCEL-X", zeps_wire::Beginning::Dispatch::constant, zeps_wire::Octets(head, 9), {}};
  using kind = zeps_wire::kind::Number<1>;
  using filter = zeps_wire::kind::Rest<>;
};

struct SubscriptionX {
  static constexpr std::uint8_t head[] = {0x02};
  static constexpr std::uint8_t form[] = {0x02};
  static constexpr zeps_wire::Beginning beginning = {
      "SUBSCRIPTION-X", zeps_wire::Beginning::Dispatch::constant, zeps_wire::Octets(head, 1), {}};
  using kind = zeps_wire::kind::Number<1>;
  using filter = zeps_wire::kind::Rest<>;
};

struct CancellationX {
  static constexpr std::uint8_t head[] = {0x03};
  static constexpr std::uint8_t form[] = {0x03};
  static constexpr zeps_wire::Beginning beginning = {
      "CANCELLATION-X", zeps_wire::Beginning::Dispatch::constant, zeps_wire::Octets(head, 1), {}};
  using kind = zeps_wire::kind::Number<1>;
  using filter = zeps_wire::kind::Rest<>;
};

}  // namespace layout

/// The same as `decode`, field by field: it knows what is wrong.
ZEPS_WIRE_APART bool decode_closely(zeps_wire::Octets frame, Greeting& message,
                                    zeps_wire::Error& error) noexcept;

/// Greeting of a frame that ought to hold one. False, and the error, if it does not.
ZEPS_WIRE_INLINE bool decode(zeps_wire::Octets frame, [[maybe_unused]] Greeting& message,
                             zeps_wire::Error& error) noexcept {
  const std::uint8_t* at = nullptr;
  std::size_t spare = 0;
  const bool whole = glance_head(frame, layout::Greeting::head, 64U, at, spare) && glance_reserved(at, 8U) &&
                     glance_constant(at, layout::Greeting::signature_end) &&
                     layout::Greeting::major_::glance(at, spare, message.major_) &&
                     layout::Greeting::minor_::glance(at, spare, message.minor_) &&
                     layout::Greeting::mechanism::glance(at, spare, message.mechanism) &&
                     layout::Greeting::as_server::glance(at, spare, message.as_server) &&
                     glance_reserved(at, 31U) && spare == 0;
  return ZEPS_WIRE_LIKELY(whole) || decode_closely(frame, message, error);
}

/// The same as `check`, field by field: it knows what is wrong.
ZEPS_WIRE_APART bool check_closely(const Greeting& message, zeps_wire::Error& error) noexcept;

/// Whether it can be encoded. False, and the error, if its format cannot carry it.
ZEPS_WIRE_INLINE bool check(const Greeting& message, zeps_wire::Error& error) noexcept {
  const bool fine = carries<layout::Greeting::major_>(message.major_) &&
                    carries<layout::Greeting::minor_>(message.minor_) &&
                    carries<layout::Greeting::mechanism>(message.mechanism) &&
                    carries<layout::Greeting::as_server>(message.as_server);
  return ZEPS_WIRE_LIKELY(fine) || check_closely(message, error);
}

/// Octets of the encoded message.
[[nodiscard]] ZEPS_WIRE_INLINE std::size_t encoded_size([[maybe_unused]] const Greeting& message) noexcept {
  return 44U + layout::Greeting::mechanism::size(message.mechanism);
}

/// Lays it down from `at` on, where there is room for `encoded_size`. Only after `check`. Returns where it ends.
ZEPS_WIRE_INLINE std::uint8_t* write([[maybe_unused]] const Greeting& message, std::uint8_t* at) noexcept {
  at = store_constant(at, layout::Greeting::head);
  at = store_zeros(at, 8U);
  at = store_constant(at, layout::Greeting::signature_end);
  at = layout::Greeting::major_::write(at, message.major_);
  at = layout::Greeting::minor_::write(at, message.minor_);
  at = layout::Greeting::mechanism::write(at, message.mechanism);
  at = layout::Greeting::as_server::write(at, message.as_server);
  at = store_zeros(at, 31U);
  return at;
}

/// Ready of a frame that ought to hold one. False, and the error, if it does not.
bool decode(zeps_wire::Octets frame, Ready& message, zeps_wire::Error& error) noexcept;

/// Whether it can be encoded. False, and the error, if its format cannot carry it.
bool check(const Ready& message, zeps_wire::Error& error) noexcept;

/// Octets of the encoded message.
[[nodiscard]] ZEPS_WIRE_INLINE std::size_t encoded_size([[maybe_unused]] const Ready& message) noexcept {
  return 6U + layout::Ready::properties::size(message.properties);
}

/// Lays it down from `at` on, where there is room for `encoded_size`. Only after `check`. Returns where it ends.
ZEPS_WIRE_INLINE std::uint8_t* write([[maybe_unused]] const Ready& message, std::uint8_t* at) noexcept {
  at = store_constant(at, layout::Ready::head);
  at = layout::Ready::properties::write(at, message.properties);
  return at;
}

/// The same as `decode`, field by field: it knows what is wrong.
ZEPS_WIRE_APART bool decode_closely(zeps_wire::Octets frame, Error& message,
                                    zeps_wire::Error& error) noexcept;

/// Error of a frame that ought to hold one. False, and the error, if it does not.
ZEPS_WIRE_INLINE bool decode(zeps_wire::Octets frame, [[maybe_unused]] Error& message,
                             zeps_wire::Error& error) noexcept {
  const std::uint8_t* at = nullptr;
  std::size_t spare = 0;
  const bool whole = glance_head(frame, layout::Error::head, 7U, at, spare) &&
                     layout::Error::reason::glance_last(at, spare, message.reason);
  return ZEPS_WIRE_LIKELY(whole) || decode_closely(frame, message, error);
}

/// The same as `check`, field by field: it knows what is wrong.
ZEPS_WIRE_APART bool check_closely(const Error& message, zeps_wire::Error& error) noexcept;

/// Whether it can be encoded. False, and the error, if its format cannot carry it.
ZEPS_WIRE_INLINE bool check(const Error& message, zeps_wire::Error& error) noexcept {
  const bool fine = carries<layout::Error::reason>(message.reason);
  return ZEPS_WIRE_LIKELY(fine) || check_closely(message, error);
}

/// Octets of the encoded message.
[[nodiscard]] ZEPS_WIRE_INLINE std::size_t encoded_size([[maybe_unused]] const Error& message) noexcept {
  return 6U + layout::Error::reason::size(message.reason);
}

/// Lays it down from `at` on, where there is room for `encoded_size`. Only after `check`. Returns where it ends.
ZEPS_WIRE_INLINE std::uint8_t* write([[maybe_unused]] const Error& message, std::uint8_t* at) noexcept {
  at = store_constant(at, layout::Error::head);
  at = layout::Error::reason::write(at, message.reason);
  return at;
}

/// The same as `decode`, field by field: it knows what is wrong.
ZEPS_WIRE_APART bool decode_closely(zeps_wire::Octets frame, Ping& message, zeps_wire::Error& error) noexcept;

/// Ping of a frame that ought to hold one. False, and the error, if it does not.
ZEPS_WIRE_INLINE bool decode(zeps_wire::Octets frame, [[maybe_unused]] Ping& message,
                             zeps_wire::Error& error) noexcept {
  const std::uint8_t* at = nullptr;
  std::size_t spare = 0;
  const bool whole = glance_head(frame, layout::Ping::head, 7U, at, spare) &&
                     layout::Ping::ttl::glance(at, spare, message.ttl) &&
                     layout::Ping::context::glance(at, spare, message.context) && spare == 0;
  return ZEPS_WIRE_LIKELY(whole) || decode_closely(frame, message, error);
}

/// The same as `check`, field by field: it knows what is wrong.
ZEPS_WIRE_APART bool check_closely(const Ping& message, zeps_wire::Error& error) noexcept;

/// Whether it can be encoded. False, and the error, if its format cannot carry it.
ZEPS_WIRE_INLINE bool check(const Ping& message, zeps_wire::Error& error) noexcept {
  const bool fine =
      carries<layout::Ping::ttl>(message.ttl) && carries<layout::Ping::context>(message.context);
  return ZEPS_WIRE_LIKELY(fine) || check_closely(message, error);
}

/// Octets of the encoded message.
[[nodiscard]] ZEPS_WIRE_INLINE std::size_t encoded_size([[maybe_unused]] const Ping& message) noexcept {
  return 7U + layout::Ping::context::size(message.context);
}

/// Lays it down from `at` on, where there is room for `encoded_size`. Only after `check`. Returns where it ends.
ZEPS_WIRE_INLINE std::uint8_t* write([[maybe_unused]] const Ping& message, std::uint8_t* at) noexcept {
  at = store_constant(at, layout::Ping::head);
  at = layout::Ping::ttl::write(at, message.ttl);
  at = layout::Ping::context::write(at, message.context);
  return at;
}

/// The same as `decode`, field by field: it knows what is wrong.
ZEPS_WIRE_APART bool decode_closely(zeps_wire::Octets frame, Pong& message, zeps_wire::Error& error) noexcept;

/// Pong of a frame that ought to hold one. False, and the error, if it does not.
ZEPS_WIRE_INLINE bool decode(zeps_wire::Octets frame, [[maybe_unused]] Pong& message,
                             zeps_wire::Error& error) noexcept {
  const std::uint8_t* at = nullptr;
  std::size_t spare = 0;
  const bool whole = glance_head(frame, layout::Pong::head, 5U, at, spare) &&
                     layout::Pong::context::glance(at, spare, message.context) && spare == 0;
  return ZEPS_WIRE_LIKELY(whole) || decode_closely(frame, message, error);
}

/// The same as `check`, field by field: it knows what is wrong.
ZEPS_WIRE_APART bool check_closely(const Pong& message, zeps_wire::Error& error) noexcept;

/// Whether it can be encoded. False, and the error, if its format cannot carry it.
ZEPS_WIRE_INLINE bool check(const Pong& message, zeps_wire::Error& error) noexcept {
  const bool fine = carries<layout::Pong::context>(message.context);
  return ZEPS_WIRE_LIKELY(fine) || check_closely(message, error);
}

/// Octets of the encoded message.
[[nodiscard]] ZEPS_WIRE_INLINE std::size_t encoded_size([[maybe_unused]] const Pong& message) noexcept {
  return 5U + layout::Pong::context::size(message.context);
}

/// Lays it down from `at` on, where there is room for `encoded_size`. Only after `check`. Returns where it ends.
ZEPS_WIRE_INLINE std::uint8_t* write([[maybe_unused]] const Pong& message, std::uint8_t* at) noexcept {
  at = store_constant(at, layout::Pong::head);
  at = layout::Pong::context::write(at, message.context);
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
  const bool whole = glance_head(frame, layout::Subscribe::head, 10U, at, spare) &&
                     layout::Subscribe::topic::glance(at, spare, message.topic) && spare == 0;
  return ZEPS_WIRE_LIKELY(whole) || decode_closely(frame, message, error);
}

/// Whether it can be encoded: always.
constexpr bool check(const Subscribe&, zeps_wire::Error&) noexcept { return true; }

/// Octets of the encoded message.
[[nodiscard]] ZEPS_WIRE_INLINE std::size_t encoded_size([[maybe_unused]] const Subscribe& message) noexcept {
  return 10U + layout::Subscribe::topic::size(message.topic);
}

/// Lays it down from `at` on, where there is room for `encoded_size`. Only after `check`. Returns where it ends.
ZEPS_WIRE_INLINE std::uint8_t* write([[maybe_unused]] const Subscribe& message, std::uint8_t* at) noexcept {
  at = store_constant(at, layout::Subscribe::head);
  at = layout::Subscribe::topic::write(at, message.topic);
  return at;
}

/// The same as `decode`, field by field: it knows what is wrong.
ZEPS_WIRE_APART bool decode_closely(zeps_wire::Octets frame, Cancel& message,
                                    zeps_wire::Error& error) noexcept;

/// Cancel of a frame that ought to hold one. False, and the error, if it does not.
ZEPS_WIRE_INLINE bool decode(zeps_wire::Octets frame, [[maybe_unused]] Cancel& message,
                             zeps_wire::Error& error) noexcept {
  const std::uint8_t* at = nullptr;
  std::size_t spare = 0;
  const bool whole = glance_head(frame, layout::Cancel::head, 7U, at, spare) &&
                     layout::Cancel::topic::glance(at, spare, message.topic) && spare == 0;
  return ZEPS_WIRE_LIKELY(whole) || decode_closely(frame, message, error);
}

/// Whether it can be encoded: always.
constexpr bool check(const Cancel&, zeps_wire::Error&) noexcept { return true; }

/// Octets of the encoded message.
[[nodiscard]] ZEPS_WIRE_INLINE std::size_t encoded_size([[maybe_unused]] const Cancel& message) noexcept {
  return 7U + layout::Cancel::topic::size(message.topic);
}

/// Lays it down from `at` on, where there is room for `encoded_size`. Only after `check`. Returns where it ends.
ZEPS_WIRE_INLINE std::uint8_t* write([[maybe_unused]] const Cancel& message, std::uint8_t* at) noexcept {
  at = store_constant(at, layout::Cancel::head);
  at = layout::Cancel::topic::write(at, message.topic);
  return at;
}

/// The same as `decode`, field by field: it knows what is wrong.
ZEPS_WIRE_APART bool decode_closely(zeps_wire::Octets frame, Subscription& message,
                                    zeps_wire::Error& error) noexcept;

/// Subscription of a frame that ought to hold one. False, and the error, if it does not.
ZEPS_WIRE_INLINE bool decode(zeps_wire::Octets frame, [[maybe_unused]] Subscription& message,
                             zeps_wire::Error& error) noexcept {
  const std::uint8_t* at = nullptr;
  std::size_t spare = 0;
  const bool whole = glance_head(frame, layout::Subscription::head, 1U, at, spare) &&
                     layout::Subscription::topic::glance(at, spare, message.topic) && spare == 0;
  return ZEPS_WIRE_LIKELY(whole) || decode_closely(frame, message, error);
}

/// Whether it can be encoded: always.
constexpr bool check(const Subscription&, zeps_wire::Error&) noexcept { return true; }

/// Octets of the encoded message.
[[nodiscard]] ZEPS_WIRE_INLINE std::size_t encoded_size(
    [[maybe_unused]] const Subscription& message) noexcept {
  return 1U + layout::Subscription::topic::size(message.topic);
}

/// Lays it down from `at` on, where there is room for `encoded_size`. Only after `check`. Returns where it ends.
ZEPS_WIRE_INLINE std::uint8_t* write([[maybe_unused]] const Subscription& message,
                                     std::uint8_t* at) noexcept {
  at = store_constant(at, layout::Subscription::head);
  at = layout::Subscription::topic::write(at, message.topic);
  return at;
}

/// The same as `decode`, field by field: it knows what is wrong.
ZEPS_WIRE_APART bool decode_closely(zeps_wire::Octets frame, Cancellation& message,
                                    zeps_wire::Error& error) noexcept;

/// Cancellation of a frame that ought to hold one. False, and the error, if it does not.
ZEPS_WIRE_INLINE bool decode(zeps_wire::Octets frame, [[maybe_unused]] Cancellation& message,
                             zeps_wire::Error& error) noexcept {
  const std::uint8_t* at = nullptr;
  std::size_t spare = 0;
  const bool whole = glance_head(frame, layout::Cancellation::head, 1U, at, spare) &&
                     layout::Cancellation::topic::glance(at, spare, message.topic) && spare == 0;
  return ZEPS_WIRE_LIKELY(whole) || decode_closely(frame, message, error);
}

/// Whether it can be encoded: always.
constexpr bool check(const Cancellation&, zeps_wire::Error&) noexcept { return true; }

/// Octets of the encoded message.
[[nodiscard]] ZEPS_WIRE_INLINE std::size_t encoded_size(
    [[maybe_unused]] const Cancellation& message) noexcept {
  return 1U + layout::Cancellation::topic::size(message.topic);
}

/// Lays it down from `at` on, where there is room for `encoded_size`. Only after `check`. Returns where it ends.
ZEPS_WIRE_INLINE std::uint8_t* write([[maybe_unused]] const Cancellation& message,
                                     std::uint8_t* at) noexcept {
  at = store_constant(at, layout::Cancellation::head);
  at = layout::Cancellation::topic::write(at, message.topic);
  return at;
}

/// The same as `decode`, field by field: it knows what is wrong.
ZEPS_WIRE_APART bool decode_closely(zeps_wire::Octets frame, SubscribeX& message,
                                    zeps_wire::Error& error) noexcept;

/// SubscribeX of a frame that ought to hold one. False, and the error, if it does not.
ZEPS_WIRE_INLINE bool decode(zeps_wire::Octets frame, [[maybe_unused]] SubscribeX& message,
                             zeps_wire::Error& error) noexcept {
  const std::uint8_t* at = nullptr;
  std::size_t spare = 0;
  const bool whole = glance_head(frame, layout::SubscribeX::head, 13U, at, spare) &&
                     layout::SubscribeX::kind::glance(at, spare, message.kind) &&
                     layout::SubscribeX::filter::glance(at, spare, message.filter) && spare == 0;
  return ZEPS_WIRE_LIKELY(whole) || decode_closely(frame, message, error);
}

/// The same as `check`, field by field: it knows what is wrong.
ZEPS_WIRE_APART bool check_closely(const SubscribeX& message, zeps_wire::Error& error) noexcept;

/// Whether it can be encoded. False, and the error, if its format cannot carry it.
ZEPS_WIRE_INLINE bool check(const SubscribeX& message, zeps_wire::Error& error) noexcept {
  const bool fine = carries<layout::SubscribeX::kind>(message.kind);
  return ZEPS_WIRE_LIKELY(fine) || check_closely(message, error);
}

/// Octets of the encoded message.
[[nodiscard]] ZEPS_WIRE_INLINE std::size_t encoded_size([[maybe_unused]] const SubscribeX& message) noexcept {
  return 13U + layout::SubscribeX::filter::size(message.filter);
}

/// Lays it down from `at` on, where there is room for `encoded_size`. Only after `check`. Returns where it ends.
ZEPS_WIRE_INLINE std::uint8_t* write([[maybe_unused]] const SubscribeX& message, std::uint8_t* at) noexcept {
  at = store_constant(at, layout::SubscribeX::head);
  at = layout::SubscribeX::kind::write(at, message.kind);
  at = layout::SubscribeX::filter::write(at, message.filter);
  return at;
}

/// The same as `decode`, field by field: it knows what is wrong.
ZEPS_WIRE_APART bool decode_closely(zeps_wire::Octets frame, CancelX& message,
                                    zeps_wire::Error& error) noexcept;

/// CancelX of a frame that ought to hold one. False, and the error, if it does not.
ZEPS_WIRE_INLINE bool decode(zeps_wire::Octets frame, [[maybe_unused]] CancelX& message,
                             zeps_wire::Error& error) noexcept {
  const std::uint8_t* at = nullptr;
  std::size_t spare = 0;
  const bool whole = glance_head(frame, layout::CancelX::head, 10U, at, spare) &&
                     layout::CancelX::kind::glance(at, spare, message.kind) &&
                     layout::CancelX::filter::glance(at, spare, message.filter) && spare == 0;
  return ZEPS_WIRE_LIKELY(whole) || decode_closely(frame, message, error);
}

/// The same as `check`, field by field: it knows what is wrong.
ZEPS_WIRE_APART bool check_closely(const CancelX& message, zeps_wire::Error& error) noexcept;

/// Whether it can be encoded. False, and the error, if its format cannot carry it.
ZEPS_WIRE_INLINE bool check(const CancelX& message, zeps_wire::Error& error) noexcept {
  const bool fine = carries<layout::CancelX::kind>(message.kind);
  return ZEPS_WIRE_LIKELY(fine) || check_closely(message, error);
}

/// Octets of the encoded message.
[[nodiscard]] ZEPS_WIRE_INLINE std::size_t encoded_size([[maybe_unused]] const CancelX& message) noexcept {
  return 10U + layout::CancelX::filter::size(message.filter);
}

/// Lays it down from `at` on, where there is room for `encoded_size`. Only after `check`. Returns where it ends.
ZEPS_WIRE_INLINE std::uint8_t* write([[maybe_unused]] const CancelX& message, std::uint8_t* at) noexcept {
  at = store_constant(at, layout::CancelX::head);
  at = layout::CancelX::kind::write(at, message.kind);
  at = layout::CancelX::filter::write(at, message.filter);
  return at;
}

/// The same as `decode`, field by field: it knows what is wrong.
ZEPS_WIRE_APART bool decode_closely(zeps_wire::Octets frame, SubscriptionX& message,
                                    zeps_wire::Error& error) noexcept;

/// SubscriptionX of a frame that ought to hold one. False, and the error, if it does not.
ZEPS_WIRE_INLINE bool decode(zeps_wire::Octets frame, [[maybe_unused]] SubscriptionX& message,
                             zeps_wire::Error& error) noexcept {
  const std::uint8_t* at = nullptr;
  std::size_t spare = 0;
  const bool whole = glance_head(frame, layout::SubscriptionX::head, 2U, at, spare) &&
                     layout::SubscriptionX::kind::glance(at, spare, message.kind) &&
                     layout::SubscriptionX::filter::glance(at, spare, message.filter) && spare == 0;
  return ZEPS_WIRE_LIKELY(whole) || decode_closely(frame, message, error);
}

/// The same as `check`, field by field: it knows what is wrong.
ZEPS_WIRE_APART bool check_closely(const SubscriptionX& message, zeps_wire::Error& error) noexcept;

/// Whether it can be encoded. False, and the error, if its format cannot carry it.
ZEPS_WIRE_INLINE bool check(const SubscriptionX& message, zeps_wire::Error& error) noexcept {
  const bool fine = carries<layout::SubscriptionX::kind>(message.kind);
  return ZEPS_WIRE_LIKELY(fine) || check_closely(message, error);
}

/// Octets of the encoded message.
[[nodiscard]] ZEPS_WIRE_INLINE std::size_t encoded_size(
    [[maybe_unused]] const SubscriptionX& message) noexcept {
  return 2U + layout::SubscriptionX::filter::size(message.filter);
}

/// Lays it down from `at` on, where there is room for `encoded_size`. Only after `check`. Returns where it ends.
ZEPS_WIRE_INLINE std::uint8_t* write([[maybe_unused]] const SubscriptionX& message,
                                     std::uint8_t* at) noexcept {
  at = store_constant(at, layout::SubscriptionX::head);
  at = layout::SubscriptionX::kind::write(at, message.kind);
  at = layout::SubscriptionX::filter::write(at, message.filter);
  return at;
}

/// The same as `decode`, field by field: it knows what is wrong.
ZEPS_WIRE_APART bool decode_closely(zeps_wire::Octets frame, CancellationX& message,
                                    zeps_wire::Error& error) noexcept;

/// CancellationX of a frame that ought to hold one. False, and the error, if it does not.
ZEPS_WIRE_INLINE bool decode(zeps_wire::Octets frame, [[maybe_unused]] CancellationX& message,
                             zeps_wire::Error& error) noexcept {
  const std::uint8_t* at = nullptr;
  std::size_t spare = 0;
  const bool whole = glance_head(frame, layout::CancellationX::head, 2U, at, spare) &&
                     layout::CancellationX::kind::glance(at, spare, message.kind) &&
                     layout::CancellationX::filter::glance(at, spare, message.filter) && spare == 0;
  return ZEPS_WIRE_LIKELY(whole) || decode_closely(frame, message, error);
}

/// The same as `check`, field by field: it knows what is wrong.
ZEPS_WIRE_APART bool check_closely(const CancellationX& message, zeps_wire::Error& error) noexcept;

/// Whether it can be encoded. False, and the error, if its format cannot carry it.
ZEPS_WIRE_INLINE bool check(const CancellationX& message, zeps_wire::Error& error) noexcept {
  const bool fine = carries<layout::CancellationX::kind>(message.kind);
  return ZEPS_WIRE_LIKELY(fine) || check_closely(message, error);
}

/// Octets of the encoded message.
[[nodiscard]] ZEPS_WIRE_INLINE std::size_t encoded_size(
    [[maybe_unused]] const CancellationX& message) noexcept {
  return 2U + layout::CancellationX::filter::size(message.filter);
}

/// Lays it down from `at` on, where there is room for `encoded_size`. Only after `check`. Returns where it ends.
ZEPS_WIRE_INLINE std::uint8_t* write([[maybe_unused]] const CancellationX& message,
                                     std::uint8_t* at) noexcept {
  at = store_constant(at, layout::CancellationX::head);
  at = layout::CancellationX::kind::write(at, message.kind);
  at = layout::CancellationX::filter::write(at, message.filter);
  return at;
}

}  // namespace zeps_wire::zmtp

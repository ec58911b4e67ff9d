/// @file
/// ZMTP 3, publish-subscribe.
///
/// What two ZMTP peers say to each other on one connection: a greeting, which stands by itself, and then
/// what frames hold, the body of a command or of a message. A publisher takes a message for what it begins
/// with: SUBSCRIPTION and CANCELLATION are what version 3.0 has for the commands SUBSCRIBE and CANCEL of
/// version 3.1. An extension of ours, ZMTP-E, lets a subscriber ask by filters of other kinds than the
/// beginning of a message. A filter has a kind, one octet, whose meaning publishers and subscribers agree
/// on elsewhere, and any octets. A publisher that does not know the kind of a filter sends everything,
/// which is always right: a filter only saves traffic.
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

  /// What the filter means; 255 is not a kind.
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

  /// What the filter means; 255 is not a kind.
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

  /// What the filter means; 255 is not a kind.
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

  /// What the filter means; 255 is not a kind.
  std::uint64_t kind{};
  /// Any octets, or none.
  zeps_wire::Octets filter{};
};

/// Any message.
using Message = std::variant<Greeting, Ready, Error, Ping, Pong, Subscribe, Cancel, Subscription,
                             Cancellation, SubscribeX, CancelX, SubscriptionX, CancellationX>;

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

}  // namespace zeps_wire::zmtp

// The layouts of the messages.
namespace zeps_wire {

template <>
struct Layout<zmtp::Greeting> : Closed {
  static constexpr auto by = Beginning::Dispatch::constant;
  using Head = operation::Constant<0xFF>;
  using Operations =
      std::tuple<operation::Reserved<8>, operation::Constant<0x7F>,
                 operation::Field<&zmtp::Greeting::major_, kind::Number<1>>,
                 operation::Field<&zmtp::Greeting::minor_, kind::Number<1>>,
                 operation::Field<&zmtp::Greeting::mechanism, kind::Fixed<20>>,
                 operation::Field<&zmtp::Greeting::as_server, kind::Number<1>>, operation::Reserved<31>>;
  static constexpr std::array<std::string_view, 7> names = {"padding",   "signature_end", "major", "minor",
                                                            "mechanism", "as_server",     "filler"};
};

template <>
struct Layout<zmtp::Ready> : Closed {
  static constexpr auto by = Beginning::Dispatch::constant;
  using Head = operation::Constant<0x05, 0x52, 0x45, 0x41, 0x44, 0x59>;
  using Operations = std::tuple<
      operation::Field<&zmtp::Ready::properties, kind::OpenEnded<kind::Entry<Text::octets>, 255U>>>;
  static constexpr std::array<std::string_view, 1> names = {"properties"};
};

template <>
struct Layout<zmtp::Error> : Closed {
  static constexpr auto by = Beginning::Dispatch::constant;
  using Head = operation::Constant<0x05, 0x45, 0x52, 0x52, 0x4F, 0x52>;
  using Operations = std::tuple<operation::Field<&zmtp::Error::reason, kind::String<1, Text::octets>>>;
  static constexpr std::array<std::string_view, 1> names = {"reason"};
};

template <>
struct Layout<zmtp::Ping> : Closed {
  static constexpr auto by = Beginning::Dispatch::constant;
  using Head = operation::Constant<0x04, 0x50, 0x49, 0x4E, 0x47>;
  using Operations = std::tuple<operation::Field<&zmtp::Ping::ttl, kind::Number<2>>,
                                operation::Field<&zmtp::Ping::context, kind::Rest<16U>>>;
  static constexpr std::array<std::string_view, 2> names = {"ttl", "context"};
};

template <>
struct Layout<zmtp::Pong> : Closed {
  static constexpr auto by = Beginning::Dispatch::constant;
  using Head = operation::Constant<0x04, 0x50, 0x4F, 0x4E, 0x47>;
  using Operations = std::tuple<operation::Field<&zmtp::Pong::context, kind::Rest<16U>>>;
  static constexpr std::array<std::string_view, 1> names = {"context"};
};

template <>
struct Layout<zmtp::Subscribe> : Closed {
  static constexpr auto by = Beginning::Dispatch::constant;
  using Head = operation::Constant<0x09, 0x53, 0x55, 0x42, 0x53, 0x43, 0x52, 0x49, 0x42, 0x45>;
  using Operations = std::tuple<operation::Field<&zmtp::Subscribe::topic, kind::Rest<>>>;
  static constexpr std::array<std::string_view, 1> names = {"topic"};
};

template <>
struct Layout<zmtp::Cancel> : Closed {
  static constexpr auto by = Beginning::Dispatch::constant;
  using Head = operation::Constant<0x06, 0x43, 0x41, 0x4E, 0x43, 0x45, 0x4C>;
  using Operations = std::tuple<operation::Field<&zmtp::Cancel::topic, kind::Rest<>>>;
  static constexpr std::array<std::string_view, 1> names = {"topic"};
};

template <>
struct Layout<zmtp::Subscription> : Closed {
  static constexpr auto by = Beginning::Dispatch::constant;
  using Head = operation::Constant<0x01>;
  using Operations = std::tuple<operation::Field<&zmtp::Subscription::topic, kind::Rest<>>>;
  static constexpr std::array<std::string_view, 1> names = {"topic"};
};

template <>
struct Layout<zmtp::Cancellation> : Closed {
  static constexpr auto by = Beginning::Dispatch::constant;
  using Head = operation::Constant<0x00>;
  using Operations = std::tuple<operation::Field<&zmtp::Cancellation::topic, kind::Rest<>>>;
  static constexpr std::array<std::string_view, 1> names = {"topic"};
};

template <>
struct Layout<zmtp::SubscribeX> : Closed {
  static constexpr auto by = Beginning::Dispatch::constant;
  using Head = operation::Constant<0x0B, 0x53, 0x55, 0x42, 0x53, 0x43, 0x52, 0x49, 0x42, 0x45, 0x2D, 0x58>;
  using Operations = std::tuple<operation::Field<&zmtp::SubscribeX::kind, kind::Number<1>>,
                                operation::Field<&zmtp::SubscribeX::filter, kind::Rest<>>>;
  static constexpr std::array<std::string_view, 2> names = {"kind", "filter"};
};

template <>
struct Layout<zmtp::CancelX> : Closed {
  static constexpr auto by = Beginning::Dispatch::constant;
  using Head = operation::Constant<0x08, 0x43, 0x41, 0x4E, 0x43, 0x45, 0x4C, 0x2D, 0x58>;
  using Operations = std::tuple<operation::Field<&zmtp::CancelX::kind, kind::Number<1>>,
                                operation::Field<&zmtp::CancelX::filter, kind::Rest<>>>;
  static constexpr std::array<std::string_view, 2> names = {"kind", "filter"};
};

template <>
struct Layout<zmtp::SubscriptionX> : Closed {
  static constexpr auto by = Beginning::Dispatch::constant;
  using Head = operation::Constant<0x02>;
  using Operations = std::tuple<operation::Field<&zmtp::SubscriptionX::kind, kind::Number<1>>,
                                operation::Field<&zmtp::SubscriptionX::filter, kind::Rest<>>>;
  static constexpr std::array<std::string_view, 2> names = {"kind", "filter"};
};

template <>
struct Layout<zmtp::CancellationX> : Closed {
  static constexpr auto by = Beginning::Dispatch::constant;
  using Head = operation::Constant<0x03>;
  using Operations = std::tuple<operation::Field<&zmtp::CancellationX::kind, kind::Number<1>>,
                                operation::Field<&zmtp::CancellationX::filter, kind::Rest<>>>;
  static constexpr std::array<std::string_view, 2> names = {"kind", "filter"};
};

}  // namespace zeps_wire

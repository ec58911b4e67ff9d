/// @file
/// ZMTP 2.0.
///
/// What opens a connection of version 2.0.
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

namespace zeps_wire::zmtp_2 {

/// Values of socket type.
enum class SocketType : std::uint64_t {
  pair = 0U,
  /// XPUB too.
  pub = 1U,
  /// XSUB too.
  sub = 2U,
  req = 3U,
  rep = 4U,
  dealer = 5U,
  router = 6U,
  pull = 7U,
  push = 8U,
};

/// Whether `value` is a member.
[[nodiscard]] constexpr bool is_socket_type(SocketType value) noexcept {
  switch (static_cast<std::uint64_t>(value)) {
    case 0U:
    case 1U:
    case 2U:
    case 3U:
    case 4U:
    case 5U:
    case 6U:
    case 7U:
    case 8U: return true;
    default: return false;
  }
}

/// Whether `value` is a union of members (flags).
[[nodiscard]] constexpr bool is_all_socket_type(SocketType value) noexcept {
  return (static_cast<std::uint64_t>(value) & ~std::uint64_t{15U}) == 0;
}

[[nodiscard]] constexpr SocketType operator|(SocketType left, SocketType right) noexcept {
  return static_cast<SocketType>(static_cast<std::uint64_t>(left) | static_cast<std::uint64_t>(right));
}

[[nodiscard]] constexpr SocketType operator&(SocketType left, SocketType right) noexcept {
  return static_cast<SocketType>(static_cast<std::uint64_t>(left) & static_cast<std::uint64_t>(right));
}

/// The signature, the version, the socket's type, and a frame with an identity that subscribers leave
/// empty.
struct Greeting {
  static constexpr std::string_view message_name = "GREETING";
  static constexpr std::uint64_t message_id = 1U;
  /// First octet of the signature.
  static constexpr std::uint64_t signature = 255U;
  /// Last octet of the signature.
  static constexpr std::uint64_t signature_end = 127U;
  /// Version 2.0.
  static constexpr std::uint64_t revision = 1U;
  /// Flags of the identity's frame.
  static constexpr std::uint64_t final_short = 0U;

  /// What the sender is.
  zmtp_2::SocketType socket_type{};
  /// Nothing, for publishers and subscribers.
  zeps_wire::Octets identity{};
};

/// Any message.
using Message = std::variant<Greeting>;

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

}  // namespace zeps_wire::zmtp_2

// The layouts of the messages.
namespace zeps_wire {

template <>
struct Layout<zmtp_2::Greeting> : Closed {
  static constexpr auto by = Beginning::Dispatch::constant;
  using Head = operation::Constant<0xFF>;
  using Operations =
      std::tuple<operation::Reserved<8>, operation::Constant<0x7F>, operation::Constant<0x01>,
                 operation::Field<&zmtp_2::Greeting::socket_type,
                                  kind::Member<kind::Number<1>, zmtp_2::SocketType, zmtp_2::is_socket_type>>,
                 operation::Constant<0x00>, operation::Field<&zmtp_2::Greeting::identity, kind::Chunk<1>>>;
  static constexpr std::array<std::string_view, 6> names = {"padding",     "signature_end", "revision",
                                                            "socket_type", "final_short",   "identity"};
};

}  // namespace zeps_wire

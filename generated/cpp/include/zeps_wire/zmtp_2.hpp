/// @file
/// ZMTP 2.0.
///
/// What opens a connection of version 2.0.
///
/// Generated from the model; edit that instead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
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

/// Whether `value` is one of them.
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

/// Whether `value` is made of them, as of flags.
[[nodiscard]] constexpr bool is_all_socket_type(SocketType value) noexcept {
  return (static_cast<std::uint64_t>(value) & ~std::uint64_t{0xfU}) == 0;
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
  SocketType socket_type{};
  /// Nothing, for publishers and subscribers.
  zeps_wire::Octets identity{};
};

/// Any message.
using Message = std::variant<Greeting>;

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
  static constexpr std::uint8_t revision[] = {0x01};
  static constexpr std::uint8_t final_short[] = {0x00};
  static constexpr std::uint8_t signature[] = {0xFF};
  static constexpr zeps_wire::Beginning beginning = {
      "GREETING", zeps_wire::Beginning::Dispatch::constant, zeps_wire::Octets(head, 1), {}};
  using socket_type = zeps_wire::kind::Member<zeps_wire::kind::Number<1>, SocketType, is_socket_type>;
  using identity = zeps_wire::kind::Chunk<1>;
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
  const bool whole = glance_head(frame, layout::Greeting::head, 14U, at, spare) && glance_reserved(at, 8U) &&
                     glance_constant(at, layout::Greeting::signature_end) &&
                     glance_constant(at, layout::Greeting::revision) &&
                     layout::Greeting::socket_type::glance(at, spare, message.socket_type) &&
                     glance_constant(at, layout::Greeting::final_short) &&
                     layout::Greeting::identity::glance_last(at, spare, message.identity);
  return ZEPS_WIRE_LIKELY(whole) || decode_closely(frame, message, error);
}

/// The same as `check`, field by field: it knows what is wrong.
ZEPS_WIRE_APART bool check_closely(const Greeting& message, zeps_wire::Error& error) noexcept;

/// Whether it can be encoded. False, and the error, if its format cannot carry it.
ZEPS_WIRE_INLINE bool check(const Greeting& message, zeps_wire::Error& error) noexcept {
  const bool fine = carries<layout::Greeting::socket_type>(message.socket_type) &&
                    carries<layout::Greeting::identity>(message.identity);
  return ZEPS_WIRE_LIKELY(fine) || check_closely(message, error);
}

/// Octets of the encoded message.
[[nodiscard]] ZEPS_WIRE_INLINE std::size_t encoded_size([[maybe_unused]] const Greeting& message) noexcept {
  return 13U + layout::Greeting::identity::size(message.identity);
}

/// Lays it down from `at` on, where there is room for `encoded_size`. Only after `check`. Returns where it ends.
ZEPS_WIRE_INLINE std::uint8_t* write([[maybe_unused]] const Greeting& message, std::uint8_t* at) noexcept {
  at = store_constant(at, layout::Greeting::head);
  at = store_zeros(at, 8U);
  at = store_constant(at, layout::Greeting::signature_end);
  at = store_constant(at, layout::Greeting::revision);
  at = layout::Greeting::socket_type::write(at, message.socket_type);
  at = store_constant(at, layout::Greeting::final_short);
  at = layout::Greeting::identity::write(at, message.identity);
  return at;
}

}  // namespace zeps_wire::zmtp_2

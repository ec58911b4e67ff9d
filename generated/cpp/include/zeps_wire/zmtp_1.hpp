/// @file
/// ZMTP 1.0.
///
/// A frame of version 1.0, shorter than 255 octets. A connection opens with one that holds the identity,
/// which is mostly empty; a subscriber says nothing after it.
///
/// Generated from the model; edit that instead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>

#include "zeps_wire/runtime/codec.hpp"

namespace zeps_wire::zmtp_1 {

/// Flags and body behind one octet of length; a longer frame has %xFF there, and eight octets of length.
struct Frame {
  static constexpr std::string_view message_name = "FRAME";
  static constexpr std::uint64_t message_id = 1U;

  /// One octet of flags, zero or one, and the body.
  zeps_wire::Octets content{};
};

/// Any message.
using Message = std::variant<Frame>;

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

struct Frame {
  static constexpr zeps_wire::Beginning beginning = {
      "FRAME", zeps_wire::Beginning::Dispatch::constant, zeps_wire::Octets(), {}};
  using content = zeps_wire::kind::Chunk<1, 254U>;
};

}  // namespace layout

/// Frame of a frame that ought to hold one. False, and the error, if it does not.
bool decode(zeps_wire::Octets frame, Frame& message, zeps_wire::Error& error) noexcept;

/// The same as `check`, field by field: it knows what is wrong.
ZEPS_WIRE_APART bool check_closely(const Frame& message, zeps_wire::Error& error) noexcept;

/// Whether it can be encoded. False, and the error, if its format cannot carry it.
ZEPS_WIRE_INLINE bool check(const Frame& message, zeps_wire::Error& error) noexcept {
  const bool fine = carries<layout::Frame::content>(message.content);
  return ZEPS_WIRE_LIKELY(fine) || check_closely(message, error);
}

/// Octets of the encoded message.
[[nodiscard]] ZEPS_WIRE_INLINE std::size_t encoded_size([[maybe_unused]] const Frame& message) noexcept {
  return layout::Frame::content::size(message.content);
}

/// Lays it down from `at` on, where there is room for `encoded_size`. Only after `check`. Returns where it ends.
ZEPS_WIRE_INLINE std::uint8_t* write([[maybe_unused]] const Frame& message, std::uint8_t* at) noexcept {
  at = layout::Frame::content::write(at, message.content);
  return at;
}

}  // namespace zeps_wire::zmtp_1

/// @file
/// ZMTP 1.0.
///
/// A frame of version 1.0, shorter than 255 octets. A connection opens with one that holds the identity,
/// which is mostly empty; a subscriber says nothing after it.
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

}  // namespace zeps_wire::zmtp_1

// The layouts of the messages.
namespace zeps_wire {

template <>
struct Layout<zmtp_1::Frame> : Closed {
  static constexpr auto by = Beginning::Dispatch::constant;
  using Head = operation::Constant<>;
  using Operations = std::tuple<operation::Field<&zmtp_1::Frame::content, kind::Chunk<1, 254U>>>;
  static constexpr std::array<std::string_view, 1> names = {"content"};
};

}  // namespace zeps_wire

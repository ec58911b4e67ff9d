/// @file
/// ZMTP frames.
///
/// A frame is its flags, the size of its body in one or in eight octets, and the body. The flags say what
/// the frame is, so they are what a frame's number stands for here; flags that no frame has are refused.
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

namespace zeps_wire::zmtp_frame {

/// The last or only frame of a message, of up to 255 octets.
struct Last {
  static constexpr std::string_view message_name = "LAST";
  static constexpr std::uint64_t message_id = 0U;

  /// The octets.
  zeps_wire::Octets body{};
};

/// A frame of a message that goes on, of up to 255 octets.
struct More {
  static constexpr std::string_view message_name = "MORE";
  static constexpr std::uint64_t message_id = 1U;

  /// The octets.
  zeps_wire::Octets body{};
};

/// The last or only frame of a message, of any size.
struct LongLast {
  static constexpr std::string_view message_name = "LONG-LAST";
  static constexpr std::uint64_t message_id = 2U;

  /// The octets.
  zeps_wire::Octets body{};
};

/// A frame of a message that goes on, of any size.
struct LongMore {
  static constexpr std::string_view message_name = "LONG-MORE";
  static constexpr std::uint64_t message_id = 3U;

  /// The octets.
  zeps_wire::Octets body{};
};

/// A command, of up to 255 octets.
struct Command {
  static constexpr std::string_view message_name = "COMMAND";
  static constexpr std::uint64_t message_id = 4U;

  /// The command.
  zeps_wire::Octets body{};
};

/// A command, of any size.
struct LongCommand {
  static constexpr std::string_view message_name = "LONG-COMMAND";
  static constexpr std::uint64_t message_id = 6U;

  /// The command.
  zeps_wire::Octets body{};
};

/// Any message.
using Message = std::variant<Last, More, LongLast, LongMore, Command, LongCommand>;

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

}  // namespace zeps_wire::zmtp_frame

// The layouts of the messages.
namespace zeps_wire {

template <>
struct Layout<zmtp_frame::Last> : Closed {
  static constexpr auto by = Beginning::Dispatch::number;
  using Head = operation::Constant<0x00>;
  using Operations = std::tuple<operation::Field<&zmtp_frame::Last::body, kind::Chunk<1>>>;
  static constexpr std::array<std::string_view, 1> names = {"body"};
};

template <>
struct Layout<zmtp_frame::More> : Closed {
  static constexpr auto by = Beginning::Dispatch::number;
  using Head = operation::Constant<0x01>;
  using Operations = std::tuple<operation::Field<&zmtp_frame::More::body, kind::Chunk<1>>>;
  static constexpr std::array<std::string_view, 1> names = {"body"};
};

template <>
struct Layout<zmtp_frame::LongLast> : Closed {
  static constexpr auto by = Beginning::Dispatch::number;
  using Head = operation::Constant<0x02>;
  using Operations =
      std::tuple<operation::Field<&zmtp_frame::LongLast::body, kind::Chunk<8, 9223372036854775807U>>>;
  static constexpr std::array<std::string_view, 1> names = {"body"};
};

template <>
struct Layout<zmtp_frame::LongMore> : Closed {
  static constexpr auto by = Beginning::Dispatch::number;
  using Head = operation::Constant<0x03>;
  using Operations =
      std::tuple<operation::Field<&zmtp_frame::LongMore::body, kind::Chunk<8, 9223372036854775807U>>>;
  static constexpr std::array<std::string_view, 1> names = {"body"};
};

template <>
struct Layout<zmtp_frame::Command> : Closed {
  static constexpr auto by = Beginning::Dispatch::number;
  using Head = operation::Constant<0x04>;
  using Operations = std::tuple<operation::Field<&zmtp_frame::Command::body, kind::Chunk<1>>>;
  static constexpr std::array<std::string_view, 1> names = {"body"};
};

template <>
struct Layout<zmtp_frame::LongCommand> : Closed {
  static constexpr auto by = Beginning::Dispatch::number;
  using Head = operation::Constant<0x06>;
  using Operations =
      std::tuple<operation::Field<&zmtp_frame::LongCommand::body, kind::Chunk<8, 9223372036854775807U>>>;
  static constexpr std::array<std::string_view, 1> names = {"body"};
};

}  // namespace zeps_wire

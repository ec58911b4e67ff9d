/// @file
/// ZMTP frames.
///
/// A frame is its flags, the size of its body in one or in eight octets, and the body. The flags say what
/// the frame is, so they are what a frame's number stands for here; flags that no frame has are refused.
///
/// Generated from the model; edit that instead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
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

struct Last {
  static constexpr std::uint8_t head[] = {0x00};
  static constexpr zeps_wire::Beginning beginning = {
      "LAST", zeps_wire::Beginning::Dispatch::number, zeps_wire::Octets(head, 1), {}};
  using body = zeps_wire::kind::Chunk<1>;
};

struct More {
  static constexpr std::uint8_t head[] = {0x01};
  static constexpr zeps_wire::Beginning beginning = {
      "MORE", zeps_wire::Beginning::Dispatch::number, zeps_wire::Octets(head, 1), {}};
  using body = zeps_wire::kind::Chunk<1>;
};

struct LongLast {
  static constexpr std::uint8_t head[] = {0x02};
  static constexpr zeps_wire::Beginning beginning = {
      "LONG-LAST", zeps_wire::Beginning::Dispatch::number, zeps_wire::Octets(head, 1), {}};
  using body = zeps_wire::kind::Chunk<8, 9223372036854775807U>;
};

struct LongMore {
  static constexpr std::uint8_t head[] = {0x03};
  static constexpr zeps_wire::Beginning beginning = {
      "LONG-MORE", zeps_wire::Beginning::Dispatch::number, zeps_wire::Octets(head, 1), {}};
  using body = zeps_wire::kind::Chunk<8, 9223372036854775807U>;
};

struct Command {
  static constexpr std::uint8_t head[] = {0x04};
  static constexpr zeps_wire::Beginning beginning = {
      "COMMAND", zeps_wire::Beginning::Dispatch::number, zeps_wire::Octets(head, 1), {}};
  using body = zeps_wire::kind::Chunk<1>;
};

struct LongCommand {
  static constexpr std::uint8_t head[] = {0x06};
  static constexpr zeps_wire::Beginning beginning = {
      "LONG-COMMAND", zeps_wire::Beginning::Dispatch::number, zeps_wire::Octets(head, 1), {}};
  using body = zeps_wire::kind::Chunk<8, 9223372036854775807U>;
};

}  // namespace layout

/// The same as `decode`, field by field: it knows what is wrong.
ZEPS_WIRE_APART bool decode_closely(zeps_wire::Octets frame, Last& message, zeps_wire::Error& error) noexcept;

/// Last of a frame that ought to hold one. False, and the error, if it does not.
ZEPS_WIRE_INLINE bool decode(zeps_wire::Octets frame, [[maybe_unused]] Last& message,
                             zeps_wire::Error& error) noexcept {
  const std::uint8_t* at = nullptr;
  std::size_t spare = 0;
  const bool whole = glance_head(frame, layout::Last::head, 2U, at, spare) &&
                     layout::Last::body::glance_last(at, spare, message.body);
  return ZEPS_WIRE_LIKELY(whole) || decode_closely(frame, message, error);
}

/// The same as `check`, field by field: it knows what is wrong.
ZEPS_WIRE_APART bool check_closely(const Last& message, zeps_wire::Error& error) noexcept;

/// Whether it can be encoded. False, and the error, if its format cannot carry it.
ZEPS_WIRE_INLINE bool check(const Last& message, zeps_wire::Error& error) noexcept {
  const bool fine = carries<layout::Last::body>(message.body);
  return ZEPS_WIRE_LIKELY(fine) || check_closely(message, error);
}

/// Octets of the encoded message.
[[nodiscard]] ZEPS_WIRE_INLINE std::size_t encoded_size([[maybe_unused]] const Last& message) noexcept {
  return 1U + layout::Last::body::size(message.body);
}

/// Lays it down from `at` on, where there is room for `encoded_size`. Only after `check`. Returns where it ends.
ZEPS_WIRE_INLINE std::uint8_t* write([[maybe_unused]] const Last& message, std::uint8_t* at) noexcept {
  at = store_constant(at, layout::Last::head);
  at = layout::Last::body::write(at, message.body);
  return at;
}

/// The same as `decode`, field by field: it knows what is wrong.
ZEPS_WIRE_APART bool decode_closely(zeps_wire::Octets frame, More& message, zeps_wire::Error& error) noexcept;

/// More of a frame that ought to hold one. False, and the error, if it does not.
ZEPS_WIRE_INLINE bool decode(zeps_wire::Octets frame, [[maybe_unused]] More& message,
                             zeps_wire::Error& error) noexcept {
  const std::uint8_t* at = nullptr;
  std::size_t spare = 0;
  const bool whole = glance_head(frame, layout::More::head, 2U, at, spare) &&
                     layout::More::body::glance_last(at, spare, message.body);
  return ZEPS_WIRE_LIKELY(whole) || decode_closely(frame, message, error);
}

/// The same as `check`, field by field: it knows what is wrong.
ZEPS_WIRE_APART bool check_closely(const More& message, zeps_wire::Error& error) noexcept;

/// Whether it can be encoded. False, and the error, if its format cannot carry it.
ZEPS_WIRE_INLINE bool check(const More& message, zeps_wire::Error& error) noexcept {
  const bool fine = carries<layout::More::body>(message.body);
  return ZEPS_WIRE_LIKELY(fine) || check_closely(message, error);
}

/// Octets of the encoded message.
[[nodiscard]] ZEPS_WIRE_INLINE std::size_t encoded_size([[maybe_unused]] const More& message) noexcept {
  return 1U + layout::More::body::size(message.body);
}

/// Lays it down from `at` on, where there is room for `encoded_size`. Only after `check`. Returns where it ends.
ZEPS_WIRE_INLINE std::uint8_t* write([[maybe_unused]] const More& message, std::uint8_t* at) noexcept {
  at = store_constant(at, layout::More::head);
  at = layout::More::body::write(at, message.body);
  return at;
}

/// The same as `decode`, field by field: it knows what is wrong.
ZEPS_WIRE_APART bool decode_closely(zeps_wire::Octets frame, LongLast& message,
                                    zeps_wire::Error& error) noexcept;

/// LongLast of a frame that ought to hold one. False, and the error, if it does not.
ZEPS_WIRE_INLINE bool decode(zeps_wire::Octets frame, [[maybe_unused]] LongLast& message,
                             zeps_wire::Error& error) noexcept {
  const std::uint8_t* at = nullptr;
  std::size_t spare = 0;
  const bool whole = glance_head(frame, layout::LongLast::head, 9U, at, spare) &&
                     layout::LongLast::body::glance_last(at, spare, message.body);
  return ZEPS_WIRE_LIKELY(whole) || decode_closely(frame, message, error);
}

/// The same as `check`, field by field: it knows what is wrong.
ZEPS_WIRE_APART bool check_closely(const LongLast& message, zeps_wire::Error& error) noexcept;

/// Whether it can be encoded. False, and the error, if its format cannot carry it.
ZEPS_WIRE_INLINE bool check(const LongLast& message, zeps_wire::Error& error) noexcept {
  const bool fine = carries<layout::LongLast::body>(message.body);
  return ZEPS_WIRE_LIKELY(fine) || check_closely(message, error);
}

/// Octets of the encoded message.
[[nodiscard]] ZEPS_WIRE_INLINE std::size_t encoded_size([[maybe_unused]] const LongLast& message) noexcept {
  return 1U + layout::LongLast::body::size(message.body);
}

/// Lays it down from `at` on, where there is room for `encoded_size`. Only after `check`. Returns where it ends.
ZEPS_WIRE_INLINE std::uint8_t* write([[maybe_unused]] const LongLast& message, std::uint8_t* at) noexcept {
  at = store_constant(at, layout::LongLast::head);
  at = layout::LongLast::body::write(at, message.body);
  return at;
}

/// The same as `decode`, field by field: it knows what is wrong.
ZEPS_WIRE_APART bool decode_closely(zeps_wire::Octets frame, LongMore& message,
                                    zeps_wire::Error& error) noexcept;

/// LongMore of a frame that ought to hold one. False, and the error, if it does not.
ZEPS_WIRE_INLINE bool decode(zeps_wire::Octets frame, [[maybe_unused]] LongMore& message,
                             zeps_wire::Error& error) noexcept {
  const std::uint8_t* at = nullptr;
  std::size_t spare = 0;
  const bool whole = glance_head(frame, layout::LongMore::head, 9U, at, spare) &&
                     layout::LongMore::body::glance_last(at, spare, message.body);
  return ZEPS_WIRE_LIKELY(whole) || decode_closely(frame, message, error);
}

/// The same as `check`, field by field: it knows what is wrong.
ZEPS_WIRE_APART bool check_closely(const LongMore& message, zeps_wire::Error& error) noexcept;

/// Whether it can be encoded. False, and the error, if its format cannot carry it.
ZEPS_WIRE_INLINE bool check(const LongMore& message, zeps_wire::Error& error) noexcept {
  const bool fine = carries<layout::LongMore::body>(message.body);
  return ZEPS_WIRE_LIKELY(fine) || check_closely(message, error);
}

/// Octets of the encoded message.
[[nodiscard]] ZEPS_WIRE_INLINE std::size_t encoded_size([[maybe_unused]] const LongMore& message) noexcept {
  return 1U + layout::LongMore::body::size(message.body);
}

/// Lays it down from `at` on, where there is room for `encoded_size`. Only after `check`. Returns where it ends.
ZEPS_WIRE_INLINE std::uint8_t* write([[maybe_unused]] const LongMore& message, std::uint8_t* at) noexcept {
  at = store_constant(at, layout::LongMore::head);
  at = layout::LongMore::body::write(at, message.body);
  return at;
}

/// The same as `decode`, field by field: it knows what is wrong.
ZEPS_WIRE_APART bool decode_closely(zeps_wire::Octets frame, Command& message,
                                    zeps_wire::Error& error) noexcept;

/// Command of a frame that ought to hold one. False, and the error, if it does not.
ZEPS_WIRE_INLINE bool decode(zeps_wire::Octets frame, [[maybe_unused]] Command& message,
                             zeps_wire::Error& error) noexcept {
  const std::uint8_t* at = nullptr;
  std::size_t spare = 0;
  const bool whole = glance_head(frame, layout::Command::head, 2U, at, spare) &&
                     layout::Command::body::glance_last(at, spare, message.body);
  return ZEPS_WIRE_LIKELY(whole) || decode_closely(frame, message, error);
}

/// The same as `check`, field by field: it knows what is wrong.
ZEPS_WIRE_APART bool check_closely(const Command& message, zeps_wire::Error& error) noexcept;

/// Whether it can be encoded. False, and the error, if its format cannot carry it.
ZEPS_WIRE_INLINE bool check(const Command& message, zeps_wire::Error& error) noexcept {
  const bool fine = carries<layout::Command::body>(message.body);
  return ZEPS_WIRE_LIKELY(fine) || check_closely(message, error);
}

/// Octets of the encoded message.
[[nodiscard]] ZEPS_WIRE_INLINE std::size_t encoded_size([[maybe_unused]] const Command& message) noexcept {
  return 1U + layout::Command::body::size(message.body);
}

/// Lays it down from `at` on, where there is room for `encoded_size`. Only after `check`. Returns where it ends.
ZEPS_WIRE_INLINE std::uint8_t* write([[maybe_unused]] const Command& message, std::uint8_t* at) noexcept {
  at = store_constant(at, layout::Command::head);
  at = layout::Command::body::write(at, message.body);
  return at;
}

/// The same as `decode`, field by field: it knows what is wrong.
ZEPS_WIRE_APART bool decode_closely(zeps_wire::Octets frame, LongCommand& message,
                                    zeps_wire::Error& error) noexcept;

/// LongCommand of a frame that ought to hold one. False, and the error, if it does not.
ZEPS_WIRE_INLINE bool decode(zeps_wire::Octets frame, [[maybe_unused]] LongCommand& message,
                             zeps_wire::Error& error) noexcept {
  const std::uint8_t* at = nullptr;
  std::size_t spare = 0;
  const bool whole = glance_head(frame, layout::LongCommand::head, 9U, at, spare) &&
                     layout::LongCommand::body::glance_last(at, spare, message.body);
  return ZEPS_WIRE_LIKELY(whole) || decode_closely(frame, message, error);
}

/// The same as `check`, field by field: it knows what is wrong.
ZEPS_WIRE_APART bool check_closely(const LongCommand& message, zeps_wire::Error& error) noexcept;

/// Whether it can be encoded. False, and the error, if its format cannot carry it.
ZEPS_WIRE_INLINE bool check(const LongCommand& message, zeps_wire::Error& error) noexcept {
  const bool fine = carries<layout::LongCommand::body>(message.body);
  return ZEPS_WIRE_LIKELY(fine) || check_closely(message, error);
}

/// Octets of the encoded message.
[[nodiscard]] ZEPS_WIRE_INLINE std::size_t encoded_size(
    [[maybe_unused]] const LongCommand& message) noexcept {
  return 1U + layout::LongCommand::body::size(message.body);
}

/// Lays it down from `at` on, where there is room for `encoded_size`. Only after `check`. Returns where it ends.
ZEPS_WIRE_INLINE std::uint8_t* write([[maybe_unused]] const LongCommand& message, std::uint8_t* at) noexcept {
  at = store_constant(at, layout::LongCommand::head);
  at = layout::LongCommand::body::write(at, message.body);
  return at;
}

}  // namespace zeps_wire::zmtp_frame

/// @file
/// ZEPS journal.
///
/// A stream's journal is a folder of segments. A segment is a file: one SEGMENT header, then BLOCKs back to
/// back. A block holds the messages that were written together, as the DELIVER frames that subscribers
/// receive, so that replay is slicing. Before the frames stands an index with checksums of its own: who
/// wants some keys only reads the index, and of the frames no more than the pages on which those messages
/// lie. All numbers are unsigned and in network byte order.
///
/// Generated from the model; edit that instead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>

#include "zeps_wire/runtime/codec.hpp"

namespace zeps_wire::journal {

/// The head of a segment file.
struct Segment {
  static constexpr std::string_view message_name = "SEGMENT";
  static constexpr std::uint64_t message_id = 1U;
  /// Names the file type.
  static constexpr std::string_view magic = "ZEPSJRNL";
  /// Version of this format.
  static constexpr std::uint64_t version = 1U;

  /// Sequence of the segment's first message.
  std::uint64_t first_sequence{};
  /// Time of creation, in microseconds since 1970-01-01T00:00:00Z.
  std::uint64_t created{};
  /// The stream's name.
  std::string_view stream{};
};

/// Messages that were written together.
struct Block {
  static constexpr std::string_view message_name = "BLOCK";
  static constexpr std::uint64_t message_id = 2U;
  /// Names the block.
  static constexpr std::string_view magic = "ZBLK";

  /// CRC-32C of everything in the block that follows this field.
  std::uint64_t checksum{};
  /// CRC-32C of everything between this field and the frames.
  std::uint64_t index_checksum{};
  /// Sequence of the first message; the others follow without gaps.
  std::uint64_t first_sequence{};
  /// Earliest of the times, in microseconds since 1970-01-01T00:00:00Z.
  std::uint64_t first_time{};
  /// Latest of the times.
  std::uint64_t last_time{};
  /// When each message was stored.
  zeps_wire::List<std::uint64_t> times{};
  /// Where each frame ends, counted from the start of the first.
  zeps_wire::List<std::uint64_t> ends{};
  /// Which of the distinct keys each message has, from 0.
  zeps_wire::List<std::uint64_t> key_numbers{};
  /// CRC-32C of each page: 4,096 octets of the frames, counted from the start of the first.
  zeps_wire::List<std::uint64_t> page_checksums{};
  /// Where each distinct key ends, counted from the start of the first.
  zeps_wire::List<std::uint64_t> key_ends{};
  /// The distinct keys, back to back, in the order in which they first occur.
  zeps_wire::Octets keys{};
  /// The DELIVER frames, back to back.
  zeps_wire::Octets frames{};
};

/// Any message.
using Message = std::variant<Segment, Block>;

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

struct Segment {
  static constexpr std::uint8_t head[] = {0x5A, 0x45, 0x50, 0x53, 0x4A, 0x52, 0x4E, 0x4C, 0x00, 0x01};
  static constexpr std::uint8_t magic[] = {0x5A, 0x45, 0x50, 0x53, 0x4A, 0x52, 0x4E, 0x4C};
  static constexpr std::uint8_t version[] = {0x00, 0x01};
  static constexpr zeps_wire::Constant constants[] = {{"version", version}};
  static constexpr zeps_wire::Beginning beginning = {"SEGMENT", zeps_wire::Beginning::Dispatch::constant,
                                                     zeps_wire::Octets(head, 8), constants};
  using first_sequence = zeps_wire::kind::Number<8>;
  using created = zeps_wire::kind::Number<8>;
  using stream = zeps_wire::kind::String<1, zeps_wire::Text::printable>;
};

struct Block {
  static constexpr std::uint8_t head[] = {0x5A, 0x42, 0x4C, 0x4B};
  static constexpr std::uint8_t magic[] = {0x5A, 0x42, 0x4C, 0x4B};
  static constexpr zeps_wire::Beginning beginning = {
      "BLOCK", zeps_wire::Beginning::Dispatch::constant, zeps_wire::Octets(head, 4), {}};
  using checksum = zeps_wire::kind::Number<4>;
  using index_checksum = zeps_wire::kind::Number<4>;
  using first_sequence = zeps_wire::kind::Number<8>;
  using first_time = zeps_wire::kind::Number<8>;
  using last_time = zeps_wire::kind::Number<8>;
  using count = zeps_wire::kind::Number<4, 65536U>;
  using frames_size = zeps_wire::kind::Number<4, 268435456U>;
  using page_count = zeps_wire::kind::Number<4, 65536U>;
  using key_count = zeps_wire::kind::Number<4, 65536U>;
  using keys_size = zeps_wire::kind::Number<4, 16711680U>;
  using times = zeps_wire::kind::Counted<zeps_wire::kind::Number<8>>;
  using ends = zeps_wire::kind::Counted<zeps_wire::kind::Number<4>>;
  using key_numbers = zeps_wire::kind::Counted<zeps_wire::kind::Number<2>>;
  using page_checksums = zeps_wire::kind::Counted<zeps_wire::kind::Number<4>>;
  using key_ends = zeps_wire::kind::Counted<zeps_wire::kind::Number<4>>;
  using keys = zeps_wire::kind::Measured<>;
  using frames = zeps_wire::kind::Measured<>;
};

}  // namespace layout

/// The same as `decode`, field by field: it knows what is wrong.
ZEPS_WIRE_APART bool decode_closely(zeps_wire::Octets frame, Segment& message,
                                    zeps_wire::Error& error) noexcept;

/// Segment of a frame that ought to hold one. False, and the error, if it does not.
ZEPS_WIRE_INLINE bool decode(zeps_wire::Octets frame, [[maybe_unused]] Segment& message,
                             zeps_wire::Error& error) noexcept {
  const std::uint8_t* at = nullptr;
  std::size_t spare = 0;
  const bool whole = glance_head(frame, layout::Segment::head, 27U, at, spare) &&
                     layout::Segment::first_sequence::glance(at, spare, message.first_sequence) &&
                     layout::Segment::created::glance(at, spare, message.created) &&
                     layout::Segment::stream::glance_last(at, spare, message.stream);
  return ZEPS_WIRE_LIKELY(whole) || decode_closely(frame, message, error);
}

/// The same as `check`, field by field: it knows what is wrong.
ZEPS_WIRE_APART bool check_closely(const Segment& message, zeps_wire::Error& error) noexcept;

/// Whether it can be encoded. False, and the error, if its format cannot carry it.
ZEPS_WIRE_INLINE bool check(const Segment& message, zeps_wire::Error& error) noexcept {
  const bool fine = carries<layout::Segment::stream>(message.stream);
  return ZEPS_WIRE_LIKELY(fine) || check_closely(message, error);
}

/// Octets of the encoded message.
[[nodiscard]] ZEPS_WIRE_INLINE std::size_t encoded_size([[maybe_unused]] const Segment& message) noexcept {
  return 26U + layout::Segment::stream::size(message.stream);
}

/// Lays it down from `at` on, where there is room for `encoded_size`. Only after `check`. Returns where it ends.
ZEPS_WIRE_INLINE std::uint8_t* write([[maybe_unused]] const Segment& message, std::uint8_t* at) noexcept {
  at = store_constant(at, layout::Segment::head);
  at = layout::Segment::first_sequence::write(at, message.first_sequence);
  at = layout::Segment::created::write(at, message.created);
  at = layout::Segment::stream::write(at, message.stream);
  return at;
}

/// Block of a frame that ought to hold one. False, and the error, if it does not.
bool decode(zeps_wire::Octets frame, Block& message, zeps_wire::Error& error) noexcept;

/// Whether it can be encoded. False, and the error, if its format cannot carry it.
bool check(const Block& message, zeps_wire::Error& error) noexcept;

/// Octets of the encoded message.
[[nodiscard]] ZEPS_WIRE_INLINE std::size_t encoded_size([[maybe_unused]] const Block& message) noexcept {
  return 56U + layout::Block::times::size(message.times) + layout::Block::ends::size(message.ends) +
         layout::Block::key_numbers::size(message.key_numbers) +
         layout::Block::page_checksums::size(message.page_checksums) +
         layout::Block::key_ends::size(message.key_ends) + layout::Block::keys::size(message.keys) +
         layout::Block::frames::size(message.frames);
}

/// Lays it down from `at` on, where there is room for `encoded_size`. Only after `check`. Returns where it ends.
ZEPS_WIRE_INLINE std::uint8_t* write([[maybe_unused]] const Block& message, std::uint8_t* at) noexcept {
  at = store_constant(at, layout::Block::head);
  at = layout::Block::checksum::write(at, message.checksum);
  at = layout::Block::index_checksum::write(at, message.index_checksum);
  at = layout::Block::first_sequence::write(at, message.first_sequence);
  at = layout::Block::first_time::write(at, message.first_time);
  at = layout::Block::last_time::write(at, message.last_time);
  at = layout::Block::count::write(at, message.times.size());
  at = layout::Block::frames_size::write(at, message.frames.size());
  at = layout::Block::page_count::write(at, message.page_checksums.size());
  at = layout::Block::key_count::write(at, message.key_ends.size());
  at = layout::Block::keys_size::write(at, message.keys.size());
  at = layout::Block::times::write(at, message.times);
  at = layout::Block::ends::write(at, message.ends);
  at = layout::Block::key_numbers::write(at, message.key_numbers);
  at = layout::Block::page_checksums::write(at, message.page_checksums);
  at = layout::Block::key_ends::write(at, message.key_ends);
  at = layout::Block::keys::write(at, message.keys);
  at = layout::Block::frames::write(at, message.frames);
  return at;
}

}  // namespace zeps_wire::journal

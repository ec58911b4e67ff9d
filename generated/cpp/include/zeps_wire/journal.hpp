/// @file
/// ZEPS journal.
///
/// A stream's journal is a folder of segments. A segment is a file: one SEGMENT header, then BLOCKs back to
/// back. A block holds the messages that were written together, as the DELIVER frames that subscribers
/// receive, so that replay is slicing. An index with checksums of its own precedes the frames: a reader of
/// some keys only reads the index, and of the frames no more than the pages that hold those messages. All
/// numbers are unsigned and in network byte order.
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

}  // namespace zeps_wire::journal

// The layouts of the messages.
namespace zeps_wire {

template <>
struct Layout<journal::Segment> : Closed {
  static constexpr auto by = Beginning::Dispatch::constant;
  using Head = operation::Constant<0x5A, 0x45, 0x50, 0x53, 0x4A, 0x52, 0x4E, 0x4C>;
  using Operations =
      std::tuple<operation::Constant<0x00, 0x01>,
                 operation::Field<&journal::Segment::first_sequence, kind::Number<8>>,
                 operation::Field<&journal::Segment::created, kind::Number<8>>,
                 operation::Field<&journal::Segment::stream, kind::String<1, Text::printable>>>;
  static constexpr std::array<std::string_view, 4> names = {"version", "first_sequence", "created", "stream"};
};

template <>
struct Layout<journal::Block> : Closed {
  static constexpr auto by = Beginning::Dispatch::constant;
  using Head = operation::Constant<0x5A, 0x42, 0x4C, 0x4B>;
  using Operations =
      std::tuple<operation::Field<&journal::Block::checksum, kind::Number<4>>,
                 operation::Field<&journal::Block::index_checksum, kind::Number<4>>,
                 operation::Field<&journal::Block::first_sequence, kind::Number<8>>,
                 operation::Field<&journal::Block::first_time, kind::Number<8>>,
                 operation::Field<&journal::Block::last_time, kind::Number<8>>,
                 operation::Derived<kind::Number<4, 65536U>, 5, 10>,
                 operation::Derived<kind::Number<4, 268435456U>, 6, 16>,
                 operation::Derived<kind::Number<4, 65536U>, 7, 13>,
                 operation::Derived<kind::Number<4, 65536U>, 8, 14>,
                 operation::Derived<kind::Number<4, 16711680U>, 9, 15>,
                 operation::Field<&journal::Block::times, kind::Counted<kind::Number<8>>, 5>,
                 operation::Field<&journal::Block::ends, kind::Counted<kind::Number<4>>, 5>,
                 operation::Field<&journal::Block::key_numbers, kind::Counted<kind::Number<2>>, 5>,
                 operation::Field<&journal::Block::page_checksums, kind::Counted<kind::Number<4>>, 7>,
                 operation::Field<&journal::Block::key_ends, kind::Counted<kind::Number<4>>, 8>,
                 operation::Field<&journal::Block::keys, kind::Measured<>, 9>,
                 operation::Field<&journal::Block::frames, kind::Measured<>, 6>>;
  static constexpr std::array<std::string_view, 17> names = {
      "checksum",    "index_checksum", "first_sequence", "first_time", "last_time", "count",
      "frames_size", "page_count",     "key_count",      "keys_size",  "times",     "ends",
      "key_numbers", "page_checksums", "key_ends",       "keys",       "frames"};
};

}  // namespace zeps_wire

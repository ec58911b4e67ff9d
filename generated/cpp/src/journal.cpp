#include "zeps_wire/journal.hpp"

#include <array>

namespace zeps_wire::journal {
namespace {

constexpr std::array<zeps_wire::Beginning, 2> beginnings = {layout::Segment::beginning,
                                                            layout::Block::beginning};

template <class One>
bool decode_into(zeps_wire::Octets frame, Message& message, zeps_wire::Error& error) noexcept {
  message = One();
  return decode(frame, *std::get_if<One>(&message), error);
}

}  // namespace

bool decode_closely(zeps_wire::Octets frame, Segment& message, zeps_wire::Error& error) noexcept {
  zeps_wire::Reader in(frame);
  const bool whole =
      read_head(in, layout::Segment::head, layout::Segment::beginning, error) &&
      read<layout::Segment::first_sequence>(in, "SEGMENT", "first_sequence", message.first_sequence, error) &&
      read<layout::Segment::created>(in, "SEGMENT", "created", message.created, error) &&
      read<layout::Segment::stream>(in, "SEGMENT", "stream", message.stream, error) &&
      read_end(in, "SEGMENT", error);
  if (!whole) {
    message = Segment{};
  }
  return whole;
}

bool check_closely(const Segment& message, zeps_wire::Error& error) noexcept {
  return allowed<layout::Segment::stream>("SEGMENT", "stream", message.stream, error) &&
         fitting<layout::Segment::stream>("SEGMENT", "stream", message.stream, error);
}

bool decode(zeps_wire::Octets frame, Block& message, zeps_wire::Error& error) noexcept {
  zeps_wire::Reader in(frame);
  std::uint64_t count = 0;
  std::uint64_t frames_size = 0;
  std::uint64_t page_count = 0;
  std::uint64_t key_count = 0;
  std::uint64_t keys_size = 0;
  const bool whole =
      read_head(in, layout::Block::head, layout::Block::beginning, error) &&
      read<layout::Block::checksum>(in, "BLOCK", "checksum", message.checksum, error) &&
      read<layout::Block::index_checksum>(in, "BLOCK", "index_checksum", message.index_checksum, error) &&
      read<layout::Block::first_sequence>(in, "BLOCK", "first_sequence", message.first_sequence, error) &&
      read<layout::Block::first_time>(in, "BLOCK", "first_time", message.first_time, error) &&
      read<layout::Block::last_time>(in, "BLOCK", "last_time", message.last_time, error) &&
      read<layout::Block::count>(in, "BLOCK", "count", count, error) &&
      read<layout::Block::frames_size>(in, "BLOCK", "frames_size", frames_size, error) &&
      read<layout::Block::page_count>(in, "BLOCK", "page_count", page_count, error) &&
      read<layout::Block::key_count>(in, "BLOCK", "key_count", key_count, error) &&
      read<layout::Block::keys_size>(in, "BLOCK", "keys_size", keys_size, error) &&
      read<layout::Block::times>(in, "BLOCK", "times", message.times, error, count) &&
      read<layout::Block::ends>(in, "BLOCK", "ends", message.ends, error, count) &&
      read<layout::Block::key_numbers>(in, "BLOCK", "key_numbers", message.key_numbers, error, count) &&
      read<layout::Block::page_checksums>(in, "BLOCK", "page_checksums", message.page_checksums, error,
                                          page_count) &&
      read<layout::Block::key_ends>(in, "BLOCK", "key_ends", message.key_ends, error, key_count) &&
      read<layout::Block::keys>(in, "BLOCK", "keys", message.keys, error, keys_size) &&
      read<layout::Block::frames>(in, "BLOCK", "frames", message.frames, error, frames_size) &&
      read_end(in, "BLOCK", error);
  if (!whole) {
    message = Block{};
  }
  return whole;
}

bool check(const Block& message, zeps_wire::Error& error) noexcept {
  [[maybe_unused]] const std::uint64_t count = message.times.size();
  [[maybe_unused]] const std::uint64_t frames_size = message.frames.size();
  [[maybe_unused]] const std::uint64_t page_count = message.page_checksums.size();
  [[maybe_unused]] const std::uint64_t key_count = message.key_ends.size();
  [[maybe_unused]] const std::uint64_t keys_size = message.keys.size();
  return same_count("BLOCK", "ends", message.ends.size(), count, error) &&
         same_count("BLOCK", "key_numbers", message.key_numbers.size(), count, error) &&
         allowed<layout::Block::count>("BLOCK", "times", count, error) &&
         allowed<layout::Block::frames_size>("BLOCK", "frames", frames_size, error) &&
         allowed<layout::Block::page_count>("BLOCK", "page_checksums", page_count, error) &&
         allowed<layout::Block::key_count>("BLOCK", "key_ends", key_count, error) &&
         allowed<layout::Block::keys_size>("BLOCK", "keys", keys_size, error) &&
         allowed<layout::Block::times>("BLOCK", "times", message.times, error) &&
         allowed<layout::Block::ends>("BLOCK", "ends", message.ends, error) &&
         allowed<layout::Block::key_numbers>("BLOCK", "key_numbers", message.key_numbers, error) &&
         allowed<layout::Block::page_checksums>("BLOCK", "page_checksums", message.page_checksums, error) &&
         allowed<layout::Block::key_ends>("BLOCK", "key_ends", message.key_ends, error) &&
         fitting<layout::Block::checksum>("BLOCK", "checksum", message.checksum, error) &&
         fitting<layout::Block::index_checksum>("BLOCK", "index_checksum", message.index_checksum, error) &&
         fitting<layout::Block::times>("BLOCK", "times", message.times, error) &&
         fitting<layout::Block::ends>("BLOCK", "ends", message.ends, error) &&
         fitting<layout::Block::key_numbers>("BLOCK", "key_numbers", message.key_numbers, error) &&
         fitting<layout::Block::page_checksums>("BLOCK", "page_checksums", message.page_checksums, error) &&
         fitting<layout::Block::key_ends>("BLOCK", "key_ends", message.key_ends, error);
}

bool decode(zeps_wire::Octets frame, Message& message, zeps_wire::Error& error) noexcept {
  if (begins(frame, layout::Segment::beginning)) {
    return decode_into<Segment>(frame, message, error);
  }
  if (begins(frame, layout::Block::beginning)) {
    return decode_into<Block>(frame, message, error);
  }
  message = Message();
  return unknown(beginnings, frame, error);
}

zeps_wire::Result<Message> decode(zeps_wire::Octets frame) noexcept {
  Message message;
  zeps_wire::Error error;
  if (!decode(frame, message, error)) {
    return error;
  }
  return message;
}

bool check(const Message& message, zeps_wire::Error& error) noexcept {
  if (const auto* one = std::get_if<Segment>(&message)) {
    return check(*one, error);
  }
  if (const auto* one = std::get_if<Block>(&message)) {
    return check(*one, error);
  }
  return true;
}

std::size_t encoded_size(const Message& message) noexcept {
  if (const auto* one = std::get_if<Segment>(&message)) {
    return encoded_size(*one);
  }
  if (const auto* one = std::get_if<Block>(&message)) {
    return encoded_size(*one);
  }
  return 0;
}

std::uint8_t* write(const Message& message, std::uint8_t* at) noexcept {
  if (const auto* one = std::get_if<Segment>(&message)) {
    return write(*one, at);
  }
  if (const auto* one = std::get_if<Block>(&message)) {
    return write(*one, at);
  }
  return at;
}

std::string_view name_of(const Message& message) noexcept {
  constexpr std::array<std::string_view, 2> names = {
      Segment::message_name,
      Block::message_name,
  };
  return names[message.index()];
}

}  // namespace zeps_wire::journal

/// @file
/// What every generated codec is made of: one line for each field, and one buffer for each message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "error.hpp"
#include "kinds.hpp"
#include "list.hpp"
#include "span.hpp"
#include "text.hpp"
#include "wire.hpp"

namespace zeps_wire {

/// An encoded message.
using Buffer = std::vector<std::uint8_t>;

/// Reads a field. False, and the error, if it is none.
template <class Kind, class Value, class... Sibling>
bool read(Reader& in, std::string_view message, std::string_view field, Value& value, Error& error,
          Sibling... sibling) noexcept {
  in.start = in.at;
  const Code code = Kind::read(in, value, sibling...);
  return code == Code::none || fault(error, code, message, field, in.offset());
}

/// Whether a frame begins with `head`, and has `least` octets; `at` then stands behind the head, and `spare` is what
/// the frame has beyond them.
template <std::size_t Size>
ZEPS_WIRE_INLINE bool glance_head(Octets frame, const std::uint8_t (&head)[Size], std::size_t least,
                                  const std::uint8_t*& at, std::size_t& spare) noexcept {
  if (!ZEPS_WIRE_LIKELY(frame.size() >= least && std::memcmp(frame.data(), head, Size) == 0)) {
    return false;
  }
  at = frame.data() + Size;
  spare = frame.size() - least;
  return true;
}

/// The same for a constant further on.
template <std::size_t Size>
ZEPS_WIRE_INLINE bool glance_constant(const std::uint8_t*& at,
                                      const std::uint8_t (&constant)[Size]) noexcept {
  at += Size;
  return std::memcmp(at - Size, constant, Size) == 0;
}

/// The same for octets that nobody looks at.
ZEPS_WIRE_INLINE bool glance_reserved(const std::uint8_t*& at, std::size_t size) noexcept {
  at += size;
  return true;
}

/// Whether a field can carry a value.
template <class Kind, class Value>
ZEPS_WIRE_INLINE bool carries(const Value& value) noexcept {
  return Kind::refuse(value) == Code::none && Kind::fits(value) == Code::none;
}

/// Whether the model allows a field's value.
template <class Kind, class Value>
bool allowed(std::string_view message, std::string_view field, const Value& value, Error& error) noexcept {
  const Code code = Kind::refuse(value);
  return code == Code::none || fault(error, code, message, field, 0);
}

/// Whether a field's octets can hold its value.
template <class Kind, class Value>
bool fitting(std::string_view message, std::string_view field, const Value& value, Error& error) noexcept {
  const Code code = Kind::fits(value);
  return code == Code::none || fault(error, code, message, field, 0);
}

/// Whether a field has as many items as another that is counted with it.
inline bool same_count(std::string_view message, std::string_view field, std::size_t seen, std::size_t wanted,
                       Error& error) noexcept {
  return seen == wanted || fault(error, seen > wanted ? Code::too_long : Code::truncated, message, field, 0);
}

/// Lays `message` down in `into`, which takes its size and keeps its memory, and must hold nothing that the message
/// shows: what was decoded from it goes into another. False, and the error, if the message is one that its format
/// cannot carry; `into` is then as it was.
template <class Message>
bool encode(const Message& message, Buffer& into, Error& error) {
  if (!check(message, error)) {
    return false;
  }
  into.resize(encoded_size(message));
  write(message, into.data());
  return true;
}

/// `message` in a buffer of exactly its size, or why its format cannot carry it.
template <class Message>
Result<Buffer> encode(const Message& message) {
  Error error;
  Buffer buffer;
  if (!encode(message, buffer, error)) {
    return error;
  }
  return buffer;
}

}  // namespace zeps_wire

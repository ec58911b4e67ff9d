/// @file
/// What every generated codec is made of: one line for each field, and one buffer for each message.
#pragma once

#include <cstddef>
#include <cstdint>
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
ZEPS_WIRE_INLINE bool read(Reader& in, std::string_view message, std::string_view field, Value& value,
                           Error& error, Sibling... sibling) noexcept {
  in.start = in.at;
  const Code code = Kind::read(in, value, sibling...);
  return code == Code::none || fault(error, code, message, field, in.offset());
}

/// Whether the model allows a field's value.
template <class Kind, class Value>
ZEPS_WIRE_INLINE bool allowed(std::string_view message, std::string_view field, const Value& value,
                              Error& error) noexcept {
  const Code code = Kind::refuse(value);
  return code == Code::none || fault(error, code, message, field, 0);
}

/// Whether a field's octets can hold its value.
template <class Kind, class Value>
ZEPS_WIRE_INLINE bool fitting(std::string_view message, std::string_view field, const Value& value,
                              Error& error) noexcept {
  const Code code = Kind::fits(value);
  return code == Code::none || fault(error, code, message, field, 0);
}

/// Whether a field has as many items as another that is counted with it.
inline bool same_count(std::string_view message, std::string_view field, std::size_t seen, std::size_t wanted,
                       Error& error) noexcept {
  return seen == wanted || fault(error, seen > wanted ? Code::too_long : Code::truncated, message, field, 0);
}

/// Lays `message` down in `into`, which takes its size and keeps its memory. False, and the error, if the message
/// is one that its format cannot carry; `into` is then as it was.
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

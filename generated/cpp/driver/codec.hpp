/// @file
/// Requests about a protocol: `Message` is the variant of its messages.
#pragma once

#include <chrono>
#include <string_view>
#include <variant>
#include <vector>

#include "values.hpp"

namespace zeps_driver {

/// The number of values that a message shows.
template <class M>
inline constexpr std::size_t value_count = zeps_wire::detail::Codec<M>::shown;

/// Appends the values of a message, or of a call of a machine's method.
template <class M>
void put_values(const M& message, Answer& answer) {
  answer.put_number(value_count<M>, 4);
  zeps_wire::detail::Codec<M>::visit(
      message, [&answer](auto kind, const auto& value) { put<decltype(kind)>(answer, value); });
}

/// Reads the same values from a request. Returns false, with the cursor's reason, if they do not match.
template <class M>
bool take_values(const std::vector<Value>& values, M& message, Storage& storage, Cursor& cursor) {
  if (values.size() != value_count<M>) {
    cursor.fail("wrong number of values");
    return false;
  }
  auto given = values.begin();
  zeps_wire::detail::Codec<M>::visit(message, [&](auto kind, auto& value) {
    if (!take<decltype(kind)>(*given++, value, storage)) {
      cursor.fail("a value of another type");
    }
  });
  return !cursor.failed();
}

/// Builds the message of that name with these values, which it may be unable to encode.
template <class... Ms>
bool build(std::string_view name, const std::vector<Value>& values, std::variant<Ms...>& message,
           Storage& storage, Cursor& cursor) {
  const bool known = (... || (name == Ms::message_name &&
                              (take_values(values, message.template emplace<Ms>(), storage, cursor), true)));
  if (!known) {
    cursor.fail("unknown message");
  }
  return !cursor.failed();
}

/// The answer with an encoded message at its end, as one frame or as a list of `several`; else the error's answer.
template <class Message>
Buffer encoded_answer(const Message& message, bool several, Answer& answer) {
  const auto frames = zeps_wire::encode_frames(message);
  if (!frames) {
    return error_answer(frames.error());
  }
  if (several) {
    answer.put_number(frames->size(), 4);
  } else if (frames->size() != 1) {
    return refusal("the message has several frames");
  }
  for (const Buffer& frame : *frames) {
    answer.put_blob(frame);
  }
  return answer.octets();
}

/// The answer to a request to decode one frame, or `several`.
template <class Message>
Buffer decode_answer(Cursor& cursor, bool several) {
  const std::vector<Octets> frames = cursor.frames(several);
  cursor.end();
  if (cursor.failed()) {
    return refusal(cursor.reason());
  }
  Message message;
  zeps_wire::Error error;
  if (several ? !decode_frames(frames, message, error) : !decode(frames[0], message, error)) {
    return error_answer(error);
  }
  Answer answer('+');
  answer.put_name(name_of(message));
  std::visit([&answer](const auto& one) { put_values(one, answer); }, message);
  return encoded_answer(message, several, answer);
}

/// The answer to a request to decode repeatedly: the nanoseconds, and the allocated bytes.
template <class Message>
Buffer measure_answer(Cursor& cursor) {
  const std::uint64_t count = cursor.number(1);
  const std::vector<Octets> frames = cursor.frames(true);
  cursor.end();
  if (cursor.failed()) {
    return refusal(cursor.reason());
  }
  Message message;
  zeps_wire::Error error;
  bool decoded = false;
  const std::uint64_t before = allocated_octets;
  const auto start = std::chrono::steady_clock::now();
  for (std::uint64_t left = count; left > 0; --left) {
    decoded = frames.size() == 1 ? decode(frames[0], message, error) : decode_frames(frames, message, error);
  }
  const std::chrono::nanoseconds elapsed = std::chrono::steady_clock::now() - start;
  const std::uint64_t allocated = allocated_octets - before;
  Answer answer(decoded ? '+' : '-');
  answer.put_number(static_cast<std::uint64_t>(elapsed.count()), 8);
  answer.put_number(allocated, 8);
  return answer.octets();
}

/// The answer to a request to encode a message of one frame, or of `several`.
template <class Message>
Buffer encode_answer(Cursor& cursor, bool several) {
  const std::string_view name = cursor.name();
  const std::vector<Value> values = cursor.values();
  cursor.end();
  Message message;
  Storage storage;
  if (cursor.failed() || !build(name, values, message, storage, cursor)) {
    return refusal(cursor.reason());
  }
  Answer answer('+');
  return encoded_answer(message, several, answer);
}

}  // namespace zeps_driver

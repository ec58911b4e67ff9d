/// @file
/// Requests about a protocol. `Codec` is what driver/bundle.cpp says of one.
#pragma once

#include <string_view>
#include <vector>

#include "values.hpp"

namespace zeps_driver {

/// The message of that name with these values, which it may not be able to encode.
template <class Codec>
bool build(std::string_view name, const std::vector<Value>& values, typename Codec::Message& message,
           Storage& storage, Cursor& cursor) {
  switch (Codec::build(name, values, message, storage)) {
    case Built::done: return true;
    case Built::unknown: cursor.fail("no message has this name"); break;
    case Built::miscounted: cursor.fail("the message has another number of values"); break;
    case Built::mistyped: cursor.fail("a value is of another kind"); break;
  }
  return false;
}

template <class Codec>
Buffer decode_answer(Cursor& cursor) {
  const Octets frame = cursor.blob();
  cursor.end();
  if (cursor.failed()) {
    return refusal(cursor.reason());
  }
  typename Codec::Message message;
  zeps_wire::Error error;
  if (!decode(frame, message, error)) {
    return error_answer(error);
  }
  Answer answer('+');
  answer.put_name(name_of(message));
  Codec::put_values(message, answer);
  Buffer again;
  if (!zeps_wire::encode(message, again, error)) {
    return refusal("what was decoded cannot be encoded: " + zeps_wire::describe(error));
  }
  answer.put_blob(again);
  return answer.octets();
}

template <class Codec>
Buffer encode_answer(Cursor& cursor) {
  const std::string_view name = cursor.name();
  const std::vector<Value> values = cursor.values();
  cursor.end();
  typename Codec::Message message;
  Storage storage;
  if (cursor.failed() || !build<Codec>(name, values, message, storage, cursor)) {
    return refusal(cursor.reason());
  }
  const auto encoded = zeps_wire::encode(message);
  if (!encoded) {
    return error_answer(encoded.error());
  }
  Answer answer('+');
  answer.put_blob(*encoded);
  return answer.octets();
}

}  // namespace zeps_driver

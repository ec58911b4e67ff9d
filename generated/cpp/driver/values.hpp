/// @file
/// Requests and answers: their parts, and the conversion of values for the kinds of fields.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "zeps_wire/runtime/codec.hpp"

namespace zeps_driver {

using zeps_wire::Buffer;
using zeps_wire::Octets;

/// The total allocated by operator new, in bytes.
extern std::uint64_t allocated_octets;

/// A value of a request. A hash's items alternate between keys and values.
struct Value {
  char tag = 0;
  std::uint64_t number = 0;
  Octets octets;
  std::vector<Value> items;
};

/// A position in a request. After an error it returns zeros, and `reason` describes the error.
class Cursor {
 public:
  explicit Cursor(Octets request) : left_(request) {}

  [[nodiscard]] bool failed() const noexcept { return !reason_.empty(); }
  [[nodiscard]] const std::string& reason() const noexcept { return reason_; }
  void fail(std::string_view reason);

  Octets take(std::uint64_t size);
  std::uint64_t number(std::size_t size);
  char letter();
  std::string_view name();
  Octets blob();
  /// One frame, or `several` after their count.
  std::vector<Octets> frames(bool several);
  std::vector<Value> values();
  Value value();
  /// Checks that the request ends here.
  void end();

 private:
  Value nested(unsigned depth);
  void items(std::vector<Value>& items, std::uint64_t each, unsigned depth);

  Octets left_;
  std::string reason_;
};

/// Builds an answer.
class Answer {
 public:
  Answer() = default;
  explicit Answer(char letter) { put_letter(letter); }

  void put_letter(char letter) { octets_.push_back(static_cast<std::uint8_t>(letter)); }
  void put_number(std::uint64_t value, std::size_t size);
  void put_octets(Octets octets) { octets_.insert(octets_.end(), octets.begin(), octets.end()); }
  void put_name(std::string_view name);
  void put_blob(Octets octets);
  void put_tagged(char tag, std::uint64_t value);
  void put_tagged(char tag, Octets octets);

  [[nodiscard]] Buffer& octets() noexcept { return octets_; }

 private:
  Buffer octets_;
};

/// The answer to a request that cannot be served.
[[nodiscard]] Buffer refusal(std::string_view reason);

/// The answer with an error of a message.
[[nodiscard]] Buffer error_answer(const zeps_wire::Error& error);

/// The storage for items of lists while a request is served.
class Storage {
 public:
  template <class T>
  std::vector<T>& make() {
    auto made = std::make_shared<std::vector<T>>();
    held_.push_back(made);
    return *made;
  }

 private:
  std::vector<std::shared_ptr<void>> held_;
};

/// Appends a field's value.
template <class Kind>
void put(Answer& answer, const typename Kind::Value& value) {
  constexpr char tag = Kind::tag;
  if constexpr (tag == 'u' || tag == 'i') {
    answer.put_tagged(tag, static_cast<std::uint64_t>(value));
  } else if constexpr (tag == 's') {
    answer.put_tagged(tag, zeps_wire::octets_of(value));
  } else if constexpr (tag == 'b') {
    answer.put_tagged(tag, value);
  } else {
    answer.put_letter(tag);
    answer.put_number(value.size(), 4);
    for (const auto& item : value) {
      if constexpr (tag == 'h') {
        put<typename Kind::Each::Key>(answer, item.key);
        put<typename Kind::Each::Content>(answer, item.value);
      } else {
        put<typename Kind::Each>(answer, item);
      }
    }
  }
}

/// Converts a request's value to a field's value. Returns false if it is of another kind.
template <class Kind>
bool take(const Value& given, typename Kind::Value& value, Storage& storage) {
  constexpr char tag = Kind::tag;
  if (given.tag != tag) {
    return false;
  }
  if constexpr (tag == 'u' || tag == 'i') {
    value = static_cast<typename Kind::Value>(given.number);
  } else if constexpr (tag == 's') {
    value = zeps_wire::text_of(given.octets);
  } else if constexpr (tag == 'b') {
    value = given.octets;
  } else {
    using Item = typename Kind::Each::Value;
    auto& items = storage.make<Item>();
    const std::size_t step = tag == 'h' ? 2 : 1;
    items.reserve(given.items.size() / step);
    for (std::size_t i = 0; i + step <= given.items.size(); i += step) {
      Item item{};
      if constexpr (tag == 'h') {
        if (!take<typename Kind::Each::Key>(given.items[i], item.key, storage) ||
            !take<typename Kind::Each::Content>(given.items[i + 1], item.value, storage)) {
          return false;
        }
      } else if (!take<typename Kind::Each>(given.items[i], item, storage)) {
        return false;
      }
      items.push_back(item);
    }
    value = typename Kind::Value(items);
  }
  return true;
}

}  // namespace zeps_driver

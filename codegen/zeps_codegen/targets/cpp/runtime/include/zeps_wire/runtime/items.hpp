/// @file
/// The kinds of fields that are lists; see kinds.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "error.hpp"
#include "list.hpp"
#include "numbers.hpp"
#include "octets.hpp"
#include "text.hpp"
#include "wire.hpp"

namespace zeps_wire::kind {

/// Key and value of a hash: a string and a long string.
template <Text Class>
struct Entry {
  using Key = String<1, Class>;
  using Content = String<4, Class>;
  using Value = Pair;
  static constexpr char tag = 'h';
  static constexpr std::size_t least = Key::least + Content::least;
  static constexpr std::size_t width = 0;
  static constexpr bool plain = false;

  static Code read(Reader& in, Value& value) noexcept {
    const Code code = Key::read(in, value.key);
    if (code != Code::none) {
      return code;
    }
    in.start = in.at;
    return Content::read(in, value.value);
  }
  static Value next(const std::uint8_t*& at) noexcept {
    Pair pair;
    pair.key = Key::next(at);
    pair.value = Content::next(at);
    return pair;
  }
  static Code check(const Value& value) noexcept {
    const Code code = Key::check(value.key);
    return code == Code::none ? Content::check(value.value) : code;
  }
  static std::size_t size(const Value& value) noexcept {
    return Key::size(value.key) + Content::size(value.value);
  }
  static std::uint8_t* write(std::uint8_t* at, const Value& value) noexcept {
    return Content::write(Key::write(at, value.key), value.value);
  }
};

/// Consecutive items whose number is in a sibling.
template <class Item, std::uint64_t Max = unlimited>
struct Counted {
  using Each = Item;
  using Value = List<typename Item::Value>;
  static constexpr char tag = Item::tag == 'h' ? 'h' : 'l';
  static constexpr std::size_t least = 0;
  static constexpr bool has_fast_path = false;

  static Code read(Reader& in, Value& value, std::uint64_t count) noexcept {
    if (exceeds<Max>(count)) {
      return Code::too_long;
    }
    if (count > in.left() / std::max<std::size_t>(Item::least, 1)) {
      return Code::truncated;
    }
    value = Value::of_frame(in.at, static_cast<std::size_t>(count), &Item::next, Item::width);
    if constexpr (Item::plain) {
      in.at += count * Item::width;
      return Code::none;
    }
    Code code = Code::none;
    for (; count > 0 && code == Code::none; --count) {
      code = read_item(in);
    }
    return code;
  }
  static Code check(const Value& value) noexcept {
    if (exceeds<Max>(std::uint64_t{value.size()})) {
      return Code::too_long;
    }
    for (const auto& item : value) {
      const Code code = Item::check(item);
      if (code != Code::none) {
        return code;
      }
    }
    return Code::none;
  }
  static std::size_t size(const Value& value) noexcept {
    if constexpr (Item::width > 0) {
      return Item::width * value.size();
    }
    std::size_t sum = 0;
    for (const auto& item : value) {
      sum += Item::size(item);
    }
    return sum;
  }
  static std::uint8_t* write(std::uint8_t* at, const Value& value) noexcept {
    for (const auto& item : value) {
      at = Item::write(at, item);
    }
    return at;
  }

 protected:
  static Code read_item(Reader& in) noexcept {
    typename Item::Value item{};
    in.start = in.at;
    return Item::read(in, item);
  }
};

/// A count of `Size` bytes, then the items.
template <class Item, std::size_t Size, std::uint64_t Max = unlimited>
struct Listed : Counted<Item, std::min(Max, greatest<Size>)> {
  using Items = Counted<Item, std::min(Max, greatest<Size>)>;
  using Value = typename Items::Value;
  static constexpr std::size_t least = Size;
  static constexpr std::size_t width = 0;
  static constexpr bool plain = false;

  static Code read(Reader& in, Value& value) noexcept {
    std::uint64_t count = 0;
    return in.number<Size>(count) ? Items::read(in, value, count) : Code::truncated;
  }
  static Value next(const std::uint8_t*& at) noexcept {
    const auto count = static_cast<std::size_t>(load_number<Size>(at));
    at += Size;
    const Value value = Value::of_frame(at, count, &Item::next, Item::width);
    for (std::size_t i = 0; i < count; ++i) {
      static_cast<void>(Item::next(at));
    }
    return value;
  }
  static std::size_t size(const Value& value) noexcept { return Size + Items::size(value); }
  static std::uint8_t* write(std::uint8_t* at, const Value& value) noexcept {
    return Items::write(store_number<Size>(at, value.size()), value);
  }
};

/// Items until the end of the frame, without a count.
template <class Item, std::uint64_t Max = unlimited>
struct OpenEnded : Counted<Item, Max> {
  using Items = Counted<Item, Max>;
  using Value = typename Items::Value;

  static Code read(Reader& in, Value& value) noexcept {
    const std::uint8_t* const begin = in.at;
    if constexpr (Item::plain && Item::width > 0) {
      // arbitrary bytes are items, except an incomplete last item
      const std::uint64_t count = in.left() / Item::width;
      const std::size_t rest = in.left() % Item::width;
      if (count > Max || (count == Max && rest > 0)) {
        return Code::too_long;
      }
      if (rest > 0) {
        in.start = in.end - rest;
        return Code::truncated;
      }
      return Items::read(in, value, count);
    }
    std::uint64_t count = 0;
    for (; in.at != in.end; ++count) {
      if (count == Max) {
        in.start = begin;
        return Code::too_long;
      }
      const Code code = Items::read_item(in);
      if (code != Code::none) {
        return code;
      }
    }
    value = Value::of_frame(begin, static_cast<std::size_t>(count), &Item::next, Item::width);
    return Code::none;
  }
};

}  // namespace zeps_wire::kind

/// @file
/// The kinds of fields that are lists; see kinds.hpp.
#pragma once

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
  static constexpr bool eager = Key::eager;
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
  static Code refuse([[maybe_unused]] const Value& value) noexcept {
    Code code = Key::refuse(value.key);
    code = code == Code::none ? Content::refuse(value.value) : code;
    return code;
  }
  static Code fits([[maybe_unused]] const Value& value) noexcept {
    const Code code = Key::fits(value.key);
    return code == Code::none ? Content::fits(value.value) : code;
  }
  static std::size_t size(const Value& value) noexcept {
    return Key::size(value.key) + Content::size(value.value);
  }
  static std::uint8_t* write(std::uint8_t* at, const Value& value) noexcept {
    return Content::write(Key::write(at, value.key), value.value);
  }
};

/// As many items as a sibling says, side by side.
template <class Item, std::uint64_t Max = unlimited>
struct Counted {
  using Each = Item;
  using Value = List<typename Item::Value>;
  static constexpr char tag = 'l';
  static constexpr std::size_t least = 0;
  static constexpr bool plain = false;

  static Code read(Reader& in, Value& value, std::uint64_t count) noexcept {
    if constexpr (Max != unlimited) {
      if (count > Max) {
        return Code::too_long;
      }
    }
    if (count > in.left() / (Item::least > 0 ? Item::least : 1)) {
      return Code::truncated;
    }
    value = Value::of_frame(in.at, static_cast<std::size_t>(count), &Item::next);
    if constexpr (Item::plain) {
      if constexpr (!Item::limited) {
        in.at += count * Item::least;
        return Code::none;
      }
    }
    for (; count > 0; --count) {
      typename Item::Value item{};
      in.start = in.at;
      const Code code = Item::read(in, item);
      if (code != Code::none) {
        return code;
      }
    }
    return Code::none;
  }
  static Code refuse([[maybe_unused]] const Value& value) noexcept {
    if constexpr (Max != unlimited) {
      if (value.size() > Max) {
        return Code::too_long;
      }
    }
    if constexpr (Item::plain) {
      if constexpr (Item::limited) {
        return first_of(value, [](const auto& item) { return Item::refuse(item); });
      }
    } else if constexpr (Item::eager) {
      return first_of(value, [](const auto& item) {
        const Code code = Item::refuse(item);
        return code == Code::none ? Item::fits(item) : code;
      });
    }
    return Code::none;
  }
  static Code fits([[maybe_unused]] const Value& value) noexcept {
    if constexpr (Item::plain || !Item::eager) {
      return first_of(value, [](const auto& item) { return Item::fits(item); });
    }
    return Code::none;
  }
  static std::size_t size(const Value& value) noexcept {
    if constexpr (Item::plain) {
      return Item::least * value.size();
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

 private:
  template <class Ask>
  static Code first_of(const Value& value, Ask ask) noexcept {
    for (const auto& item : value) {
      const Code code = ask(item);
      if (code != Code::none) {
        return code;
      }
    }
    return Code::none;
  }
};

/// Whether asking a list's items takes a look at each before its own octets are counted.
template <class Item, std::uint64_t Max>
constexpr bool is_eager_list() noexcept {
  if constexpr (Item::plain) {
    return Max != unlimited || Item::limited;
  } else {
    return Max != unlimited || Item::eager;
  }
}

/// `Size` octets of count, then the items.
template <class Item, std::size_t Size, std::uint64_t Max = unlimited>
struct Listed {
  using Each = Item;
  using Items = Counted<Item, Max>;
  using Value = typename Items::Value;
  static constexpr char tag = Item::tag == 'h' ? 'h' : 'l';
  static constexpr std::size_t least = Size;
  static constexpr bool eager = is_eager_list<Item, Max>();
  static constexpr bool plain = false;

  static Code read(Reader& in, Value& value) noexcept {
    std::uint64_t count = 0;
    return in.number<Size>(count) ? Items::read(in, value, count) : Code::truncated;
  }
  static Value next(const std::uint8_t*& at) noexcept {
    const auto count = static_cast<std::size_t>(load_number<Size>(at));
    at += Size;
    const Value value = Value::of_frame(at, count, &Item::next);
    for (std::size_t i = 0; i < count; ++i) {
      static_cast<void>(Item::next(at));
    }
    return value;
  }
  static Code refuse([[maybe_unused]] const Value& value) noexcept { return Items::refuse(value); }
  static Code fits([[maybe_unused]] const Value& value) noexcept {
    const Code code = Number<Size>::fits(value.size());
    return code == Code::none ? Items::fits(value) : code;
  }
  static std::size_t size(const Value& value) noexcept { return Size + Items::size(value); }
  static std::uint8_t* write(std::uint8_t* at, const Value& value) noexcept {
    return Items::write(store_number<Size>(at, value.size()), value);
  }
};

/// 4 octets of count, then keys and values.
template <Text Class, std::uint64_t Max = unlimited>
using Hash = Listed<Entry<Class>, 4, Max>;

/// Items up to the end of the frame, which nothing counts.
template <class Item, std::uint64_t Max = unlimited>
struct OpenEnded : Counted<Item, Max> {
  using Value = typename Counted<Item, Max>::Value;
  static constexpr char tag = Item::tag == 'h' ? 'h' : 'l';

  static Code read(Reader& in, Value& value) noexcept {
    if constexpr (Item::plain) {
      if constexpr (!Item::limited) {
        return read_numbers(in, value);
      }
    }
    const std::uint8_t* const begin = in.at;
    std::uint64_t count = 0;
    for (; in.at != in.end; ++count) {
      if (count == Max) {
        in.start = begin;
        return Code::too_long;
      }
      typename Item::Value item{};
      in.start = in.at;
      const Code code = Item::read(in, item);
      if (code != Code::none) {
        return code;
      }
    }
    value = Value::of_frame(begin, static_cast<std::size_t>(count), &Item::next);
    return Code::none;
  }

 private:
  /// The same for numbers that any octets are.
  static Code read_numbers(Reader& in, Value& value) noexcept {
    const std::size_t count = in.left() / Item::least;
    const std::size_t rest = in.left() % Item::least;
    if (count > Max || (count == Max && rest > 0)) {
      return Code::too_long;
    }
    if (rest > 0) {
      in.start = in.end - rest;
      return Code::truncated;
    }
    value = Value::of_frame(in.at, count, &Item::next);
    in.at = in.end;
    return Code::none;
  }
};

}  // namespace zeps_wire::kind

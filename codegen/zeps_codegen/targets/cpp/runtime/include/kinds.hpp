/// @file
/// The kinds of fields. Each can read itself (`read`, which says what is wrong), read itself again (`next`, of
/// octets that were checked), say what it cannot carry, tell its size, and write itself.
///
/// Some can be read at a glance as well. A message's least octets are compared with the frame once; `spare` are
/// those that the frame has beyond them. What always takes the same octets has no need to look again, and what
/// varies takes from the spare ones. A glance that finds anything amiss says no more than that.
///
/// Writing looks twice before it writes: `refuse` finds values that the model forbids, `fits` those that their
/// octets cannot hold. All fields are asked the first question before any is asked the second, except within
/// the items of a list that is `eager`; so every language reports the same error of a message with several.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include "error.hpp"
#include "list.hpp"
#include "span.hpp"
#include "text.hpp"
#include "wire.hpp"

namespace zeps_wire::kind {

/// No limit but what the octets hold.
inline constexpr std::uint64_t unlimited = UINT64_MAX;

template <std::size_t Size>
inline constexpr std::uint64_t greatest = UINT64_MAX >> 8U * (8 - Size);

/// An unsigned number of `Size` octets.
template <std::size_t Size, std::uint64_t Max = unlimited>
struct Number {
  using Value = std::uint64_t;
  static constexpr char tag = 'u';
  static constexpr std::size_t least = Size;
  static constexpr bool eager = false;
  static constexpr bool plain = true;
  static constexpr bool limited = Max < greatest<Size>;

  ZEPS_WIRE_INLINE static Code read(Reader& in, Value& value) noexcept {
    return in.number<Size>(value) ? refuse(value) : Code::truncated;
  }
  ZEPS_WIRE_INLINE static bool glance(const std::uint8_t*& at, std::size_t&, Value& value) noexcept {
    value = next(at);
    return refuse(value) == Code::none;
  }
  ZEPS_WIRE_INLINE static Value next(const std::uint8_t*& at) noexcept {
    at += Size;
    return load_number<Size>(at - Size);
  }
  ZEPS_WIRE_INLINE static Code refuse([[maybe_unused]] Value value) noexcept {
    if constexpr (limited) {
      return value > Max ? Code::too_long : Code::none;
    }
    return Code::none;
  }
  ZEPS_WIRE_INLINE static Code fits([[maybe_unused]] Value value) noexcept {
    if constexpr (Size < 8) {
      return value > greatest<Size> ? Code::too_long : Code::none;
    }
    return Code::none;
  }
  ZEPS_WIRE_INLINE static std::size_t size(Value) noexcept { return Size; }
  ZEPS_WIRE_INLINE static std::uint8_t* write(std::uint8_t* at, Value value) noexcept {
    return store_number<Size>(at, value);
  }
};

/// A signed number of `Size` octets, in two's complement.
template <std::size_t Size, std::uint64_t Max = unlimited>
struct Signed {
  using Value = std::int64_t;
  static constexpr char tag = 'i';
  static constexpr std::size_t least = Size;
  static constexpr bool eager = false;
  static constexpr bool plain = true;
  static constexpr Value most = static_cast<Value>(greatest<Size> >> 1U);
  static constexpr bool limited = Max < static_cast<std::uint64_t>(most);

  ZEPS_WIRE_INLINE static Code read(Reader& in, Value& value) noexcept {
    std::uint64_t octets = 0;
    if (!in.number<Size>(octets)) {
      return Code::truncated;
    }
    value = extended(octets);
    return refuse(value);
  }
  ZEPS_WIRE_INLINE static bool glance(const std::uint8_t*& at, std::size_t&, Value& value) noexcept {
    value = next(at);
    return refuse(value) == Code::none;
  }
  ZEPS_WIRE_INLINE static Value next(const std::uint8_t*& at) noexcept {
    at += Size;
    return extended(load_number<Size>(at - Size));
  }
  ZEPS_WIRE_INLINE static Code refuse([[maybe_unused]] Value value) noexcept {
    if constexpr (limited) {
      return value > static_cast<Value>(Max) ? Code::too_long : Code::none;
    }
    return Code::none;
  }
  ZEPS_WIRE_INLINE static Code fits([[maybe_unused]] Value value) noexcept {
    if constexpr (Size < 8) {
      return value > most || value < -most - 1 ? Code::too_long : Code::none;
    }
    return Code::none;
  }
  ZEPS_WIRE_INLINE static std::size_t size(Value) noexcept { return Size; }
  ZEPS_WIRE_INLINE static std::uint8_t* write(std::uint8_t* at, Value value) noexcept {
    return store_number<Size>(at, static_cast<std::uint64_t>(value));
  }

 private:
  ZEPS_WIRE_INLINE static Value extended(std::uint64_t octets) noexcept {
    constexpr std::uint64_t sign = static_cast<std::uint64_t>(most) + 1;
    return static_cast<Value>((octets ^ sign) - sign);
  }
};

/// An unsigned number in LEB128.
template <std::uint64_t Max = unlimited>
struct Varint {
  using Value = std::uint64_t;
  static constexpr char tag = 'u';
  static constexpr std::size_t least = 1;
  static constexpr bool limited = Max != unlimited;
  static constexpr bool eager = limited;
  static constexpr bool plain = false;

  static Code read(Reader& in, Value& value) noexcept {
    const Code code = read_varint(in, value);
    return code == Code::none ? refuse(value) : code;
  }
  static Value next(const std::uint8_t*& at) noexcept { return next_varint(at); }
  static Code refuse([[maybe_unused]] Value value) noexcept {
    if constexpr (limited) {
      return value > Max ? Code::too_long : Code::none;
    }
    return Code::none;
  }
  static Code fits(Value) noexcept { return Code::none; }
  static std::size_t size(Value value) noexcept { return varint_size(value); }
  static std::uint8_t* write(std::uint8_t* at, Value value) noexcept { return store_varint(at, value); }
};

/// A signed number in LEB128, folded so that small ones stay short, whatever their sign.
template <std::uint64_t Max = unlimited>
struct Zigzag {
  using Value = std::int64_t;
  static constexpr char tag = 'i';
  static constexpr std::size_t least = 1;
  static constexpr bool limited = Max < static_cast<std::uint64_t>(std::numeric_limits<Value>::max());
  static constexpr bool eager = true;
  static constexpr bool plain = false;

  static Code read(Reader& in, Value& value) noexcept {
    std::uint64_t folded = 0;
    const Code code = read_varint(in, folded);
    value = unfold(folded);
    return code == Code::none ? refuse(value) : code;
  }
  static Value next(const std::uint8_t*& at) noexcept { return unfold(next_varint(at)); }
  static Code refuse([[maybe_unused]] Value value) noexcept {
    if constexpr (limited) {
      return value > static_cast<Value>(Max) ? Code::too_long : Code::none;
    }
    return Code::none;
  }
  static Code fits(Value) noexcept { return Code::none; }
  static std::size_t size(Value value) noexcept { return varint_size(fold(value)); }
  static std::uint8_t* write(std::uint8_t* at, Value value) noexcept { return store_varint(at, fold(value)); }

 private:
  static std::uint64_t fold(Value value) noexcept {
    const auto bits = static_cast<std::uint64_t>(value);
    return bits << 1U ^ (value < 0 ? UINT64_MAX : 0U);
  }
  static Value unfold(std::uint64_t folded) noexcept {
    return static_cast<Value>(folded >> 1U ^ ((folded & 1U) != 0 ? UINT64_MAX : 0U));
  }
};

/// A number that is one of an enumeration's, or flags of it, as `Known` says.
template <class Base, class Enumeration, bool (*Known)(Enumeration) noexcept>
struct Member {
  using Value = Enumeration;
  static constexpr char tag = Base::tag;
  static constexpr std::size_t least = Base::least;
  static constexpr bool eager = true;
  static constexpr bool plain = false;

  static Code read(Reader& in, Value& value) noexcept {
    typename Base::Value number = 0;
    const Code code = Base::read(in, number);
    value = static_cast<Value>(number);
    return code != Code::none || Known(value) ? code : Code::bad_constant;
  }
  ZEPS_WIRE_INLINE static bool glance(const std::uint8_t*& at, std::size_t& spare, Value& value) noexcept {
    typename Base::Value number = 0;
    const bool fits = Base::glance(at, spare, number);
    value = static_cast<Value>(number);
    return fits && Known(value);
  }
  static Value next(const std::uint8_t*& at) noexcept { return static_cast<Value>(Base::next(at)); }
  static Code refuse([[maybe_unused]] Value value) noexcept {
    const Code code = Base::refuse(number_of(value));
    return code != Code::none || Known(value) ? code : Code::bad_constant;
  }
  static Code fits([[maybe_unused]] Value value) noexcept { return Base::fits(number_of(value)); }
  static std::size_t size(Value value) noexcept { return Base::size(number_of(value)); }
  static std::uint8_t* write(std::uint8_t* at, Value value) noexcept {
    return Base::write(at, number_of(value));
  }
  static typename Base::Value number_of(Value value) noexcept {
    return static_cast<typename Base::Value>(value);
  }
};

/// `Size` octets of length, then octets.
template <std::size_t Size, std::uint64_t Max = unlimited>
struct Chunk {
  using Value = Octets;
  static constexpr char tag = 'b';
  static constexpr std::size_t least = Size;
  static constexpr bool limited = Max < greatest<Size>;
  static constexpr bool eager = limited;
  static constexpr bool plain = false;

  ZEPS_WIRE_INLINE static Code read(Reader& in, Value& value) noexcept {
    std::uint64_t length = 0;
    if (!in.number<Size>(length)) {
      return Code::truncated;
    }
    if constexpr (limited) {
      if (length > Max) {
        return Code::too_long;
      }
    }
    return in.take(length, value) ? Code::none : Code::truncated;
  }
  ZEPS_WIRE_INLINE static bool glance(const std::uint8_t*& at, std::size_t& spare, Value& value) noexcept {
    const std::uint64_t length = load_number<Size>(at);
    if (!ZEPS_WIRE_LIKELY(length <= spare && (!limited || length <= Max))) {
      return false;
    }
    value = Octets(at + Size, static_cast<std::size_t>(length));
    at += Size + length;
    spare -= static_cast<std::size_t>(length);
    return true;
  }
  /// The same for a message's last field: it takes what is spare, to the last octet.
  ZEPS_WIRE_INLINE static bool glance_last(const std::uint8_t* at, std::size_t spare, Value& value) noexcept {
    value = Octets(at + Size, spare);
    return ZEPS_WIRE_LIKELY(load_number<Size>(at) == spare && (!limited || spare <= Max));
  }
  static Value next(const std::uint8_t*& at) noexcept {
    const auto length = static_cast<std::size_t>(load_number<Size>(at));
    at += Size + length;
    return {at - length, length};
  }
  ZEPS_WIRE_INLINE static Code refuse([[maybe_unused]] Value value) noexcept {
    if constexpr (limited) {
      return value.size() > Max ? Code::too_long : Code::none;
    }
    return Code::none;
  }
  ZEPS_WIRE_INLINE static Code fits([[maybe_unused]] Value value) noexcept { return Number<Size>::fits(value.size()); }
  ZEPS_WIRE_INLINE static std::size_t size(Value value) noexcept { return Size + value.size(); }
  ZEPS_WIRE_INLINE static std::uint8_t* write(std::uint8_t* at, Value value) noexcept {
    return store_octets(store_number<Size>(at, value.size()), value);
  }
};

/// `Size` octets of length, then text of a class.
template <std::size_t Size, Text Class, std::uint64_t Max = unlimited>
struct String {
  using Value = std::string_view;
  static constexpr char tag = 's';
  static constexpr std::size_t least = Size;
  static constexpr bool limited = Max < greatest<Size>;
  static constexpr bool eager = limited || Class != Text::octets;
  static constexpr bool plain = false;

  ZEPS_WIRE_INLINE static Code read(Reader& in, Value& value) noexcept {
    std::uint64_t length = 0;
    Octets octets;
    if (!in.number<Size>(length)) {
      return Code::truncated;
    }
    if constexpr (limited) {
      if (length > Max) {
        return Code::too_long;
      }
    }
    if (!in.take(length, octets)) {
      return Code::truncated;
    }
    value = text_of(octets);
    return is_text<Class>(value) ? Code::none : Code::bad_text;
  }
  ZEPS_WIRE_INLINE static bool glance(const std::uint8_t*& at, std::size_t& spare, Value& value) noexcept {
    Octets octets;
    const bool fits = Chunk<Size, Max>::glance(at, spare, octets);
    value = text_of(octets);
    return fits && is_text<Class>(value);
  }
  ZEPS_WIRE_INLINE static bool glance_last(const std::uint8_t* at, std::size_t spare, Value& value) noexcept {
    Octets octets;
    const bool fits = Chunk<Size, Max>::glance_last(at, spare, octets);
    value = text_of(octets);
    return fits && is_text<Class>(value);
  }
  static Value next(const std::uint8_t*& at) noexcept { return text_of(Chunk<Size, Max>::next(at)); }
  ZEPS_WIRE_INLINE static Code refuse([[maybe_unused]] Value value) noexcept {
    if (!is_text<Class>(value)) {
      return Code::bad_text;
    }
    if constexpr (limited) {
      return value.size() > Max ? Code::too_long : Code::none;
    }
    return Code::none;
  }
  ZEPS_WIRE_INLINE static Code fits([[maybe_unused]] Value value) noexcept { return Number<Size>::fits(value.size()); }
  ZEPS_WIRE_INLINE static std::size_t size(Value value) noexcept { return Size + value.size(); }
  ZEPS_WIRE_INLINE static std::uint8_t* write(std::uint8_t* at, Value value) noexcept {
    return store_octets(store_number<Size>(at, value.size()), octets_of(value));
  }
};

/// Text that is one of an enumeration's words, as `Known` says.
template <class Base, bool (*Known)(std::string_view) noexcept>
struct Word : Base {
  using Value = std::string_view;
  static constexpr bool eager = true;

  static Code read(Reader& in, Value& value) noexcept {
    const Code code = Base::read(in, value);
    return code != Code::none || Known(value) ? code : Code::bad_constant;
  }
  static Code refuse([[maybe_unused]] Value value) noexcept { return Known(value) ? Base::refuse(value) : Code::bad_constant; }
};

/// Pub/sub: text up to a zero octet.
struct Topic {
  using Value = std::string_view;
  static constexpr char tag = 's';

  static Code read(Reader& in, Value& value) noexcept {
    const void* zero = in.left() == 0 ? nullptr : std::memchr(in.at, 0, in.left());
    if (zero == nullptr) {
      return Code::truncated;
    }
    Octets octets;
    static_cast<void>(in.take(static_cast<std::uint64_t>(static_cast<const std::uint8_t*>(zero) - in.at), octets));
    ++in.at;
    value = text_of(octets);
    return is_text<Text::utf8>(value) ? Code::none : Code::bad_text;
  }
  static Code refuse([[maybe_unused]] Value value) noexcept {
    const bool fine = is_text<Text::utf8>(value) && value.find('\0') == Value::npos;
    return fine ? Code::none : Code::bad_text;
  }
  static Code fits(Value) noexcept { return Code::none; }
  static std::size_t size(Value value) noexcept { return value.size() + 1; }
  static std::uint8_t* write(std::uint8_t* at, Value value) noexcept {
    at = store_octets(at, octets_of(value));
    *at = 0;
    return at + 1;
  }
};

/// `Size` octets.
template <std::size_t Size>
struct Fixed {
  using Value = Octets;
  static constexpr char tag = 'b';
  static constexpr std::size_t least = Size;
  static constexpr bool eager = true;
  static constexpr bool plain = false;

  ZEPS_WIRE_INLINE static Code read(Reader& in, Value& value) noexcept {
    return in.take(Size, value) ? Code::none : Code::truncated;
  }
  ZEPS_WIRE_INLINE static bool glance(const std::uint8_t*& at, std::size_t&, Value& value) noexcept {
    value = next(at);
    return true;
  }
  ZEPS_WIRE_INLINE static Value next(const std::uint8_t*& at) noexcept {
    at += Size;
    return {at - Size, Size};
  }
  ZEPS_WIRE_INLINE static Code refuse([[maybe_unused]] Value value) noexcept {
    return value.size() == Size ? Code::none : value.size() > Size ? Code::too_long : Code::truncated;
  }
  ZEPS_WIRE_INLINE static Code fits(Value) noexcept { return Code::none; }
  ZEPS_WIRE_INLINE static std::size_t size(Value) noexcept { return Size; }
  ZEPS_WIRE_INLINE static std::uint8_t* write(std::uint8_t* at, Value value) noexcept {
    return store_octets(at, value);
  }
};

/// As many octets as a sibling says.
template <std::uint64_t Max = unlimited>
struct Measured {
  using Value = Octets;
  static constexpr char tag = 'b';

  ZEPS_WIRE_INLINE static Code read(Reader& in, Value& value, std::uint64_t length) noexcept {
    if constexpr (Max != unlimited) {
      if (length > Max) {
        return Code::too_long;
      }
    }
    return in.take(length, value) ? Code::none : Code::truncated;
  }
  ZEPS_WIRE_INLINE static bool glance(const std::uint8_t*& at, std::size_t& spare, Value& value,
                                      std::uint64_t length) noexcept {
    if (!ZEPS_WIRE_LIKELY(length <= spare && length <= Max)) {
      return false;
    }
    value = Octets(at, static_cast<std::size_t>(length));
    at += length;
    spare -= static_cast<std::size_t>(length);
    return true;
  }
  ZEPS_WIRE_INLINE static Code refuse([[maybe_unused]] Value value) noexcept {
    if constexpr (Max != unlimited) {
      return value.size() > Max ? Code::too_long : Code::none;
    }
    return Code::none;
  }
  ZEPS_WIRE_INLINE static Code fits(Value) noexcept { return Code::none; }
  ZEPS_WIRE_INLINE static std::size_t size(Value value) noexcept { return value.size(); }
  ZEPS_WIRE_INLINE static std::uint8_t* write(std::uint8_t* at, Value value) noexcept {
    return store_octets(at, value);
  }
};

/// Whatever is left of the frame.
template <std::uint64_t Max = unlimited>
struct Rest : Measured<Max> {
  ZEPS_WIRE_INLINE static Code read(Reader& in, Octets& value) noexcept {
    return Measured<Max>::read(in, value, in.left());
  }
  ZEPS_WIRE_INLINE static bool glance(const std::uint8_t*& at, std::size_t& spare, Octets& value) noexcept {
    return Measured<Max>::glance(at, spare, value, spare);
  }
};

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

}  // namespace zeps_wire::kind

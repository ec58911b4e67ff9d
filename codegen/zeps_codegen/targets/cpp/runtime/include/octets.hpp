/// @file
/// The kinds of fields that are text or octets; see kinds.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "error.hpp"
#include "numbers.hpp"
#include "span.hpp"
#include "text.hpp"
#include "wire.hpp"

namespace zeps_wire::kind {

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
  ZEPS_WIRE_INLINE static Code fits([[maybe_unused]] Value value) noexcept {
    return Number<Size>::fits(value.size());
  }
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
  ZEPS_WIRE_INLINE static Code fits([[maybe_unused]] Value value) noexcept {
    return Number<Size>::fits(value.size());
  }
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
  static bool glance(const std::uint8_t*& at, std::size_t& spare, Value& value) noexcept {
    return Base::glance(at, spare, value) && Known(value);
  }
  static bool glance_last(const std::uint8_t* at, std::size_t spare, Value& value) noexcept {
    return Base::glance_last(at, spare, value) && Known(value);
  }
  static Code refuse([[maybe_unused]] Value value) noexcept {
    return Known(value) ? Base::refuse(value) : Code::bad_constant;
  }
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
    static_cast<void>(
        in.take(static_cast<std::uint64_t>(static_cast<const std::uint8_t*>(zero) - in.at), octets));
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

}  // namespace zeps_wire::kind

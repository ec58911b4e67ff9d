/// @file
/// The kinds of fields that are text or bytes; see kinds.hpp.
#pragma once

#include <algorithm>
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

/// Bytes whose number is in a sibling.
template <std::uint64_t Max = unlimited>
struct Measured {
  using Value = Octets;
  static constexpr char tag = 'b';
  static constexpr std::size_t least = 0;
  static constexpr bool has_fast_path = true;

  ZEPS_WIRE_INLINE static Code read(Reader& in, Value& value, std::uint64_t length) noexcept {
    if (exceeds<Max>(length)) {
      return Code::too_long;
    }
    return in.take(length, value) ? Code::none : Code::truncated;
  }
  ZEPS_WIRE_INLINE static bool read_fast(const std::uint8_t*& at, std::size_t& spare, Value& value,
                                         std::uint64_t length) noexcept {
    if (!ZEPS_WIRE_LIKELY(length <= spare && !exceeds<Max>(length))) {
      return false;
    }
    value = Octets(at, static_cast<std::size_t>(length));
    at += length;
    spare -= static_cast<std::size_t>(length);
    return true;
  }
  ZEPS_WIRE_INLINE static Code check(Value value) noexcept {
    return exceeds<Max>(std::uint64_t{value.size()}) ? Code::too_long : Code::none;
  }
  ZEPS_WIRE_INLINE static std::size_t size(Value value) noexcept { return value.size(); }
  ZEPS_WIRE_INLINE static std::uint8_t* write(std::uint8_t* at, Value value) noexcept {
    return store_octets(at, value);
  }
};

/// The remaining bytes of the frame.
template <std::uint64_t Max = unlimited>
struct Rest : Measured<Max> {
  ZEPS_WIRE_INLINE static Code read(Reader& in, Octets& value) noexcept {
    return Measured<Max>::read(in, value, in.left());
  }
  ZEPS_WIRE_INLINE static bool read_fast(const std::uint8_t*& at, std::size_t& spare,
                                         Octets& value) noexcept {
    return Measured<Max>::read_fast(at, spare, value, spare);
  }
};

/// A length of `Size` bytes, then bytes.
template <std::size_t Size, std::uint64_t Max = unlimited>
struct Chunk {
  using Value = Octets;
  using Content = Measured<std::min(Max, greatest<Size>)>;
  static constexpr char tag = 'b';
  static constexpr std::size_t least = Size;
  static constexpr std::size_t width = 0;
  static constexpr bool plain = false;
  static constexpr bool has_fast_path = true;

  ZEPS_WIRE_INLINE static Code read(Reader& in, Value& value) noexcept {
    std::uint64_t length = 0;
    return in.number<Size>(length) ? Content::read(in, value, length) : Code::truncated;
  }
  ZEPS_WIRE_INLINE static bool read_fast(const std::uint8_t*& at, std::size_t& spare, Value& value) noexcept {
    at += Size;
    return Content::read_fast(at, spare, value, load_number<Size>(at - Size));
  }
  static Value next(const std::uint8_t*& at) noexcept {
    const auto length = static_cast<std::size_t>(load_number<Size>(at));
    at += Size + length;
    return {at - length, length};
  }
  ZEPS_WIRE_INLINE static Code check(Value value) noexcept { return Content::check(value); }
  ZEPS_WIRE_INLINE static std::size_t size(Value value) noexcept { return Size + value.size(); }
  ZEPS_WIRE_INLINE static std::uint8_t* write(std::uint8_t* at, Value value) noexcept {
    return store_octets(store_number<Size>(at, value.size()), value);
  }
};

/// A length of `Size` bytes, then text of a class.
template <std::size_t Size, Text Class, std::uint64_t Max = unlimited>
struct String {
  using Value = std::string_view;
  using Base = Chunk<Size, Max>;
  static constexpr char tag = 's';
  static constexpr std::size_t least = Size;
  static constexpr std::size_t width = 0;
  static constexpr bool plain = false;
  static constexpr bool has_fast_path = true;

  ZEPS_WIRE_INLINE static Code read(Reader& in, Value& value) noexcept {
    Octets octets;
    const Code code = Base::read(in, octets);
    value = text_of(octets);
    return code != Code::none || is_text<Class>(value) ? code : Code::bad_text;
  }
  ZEPS_WIRE_INLINE static bool read_fast(const std::uint8_t*& at, std::size_t& spare, Value& value) noexcept {
    Octets octets;
    const bool fits = Base::read_fast(at, spare, octets);
    value = text_of(octets);
    return fits && is_text<Class>(value);
  }
  static Value next(const std::uint8_t*& at) noexcept { return text_of(Base::next(at)); }
  ZEPS_WIRE_INLINE static Code check(Value value) noexcept {
    return is_text<Class>(value) ? Base::check(octets_of(value)) : Code::bad_text;
  }
  ZEPS_WIRE_INLINE static std::size_t size(Value value) noexcept { return Size + value.size(); }
  ZEPS_WIRE_INLINE static std::uint8_t* write(std::uint8_t* at, Value value) noexcept {
    return Base::write(at, octets_of(value));
  }
};

/// Text that must be a member of an enumeration, according to `Known`.
template <class Base, bool (*Known)(std::string_view) noexcept>
struct Word : Base {
  using Value = std::string_view;

  static Code read(Reader& in, Value& value) noexcept {
    const Code code = Base::read(in, value);
    return code != Code::none || Known(value) ? code : Code::bad_constant;
  }
  static bool read_fast(const std::uint8_t*& at, std::size_t& spare, Value& value) noexcept {
    return Base::read_fast(at, spare, value) && Known(value);
  }
  static Code check(Value value) noexcept { return Known(value) ? Base::check(value) : Code::bad_constant; }
};

/// The topic of pub/sub: text and a zero byte.
struct Topic {
  using Value = std::string_view;
  static constexpr char tag = 's';
  static constexpr std::size_t least = 0;
  static constexpr bool has_fast_path = false;

  static Code read(Reader& in, Value& value) noexcept {
    const void* zero = in.left() == 0 ? nullptr : std::memchr(in.at, 0, in.left());
    if (zero == nullptr) {
      return Code::truncated;
    }
    const std::uint8_t* const end = static_cast<const std::uint8_t*>(zero);
    value = text_of({in.at, static_cast<std::size_t>(end - in.at)});
    in.at = end + 1;
    return is_text<Text::utf8>(value) ? Code::none : Code::bad_text;
  }
  static Code check(Value value) noexcept {
    const bool fine = is_text<Text::utf8>(value) && value.find('\0') == Value::npos;
    return fine ? Code::none : Code::bad_text;
  }
  static std::size_t size(Value value) noexcept { return value.size() + 1; }
  static std::uint8_t* write(std::uint8_t* at, Value value) noexcept {
    at = store_octets(at, octets_of(value));
    *at = 0;
    return at + 1;
  }
};

/// `Size` bytes.
template <std::size_t Size>
struct Fixed {
  using Value = Octets;
  static constexpr char tag = 'b';
  static constexpr std::size_t least = Size;
  static constexpr std::size_t width = Size;
  static constexpr bool plain = true;
  static constexpr bool has_fast_path = true;

  ZEPS_WIRE_INLINE static Code read(Reader& in, Value& value) noexcept {
    return in.take(Size, value) ? Code::none : Code::truncated;
  }
  ZEPS_WIRE_INLINE static bool read_fast(const std::uint8_t*& at, std::size_t&, Value& value) noexcept {
    value = next(at);
    return true;
  }
  ZEPS_WIRE_INLINE static Value next(const std::uint8_t*& at) noexcept {
    at += Size;
    return {at - Size, Size};
  }
  ZEPS_WIRE_INLINE static Code check(Value value) noexcept {
    return value.size() == Size ? Code::none : value.size() > Size ? Code::too_long : Code::truncated;
  }
  static Code assign(Octets octets, Value& value) noexcept {
    value = octets;
    return check(value);
  }
  ZEPS_WIRE_INLINE static std::size_t size(Value) noexcept { return Size; }
  ZEPS_WIRE_INLINE static std::uint8_t* write(std::uint8_t* at, Value value) noexcept {
    return store_octets(at, value);
  }
};

/// The value of an unset field: 0, empty, or zero bytes of the required number.
template <class Kind>
typename Kind::Value zero(Kind /*kind*/) noexcept {
  return {};
}
template <std::size_t Size>
Octets zero(Fixed<Size> /*kind*/) noexcept {
  static constexpr std::uint8_t zeros[Size + 1] = {};
  return {zeros, Size};
}

}  // namespace zeps_wire::kind

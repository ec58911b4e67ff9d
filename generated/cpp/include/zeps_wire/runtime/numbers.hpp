/// @file
/// The kinds of fields that are numbers; see kinds.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "error.hpp"
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

}  // namespace zeps_wire::kind

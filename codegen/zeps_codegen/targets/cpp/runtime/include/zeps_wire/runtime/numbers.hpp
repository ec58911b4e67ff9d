/// @file
/// The kinds of fields that are numbers; see kinds.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "error.hpp"
#include "wire.hpp"

namespace zeps_wire::kind {

/// The limit of a field whose range is only limited by its bytes.
inline constexpr std::uint64_t unlimited = UINT64_MAX;

/// The greatest number in `Size` bytes.
template <std::size_t Size>
inline constexpr std::uint64_t greatest = UINT64_MAX >> 8U * (8 - Size);

/// Whether a number exceeds a limit of the model, or the range of its bytes.
template <std::uint64_t Max, class Value>
ZEPS_WIRE_INLINE constexpr bool exceeds([[maybe_unused]] Value value) noexcept {
  if constexpr (Max < static_cast<std::uint64_t>(std::numeric_limits<Value>::max())) {
    return value > static_cast<Value>(Max);
  } else {
    return false;
  }
}

/// An unsigned number of `Size` bytes.
template <std::size_t Size, std::uint64_t Max = unlimited>
struct Number {
  using Value = std::uint64_t;
  static constexpr char tag = 'u';
  static constexpr std::size_t least = Size;
  static constexpr std::size_t width = Size;
  static constexpr std::uint64_t limit = Max;
  static constexpr bool plain = Max >= greatest<Size>;
  static constexpr bool has_fast_path = true;

  ZEPS_WIRE_INLINE static Code read(Reader& in, Value& value) noexcept {
    return in.number<Size>(value) ? check(value) : Code::truncated;
  }
  ZEPS_WIRE_INLINE static bool read_fast(const std::uint8_t*& at, std::size_t&, Value& value) noexcept {
    value = next(at);
    return check(value) == Code::none;
  }
  ZEPS_WIRE_INLINE static Value next(const std::uint8_t*& at) noexcept {
    at += Size;
    return load_number<Size>(at - Size);
  }
  ZEPS_WIRE_INLINE static Code check(Value value) noexcept {
    return exceeds<std::min(Max, greatest<Size>)>(value) ? Code::too_long : Code::none;
  }
  /// Sets a value to the result of an expression; returns the code of the error if the bytes cannot hold it.
  static Code assign(std::uint64_t number, Value& value) noexcept {
    value = number;
    return exceeds<greatest<Size>>(number) ? Code::too_long : Code::none;
  }
  ZEPS_WIRE_INLINE static std::size_t size(Value) noexcept { return Size; }
  ZEPS_WIRE_INLINE static std::uint8_t* write(std::uint8_t* at, Value value) noexcept {
    return store_number<Size>(at, value);
  }
};

/// A signed number of `Size` bytes, in two's complement.
template <std::size_t Size, std::uint64_t Max = unlimited>
struct Signed : Number<Size, Max> {
  using Value = std::int64_t;
  static constexpr char tag = 'i';
  static constexpr std::uint64_t most = greatest<Size> >> 1U;
  static constexpr bool plain = Max >= most;

  ZEPS_WIRE_INLINE static Code read(Reader& in, Value& value) noexcept {
    if (in.left() < Size) {
      return Code::truncated;
    }
    value = next(in.at);
    return check(value);
  }
  ZEPS_WIRE_INLINE static bool read_fast(const std::uint8_t*& at, std::size_t&, Value& value) noexcept {
    value = next(at);
    return check(value) == Code::none;
  }
  ZEPS_WIRE_INLINE static Value next(const std::uint8_t*& at) noexcept {
    at += Size;
    return static_cast<Value>((load_number<Size>(at - Size) ^ (most + 1)) - (most + 1));
  }
  ZEPS_WIRE_INLINE static Code check(Value value) noexcept {
    // the least number is as far from -1 as the greatest is from 0
    const bool fits = !exceeds<std::min(Max, most)>(value) && !exceeds<most>(-1 - std::min<Value>(value, -1));
    return fits ? Code::none : Code::too_long;
  }
  static Code assign(std::uint64_t number, Value& value) noexcept {
    value = static_cast<Value>(number);
    return exceeds<most>(number) ? Code::too_long : Code::none;
  }
  ZEPS_WIRE_INLINE static std::size_t size(Value) noexcept { return Size; }
  ZEPS_WIRE_INLINE static std::uint8_t* write(std::uint8_t* at, Value value) noexcept {
    return store_number<Size>(at, static_cast<std::uint64_t>(value));
  }
};

/// An unsigned number in LEB128.
template <std::uint64_t Max = unlimited>
struct Varint {
  using Value = std::uint64_t;
  static constexpr char tag = 'u';
  static constexpr std::size_t least = 1;
  static constexpr std::size_t width = 0;
  static constexpr std::uint64_t limit = Max;
  static constexpr bool plain = false;
  static constexpr bool has_fast_path = false;

  static Code read(Reader& in, Value& value) noexcept {
    const Code code = read_varint(in, value);
    return code == Code::none ? check(value) : code;
  }
  static Value next(const std::uint8_t*& at) noexcept { return next_varint(at); }
  static Code check(Value value) noexcept { return exceeds<Max>(value) ? Code::too_long : Code::none; }
  static Code assign(std::uint64_t number, Value& value) noexcept {
    value = number;
    return Code::none;
  }
  static std::size_t size(Value value) noexcept { return varint_size(value); }
  static std::uint8_t* write(std::uint8_t* at, Value value) noexcept { return store_varint(at, value); }
};

/// A signed number in zigzag LEB128, in which numbers near 0 stay short.
template <std::uint64_t Max = unlimited>
struct Zigzag : Varint<Max> {
  using Value = std::int64_t;
  static constexpr char tag = 'i';

  static Code read(Reader& in, Value& value) noexcept {
    std::uint64_t folded = 0;
    const Code code = read_varint(in, folded);
    value = unfold(folded);
    return code == Code::none ? check(value) : code;
  }
  static Value next(const std::uint8_t*& at) noexcept { return unfold(next_varint(at)); }
  static Code check(Value value) noexcept { return exceeds<Max>(value) ? Code::too_long : Code::none; }
  static Code assign(std::uint64_t number, Value& value) noexcept {
    value = static_cast<Value>(number);
    return number > UINT64_MAX >> 1U ? Code::too_long : Code::none;
  }
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

/// A number that must be a member of an enumeration, or flags of it, according to `Known`.
template <class Base, class Enumeration, bool (*Known)(Enumeration) noexcept>
struct Member {
  using Value = Enumeration;
  using Number = typename Base::Value;
  static constexpr char tag = Base::tag;
  static constexpr std::size_t least = Base::least;
  static constexpr std::size_t width = Base::width;
  static constexpr bool plain = false;
  static constexpr bool has_fast_path = Base::has_fast_path;

  static Code read(Reader& in, Value& value) noexcept {
    Number number = 0;
    const Code code = Base::read(in, number);
    value = static_cast<Value>(number);
    return code == Code::none ? check(value) : code;
  }
  ZEPS_WIRE_INLINE static bool read_fast(const std::uint8_t*& at, std::size_t& spare, Value& value) noexcept {
    Number number = 0;
    const bool fits = Base::read_fast(at, spare, number);
    value = static_cast<Value>(number);
    return fits && Known(value);
  }
  static Value next(const std::uint8_t*& at) noexcept { return static_cast<Value>(Base::next(at)); }
  static Code check(Value value) noexcept {
    const auto number = static_cast<Number>(value);
    const Code code = Known(value) ? Base::check(number) : Code::bad_constant;
    return exceeds<Base::limit>(number) ? Code::too_long : code;
  }
  static Code assign(std::uint64_t number, Value& value) noexcept {
    Number held = 0;
    const Code code = Base::assign(number, held);
    value = static_cast<Value>(held);
    return code == Code::none ? code : Base::limit == unlimited ? Code::bad_constant : Code::too_long;
  }
  static std::size_t size(Value value) noexcept { return Base::size(static_cast<Number>(value)); }
  static std::uint8_t* write(std::uint8_t* at, Value value) noexcept {
    return Base::write(at, static_cast<Number>(value));
  }
};

}  // namespace zeps_wire::kind

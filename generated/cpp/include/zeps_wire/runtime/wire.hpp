/// @file
/// Numbers in network byte order, LEB128, and a reader of frames.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "error.hpp"
#include "span.hpp"

namespace zeps_wire {

namespace detail {

// Written byte by byte, which compilers convert to a single load or store.

template <std::size_t... Index>
ZEPS_WIRE_INLINE std::uint64_t load(const std::uint8_t* at, std::index_sequence<Index...> /*all*/) noexcept {
  return (... | (static_cast<std::uint64_t>(at[Index]) << 8U * (sizeof...(Index) - 1 - Index)));
}

template <std::size_t... Index>
ZEPS_WIRE_INLINE void store(std::uint8_t* at, std::uint64_t value,
                            std::index_sequence<Index...> /*all*/) noexcept {
  (..., (at[Index] = static_cast<std::uint8_t>(value >> 8U * (sizeof...(Index) - 1 - Index))));
}

}  // namespace detail

/// The number in `Size` bytes.
template <std::size_t Size>
ZEPS_WIRE_INLINE std::uint64_t load_number(const std::uint8_t* at) noexcept {
  return detail::load(at, std::make_index_sequence<Size>());
}

/// Writes the lowest `Size` bytes of `value` to `at`. Returns their end.
template <std::size_t Size>
ZEPS_WIRE_INLINE std::uint8_t* store_number(std::uint8_t* at, std::uint64_t value) noexcept {
  detail::store(at, value, std::make_index_sequence<Size>());
  return at + Size;
}

/// Writes `octets` to `at`. Returns their end.
ZEPS_WIRE_INLINE std::uint8_t* store_octets(std::uint8_t* at, Octets octets) noexcept {
  if (!octets.empty()) {
    std::memcpy(at, octets.data(), octets.size());
  }
  return at + octets.size();
}

/// The size of `value` in LEB128, in bytes.
[[nodiscard]] std::size_t varint_size(std::uint64_t value) noexcept;

/// Writes `value` in LEB128 to `at`. Returns its end.
std::uint8_t* store_varint(std::uint8_t* at, std::uint64_t value) noexcept;

/// Decodes a checked LEB128 number, and advances `at` to its end.
std::uint64_t next_varint(const std::uint8_t*& at) noexcept;

/// The bytes at the beginning of a frame that identify a message.
struct Beginning {
  enum class Dispatch : std::uint8_t { number, constant, name };

  Dispatch by;
  Octets octets;  ///< the last byte is the number, if there is one
};

/// A position in a frame. `start` is the beginning of the current value.
struct Reader {
  const std::uint8_t* begin;
  const std::uint8_t* at;
  const std::uint8_t* end;
  const std::uint8_t* start;

  explicit Reader(Octets frame) noexcept
      : begin(frame.data()), at(frame.data()), end(frame.end()), start(frame.data()) {}

  [[nodiscard]] ZEPS_WIRE_INLINE std::size_t left() const noexcept {
    return static_cast<std::size_t>(end - at);
  }
  [[nodiscard]] ZEPS_WIRE_INLINE std::size_t offset() const noexcept {
    return static_cast<std::size_t>(start - begin);
  }

  /// Reads a number of `Size` bytes. Returns false if fewer are left.
  template <std::size_t Size>
  ZEPS_WIRE_INLINE bool number(std::uint64_t& value) noexcept {
    if (left() < Size) {
      return false;
    }
    value = load_number<Size>(at);
    at += Size;
    return true;
  }

  /// Reads `size` bytes. Returns false if fewer are left.
  ZEPS_WIRE_INLINE bool take(std::uint64_t size, Octets& octets) noexcept {
    if (size > left()) {
      return false;
    }
    octets = Octets(at, static_cast<std::size_t>(size));
    at += size;
    return true;
  }
};

/// Reads a LEB128 number of at most 64 bits.
Code read_varint(Reader& in, std::uint64_t& value) noexcept;

/// Reads a constant.
Code read_constant(Reader& in, Octets constant) noexcept;

/// Whether `octets` begin with `beginning`.
[[nodiscard]] bool starts_with(Octets octets, Octets beginning) noexcept;

/// Reports the error of a frame that does not begin with any of the beginnings. Returns false.
ZEPS_WIRE_APART bool unknown(Span<const Beginning> beginnings, Octets frame, Error& error) noexcept;

}  // namespace zeps_wire

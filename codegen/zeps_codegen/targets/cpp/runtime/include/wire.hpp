/// @file
/// Numbers in network byte order, and the position in a frame that is being read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

#include "error.hpp"
#include "span.hpp"

namespace zeps_wire {

namespace detail {

// Spelled out octet by octet, so that compilers see one load or store of a whole number in them.

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

/// The number in `Size` octets.
template <std::size_t Size>
ZEPS_WIRE_INLINE std::uint64_t load_number(const std::uint8_t* at) noexcept {
  return detail::load(at, std::make_index_sequence<Size>());
}

/// Lays down the `Size` lowest octets of `value`. Returns where they end.
template <std::size_t Size>
ZEPS_WIRE_INLINE std::uint8_t* store_number(std::uint8_t* at, std::uint64_t value) noexcept {
  detail::store(at, value, std::make_index_sequence<Size>());
  return at + Size;
}

/// Lays down `octets`. Returns where they end.
ZEPS_WIRE_INLINE std::uint8_t* store_octets(std::uint8_t* at, Octets octets) noexcept {
  if (!octets.empty()) {
    std::memcpy(at, octets.data(), octets.size());
  }
  return at + octets.size();
}

/// The same for octets that are known to the compiler.
template <std::size_t Size>
ZEPS_WIRE_INLINE std::uint8_t* store_constant(std::uint8_t* at, const std::uint8_t (&octets)[Size]) noexcept {
  std::memcpy(at, octets, Size);
  return at + Size;
}

/// Lays down `size` zeros. Returns where they end.
ZEPS_WIRE_INLINE std::uint8_t* store_zeros(std::uint8_t* at, std::size_t size) noexcept {
  std::memset(at, 0, size);
  return at + size;
}

/// Octets of `value` in LEB128.
[[nodiscard]] std::size_t varint_size(std::uint64_t value) noexcept;

/// Lays down `value` in LEB128. Returns where it ends.
std::uint8_t* store_varint(std::uint8_t* at, std::uint64_t value) noexcept;

/// Reads a LEB128 number, which has been checked, and steps over it.
std::uint64_t next_varint(const std::uint8_t*& at) noexcept;

/// A constant field that a message begins with.
struct Constant {
  std::string_view field;
  Octets octets;
};

/// How a message begins.
struct Beginning {
  enum class Dispatch : std::uint8_t { number, constant, name };

  std::string_view message;
  Dispatch by;
  Octets told_by;                    ///< what tells it from others; a number is the last octet of it
  Span<const Constant> constants{};  ///< the constants that follow
};

/// A position in a frame. `start` is where the value that is being read begins.
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

  /// The number in the next `Size` octets. False if there are not so many.
  template <std::size_t Size>
  ZEPS_WIRE_INLINE bool number(std::uint64_t& value) noexcept {
    if (left() < Size) {
      return false;
    }
    value = load_number<Size>(at);
    at += Size;
    return true;
  }

  /// The next `size` octets. False if there are not so many.
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

/// The error of a frame that does not begin as the message does, whose head it ought to be.
ZEPS_WIRE_APART bool misread(const Beginning& beginning, Octets frame, Error& error) noexcept;

/// The error of a frame that begins as none of the messages does.
ZEPS_WIRE_APART bool unknown(Span<const Beginning> beginnings, Octets frame, Error& error) noexcept;

/// The error of a constant field.
ZEPS_WIRE_APART bool misread_constant(std::string_view message, std::string_view field, Octets constant,
                                      Octets frame, std::size_t offset, Error& error) noexcept;

/// Whether `in` begins with `head`, which it then has passed.
template <std::size_t Size>
bool read_head(Reader& in, const std::uint8_t (&head)[Size], const Beginning& beginning,
               Error& error) noexcept {
  if (in.left() < Size || std::memcmp(in.at, head, Size) != 0) {
    return misread(beginning, Octets(in.begin, in.left()), error);
  }
  in.at += Size;
  return true;
}

/// Whether a frame begins as a message is told from others.
[[nodiscard]] inline bool begins(Octets frame, const Beginning& beginning) noexcept {
  const std::size_t size = beginning.told_by.size();
  return frame.size() >= size &&
         (size == 0 || std::memcmp(frame.data(), beginning.told_by.data(), size) == 0);
}

/// Whether `in` goes on with a constant, which it then has passed.
template <std::size_t Size>
bool read_constant(Reader& in, std::string_view message, std::string_view field,
                   const std::uint8_t (&constant)[Size], Error& error) noexcept {
  in.start = in.at;
  if (in.left() < Size || std::memcmp(in.at, constant, Size) != 0) {
    return misread_constant(message, field, constant,
                            Octets(in.begin, static_cast<std::size_t>(in.end - in.begin)), in.offset(),
                            error);
  }
  in.at += Size;
  return true;
}

/// Whether `in` goes on with `size` octets that nobody looks at, which it then has passed.
inline bool read_reserved(Reader& in, std::string_view message, std::string_view field, std::size_t size,
                          Error& error) noexcept {
  in.start = in.at;
  if (in.left() < size) {
    return fault(error, Code::truncated, message, field, in.offset());
  }
  in.at += size;
  return true;
}

/// Whether the frame ends here.
inline bool read_end(const Reader& in, std::string_view message, Error& error) noexcept {
  return in.at == in.end ||
         fault(error, Code::trailing, message, {}, static_cast<std::size_t>(in.at - in.begin));
}

}  // namespace zeps_wire

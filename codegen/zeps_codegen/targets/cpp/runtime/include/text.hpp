/// @file
/// What text may hold. Eight octets are looked at together; what is not plain ASCII is looked at again, slowly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "error.hpp"

namespace zeps_wire {

/// The classes of text. Control characters are Unicode's category Cc: U+0000 to U+001F, U+007F to U+009F.
enum class Text : std::uint8_t {
  octets,     ///< anything
  utf8,       ///< well-formed UTF-8
  printable,  ///< UTF-8 without control characters
  vchar,      ///< visible ASCII, %x21-7E
};

/// Whether `size` octets are of the class; looked at one by one.
ZEPS_WIRE_COLD bool is_text_slowly(Text text, const char* data, std::size_t size) noexcept;

namespace detail {

constexpr std::uint64_t each(std::uint8_t octet) noexcept { return octet * UINT64_C(0x0101010101010101); }

template <class Word>
ZEPS_WIRE_INLINE std::uint64_t load(const char* data) noexcept {
  Word word = 0;
  std::memcpy(&word, data, sizeof word);
  return word;
}

/// Whether some of eight octets may be none of the class. What one octet borrows from its neighbour, or carries
/// to it, has been found by then.
template <Text Class>
ZEPS_WIRE_INLINE bool is_doubtful(std::uint64_t word) noexcept {
  if constexpr (Class == Text::utf8) {
    return (word & each(0x80)) != 0;
  } else {
    constexpr std::uint64_t least = each(Class == Text::vchar ? 0x21 : 0x20);
    return ((word | (word - least) | (word + each(0x01))) & each(0x80)) != 0;
  }
}

/// One to seven octets as a word; some are there twice, and `a` fills the rest.
ZEPS_WIRE_INLINE std::uint64_t load_few(const char* data, std::size_t size) noexcept {
  if (size >= 4) {
    return load<std::uint32_t>(data) | load<std::uint32_t>(data + size - 4) << 32U;
  }
  const auto octet = [data](std::size_t index) {
    return static_cast<std::uint64_t>(static_cast<unsigned char>(data[index]));
  };
  return (each('a') << 24U) | octet(0) << 16U | octet(size / 2) << 8U | octet(size - 1);
}

}  // namespace detail

/// Whether `text` is of the class.
template <Text Class>
ZEPS_WIRE_INLINE bool is_text(std::string_view text) noexcept {
  if constexpr (Class == Text::octets) {
    return true;
  } else {
    const char* at = text.data();
    std::size_t left = text.size();
    bool doubtful = false;
    if (left >= 8) {
      for (; left > 8; left -= 8, at += 8) {
        doubtful |= detail::is_doubtful<Class>(detail::load<std::uint64_t>(at));
      }
      doubtful |= detail::is_doubtful<Class>(detail::load<std::uint64_t>(at + left - 8));
    } else if (left > 0) {
      doubtful = detail::is_doubtful<Class>(detail::load_few(at, left));
    }
    return !doubtful || is_text_slowly(Class, text.data(), text.size());
  }
}

}  // namespace zeps_wire

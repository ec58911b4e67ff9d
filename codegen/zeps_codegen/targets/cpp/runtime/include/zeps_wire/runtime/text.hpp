/// @file
/// Classes of text. Eight bytes are tested together, or sixteen with SSE2; text that is not plain ASCII is
/// tested again by the slow path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "error.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace zeps_wire {

/// The classes of text. Control characters are Unicode's category Cc: U+0000 to U+001F, U+007F to U+009F.
enum class Text : std::uint8_t {
  octets,     ///< arbitrary bytes
  utf8,       ///< well-formed UTF-8
  printable,  ///< UTF-8 without control characters
  vchar,      ///< visible ASCII, %x21-7E
};

/// Slow path: whether `size` bytes are of the class.
ZEPS_WIRE_APART bool is_text_slowly(Text text, const char* data, std::size_t size) noexcept;

namespace detail {

constexpr std::uint64_t each(std::uint8_t octet) noexcept { return octet * UINT64_C(0x0101010101010101); }

template <class Word>
ZEPS_WIRE_INLINE std::uint64_t load(const char* data) noexcept {
  Word word = 0;
  std::memcpy(&word, data, sizeof word);
  return word;
}

/// Sets the highest bit of some byte if one of eight bytes may not be of the class. A borrow from or a carry to a
/// neighbouring byte only comes from a byte that is itself detected.
template <Text Class>
ZEPS_WIRE_INLINE std::uint64_t doubt(std::uint64_t word) noexcept {
  if constexpr (Class == Text::utf8) {
    return word;
  } else {
    return (word - each(Class == Text::vchar ? 0x21 : 0x20)) | (word + each(0x01));
  }
}

/// One to seven bytes as a word; some are repeated, and `a` fills the rest.
ZEPS_WIRE_INLINE std::uint64_t load_few(const char* data, std::size_t size) noexcept {
  if (size >= 4) {
    return load<std::uint32_t>(data) | load<std::uint32_t>(data + size - 4) << 32U;
  }
  const auto octet = [data](std::size_t index) {
    return static_cast<std::uint64_t>(static_cast<unsigned char>(data[index]));
  };
  return (each('a') << 24U) | octet(0) << 16U | octet(size / 2) << 8U | octet(size - 1);
}

#if defined(__SSE2__)

ZEPS_WIRE_INLINE __m128i load_sixteen(const char* data) noexcept {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(data));
}

/// Whether sixteen bytes, and another sixteen, are ASCII and of the class. Adding one makes 7F negative; bytes beyond
/// ASCII are negative already.
template <Text Class>
ZEPS_WIRE_INLINE bool are_plain(__m128i some, __m128i more) noexcept {
  if constexpr (Class == Text::utf8) {
    return _mm_movemask_epi8(_mm_or_si128(some, more)) == 0;
  } else {
    const __m128i one = _mm_set1_epi8(1);
    const __m128i least = _mm_set1_epi8(Class == Text::vchar ? 0x21 : 0x20);
    return _mm_movemask_epi8(_mm_and_si128(_mm_cmpgt_epi8(_mm_add_epi8(some, one), least),
                                           _mm_cmpgt_epi8(_mm_add_epi8(more, one), least))) == 0xFFFF;
  }
}

/// Whether at least thirty-two bytes are ASCII and of the class.
template <Text Class>
bool is_plain_at_length(const char* at, std::size_t left) noexcept {
  for (; left > 32; left -= 32, at += 32) {
    if (!are_plain<Class>(load_sixteen(at), load_sixteen(at + 16))) {
      return false;
    }
  }
  at -= 32 - left;
  return are_plain<Class>(load_sixteen(at), load_sixteen(at + 16));
}

#else

/// Whether at least thirty-two bytes are ASCII and of the class.
template <Text Class>
bool is_plain_at_length(const char* at, std::size_t left) noexcept {
  std::uint64_t found = 0;
  for (; left > 8; left -= 8, at += 8) {
    found |= doubt<Class>(load<std::uint64_t>(at));
  }
  return ((found | doubt<Class>(load<std::uint64_t>(at + left - 8))) & each(0x80)) == 0;
}

#endif

/// Whether text is ASCII and of the class. Two words are tested together for each range of lengths; the overlap is
/// tested twice.
template <Text Class>
ZEPS_WIRE_INLINE bool is_plain(const char* at, std::size_t left) noexcept {
  std::uint64_t found = 0;
  if (left - 16 <= 16) {
#if defined(__SSE2__)
    return are_plain<Class>(load_sixteen(at), load_sixteen(at + left - 16));
#else
    found = doubt<Class>(load<std::uint64_t>(at + 8)) | doubt<Class>(load<std::uint64_t>(at + left - 16));
#endif
  } else if (left > 32) {
    return is_plain_at_length<Class>(at, left);
  }
  if (left >= 8) {
    found |= doubt<Class>(load<std::uint64_t>(at)) | doubt<Class>(load<std::uint64_t>(at + left - 8));
  } else if (left > 0) {
    found = doubt<Class>(load_few(at, left));
  }
  return (found & each(0x80)) == 0;
}

}  // namespace detail

/// Whether `text` is of the class.
template <Text Class>
ZEPS_WIRE_INLINE bool is_text(std::string_view text) noexcept {
  if constexpr (Class == Text::octets) {
    return true;
  } else {
    return ZEPS_WIRE_LIKELY(detail::is_plain<Class>(text.data(), text.size())) ||
           is_text_slowly(Class, text.data(), text.size());
  }
}

}  // namespace zeps_wire

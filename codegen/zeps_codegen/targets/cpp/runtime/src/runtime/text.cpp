#include "zeps_wire/runtime/text.hpp"

namespace zeps_wire {
namespace {

constexpr std::uint32_t none = UINT32_MAX;

/// The character at `at`, or `none`; advances `at` to its end. RFC 3629: no overlong forms, no
/// surrogates, no code points beyond U+10FFFF.
std::uint32_t character(const char*& at, const char* end) noexcept {
  const auto first = static_cast<unsigned char>(*at++);
  if (first < 0x80) {
    return first;
  }
  const int following = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
  if (first < 0xC2 || first > 0xF4 || end - at < following) {
    return none;
  }
  std::uint32_t value = first & (0x3FU >> static_cast<unsigned>(following));
  for (int i = 0; i < following; ++i) {
    const auto octet = static_cast<unsigned char>(*at++);
    if ((octet & 0xC0U) != 0x80U) {
      return none;
    }
    value = value << 6U | (octet & 0x3FU);
  }
  const bool overlong = value < (following == 3 ? 0x10000U : following == 2 ? 0x800U : 0x80U);
  const bool surrogate = value >= 0xD800U && value <= 0xDFFFU;
  return overlong || surrogate || value > 0x10FFFFU ? none : value;
}

}  // namespace

bool is_text_slowly(Text text, const char* data, std::size_t size) noexcept {
  if (text == Text::octets) {
    return true;
  }
  for (const char *at = data, *end = data + size; at < end;) {
    const std::uint32_t value = character(at, end);
    if (value == none) {
      return false;
    }
    if (text == Text::printable && (value < 0x20U || (value >= 0x7FU && value <= 0x9FU))) {
      return false;
    }
    if (text == Text::vchar && (value < 0x21U || value > 0x7EU)) {
      return false;
    }
  }
  return true;
}

}  // namespace zeps_wire

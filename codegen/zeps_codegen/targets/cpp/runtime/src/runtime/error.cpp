#include "zeps_wire/runtime/error.hpp"

namespace zeps_wire {
namespace {

constexpr std::size_t reason_octets_max = 255;

}  // namespace

std::string_view name_of(Code code) noexcept {
  switch (code) {
    case Code::none: return "none";
    case Code::truncated: return "truncated";
    case Code::trailing: return "trailing";
    case Code::bad_signature: return "bad-signature";
    case Code::unknown_message: return "unknown-message";
    case Code::bad_constant: return "bad-constant";
    case Code::bad_text: return "bad-text";
    case Code::too_long: return "too-long";
    case Code::bad_relation: return "bad-relation";
    case Code::not_set: return "not-set";
  }
  return "none";
}

bool fault(Error& error, Code code, std::string_view message, std::string_view field,
           std::size_t offset) noexcept {
  error.code = code;
  error.message = message;
  error.field = field;
  error.offset = offset;
  return false;
}

std::string describe(const Error& error) {
  std::string text{name_of(error.code)};
  if (!error.message.empty()) {
    text.append(": ").append(error.message);
    if (!error.field.empty()) {
      text.append(".").append(error.field);
    }
  }
  text.append(" at byte ").append(std::to_string(error.offset));
  for (char& one : text) {
    one = one < ' ' || one > '~' ? '?' : one;
  }
  return text.substr(0, reason_octets_max);
}

}  // namespace zeps_wire

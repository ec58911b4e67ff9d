#include "values.hpp"

#include <algorithm>

namespace zeps_driver {
namespace {

constexpr unsigned depth_max = 64;
constexpr std::size_t reason_octets_max = 200;

}  // namespace

void Cursor::fail(std::string_view reason) {
  if (!failed()) {
    reason_ = std::string(reason.substr(0, reason_octets_max));
  }
  left_ = Octets();
}

Octets Cursor::take(std::uint64_t size) {
  if (size > left_.size()) {
    fail("the request is truncated");
    return {};
  }
  const Octets taken(left_.data(), static_cast<std::size_t>(size));
  left_ = Octets(left_.data() + size, left_.size() - static_cast<std::size_t>(size));
  return taken;
}

std::uint64_t Cursor::number(std::size_t size) {
  std::uint64_t value = 0;
  for (const std::uint8_t octet : take(size)) {
    value = value << 8U | octet;
  }
  return value;
}

char Cursor::letter() { return static_cast<char>(number(1)); }

std::string_view Cursor::name() {
  const std::string_view name = zeps_wire::text_of(take(number(1)));
  if (!zeps_wire::is_text<zeps_wire::Text::utf8>(name)) {
    fail("a name is not UTF-8");
    return {};
  }
  return name;
}

Octets Cursor::blob() { return take(number(4)); }

std::vector<Octets> Cursor::frames(bool several) {
  std::vector<Octets> found;
  for (std::uint64_t left = several ? number(4) : 1; left > 0 && !failed(); --left) {
    found.push_back(blob());
  }
  return found;
}

std::vector<Value> Cursor::values() {
  std::vector<Value> found;
  items(found, 1, 0);
  return found;
}

Value Cursor::value() { return nested(0); }

void Cursor::end() {
  if (!left_.empty()) {
    fail("bytes follow the request");
  }
}

void Cursor::items(std::vector<Value>& items, std::uint64_t each, unsigned depth) {
  const std::uint64_t count = number(4) * each;
  if (count > left_.size()) {
    fail("a count exceeds the request");
    return;
  }
  for (std::uint64_t i = 0; i < count && !failed(); ++i) {
    items.push_back(nested(depth));
  }
}

Value Cursor::nested(unsigned depth) {
  Value value;
  value.tag = letter();
  if (depth > depth_max) {
    fail("values are nested too deeply");
    return value;
  }
  switch (value.tag) {
    case 'u':
    case 'i': value.number = number(8); break;
    case 's':
    case 'b': value.octets = blob(); break;
    case 'l': items(value.items, 1, depth + 1); break;
    case 'h': items(value.items, 2, depth + 1); break;
    default: fail("unknown kind of value"); break;
  }
  return value;
}

void Answer::put_number(std::uint64_t value, std::size_t size) {
  for (std::size_t i = size; i-- > 0;) {
    octets_.push_back(static_cast<std::uint8_t>(value >> 8U * i));
  }
}

void Answer::put_name(std::string_view name) {
  put_number(name.size(), 1);
  put_octets(zeps_wire::octets_of(name));
}

void Answer::put_blob(Octets octets) {
  put_number(octets.size(), 4);
  put_octets(octets);
}

void Answer::put_tagged(char tag, std::uint64_t value) {
  put_letter(tag);
  put_number(value, 8);
}

void Answer::put_tagged(char tag, Octets octets) {
  put_letter(tag);
  put_blob(octets);
}

Buffer refusal(std::string_view reason) {
  Answer answer('?');
  answer.put_name(reason.substr(0, reason_octets_max));
  return answer.octets();
}

Buffer error_answer(const zeps_wire::Error& error) {
  Answer answer('-');
  answer.put_name(zeps_wire::name_of(error.code));
  answer.put_name(error.message);
  answer.put_name(error.field);
  return answer.octets();
}

}  // namespace zeps_driver

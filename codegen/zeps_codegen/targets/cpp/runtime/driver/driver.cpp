#include "driver.hpp"

#include <algorithm>
#include <cstdlib>

// Counts the allocated bytes.
void* operator new(std::size_t size) {
  zeps_driver::allocated_octets += size;
  void* const memory = std::malloc(size);
  if (memory == nullptr) {
    std::abort();
  }
  return memory;
}

void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }

namespace zeps_driver {

std::uint64_t allocated_octets = 0;

namespace {

Buffer info(Cursor& cursor) {
  cursor.end();
  if (cursor.failed()) {
    return refusal(cursor.reason());
  }
  Answer answer('I');
  answer.put_name("cpp");
  answer.put_number(protocols().size() + machines().size(), 4);
  for (const ProtocolEntry& one : protocols()) {
    answer.put_name(one.name);
  }
  for (const MachineEntry& one : machines()) {
    answer.put_name(one.name);
  }
  return answer.octets();
}

/// The entry of the name at the request's position.
template <class Entry>
const Entry* named(zeps_wire::Span<const Entry> entries, Cursor& cursor) {
  const std::string_view name = cursor.name();
  const auto* found =
      std::find_if(entries.begin(), entries.end(), [name](const Entry& one) { return one.name == name; });
  if (found == entries.end()) {
    cursor.fail("unknown name");
    return nullptr;
  }
  return found;
}

}  // namespace

Buffer handle(Octets request) {
  Cursor cursor(request);
  const char letter = cursor.letter();
  switch (letter) {
    case 'I': return info(cursor);
    case 'D':
    case 'd':
      if (const auto* one = named(protocols(), cursor)) {
        return one->decode(cursor, letter == 'd');
      }
      break;
    case 'E':
    case 'e':
      if (const auto* one = named(protocols(), cursor)) {
        return one->encode(cursor, letter == 'e');
      }
      break;
    case 'b':
      if (const auto* one = named(protocols(), cursor)) {
        return one->measure(cursor);
      }
      break;
    case 'M':
      if (const auto* one = named(machines(), cursor)) {
        return one->run(cursor);
      }
      break;
    default: cursor.fail("unknown kind of request"); break;
  }
  return refusal(cursor.reason());
}

}  // namespace zeps_driver

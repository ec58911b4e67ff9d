/// @file
/// Lists that extend to the end of the frame, reserved bytes, and hashes with equal keys.
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "check.hpp"
#include "zeps_wire/greeting.hpp"
#include "zeps_wire/tails.hpp"

namespace {

namespace greeting = zeps_wire::greeting;
namespace tails = zeps_wire::tails;
using zeps_wire::Code;
using zeps_wire::Error;
using zeps_wire::Octets;

void every_pair_of_a_hash_is_kept() {
  const std::array<zeps_wire::Pair, 3> pairs = {{{"k", "1"}, {"a", ""}, {"k", "1"}}};
  tails::Properties properties;
  properties.name = "ready";
  properties.properties = pairs;
  const auto frame = encode(properties);
  EXPECT(frame && frame->size() == 1 + 6 + 7 + 6 + 7);
  tails::Properties found;
  Error error;
  EXPECT(decode(*frame, found, error));
  EXPECT(found.properties == properties.properties);
  const auto again = encode(found);
  EXPECT(again && *again == *frame);
}

void items_end_with_the_frame() {
  tails::Properties properties;
  Error error;
  const std::array<std::uint8_t, 2> none = {1, 0};
  EXPECT(decode(Octets(none), properties, error) && properties.properties.empty());
  const std::array<std::uint8_t, 11> cut = {1, 0, 1, 'k', 0, 0, 0, 0, 1, 'k', 0};
  EXPECT(!decode(Octets(cut), properties, error));
  EXPECT(error.code == Code::truncated && error.field == "properties" && error.offset == 10);
}

void a_limit_counts_items() {
  const std::array<std::uint8_t, 7> many = {5, 1, 2, 3, 4, 5, 6};
  tails::Small small;
  Error error;
  EXPECT(decode(Octets(many.data(), 6), small, error) && small.small.size() == 5);
  EXPECT(!decode(Octets(many), small, error));
  EXPECT(error.code == Code::too_long && error.offset == 1);
  const std::vector<std::uint64_t> numbers = {1, 2, 3, 4, 5, 6};
  small.small = numbers;
  EXPECT(encode(small).error().code == Code::too_long);
  small.small = zeps_wire::List<std::uint64_t>(numbers.data(), 5);
  const auto frame = encode(small);
  EXPECT(frame && Octets(*frame) == Octets(many.data(), 6));
}

void what_is_reserved_is_zero_and_not_looked_at() {
  const std::array<std::uint8_t, 18> sent = {15, 0, 0, 'A', 'B', 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 7, 0, 0};
  const std::array<std::uint64_t, 1> listed = {7};
  tails::Between between;
  between.listed = listed;
  const auto frame = encode(between);
  EXPECT(frame && Octets(*frame) == Octets(sent));
  std::array<std::uint8_t, 18> received = sent;
  for (const std::size_t at : {1U, 2U, 5U, 12U, 16U, 17U}) {
    received[at] = 0xFF;
  }
  Error error;
  EXPECT(decode(Octets(received), between, error));
  EXPECT(between.listed.size() == 1 && *between.listed.begin() == 7);
  EXPECT(!decode(Octets(received.data(), 17), between, error));
  EXPECT(error.code == Code::truncated && error.field == "last" && error.offset == 16);
}

void one_message_alone_is_every_frame() {
  const std::array<std::uint8_t, 11> sent = {0, 0, 127, 'N', 'U', 'L', 'L', 1, 0, 0, 0};
  greeting::Greeting message;
  message.mechanism = zeps_wire::octets_of("NULL");
  message.server = 1;
  const auto frame = encode(message);
  EXPECT(frame && Octets(*frame) == Octets(sent));
  const auto found = greeting::decode(Octets(sent));
  const auto* one = found ? std::get_if<greeting::Greeting>(&*found) : nullptr;
  EXPECT(one != nullptr && one->mechanism == zeps_wire::octets_of("NULL"));
  EXPECT(greeting::decode(Octets()).error().code == Code::truncated);
  std::array<std::uint8_t, 11> wrong = sent;
  wrong[2] = 0;
  EXPECT(greeting::decode(Octets(wrong)).error().code == Code::bad_constant);
}

}  // namespace

int main() {
  every_pair_of_a_hash_is_kept();
  items_end_with_the_frame();
  a_limit_counts_items();
  what_is_reserved_is_zero_and_not_looked_at();
  one_message_alone_is_every_frame();
  return failures() == 0 ? 0 : 1;
}

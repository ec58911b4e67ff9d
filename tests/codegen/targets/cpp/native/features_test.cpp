/// @file
/// Every kind of field. The model contains each kind once.
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "check.hpp"
#include "zeps_wire/features.hpp"

namespace {

namespace features = zeps_wire::features;
using zeps_wire::Code;
using zeps_wire::Error;

void numbers_of_every_kind() {
  features::Numbers numbers;
  numbers.tiny = 255;
  numbers.below = -5;
  numbers.limited = 300;
  numbers.lean = UINT64_MAX;
  numbers.zigzag = INT64_MIN;
  numbers.colour = features::Colour::dark_blue;
  numbers.rights = features::Rights::read | features::Rights::write;
  const auto frame = encode(numbers);
  EXPECT(frame);
  features::Numbers found;
  Error error;
  EXPECT(decode(*frame, found, error));
  EXPECT(found.below == -5);
  EXPECT(found.lean == UINT64_MAX);
  EXPECT(found.zigzag == INT64_MIN);
  EXPECT(found.colour == features::Colour::dark_blue);
  EXPECT((found.rights & features::Rights::write) == features::Rights::write);
}

void numbers_that_do_not_fit() {
  features::Numbers numbers;
  numbers.colour = features::Colour::red;
  EXPECT(encode(numbers));
  numbers.tiny = 256;
  EXPECT(encode(numbers).error().field == "tiny");
  numbers = features::Numbers();
  numbers.limited = 301;
  EXPECT(encode(numbers).error().code == Code::too_long);
  numbers = features::Numbers();
  EXPECT(encode(numbers).error().code == Code::bad_constant);  // 0 is no colour
  numbers.colour = features::Colour::red;
  numbers.rights = static_cast<features::Rights>(4);
  EXPECT(encode(numbers).error().field == "rights");
}

void lists_count_themselves() {
  const std::array<std::string_view, 2> keys = {"a", "bc"};
  const std::vector<std::uint64_t> times = {1, UINT64_MAX};
  features::Lists lists;
  lists.keys = keys;
  lists.times = times;
  const auto frame = encode(lists);
  EXPECT(frame);
  features::Lists found;
  Error error;
  EXPECT(decode(*frame, found, error));
  EXPECT(found.keys == lists.keys);
  EXPECT(found.times == lists.times);
  EXPECT(found.sizes.empty());
  EXPECT(*encode(found) == *frame);
  lists.times = {};
  const auto fewer = encode(lists);
  EXPECT(fewer.error().code == Code::truncated);
  EXPECT(fewer.error().field == "times");
}

void octets_have_the_size_that_they_must() {
  const std::array<std::uint8_t, 16> identity = {1, 2, 3};
  features::Octets octets;
  octets.identity = identity;
  EXPECT(encode(octets).error().field == "fixed");
  EXPECT(encode(octets).error().code == Code::truncated);
  octets.fixed = zeps_wire::octets_of("abc");
  octets.measured = zeps_wire::octets_of("of any length");
  const auto frame = encode(octets);
  EXPECT(frame);
  features::Octets found;
  Error error;
  EXPECT(decode(*frame, found, error));
  EXPECT(found.identity == zeps_wire::Octets(identity));
  EXPECT(found.measured == octets.measured);
  EXPECT(features::Octets::greeting == "hello");
}

void hashes_keep_their_order() {
  const std::array<zeps_wire::Pair, 2> headers = {{{"b", "1"}, {"a", "2"}}};
  features::Texts texts;
  texts.headers = headers;
  const auto frame = encode(texts);
  EXPECT(frame);
  const auto message = features::decode(*frame);
  EXPECT(message);
  const auto* found = std::get_if<features::Texts>(&*message);
  EXPECT(found != nullptr && found->headers.size() == 2);
  EXPECT(found != nullptr && found->headers.begin()->key == "b");
}

}  // namespace

int main() {
  numbers_of_every_kind();
  numbers_that_do_not_fit();
  lists_count_themselves();
  octets_have_the_size_that_they_must();
  hashes_keep_their_order();
  return failures() == 0 ? 0 : 1;
}

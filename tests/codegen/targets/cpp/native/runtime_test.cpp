/// @file
/// The runtime of the generated code, tested without generated code.
#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "check.hpp"
#include "zeps_wire/runtime/codec.hpp"
#include "zeps_wire/runtime/machine.hpp"

namespace {

using zeps_wire::Code;
using zeps_wire::is_text;
using zeps_wire::Octets;
using zeps_wire::Reader;
using zeps_wire::Text;
namespace kind = zeps_wire::kind;

void text_is_looked_at_in_words_as_one_by_one() {
  for (std::size_t size = 0; size <= 20; ++size) {
    for (unsigned octet = 0; octet < 256; ++octet) {
      for (std::size_t at = 0; at < size; ++at) {
        std::string text(size, '~');
        text[at] = static_cast<char>(octet);
        EXPECT(is_text<Text::utf8>(text) == zeps_wire::is_text_slowly(Text::utf8, text.data(), size));
        EXPECT(is_text<Text::printable>(text) ==
               zeps_wire::is_text_slowly(Text::printable, text.data(), size));
        EXPECT(is_text<Text::vchar>(text) == zeps_wire::is_text_slowly(Text::vchar, text.data(), size));
        EXPECT(is_text<Text::octets>(text));
      }
    }
  }
}

void utf8_is_strict() {
  for (const std::string_view fine : {"\xC2\xA0", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xEE\x80\x80",
                                      "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF", "abc\xE2\x82\xAC"}) {
    EXPECT(is_text<Text::utf8>(fine));
    EXPECT(is_text<Text::printable>(fine));
    EXPECT(!is_text<Text::vchar>(fine));
  }
  for (const std::string_view wrong :
       {"\x80", "\xC0\x80", "\xC1\xBF", "\xC2", "\xE0\x9F\xBF", "\xE2\x82", "\xED\xA0\x80", "\xED\xBF\xBF",
        "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "\xC2\x41"}) {
    EXPECT(!is_text<Text::utf8>(wrong));
  }
  EXPECT(is_text<Text::utf8>("\xC2\x85"));
  EXPECT(!is_text<Text::printable>("\xC2\x85"));  // U+0085 is a control character
}

void numbers_come_back() {
  using Small = kind::Signed<2>;
  for (const std::int64_t value : {-32768, -1, 0, 1, 32767}) {
    std::array<std::uint8_t, 2> octets{};
    Small::write(octets.data(), value);
    const std::uint8_t* at = octets.data();
    EXPECT(Small::next(at) == value);
    EXPECT(Small::check(value) == Code::none);
  }
  EXPECT(Small::check(32768) == Code::too_long);
  EXPECT(Small::check(-32769) == Code::too_long);
  EXPECT(kind::Number<1>::check(256) == Code::too_long);
  using Folded = kind::Zigzag<>;
  for (const std::int64_t value : std::initializer_list<std::int64_t>{INT64_MIN, -1, 0, 1, INT64_MAX}) {
    std::vector<std::uint8_t> octets(Folded::size(value));
    EXPECT(Folded::write(octets.data(), value) == octets.data() + octets.size());
    Reader in{Octets(octets)};
    std::int64_t found = 7;
    EXPECT(Folded::read(in, found) == Code::none);
    EXPECT(found == value);
    EXPECT(in.left() == 0);
  }
}

void varints_end_in_time() {
  std::uint64_t value = 0;
  const std::vector<std::uint8_t> endless(11, 0x80);
  Reader in{Octets(endless)};
  EXPECT(kind::Varint<>::read(in, value) == Code::too_long);
  Reader cut{Octets(endless.data(), 9)};
  EXPECT(kind::Varint<>::read(cut, value) == Code::truncated);
  std::vector<std::uint8_t> large(9, 0xFF);
  large.push_back(0x02);
  Reader beyond{Octets(large)};
  EXPECT(kind::Varint<>::read(beyond, value) == Code::too_long);
  large.back() = 0x01;
  Reader greatest{Octets(large)};
  EXPECT(kind::Varint<>::read(greatest, value) == Code::none);
  EXPECT(value == UINT64_MAX);
}

void a_count_is_compared_with_what_is_left() {
  using Names = kind::Listed<kind::String<4, Text::utf8>, 8>;
  const std::vector<std::uint8_t> frame(12, 0xFF);
  Reader in{Octets(frame)};
  zeps_wire::List<std::string_view> names;
  EXPECT(Names::read(in, names) == Code::truncated);
}

void lists_show_frames_and_arrays_alike() {
  using Words = kind::Listed<kind::String<1, Text::utf8>, 1>;
  const std::array<std::string_view, 3> words = {"one", "", "three"};
  const zeps_wire::List<std::string_view> given(words);
  EXPECT(given.size() == 3);
  std::vector<std::uint8_t> octets(Words::size(given));
  EXPECT(Words::write(octets.data(), given) == octets.data() + octets.size());
  Reader in{Octets(octets)};
  zeps_wire::List<std::string_view> found;
  EXPECT(Words::read(in, found) == Code::none);
  EXPECT(found == given);
  EXPECT(found != zeps_wire::List<std::string_view>());
}

void lists_have_indexes() {
  using Numbers = kind::Listed<kind::Number<2>, 1>;
  const std::vector<std::uint64_t> numbers = {5, 6, 700};
  std::vector<std::uint8_t> octets(Numbers::size(numbers));
  Numbers::write(octets.data(), numbers);
  Reader in{Octets(octets)};
  zeps_wire::List<std::uint64_t> found;
  EXPECT(Numbers::read(in, found) == Code::none);
  using Words = kind::Listed<kind::String<1, Text::utf8>, 1>;
  const std::array<std::string_view, 3> words = {"one", "", "three"};
  std::vector<std::uint8_t> text(Words::size(words));
  Words::write(text.data(), words);
  Reader in_text{Octets(text)};
  zeps_wire::List<std::string_view> found_words;
  EXPECT(Words::read(in_text, found_words) == Code::none);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT(found[i] == numbers[i] && zeps_wire::List<std::uint64_t>(numbers)[i] == numbers[i]);
    EXPECT(found_words[i] == words[i]);
  }
}

// no view accepts a temporary that owns its values
static_assert(std::is_constructible_v<Octets, const std::vector<std::uint8_t>&>);
static_assert(!std::is_constructible_v<Octets, std::vector<std::uint8_t>>);
static_assert(!std::is_constructible_v<Octets, const std::array<std::uint8_t, 2>>);
static_assert(std::is_constructible_v<zeps_wire::List<std::uint64_t>, std::vector<std::uint64_t>&>);
static_assert(!std::is_constructible_v<zeps_wire::List<std::uint64_t>, std::vector<std::uint64_t>>);
static_assert(std::is_constructible_v<zeps_wire::Span<const std::uint8_t>, zeps_wire::Span<std::uint8_t>>);

void sums_saturate() {
  EXPECT(zeps_wire::add(UINT64_MAX, 1) == UINT64_MAX);
  EXPECT(zeps_wire::add(250, 10, 255) == 255);
  EXPECT(zeps_wire::subtract(1, 2) == 0);
  EXPECT(zeps_wire::saturated(-1) == 0);
}

void an_error_is_fit_to_be_told() {
  const std::string told = zeps_wire::describe({Code::bad_text, "TAB\tBED", "field", 7});
  EXPECT(told == "bad-text: TAB?BED.field at byte 7");
  EXPECT(zeps_wire::describe({Code::truncated, std::string_view(std::string(300, 'x')), {}, 0}).size() ==
         255);
}

}  // namespace

int main() {
  text_is_looked_at_in_words_as_one_by_one();
  utf8_is_strict();
  numbers_come_back();
  varints_end_in_time();
  a_count_is_compared_with_what_is_left();
  lists_show_frames_and_arrays_alike();
  lists_have_indexes();
  sums_saturate();
  an_error_is_fit_to_be_told();
  return failures() == 0 ? 0 : 1;
}

/// @file
/// The codec of ZEPS, in a program.
#include <cstdint>
#include <cstdlib>
#include <new>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "check.hpp"
#include "zeps_wire/zeps.hpp"

namespace {

std::size_t allocations = 0;

}  // namespace

void* operator new(std::size_t size) {
  ++allocations;
  void* memory = std::malloc(size);
  return memory != nullptr ? memory : (std::abort(), nullptr);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }

namespace {

namespace zeps = zeps_wire::zeps;
using zeps_wire::Code;
using zeps_wire::Error;

zeps::Deliver delivery() {
  static const std::vector<std::uint8_t> body = {0, 1, 255};
  zeps::Deliver message;
  message.sequence = 7;
  message.key = "stock.AAPL";
  message.body = body;
  return message;
}

void what_is_encoded_is_decoded() {
  const auto frame = encode(delivery());
  EXPECT(frame);
  EXPECT(frame->size() == encoded_size(delivery()));
  EXPECT(frame->size() == frame->capacity());
  const auto message = zeps::decode(*frame);
  EXPECT(message);
  const auto* found = std::get_if<zeps::Deliver>(&*message);
  EXPECT(found != nullptr);
  EXPECT(found->sequence == 7);
  EXPECT(found->key == "stock.AAPL");
  EXPECT(found->body == delivery().body);
  EXPECT(name_of(*message) == "DELIVER");
  EXPECT(encoded_size(*message) == frame->size());
}

void what_is_decoded_is_a_view_of_the_frame() {
  const auto frame = encode(delivery());
  zeps::Deliver found;
  Error error;
  EXPECT(decode(*frame, found, error));
  EXPECT(found.body.end() == frame->data() + frame->size());
  EXPECT(zeps_wire::octets_of(found.key).data() == frame->data() + 12);
}

void decoding_and_encoding_again_allocate_nothing() {
  const auto frame = encode(delivery());
  zeps_wire::Buffer buffer;
  zeps::Message message;
  Error error;
  EXPECT(zeps_wire::encode(delivery(), buffer, error));
  const std::size_t before = allocations;
  for (int i = 0; i < 100; ++i) {
    EXPECT(zeps::decode(*frame, message, error));
    EXPECT(zeps_wire::encode(message, buffer, error));
    EXPECT(!zeps::decode({frame->data(), frame->size() - 1}, message, error));
  }
  EXPECT(allocations == before);
}

void an_error_says_what_and_where() {
  auto frame = *encode(delivery());
  frame[13] = '\n';
  const auto message = zeps::decode(frame);
  EXPECT(!message);
  EXPECT(message.error().code == Code::bad_text);
  EXPECT(message.error().message == "DELIVER");
  EXPECT(message.error().field == "key");
  EXPECT(message.error().offset == 11);
  EXPECT(describe(message.error()) == "bad-text: DELIVER.key at byte 11");
}

void every_frame_that_is_cut_short_is_refused() {
  const auto frame = *encode(delivery());
  for (std::size_t size = 0; size < frame.size(); ++size) {
    const auto message = zeps::decode({frame.data(), size});
    EXPECT(!message);
    EXPECT(message.error().code == Code::truncated);
  }
  auto longer = frame;
  longer.push_back(0);
  EXPECT(zeps::decode(longer).error().code == Code::trailing);
}

void nothing_of_an_earlier_message_shows() {
  auto frame = *encode(delivery());
  zeps::Deliver found = delivery();
  Error error;
  frame.pop_back();
  EXPECT(!decode(frame, found, error));
  EXPECT(found.sequence == 0);
  EXPECT(found.key.empty());
  EXPECT(found.body.empty());
}

void text_that_is_no_ascii_is_looked_at_closely() {
  zeps::Deliver message = delivery();
  Error error;
  message.key = "gr\xC3\xBC\xC3\x9F";
  const auto frame = encode(message);
  EXPECT(frame);
  zeps::Deliver found;
  EXPECT(decode(*frame, found, error));
  EXPECT(found.key == message.key);
  message.key = "gr\xFC\xDF";
  EXPECT(encode(message).error().code == Code::bad_text);
}

void what_a_format_cannot_carry_is_refused() {
  zeps::Deliver message = delivery();
  Error error;
  const std::string longest(255, 'k');
  message.key = longest;
  EXPECT(encode(message));
  const std::string longer(256, 'k');
  message.key = longer;
  EXPECT(encode(message).error().code == Code::too_long);
  EXPECT(encode(message).error().field == "key");
  zeps_wire::Buffer buffer = {1, 2, 3};
  EXPECT(!zeps_wire::encode(message, buffer, error));
  EXPECT(buffer.size() == 3);
  const std::vector<std::uint8_t> large(16777217);
  message = delivery();
  message.body = large;
  EXPECT(encode(message).error().field == "body");
}

void constants_are_named() {
  EXPECT(zeps::Attach::protocol == "ZEPS");
  EXPECT(zeps::Attach::version == 1);
  EXPECT(zeps::latest_new == UINT64_MAX);
  zeps::Attach attach;
  attach.stream = "s";
  auto frame = *encode(attach);
  frame[9] = 2;
  const auto other = zeps::decode(frame);
  EXPECT(other.error().code == Code::bad_constant);
  EXPECT(other.error().field == "version");
}

}  // namespace

int main() {
  what_is_encoded_is_decoded();
  what_is_decoded_is_a_view_of_the_frame();
  decoding_and_encoding_again_allocate_nothing();
  an_error_says_what_and_where();
  every_frame_that_is_cut_short_is_refused();
  nothing_of_an_earlier_message_shows();
  text_that_is_no_ascii_is_looked_at_closely();
  what_a_format_cannot_carry_is_refused();
  constants_are_named();
  return failures() == 0 ? 0 : 1;
}

/// @file
/// Messages of several frames, and a machine that sends them.
#include <cstdint>
#include <string_view>
#include <vector>

#include "check.hpp"
#include "zeps_wire/frames_server.hpp"

namespace {

namespace frames = zeps_wire::frames;
using zeps_wire::Buffer;
using zeps_wire::Code;
using zeps_wire::Error;
using zeps_wire::Octets;
using zeps_wire::octets_of;

const std::vector<Octets> further = {octets_of("one"), octets_of("")};

frames::Parcel parcel() {
  frames::Parcel message;
  message.label = "L";
  message.content = octets_of("content");
  message.more = further;
  return message;
}

std::vector<Octets> views(const std::vector<Buffer>& buffers) { return {buffers.begin(), buffers.end()}; }

void what_is_encoded_is_decoded() {
  const auto encoded = encode_frames(parcel());
  EXPECT(encoded && encoded->size() == 4);
  EXPECT(encoded && Octets((*encoded)[1]) == octets_of("content") && (*encoded)[3].empty());
  EXPECT(encoded_size(parcel()) == 3 + 2 + 7 + 3);
  const std::vector<Octets> received = views(*encoded);
  const auto message = frames::decode_frames(received);
  const auto* found = message ? std::get_if<frames::Parcel>(&*message) : nullptr;
  EXPECT(found != nullptr && found->label == "L" && found->content == octets_of("content"));
  EXPECT(found != nullptr && found->more == parcel().more && found->content.data() == received[1].data());
  frames::Parcel expected;
  Error error;
  EXPECT(decode_frames(received, expected, error) && expected.more.size() == 2);
  EXPECT(frames::encode_frames(*message)->size() == 4);
}

void one_frame_is_a_list_of_one() {
  const frames::Message hello(frames::Hello{7});
  const auto encoded = frames::encode_frames(hello);
  EXPECT(encoded && encoded->size() == 1);
  const std::vector<Octets> received = views(*encoded);
  EXPECT(frames::decode_frames(received) && frames::decode(received[0]));
}

void fails(const std::vector<Octets>& received, Code code, std::string_view field, std::size_t offset) {
  const auto message = frames::decode_frames(received);
  EXPECT(!message && message.error().code == code);
  EXPECT(!message && message.error().field == field && message.error().offset == offset);
}

void frames_are_neither_too_few_nor_too_many() {
  const auto encoded = encode_frames(parcel());
  std::vector<Octets> received = views(*encoded);
  received.resize(2);
  fails(received, Code::truncated, "more", 5);
  received.resize(1);
  fails(received, Code::truncated, "content", 5);
  EXPECT(frames::decode(received[0]).error().field == "content");
  received.clear();
  fails(received, Code::truncated, "", 0);
  const auto again = encode_frames(frames::Again{});
  received = {Octets((*again)[0]), octets_of("")};
  fails(received, Code::trailing, "", 3);
  frames::Parcel without = parcel();
  without.more = {};
  EXPECT(encode_frames(without).error().code == Code::truncated &&
         encode_frames(without).error().field == "more");
}

/// A host that counts the frames of the sent messages.
struct Door final : zeps_wire::frames_server::ServerHost {
  void send(const frames::Message& message) override { sent += encode_frames(message)->size(); }
  void open_door(const frames::Hello& /*message*/) override {}
  void fetch(const frames::Message* /*message*/) override {}

  std::size_t sent = 0;
};

void a_machine_sends_them() {
  Door door;
  zeps_wire::frames_server::ServerMachine machine(door);
  EXPECT(machine.receive(frames::Hello{7}) == zeps_wire::Outcome::taken);
  EXPECT(machine.parcel(parcel()) == zeps_wire::Outcome::taken && door.sent == 4);
}

}  // namespace

int main() {
  what_is_encoded_is_decoded();
  one_frame_is_a_list_of_one();
  frames_are_neither_too_few_nor_too_many();
  a_machine_sends_them();
  return failures() == 0 ? 0 : 1;
}

#include "zeps_wire/zmtp_2.hpp"

#include <array>

namespace zeps_wire::zmtp_2 {
namespace {

constexpr std::array<zeps_wire::Beginning, 1> beginnings = {layout::Greeting::beginning};

template <class One>
bool decode_into(zeps_wire::Octets frame, Message& message, zeps_wire::Error& error) noexcept {
  message = One();
  return decode(frame, *std::get_if<One>(&message), error);
}

}  // namespace

bool decode_closely(zeps_wire::Octets frame, Greeting& message, zeps_wire::Error& error) noexcept {
  zeps_wire::Reader in(frame);
  const bool whole =
      read_head(in, layout::Greeting::head, layout::Greeting::beginning, error) &&
      read_reserved(in, "GREETING", "padding", 8U, error) &&
      read_constant(in, "GREETING", "signature_end", layout::Greeting::signature_end, error) &&
      read_constant(in, "GREETING", "revision", layout::Greeting::revision, error) &&
      read<layout::Greeting::socket_type>(in, "GREETING", "socket_type", message.socket_type, error) &&
      read_constant(in, "GREETING", "final_short", layout::Greeting::final_short, error) &&
      read<layout::Greeting::identity>(in, "GREETING", "identity", message.identity, error) &&
      read_end(in, "GREETING", error);
  if (!whole) {
    message = Greeting{};
  }
  return whole;
}

bool check_closely(const Greeting& message, zeps_wire::Error& error) noexcept {
  return allowed<layout::Greeting::socket_type>("GREETING", "socket_type", message.socket_type, error) &&
         fitting<layout::Greeting::socket_type>("GREETING", "socket_type", message.socket_type, error) &&
         fitting<layout::Greeting::identity>("GREETING", "identity", message.identity, error);
}

bool decode(zeps_wire::Octets frame, Message& message, zeps_wire::Error& error) noexcept {
  if (begins(frame, layout::Greeting::beginning)) {
    return decode_into<Greeting>(frame, message, error);
  }
  message = Message();
  return unknown(beginnings, frame, error);
}

zeps_wire::Result<Message> decode(zeps_wire::Octets frame) noexcept {
  Message message;
  zeps_wire::Error error;
  if (!decode(frame, message, error)) {
    return error;
  }
  return message;
}

bool check(const Message& message, zeps_wire::Error& error) noexcept {
  if (const auto* one = std::get_if<Greeting>(&message)) {
    return check(*one, error);
  }
  return true;
}

std::size_t encoded_size(const Message& message) noexcept {
  if (const auto* one = std::get_if<Greeting>(&message)) {
    return encoded_size(*one);
  }
  return 0;
}

std::uint8_t* write(const Message& message, std::uint8_t* at) noexcept {
  if (const auto* one = std::get_if<Greeting>(&message)) {
    return write(*one, at);
  }
  return at;
}

std::string_view name_of(const Message& message) noexcept {
  constexpr std::array<std::string_view, 1> names = {
      Greeting::message_name,
  };
  return names[message.index()];
}

}  // namespace zeps_wire::zmtp_2

#include "zeps_wire/zmtp_1.hpp"

#include <array>

namespace zeps_wire::zmtp_1 {
namespace {

constexpr std::array<zeps_wire::Beginning, 1> beginnings = {layout::Frame::beginning};

template <class One>
bool decode_into(zeps_wire::Octets frame, Message& message, zeps_wire::Error& error) noexcept {
  message = One();
  return decode(frame, *std::get_if<One>(&message), error);
}

}  // namespace

bool decode(zeps_wire::Octets frame, Frame& message, zeps_wire::Error& error) noexcept {
  zeps_wire::Reader in(frame);
  const bool whole = read<layout::Frame::content>(in, "FRAME", "content", message.content, error) &&
                     read_end(in, "FRAME", error);
  if (!whole) {
    message = Frame{};
  }
  return whole;
}

bool check_closely(const Frame& message, zeps_wire::Error& error) noexcept {
  return allowed<layout::Frame::content>("FRAME", "content", message.content, error);
}

bool decode(zeps_wire::Octets frame, Message& message, zeps_wire::Error& error) noexcept {
  if (begins(frame, layout::Frame::beginning)) {
    return decode_into<Frame>(frame, message, error);
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
  if (const auto* one = std::get_if<Frame>(&message)) {
    return check(*one, error);
  }
  return true;
}

std::size_t encoded_size(const Message& message) noexcept {
  if (const auto* one = std::get_if<Frame>(&message)) {
    return encoded_size(*one);
  }
  return 0;
}

std::uint8_t* write(const Message& message, std::uint8_t* at) noexcept {
  if (const auto* one = std::get_if<Frame>(&message)) {
    return write(*one, at);
  }
  return at;
}

std::string_view name_of(const Message& message) noexcept {
  constexpr std::array<std::string_view, 1> names = {
      Frame::message_name,
  };
  return names[message.index()];
}

}  // namespace zeps_wire::zmtp_1

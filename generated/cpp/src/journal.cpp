#include "zeps_wire/journal.hpp"

#include <array>

namespace zeps_wire::journal {
namespace {

constexpr std::array<zeps_wire::Beginning, 2> beginnings = {layout::Segment::beginning,
                                                            layout::Block::beginning};

}  // namespace

bool decode(zeps_wire::Octets frame, Message& message, zeps_wire::Error& error) noexcept {
  if (begins(frame, layout::Segment::beginning)) {
    return decode(frame, message.emplace<Segment>(), error);
  }
  if (begins(frame, layout::Block::beginning)) {
    return decode(frame, message.emplace<Block>(), error);
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
  if (const auto* one = std::get_if<Segment>(&message)) {
    return check(*one, error);
  }
  if (const auto* one = std::get_if<Block>(&message)) {
    return check(*one, error);
  }
  return true;
}

std::size_t encoded_size(const Message& message) noexcept {
  if (const auto* one = std::get_if<Segment>(&message)) {
    return encoded_size(*one);
  }
  if (const auto* one = std::get_if<Block>(&message)) {
    return encoded_size(*one);
  }
  return 0;
}

std::uint8_t* write(const Message& message, std::uint8_t* at) noexcept {
  if (const auto* one = std::get_if<Segment>(&message)) {
    return write(*one, at);
  }
  if (const auto* one = std::get_if<Block>(&message)) {
    return write(*one, at);
  }
  return at;
}

std::string_view name_of(const Message& message) noexcept {
  constexpr std::array<std::string_view, 2> names = {
      Segment::message_name,
      Block::message_name,
  };
  return names[message.index()];
}

}  // namespace zeps_wire::journal

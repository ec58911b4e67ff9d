#include "zeps_wire/zeps.hpp"

#include <array>

namespace zeps_wire::zeps {
namespace {

constexpr std::array<zeps_wire::Beginning, 12> beginnings = {
    layout::Attach::beginning,      layout::AttachOk::beginning, layout::Subscribe::beginning,
    layout::SubscribeOk::beginning, layout::Credit::beginning,   layout::Publish::beginning,
    layout::Deliver::beginning,     layout::Ping::beginning,     layout::PingOk::beginning,
    layout::Detach::beginning,      layout::DetachOk::beginning, layout::Invalid::beginning};

}  // namespace

bool decode(zeps_wire::Octets frame, Message& message, zeps_wire::Error& error) noexcept {
  if (frame.size() > 2) {
    switch (frame[2]) {
      case Attach::message_id: return decode(frame, message.emplace<Attach>(), error);
      case AttachOk::message_id: return decode(frame, message.emplace<AttachOk>(), error);
      case Subscribe::message_id: return decode(frame, message.emplace<Subscribe>(), error);
      case SubscribeOk::message_id: return decode(frame, message.emplace<SubscribeOk>(), error);
      case Credit::message_id: return decode(frame, message.emplace<Credit>(), error);
      case Publish::message_id: return decode(frame, message.emplace<Publish>(), error);
      case Deliver::message_id: return decode(frame, message.emplace<Deliver>(), error);
      case Ping::message_id: return decode(frame, message.emplace<Ping>(), error);
      case PingOk::message_id: return decode(frame, message.emplace<PingOk>(), error);
      case Detach::message_id: return decode(frame, message.emplace<Detach>(), error);
      case DetachOk::message_id: return decode(frame, message.emplace<DetachOk>(), error);
      case Invalid::message_id: return decode(frame, message.emplace<Invalid>(), error);
      default: break;
    }
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
  if (const auto* one = std::get_if<Attach>(&message)) {
    return check(*one, error);
  }
  if (const auto* one = std::get_if<AttachOk>(&message)) {
    return check(*one, error);
  }
  if (const auto* one = std::get_if<Subscribe>(&message)) {
    return check(*one, error);
  }
  if (const auto* one = std::get_if<SubscribeOk>(&message)) {
    return check(*one, error);
  }
  if (const auto* one = std::get_if<Credit>(&message)) {
    return check(*one, error);
  }
  if (const auto* one = std::get_if<Publish>(&message)) {
    return check(*one, error);
  }
  if (const auto* one = std::get_if<Deliver>(&message)) {
    return check(*one, error);
  }
  if (const auto* one = std::get_if<Ping>(&message)) {
    return check(*one, error);
  }
  if (const auto* one = std::get_if<PingOk>(&message)) {
    return check(*one, error);
  }
  if (const auto* one = std::get_if<Detach>(&message)) {
    return check(*one, error);
  }
  if (const auto* one = std::get_if<DetachOk>(&message)) {
    return check(*one, error);
  }
  if (const auto* one = std::get_if<Invalid>(&message)) {
    return check(*one, error);
  }
  return true;
}

std::size_t encoded_size(const Message& message) noexcept {
  if (const auto* one = std::get_if<Attach>(&message)) {
    return encoded_size(*one);
  }
  if (const auto* one = std::get_if<AttachOk>(&message)) {
    return encoded_size(*one);
  }
  if (const auto* one = std::get_if<Subscribe>(&message)) {
    return encoded_size(*one);
  }
  if (const auto* one = std::get_if<SubscribeOk>(&message)) {
    return encoded_size(*one);
  }
  if (const auto* one = std::get_if<Credit>(&message)) {
    return encoded_size(*one);
  }
  if (const auto* one = std::get_if<Publish>(&message)) {
    return encoded_size(*one);
  }
  if (const auto* one = std::get_if<Deliver>(&message)) {
    return encoded_size(*one);
  }
  if (const auto* one = std::get_if<Ping>(&message)) {
    return encoded_size(*one);
  }
  if (const auto* one = std::get_if<PingOk>(&message)) {
    return encoded_size(*one);
  }
  if (const auto* one = std::get_if<Detach>(&message)) {
    return encoded_size(*one);
  }
  if (const auto* one = std::get_if<DetachOk>(&message)) {
    return encoded_size(*one);
  }
  if (const auto* one = std::get_if<Invalid>(&message)) {
    return encoded_size(*one);
  }
  return 0;
}

std::uint8_t* write(const Message& message, std::uint8_t* at) noexcept {
  if (const auto* one = std::get_if<Attach>(&message)) {
    return write(*one, at);
  }
  if (const auto* one = std::get_if<AttachOk>(&message)) {
    return write(*one, at);
  }
  if (const auto* one = std::get_if<Subscribe>(&message)) {
    return write(*one, at);
  }
  if (const auto* one = std::get_if<SubscribeOk>(&message)) {
    return write(*one, at);
  }
  if (const auto* one = std::get_if<Credit>(&message)) {
    return write(*one, at);
  }
  if (const auto* one = std::get_if<Publish>(&message)) {
    return write(*one, at);
  }
  if (const auto* one = std::get_if<Deliver>(&message)) {
    return write(*one, at);
  }
  if (const auto* one = std::get_if<Ping>(&message)) {
    return write(*one, at);
  }
  if (const auto* one = std::get_if<PingOk>(&message)) {
    return write(*one, at);
  }
  if (const auto* one = std::get_if<Detach>(&message)) {
    return write(*one, at);
  }
  if (const auto* one = std::get_if<DetachOk>(&message)) {
    return write(*one, at);
  }
  if (const auto* one = std::get_if<Invalid>(&message)) {
    return write(*one, at);
  }
  return at;
}

std::string_view name_of(const Message& message) noexcept {
  constexpr std::array<std::string_view, 12> names = {
      Attach::message_name, AttachOk::message_name, Subscribe::message_name, SubscribeOk::message_name,
      Credit::message_name, Publish::message_name,  Deliver::message_name,   Ping::message_name,
      PingOk::message_name, Detach::message_name,   DetachOk::message_name,  Invalid::message_name,
  };
  return names[message.index()];
}

}  // namespace zeps_wire::zeps

#include "zeps_wire/zeps.hpp"

#include <array>

namespace zeps_wire::zeps {
namespace {

constexpr std::array<zeps_wire::Beginning, 12> beginnings = {
    layout::Attach::beginning,      layout::AttachOk::beginning, layout::Subscribe::beginning,
    layout::SubscribeOk::beginning, layout::Credit::beginning,   layout::Publish::beginning,
    layout::Deliver::beginning,     layout::Ping::beginning,     layout::PingOk::beginning,
    layout::Detach::beginning,      layout::DetachOk::beginning, layout::Invalid::beginning};

template <class One>
bool decode_into(zeps_wire::Octets frame, Message& message, zeps_wire::Error& error) noexcept {
  message = One();
  return decode(frame, *std::get_if<One>(&message), error);
}

}  // namespace

bool decode_closely(zeps_wire::Octets frame, Attach& message, zeps_wire::Error& error) noexcept {
  zeps_wire::Reader in(frame);
  const bool whole = read_head(in, layout::Attach::head, layout::Attach::beginning, error) &&
                     read<layout::Attach::stream>(in, "ATTACH", "stream", message.stream, error) &&
                     read_end(in, "ATTACH", error);
  if (!whole) {
    message = Attach{};
  }
  return whole;
}

bool check_closely(const Attach& message, zeps_wire::Error& error) noexcept {
  return allowed<layout::Attach::stream>("ATTACH", "stream", message.stream, error) &&
         fitting<layout::Attach::stream>("ATTACH", "stream", message.stream, error);
}

bool decode_closely(zeps_wire::Octets frame, AttachOk& message, zeps_wire::Error& error) noexcept {
  zeps_wire::Reader in(frame);
  const bool whole = read_head(in, layout::AttachOk::head, layout::AttachOk::beginning, error) &&
                     read_end(in, "ATTACH-OK", error);
  if (!whole) {
    message = AttachOk{};
  }
  return whole;
}

bool decode_closely(zeps_wire::Octets frame, Subscribe& message, zeps_wire::Error& error) noexcept {
  zeps_wire::Reader in(frame);
  const bool whole = read_head(in, layout::Subscribe::head, layout::Subscribe::beginning, error) &&
                     read<layout::Subscribe::pattern>(in, "SUBSCRIBE", "pattern", message.pattern, error) &&
                     read<layout::Subscribe::latest>(in, "SUBSCRIBE", "latest", message.latest, error) &&
                     read_end(in, "SUBSCRIBE", error);
  if (!whole) {
    message = Subscribe{};
  }
  return whole;
}

bool check_closely(const Subscribe& message, zeps_wire::Error& error) noexcept {
  return allowed<layout::Subscribe::pattern>("SUBSCRIBE", "pattern", message.pattern, error) &&
         fitting<layout::Subscribe::pattern>("SUBSCRIBE", "pattern", message.pattern, error);
}

bool decode_closely(zeps_wire::Octets frame, SubscribeOk& message, zeps_wire::Error& error) noexcept {
  zeps_wire::Reader in(frame);
  const bool whole = read_head(in, layout::SubscribeOk::head, layout::SubscribeOk::beginning, error) &&
                     read_end(in, "SUBSCRIBE-OK", error);
  if (!whole) {
    message = SubscribeOk{};
  }
  return whole;
}

bool decode_closely(zeps_wire::Octets frame, Credit& message, zeps_wire::Error& error) noexcept {
  zeps_wire::Reader in(frame);
  const bool whole = read_head(in, layout::Credit::head, layout::Credit::beginning, error) &&
                     read<layout::Credit::credit>(in, "CREDIT", "credit", message.credit, error) &&
                     read_end(in, "CREDIT", error);
  if (!whole) {
    message = Credit{};
  }
  return whole;
}

bool decode_closely(zeps_wire::Octets frame, Publish& message, zeps_wire::Error& error) noexcept {
  zeps_wire::Reader in(frame);
  const bool whole = read_head(in, layout::Publish::head, layout::Publish::beginning, error) &&
                     read<layout::Publish::key>(in, "PUBLISH", "key", message.key, error) &&
                     read<layout::Publish::body>(in, "PUBLISH", "body", message.body, error) &&
                     read_end(in, "PUBLISH", error);
  if (!whole) {
    message = Publish{};
  }
  return whole;
}

bool check_closely(const Publish& message, zeps_wire::Error& error) noexcept {
  return allowed<layout::Publish::key>("PUBLISH", "key", message.key, error) &&
         allowed<layout::Publish::body>("PUBLISH", "body", message.body, error) &&
         fitting<layout::Publish::key>("PUBLISH", "key", message.key, error);
}

bool decode_closely(zeps_wire::Octets frame, Deliver& message, zeps_wire::Error& error) noexcept {
  zeps_wire::Reader in(frame);
  const bool whole = read_head(in, layout::Deliver::head, layout::Deliver::beginning, error) &&
                     read<layout::Deliver::sequence>(in, "DELIVER", "sequence", message.sequence, error) &&
                     read<layout::Deliver::key>(in, "DELIVER", "key", message.key, error) &&
                     read<layout::Deliver::body>(in, "DELIVER", "body", message.body, error) &&
                     read_end(in, "DELIVER", error);
  if (!whole) {
    message = Deliver{};
  }
  return whole;
}

bool check_closely(const Deliver& message, zeps_wire::Error& error) noexcept {
  return allowed<layout::Deliver::key>("DELIVER", "key", message.key, error) &&
         allowed<layout::Deliver::body>("DELIVER", "body", message.body, error) &&
         fitting<layout::Deliver::key>("DELIVER", "key", message.key, error);
}

bool decode_closely(zeps_wire::Octets frame, Ping& message, zeps_wire::Error& error) noexcept {
  zeps_wire::Reader in(frame);
  const bool whole =
      read_head(in, layout::Ping::head, layout::Ping::beginning, error) && read_end(in, "PING", error);
  if (!whole) {
    message = Ping{};
  }
  return whole;
}

bool decode_closely(zeps_wire::Octets frame, PingOk& message, zeps_wire::Error& error) noexcept {
  zeps_wire::Reader in(frame);
  const bool whole =
      read_head(in, layout::PingOk::head, layout::PingOk::beginning, error) && read_end(in, "PING-OK", error);
  if (!whole) {
    message = PingOk{};
  }
  return whole;
}

bool decode_closely(zeps_wire::Octets frame, Detach& message, zeps_wire::Error& error) noexcept {
  zeps_wire::Reader in(frame);
  const bool whole =
      read_head(in, layout::Detach::head, layout::Detach::beginning, error) && read_end(in, "DETACH", error);
  if (!whole) {
    message = Detach{};
  }
  return whole;
}

bool decode_closely(zeps_wire::Octets frame, DetachOk& message, zeps_wire::Error& error) noexcept {
  zeps_wire::Reader in(frame);
  const bool whole = read_head(in, layout::DetachOk::head, layout::DetachOk::beginning, error) &&
                     read_end(in, "DETACH-OK", error);
  if (!whole) {
    message = DetachOk{};
  }
  return whole;
}

bool decode_closely(zeps_wire::Octets frame, Invalid& message, zeps_wire::Error& error) noexcept {
  zeps_wire::Reader in(frame);
  const bool whole = read_head(in, layout::Invalid::head, layout::Invalid::beginning, error) &&
                     read<layout::Invalid::reason>(in, "INVALID", "reason", message.reason, error) &&
                     read_end(in, "INVALID", error);
  if (!whole) {
    message = Invalid{};
  }
  return whole;
}

bool check_closely(const Invalid& message, zeps_wire::Error& error) noexcept {
  return allowed<layout::Invalid::reason>("INVALID", "reason", message.reason, error) &&
         fitting<layout::Invalid::reason>("INVALID", "reason", message.reason, error);
}

bool decode(zeps_wire::Octets frame, Message& message, zeps_wire::Error& error) noexcept {
  if (frame.size() > 2) {
    switch (frame[2]) {
      case Attach::message_id: return decode_into<Attach>(frame, message, error);
      case AttachOk::message_id: return decode_into<AttachOk>(frame, message, error);
      case Subscribe::message_id: return decode_into<Subscribe>(frame, message, error);
      case SubscribeOk::message_id: return decode_into<SubscribeOk>(frame, message, error);
      case Credit::message_id: return decode_into<Credit>(frame, message, error);
      case Publish::message_id: return decode_into<Publish>(frame, message, error);
      case Deliver::message_id: return decode_into<Deliver>(frame, message, error);
      case Ping::message_id: return decode_into<Ping>(frame, message, error);
      case PingOk::message_id: return decode_into<PingOk>(frame, message, error);
      case Detach::message_id: return decode_into<Detach>(frame, message, error);
      case DetachOk::message_id: return decode_into<DetachOk>(frame, message, error);
      case Invalid::message_id: return decode_into<Invalid>(frame, message, error);
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

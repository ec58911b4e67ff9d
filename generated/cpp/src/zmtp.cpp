#include "zeps_wire/zmtp.hpp"

#include <array>

namespace zeps_wire::zmtp {
namespace {

constexpr std::array<zeps_wire::Beginning, 13> beginnings = {
    layout::Greeting::beginning,     layout::Ready::beginning,        layout::Error::beginning,
    layout::Ping::beginning,         layout::Pong::beginning,         layout::Subscribe::beginning,
    layout::Cancel::beginning,       layout::Subscription::beginning, layout::Cancellation::beginning,
    layout::SubscribeX::beginning,   layout::CancelX::beginning,      layout::SubscriptionX::beginning,
    layout::CancellationX::beginning};

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
      read<layout::Greeting::major_>(in, "GREETING", "major", message.major_, error) &&
      read<layout::Greeting::minor_>(in, "GREETING", "minor", message.minor_, error) &&
      read<layout::Greeting::mechanism>(in, "GREETING", "mechanism", message.mechanism, error) &&
      read<layout::Greeting::as_server>(in, "GREETING", "as_server", message.as_server, error) &&
      read_reserved(in, "GREETING", "filler", 31U, error) && read_end(in, "GREETING", error);
  if (!whole) {
    message = Greeting{};
  }
  return whole;
}

bool check_closely(const Greeting& message, zeps_wire::Error& error) noexcept {
  return allowed<layout::Greeting::mechanism>("GREETING", "mechanism", message.mechanism, error) &&
         fitting<layout::Greeting::major_>("GREETING", "major", message.major_, error) &&
         fitting<layout::Greeting::minor_>("GREETING", "minor", message.minor_, error) &&
         fitting<layout::Greeting::as_server>("GREETING", "as_server", message.as_server, error);
}

bool decode(zeps_wire::Octets frame, Ready& message, zeps_wire::Error& error) noexcept {
  zeps_wire::Reader in(frame);
  const bool whole = read_head(in, layout::Ready::head, layout::Ready::beginning, error) &&
                     read<layout::Ready::properties>(in, "READY", "properties", message.properties, error) &&
                     read_end(in, "READY", error);
  if (!whole) {
    message = Ready{};
  }
  return whole;
}

bool check(const Ready& message, zeps_wire::Error& error) noexcept {
  return allowed<layout::Ready::properties>("READY", "properties", message.properties, error) &&
         fitting<layout::Ready::properties>("READY", "properties", message.properties, error);
}

bool decode_closely(zeps_wire::Octets frame, Error& message, zeps_wire::Error& error) noexcept {
  zeps_wire::Reader in(frame);
  const bool whole = read_head(in, layout::Error::head, layout::Error::beginning, error) &&
                     read<layout::Error::reason>(in, "ERROR", "reason", message.reason, error) &&
                     read_end(in, "ERROR", error);
  if (!whole) {
    message = Error{};
  }
  return whole;
}

bool check_closely(const Error& message, zeps_wire::Error& error) noexcept {
  return fitting<layout::Error::reason>("ERROR", "reason", message.reason, error);
}

bool decode_closely(zeps_wire::Octets frame, Ping& message, zeps_wire::Error& error) noexcept {
  zeps_wire::Reader in(frame);
  const bool whole = read_head(in, layout::Ping::head, layout::Ping::beginning, error) &&
                     read<layout::Ping::ttl>(in, "PING", "ttl", message.ttl, error) &&
                     read<layout::Ping::context>(in, "PING", "context", message.context, error) &&
                     read_end(in, "PING", error);
  if (!whole) {
    message = Ping{};
  }
  return whole;
}

bool check_closely(const Ping& message, zeps_wire::Error& error) noexcept {
  return allowed<layout::Ping::context>("PING", "context", message.context, error) &&
         fitting<layout::Ping::ttl>("PING", "ttl", message.ttl, error);
}

bool decode_closely(zeps_wire::Octets frame, Pong& message, zeps_wire::Error& error) noexcept {
  zeps_wire::Reader in(frame);
  const bool whole = read_head(in, layout::Pong::head, layout::Pong::beginning, error) &&
                     read<layout::Pong::context>(in, "PONG", "context", message.context, error) &&
                     read_end(in, "PONG", error);
  if (!whole) {
    message = Pong{};
  }
  return whole;
}

bool check_closely(const Pong& message, zeps_wire::Error& error) noexcept {
  return allowed<layout::Pong::context>("PONG", "context", message.context, error);
}

bool decode_closely(zeps_wire::Octets frame, Subscribe& message, zeps_wire::Error& error) noexcept {
  zeps_wire::Reader in(frame);
  const bool whole = read_head(in, layout::Subscribe::head, layout::Subscribe::beginning, error) &&
                     read<layout::Subscribe::topic>(in, "SUBSCRIBE", "topic", message.topic, error) &&
                     read_end(in, "SUBSCRIBE", error);
  if (!whole) {
    message = Subscribe{};
  }
  return whole;
}

bool decode_closely(zeps_wire::Octets frame, Cancel& message, zeps_wire::Error& error) noexcept {
  zeps_wire::Reader in(frame);
  const bool whole = read_head(in, layout::Cancel::head, layout::Cancel::beginning, error) &&
                     read<layout::Cancel::topic>(in, "CANCEL", "topic", message.topic, error) &&
                     read_end(in, "CANCEL", error);
  if (!whole) {
    message = Cancel{};
  }
  return whole;
}

bool decode_closely(zeps_wire::Octets frame, Subscription& message, zeps_wire::Error& error) noexcept {
  zeps_wire::Reader in(frame);
  const bool whole = read_head(in, layout::Subscription::head, layout::Subscription::beginning, error) &&
                     read<layout::Subscription::topic>(in, "SUBSCRIPTION", "topic", message.topic, error) &&
                     read_end(in, "SUBSCRIPTION", error);
  if (!whole) {
    message = Subscription{};
  }
  return whole;
}

bool decode_closely(zeps_wire::Octets frame, Cancellation& message, zeps_wire::Error& error) noexcept {
  zeps_wire::Reader in(frame);
  const bool whole = read_head(in, layout::Cancellation::head, layout::Cancellation::beginning, error) &&
                     read<layout::Cancellation::topic>(in, "CANCELLATION", "topic", message.topic, error) &&
                     read_end(in, "CANCELLATION", error);
  if (!whole) {
    message = Cancellation{};
  }
  return whole;
}

bool decode_closely(zeps_wire::Octets frame, SubscribeX& message, zeps_wire::Error& error) noexcept {
  zeps_wire::Reader in(frame);
  const bool whole = read_head(in, layout::SubscribeX::head, layout::SubscribeX::beginning, error) &&
                     read<layout::SubscribeX::kind>(in, "SUBSCRIBE-X", "kind", message.kind, error) &&
                     read<layout::SubscribeX::filter>(in, "SUBSCRIBE-X", "filter", message.filter, error) &&
                     read_end(in, "SUBSCRIBE-X", error);
  if (!whole) {
    message = SubscribeX{};
  }
  return whole;
}

bool check_closely(const SubscribeX& message, zeps_wire::Error& error) noexcept {
  return fitting<layout::SubscribeX::kind>("SUBSCRIBE-X", "kind", message.kind, error);
}

bool decode_closely(zeps_wire::Octets frame, CancelX& message, zeps_wire::Error& error) noexcept {
  zeps_wire::Reader in(frame);
  const bool whole = read_head(in, layout::CancelX::head, layout::CancelX::beginning, error) &&
                     read<layout::CancelX::kind>(in, "CANCEL-X", "kind", message.kind, error) &&
                     read<layout::CancelX::filter>(in, "CANCEL-X", "filter", message.filter, error) &&
                     read_end(in, "CANCEL-X", error);
  if (!whole) {
    message = CancelX{};
  }
  return whole;
}

bool check_closely(const CancelX& message, zeps_wire::Error& error) noexcept {
  return fitting<layout::CancelX::kind>("CANCEL-X", "kind", message.kind, error);
}

bool decode_closely(zeps_wire::Octets frame, SubscriptionX& message, zeps_wire::Error& error) noexcept {
  zeps_wire::Reader in(frame);
  const bool whole =
      read_head(in, layout::SubscriptionX::head, layout::SubscriptionX::beginning, error) &&
      read<layout::SubscriptionX::kind>(in, "SUBSCRIPTION-X", "kind", message.kind, error) &&
      read<layout::SubscriptionX::filter>(in, "SUBSCRIPTION-X", "filter", message.filter, error) &&
      read_end(in, "SUBSCRIPTION-X", error);
  if (!whole) {
    message = SubscriptionX{};
  }
  return whole;
}

bool check_closely(const SubscriptionX& message, zeps_wire::Error& error) noexcept {
  return fitting<layout::SubscriptionX::kind>("SUBSCRIPTION-X", "kind", message.kind, error);
}

bool decode_closely(zeps_wire::Octets frame, CancellationX& message, zeps_wire::Error& error) noexcept {
  zeps_wire::Reader in(frame);
  const bool whole =
      read_head(in, layout::CancellationX::head, layout::CancellationX::beginning, error) &&
      read<layout::CancellationX::kind>(in, "CANCELLATION-X", "kind", message.kind, error) &&
      read<layout::CancellationX::filter>(in, "CANCELLATION-X", "filter", message.filter, error) &&
      read_end(in, "CANCELLATION-X", error);
  if (!whole) {
    message = CancellationX{};
  }
  return whole;
}

bool check_closely(const CancellationX& message, zeps_wire::Error& error) noexcept {
  return fitting<layout::CancellationX::kind>("CANCELLATION-X", "kind", message.kind, error);
}

bool decode(zeps_wire::Octets frame, Message& message, zeps_wire::Error& error) noexcept {
  if (begins(frame, layout::SubscribeX::beginning)) {
    return decode_into<SubscribeX>(frame, message, error);
  }
  if (begins(frame, layout::Subscribe::beginning)) {
    return decode_into<Subscribe>(frame, message, error);
  }
  if (begins(frame, layout::CancelX::beginning)) {
    return decode_into<CancelX>(frame, message, error);
  }
  if (begins(frame, layout::Cancel::beginning)) {
    return decode_into<Cancel>(frame, message, error);
  }
  if (begins(frame, layout::Ready::beginning)) {
    return decode_into<Ready>(frame, message, error);
  }
  if (begins(frame, layout::Error::beginning)) {
    return decode_into<Error>(frame, message, error);
  }
  if (begins(frame, layout::Ping::beginning)) {
    return decode_into<Ping>(frame, message, error);
  }
  if (begins(frame, layout::Pong::beginning)) {
    return decode_into<Pong>(frame, message, error);
  }
  if (begins(frame, layout::Greeting::beginning)) {
    return decode_into<Greeting>(frame, message, error);
  }
  if (begins(frame, layout::Subscription::beginning)) {
    return decode_into<Subscription>(frame, message, error);
  }
  if (begins(frame, layout::Cancellation::beginning)) {
    return decode_into<Cancellation>(frame, message, error);
  }
  if (begins(frame, layout::SubscriptionX::beginning)) {
    return decode_into<SubscriptionX>(frame, message, error);
  }
  if (begins(frame, layout::CancellationX::beginning)) {
    return decode_into<CancellationX>(frame, message, error);
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
  if (const auto* one = std::get_if<Ready>(&message)) {
    return check(*one, error);
  }
  if (const auto* one = std::get_if<Error>(&message)) {
    return check(*one, error);
  }
  if (const auto* one = std::get_if<Ping>(&message)) {
    return check(*one, error);
  }
  if (const auto* one = std::get_if<Pong>(&message)) {
    return check(*one, error);
  }
  if (const auto* one = std::get_if<Subscribe>(&message)) {
    return check(*one, error);
  }
  if (const auto* one = std::get_if<Cancel>(&message)) {
    return check(*one, error);
  }
  if (const auto* one = std::get_if<Subscription>(&message)) {
    return check(*one, error);
  }
  if (const auto* one = std::get_if<Cancellation>(&message)) {
    return check(*one, error);
  }
  if (const auto* one = std::get_if<SubscribeX>(&message)) {
    return check(*one, error);
  }
  if (const auto* one = std::get_if<CancelX>(&message)) {
    return check(*one, error);
  }
  if (const auto* one = std::get_if<SubscriptionX>(&message)) {
    return check(*one, error);
  }
  if (const auto* one = std::get_if<CancellationX>(&message)) {
    return check(*one, error);
  }
  return true;
}

std::size_t encoded_size(const Message& message) noexcept {
  if (const auto* one = std::get_if<Greeting>(&message)) {
    return encoded_size(*one);
  }
  if (const auto* one = std::get_if<Ready>(&message)) {
    return encoded_size(*one);
  }
  if (const auto* one = std::get_if<Error>(&message)) {
    return encoded_size(*one);
  }
  if (const auto* one = std::get_if<Ping>(&message)) {
    return encoded_size(*one);
  }
  if (const auto* one = std::get_if<Pong>(&message)) {
    return encoded_size(*one);
  }
  if (const auto* one = std::get_if<Subscribe>(&message)) {
    return encoded_size(*one);
  }
  if (const auto* one = std::get_if<Cancel>(&message)) {
    return encoded_size(*one);
  }
  if (const auto* one = std::get_if<Subscription>(&message)) {
    return encoded_size(*one);
  }
  if (const auto* one = std::get_if<Cancellation>(&message)) {
    return encoded_size(*one);
  }
  if (const auto* one = std::get_if<SubscribeX>(&message)) {
    return encoded_size(*one);
  }
  if (const auto* one = std::get_if<CancelX>(&message)) {
    return encoded_size(*one);
  }
  if (const auto* one = std::get_if<SubscriptionX>(&message)) {
    return encoded_size(*one);
  }
  if (const auto* one = std::get_if<CancellationX>(&message)) {
    return encoded_size(*one);
  }
  return 0;
}

std::uint8_t* write(const Message& message, std::uint8_t* at) noexcept {
  if (const auto* one = std::get_if<Greeting>(&message)) {
    return write(*one, at);
  }
  if (const auto* one = std::get_if<Ready>(&message)) {
    return write(*one, at);
  }
  if (const auto* one = std::get_if<Error>(&message)) {
    return write(*one, at);
  }
  if (const auto* one = std::get_if<Ping>(&message)) {
    return write(*one, at);
  }
  if (const auto* one = std::get_if<Pong>(&message)) {
    return write(*one, at);
  }
  if (const auto* one = std::get_if<Subscribe>(&message)) {
    return write(*one, at);
  }
  if (const auto* one = std::get_if<Cancel>(&message)) {
    return write(*one, at);
  }
  if (const auto* one = std::get_if<Subscription>(&message)) {
    return write(*one, at);
  }
  if (const auto* one = std::get_if<Cancellation>(&message)) {
    return write(*one, at);
  }
  if (const auto* one = std::get_if<SubscribeX>(&message)) {
    return write(*one, at);
  }
  if (const auto* one = std::get_if<CancelX>(&message)) {
    return write(*one, at);
  }
  if (const auto* one = std::get_if<SubscriptionX>(&message)) {
    return write(*one, at);
  }
  if (const auto* one = std::get_if<CancellationX>(&message)) {
    return write(*one, at);
  }
  return at;
}

std::string_view name_of(const Message& message) noexcept {
  constexpr std::array<std::string_view, 13> names = {
      Greeting::message_name,      Ready::message_name,        Error::message_name,
      Ping::message_name,          Pong::message_name,         Subscribe::message_name,
      Cancel::message_name,        Subscription::message_name, Cancellation::message_name,
      SubscribeX::message_name,    CancelX::message_name,      SubscriptionX::message_name,
      CancellationX::message_name,
  };
  return names[message.index()];
}

}  // namespace zeps_wire::zmtp

#include "zeps_wire/zmtp_frame.hpp"

#include <array>

namespace zeps_wire::zmtp_frame {
namespace {

constexpr std::array<zeps_wire::Beginning, 6> beginnings = {
    layout::Last::beginning,     layout::More::beginning,    layout::LongLast::beginning,
    layout::LongMore::beginning, layout::Command::beginning, layout::LongCommand::beginning};

template <class One>
bool decode_into(zeps_wire::Octets frame, Message& message, zeps_wire::Error& error) noexcept {
  message = One();
  return decode(frame, *std::get_if<One>(&message), error);
}

}  // namespace

bool decode_closely(zeps_wire::Octets frame, Last& message, zeps_wire::Error& error) noexcept {
  zeps_wire::Reader in(frame);
  const bool whole = read_head(in, layout::Last::head, layout::Last::beginning, error) &&
                     read<layout::Last::body>(in, "LAST", "body", message.body, error) &&
                     read_end(in, "LAST", error);
  if (!whole) {
    message = Last{};
  }
  return whole;
}

bool check_closely(const Last& message, zeps_wire::Error& error) noexcept {
  return fitting<layout::Last::body>("LAST", "body", message.body, error);
}

bool decode_closely(zeps_wire::Octets frame, More& message, zeps_wire::Error& error) noexcept {
  zeps_wire::Reader in(frame);
  const bool whole = read_head(in, layout::More::head, layout::More::beginning, error) &&
                     read<layout::More::body>(in, "MORE", "body", message.body, error) &&
                     read_end(in, "MORE", error);
  if (!whole) {
    message = More{};
  }
  return whole;
}

bool check_closely(const More& message, zeps_wire::Error& error) noexcept {
  return fitting<layout::More::body>("MORE", "body", message.body, error);
}

bool decode_closely(zeps_wire::Octets frame, LongLast& message, zeps_wire::Error& error) noexcept {
  zeps_wire::Reader in(frame);
  const bool whole = read_head(in, layout::LongLast::head, layout::LongLast::beginning, error) &&
                     read<layout::LongLast::body>(in, "LONG-LAST", "body", message.body, error) &&
                     read_end(in, "LONG-LAST", error);
  if (!whole) {
    message = LongLast{};
  }
  return whole;
}

bool check_closely(const LongLast& message, zeps_wire::Error& error) noexcept {
  return allowed<layout::LongLast::body>("LONG-LAST", "body", message.body, error);
}

bool decode_closely(zeps_wire::Octets frame, LongMore& message, zeps_wire::Error& error) noexcept {
  zeps_wire::Reader in(frame);
  const bool whole = read_head(in, layout::LongMore::head, layout::LongMore::beginning, error) &&
                     read<layout::LongMore::body>(in, "LONG-MORE", "body", message.body, error) &&
                     read_end(in, "LONG-MORE", error);
  if (!whole) {
    message = LongMore{};
  }
  return whole;
}

bool check_closely(const LongMore& message, zeps_wire::Error& error) noexcept {
  return allowed<layout::LongMore::body>("LONG-MORE", "body", message.body, error);
}

bool decode_closely(zeps_wire::Octets frame, Command& message, zeps_wire::Error& error) noexcept {
  zeps_wire::Reader in(frame);
  const bool whole = read_head(in, layout::Command::head, layout::Command::beginning, error) &&
                     read<layout::Command::body>(in, "COMMAND", "body", message.body, error) &&
                     read_end(in, "COMMAND", error);
  if (!whole) {
    message = Command{};
  }
  return whole;
}

bool check_closely(const Command& message, zeps_wire::Error& error) noexcept {
  return fitting<layout::Command::body>("COMMAND", "body", message.body, error);
}

bool decode_closely(zeps_wire::Octets frame, LongCommand& message, zeps_wire::Error& error) noexcept {
  zeps_wire::Reader in(frame);
  const bool whole = read_head(in, layout::LongCommand::head, layout::LongCommand::beginning, error) &&
                     read<layout::LongCommand::body>(in, "LONG-COMMAND", "body", message.body, error) &&
                     read_end(in, "LONG-COMMAND", error);
  if (!whole) {
    message = LongCommand{};
  }
  return whole;
}

bool check_closely(const LongCommand& message, zeps_wire::Error& error) noexcept {
  return allowed<layout::LongCommand::body>("LONG-COMMAND", "body", message.body, error);
}

bool decode(zeps_wire::Octets frame, Message& message, zeps_wire::Error& error) noexcept {
  if (frame.size() > 0) {
    switch (frame[0]) {
      case Last::message_id: return decode_into<Last>(frame, message, error);
      case More::message_id: return decode_into<More>(frame, message, error);
      case LongLast::message_id: return decode_into<LongLast>(frame, message, error);
      case LongMore::message_id: return decode_into<LongMore>(frame, message, error);
      case Command::message_id: return decode_into<Command>(frame, message, error);
      case LongCommand::message_id: return decode_into<LongCommand>(frame, message, error);
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
  if (const auto* one = std::get_if<Last>(&message)) {
    return check(*one, error);
  }
  if (const auto* one = std::get_if<More>(&message)) {
    return check(*one, error);
  }
  if (const auto* one = std::get_if<LongLast>(&message)) {
    return check(*one, error);
  }
  if (const auto* one = std::get_if<LongMore>(&message)) {
    return check(*one, error);
  }
  if (const auto* one = std::get_if<Command>(&message)) {
    return check(*one, error);
  }
  if (const auto* one = std::get_if<LongCommand>(&message)) {
    return check(*one, error);
  }
  return true;
}

std::size_t encoded_size(const Message& message) noexcept {
  if (const auto* one = std::get_if<Last>(&message)) {
    return encoded_size(*one);
  }
  if (const auto* one = std::get_if<More>(&message)) {
    return encoded_size(*one);
  }
  if (const auto* one = std::get_if<LongLast>(&message)) {
    return encoded_size(*one);
  }
  if (const auto* one = std::get_if<LongMore>(&message)) {
    return encoded_size(*one);
  }
  if (const auto* one = std::get_if<Command>(&message)) {
    return encoded_size(*one);
  }
  if (const auto* one = std::get_if<LongCommand>(&message)) {
    return encoded_size(*one);
  }
  return 0;
}

std::uint8_t* write(const Message& message, std::uint8_t* at) noexcept {
  if (const auto* one = std::get_if<Last>(&message)) {
    return write(*one, at);
  }
  if (const auto* one = std::get_if<More>(&message)) {
    return write(*one, at);
  }
  if (const auto* one = std::get_if<LongLast>(&message)) {
    return write(*one, at);
  }
  if (const auto* one = std::get_if<LongMore>(&message)) {
    return write(*one, at);
  }
  if (const auto* one = std::get_if<Command>(&message)) {
    return write(*one, at);
  }
  if (const auto* one = std::get_if<LongCommand>(&message)) {
    return write(*one, at);
  }
  return at;
}

std::string_view name_of(const Message& message) noexcept {
  constexpr std::array<std::string_view, 6> names = {
      Last::message_name,     More::message_name,    LongLast::message_name,
      LongMore::message_name, Command::message_name, LongCommand::message_name,
  };
  return names[message.index()];
}

}  // namespace zeps_wire::zmtp_frame

#include "zeps_wire/zmtp_frame.hpp"

namespace zeps_wire::zmtp_frame {

bool decode(zeps_wire::Octets input, Message& message, zeps_wire::Error& error) noexcept {
  return zeps_wire::decode_any<Last, More, LongLast, LongMore, Command, LongCommand>(input, message, error);
}

zeps_wire::Result<Message> decode(zeps_wire::Octets input) noexcept {
  Message message;
  zeps_wire::Error error;
  if (!decode(input, message, error)) {
    return error;
  }
  return message;
}

bool decode_frames(zeps_wire::Span<const zeps_wire::Octets> input, Message& message,
                   zeps_wire::Error& error) noexcept {
  return zeps_wire::decode_any<Last, More, LongLast, LongMore, Command, LongCommand>(input, message, error);
}

zeps_wire::Result<Message> decode_frames(zeps_wire::Span<const zeps_wire::Octets> input) noexcept {
  Message message;
  zeps_wire::Error error;
  if (!decode_frames(input, message, error)) {
    return error;
  }
  return message;
}

}  // namespace zeps_wire::zmtp_frame

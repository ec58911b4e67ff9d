#include "zeps_wire/runtime/wire.hpp"

#include <algorithm>

namespace zeps_wire {
namespace {

constexpr unsigned varint_octets_max = 10;

/// The error of a frame without the number of the message that `told_by` identifies.
bool misnumbered(Octets told_by, Octets frame, Error& error) noexcept {
  const Octets signature(told_by.data(), told_by.size() - 1);
  if (!starts_with(frame, signature)) {
    return fault(error, starts_with(signature, frame) ? Code::truncated : Code::bad_signature, {}, {}, 0);
  }
  const bool ended = frame.size() == signature.size();
  return fault(error, ended ? Code::truncated : Code::unknown_message, {}, {}, signature.size());
}

}  // namespace

std::size_t varint_size(std::uint64_t value) noexcept {
  std::size_t size = 1;
  for (; value > 0x7FU; value >>= 7U) {
    ++size;
  }
  return size;
}

std::uint8_t* store_varint(std::uint8_t* at, std::uint64_t value) noexcept {
  for (; value > 0x7FU; value >>= 7U) {
    *at++ = static_cast<std::uint8_t>(value | 0x80U);
  }
  *at++ = static_cast<std::uint8_t>(value);
  return at;
}

std::uint64_t next_varint(const std::uint8_t*& at) noexcept {
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const std::uint64_t octet = *at++;
    value |= (octet & 0x7FU) << shift;
    if (octet < 0x80U) {
      return value;
    }
  }
}

Code read_varint(Reader& in, std::uint64_t& value) noexcept {
  value = 0;
  for (unsigned i = 0; i < varint_octets_max; ++i) {
    if (in.at == in.end) {
      return Code::truncated;
    }
    const std::uint64_t octet = *in.at++;
    if (i == varint_octets_max - 1 && octet > 1) {
      return Code::too_long;
    }
    value |= (octet & 0x7FU) << 7U * i;
    if (octet < 0x80U) {
      return Code::none;
    }
  }
  return Code::too_long;
}

Code read_constant(Reader& in, Octets constant) noexcept {
  const Octets left(in.at, in.left());
  if (!starts_with(left, constant)) {
    return starts_with(constant, left) ? Code::truncated : Code::bad_constant;
  }
  in.at += constant.size();
  return Code::none;
}

bool starts_with(Octets octets, Octets beginning) noexcept {
  return octets.size() >= beginning.size() && Octets(octets.data(), beginning.size()) == beginning;
}

bool unknown(Span<const Beginning> beginnings, Octets frame, Error& error) noexcept {
  if (beginnings.empty()) {
    return fault(error, frame.empty() ? Code::truncated : Code::unknown_message, {}, {}, 0);
  }
  switch (beginnings[0].by) {
    case Beginning::Dispatch::number: return misnumbered(beginnings[0].octets, frame, error);
    case Beginning::Dispatch::name: {
      const bool whole = !frame.empty() && frame.size() > frame[0];
      return fault(error, whole ? Code::unknown_message : Code::truncated, {}, {}, 0);
    }
    case Beginning::Dispatch::constant: break;
  }
  const bool ended = std::any_of(beginnings.begin(), beginnings.end(),
                                 [frame](const Beginning& one) { return starts_with(one.octets, frame); });
  return fault(error, ended ? Code::truncated : Code::unknown_message, {}, {}, 0);
}

}  // namespace zeps_wire

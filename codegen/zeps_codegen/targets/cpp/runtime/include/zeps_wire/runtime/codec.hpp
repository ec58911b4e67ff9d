/// @file
/// Decoding and encoding of messages with a layout, and of any of a protocol's messages.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "error.hpp"
#include "operations.hpp"
#include "span.hpp"
#include "wire.hpp"

namespace zeps_wire {

/// The message type of a protocol without messages.
struct NoMessage {
  static constexpr std::string_view message_name = {};
};

template <>
struct Layout<NoMessage> : Closed {
  static constexpr auto by = Beginning::Dispatch::constant;
  using Head = operation::Constant<>;
  using Operations = std::tuple<>;
  static constexpr std::array<std::string_view, 0> names = {};
};

namespace detail {

template <class M, class Operations = typename Layout<M>::Operations,
          class Places = std::make_index_sequence<std::tuple_size_v<Operations>>>
struct Codec;

/// Runs the operations of a message in sequence.
template <class M, class... Ops, std::size_t... Places>
struct Codec<M, std::tuple<Ops...>, std::index_sequence<Places...>> {
  using Head = typename Layout<M>::Head;
  using Numbers = std::array<std::uint64_t, sizeof...(Ops) + 1>;
  static constexpr std::size_t least = (Head::least + ... + Ops::least);
  static constexpr bool is_extensible = Layout<M>::is_extensible;
  static constexpr std::size_t tail = Layout<M>::tail;
  static constexpr bool has_fast_path = (... && (Ops::has_fast_path && (Places < tail || Ops::least > 0)));
  static constexpr bool has_frames = (... || Ops::is_apart);
  static constexpr std::size_t shown = (std::size_t{0} + ... + std::size_t{Ops::is_shown});

  /// The bytes that identify the message.
  static constexpr Beginning beginning() noexcept { return {Layout<M>::by, Head::octets}; }

  /// Whether a frame begins as the message does.
  ZEPS_WIRE_INLINE static bool begins(Octets frame) noexcept {
    return !std::is_same_v<M, NoMessage> && frame.size() >= Head::least && Head::matches(frame.data());
  }

  /// Fast path: decodes a valid frame. Returns false if the frame is not valid or needs the slow path.
  ZEPS_WIRE_INLINE static bool read_fast(Octets frame, [[maybe_unused]] M& message) noexcept {
    if (!ZEPS_WIRE_LIKELY(frame.size() >= least && Head::matches(frame.data()))) {
      return false;
    }
    [[maybe_unused]] const std::uint8_t* at = frame.data() + Head::least;
    std::size_t spare = frame.size() - least;
    [[maybe_unused]] Numbers numbers{};
    return (... && Ops::read_fast(at, spare, message, numbers)) && (is_extensible || spare == 0);
  }

  /// Slow path: decodes any frame and reports its first error.
  static bool read(Octets frame, [[maybe_unused]] M& message, Error& error) noexcept {
    if (!begins(frame)) {
      const Beginning expected = beginning();
      return unknown(Span<const Beginning>(&expected, 1), frame, error);
    }
    Reader in(frame);
    in.at += Head::least;
    [[maybe_unused]] Numbers numbers{};
    return (... && step<Ops>(in, message, numbers, Places, error)) &&
           (is_extensible || in.left() == 0 ||
            fault(error, Code::trailing, M::message_name, {}, static_cast<std::size_t>(in.at - in.begin)));
  }

  /// Reads the frames after the first.
  static bool read_apart(Span<const Octets> frames, [[maybe_unused]] M& message, Error& error) noexcept {
    const std::size_t end = frames[0].size();
    Span<const Octets> left(frames.data() + 1, frames.size() - 1);
    return (... && passed(Ops::read_frames(left, message), Places, end, error)) &&
           (left.empty() || fault(error, Code::trailing, M::message_name, {}, end));
  }

  /// Fast path: whether the message can be encoded. Returns false if it cannot or needs the slow path.
  ZEPS_WIRE_INLINE static bool check_fast([[maybe_unused]] const M& message) noexcept {
    return (... && (Ops::check_count(message) == Code::none)) && (... && (Ops::check(message) == Code::none));
  }

  /// Slow path: whether the message can be encoded; reports the first error.
  static bool check([[maybe_unused]] const M& message, [[maybe_unused]] Error& error) noexcept {
    return (... && passed(Ops::check_count(message), Places, 0, error)) &&
           (... && allowed<Ops>(Ops::check(message), Places, error));
  }

  /// The size of the first frame in bytes.
  ZEPS_WIRE_INLINE static std::size_t first_size([[maybe_unused]] const M& message) noexcept {
    return (Head::least + ... + (Ops::is_apart ? 0 : Ops::size(message)));
  }

  /// The size of all frames in bytes.
  ZEPS_WIRE_INLINE static std::size_t size([[maybe_unused]] const M& message) noexcept {
    return (Head::least + ... + Ops::size(message));
  }

  ZEPS_WIRE_INLINE static std::uint8_t* write([[maybe_unused]] const M& message, std::uint8_t* at) noexcept {
    at = Head::store(at);
    static_cast<void>((..., (at = Ops::write(at, message))));
    return at;
  }

  static void append(std::vector<Buffer>& frames, const M& message) {
    frames.emplace_back(first_size(message));
    write(message, frames.back().data());
    static_cast<void>((..., Ops::append(frames, message)));
  }

  /// Calls `visitor` with the kind and the value of each field that the message shows.
  template <class Any, class Visit>
  static void visit([[maybe_unused]] Any& message, [[maybe_unused]] Visit visitor) {
    static_cast<void>((..., Ops::visit(message, visitor)));
  }

 private:
  template <class Op>
  static bool step(Reader& in, M& message, Numbers& numbers, std::size_t place, Error& error) noexcept {
    if (place >= tail && in.left() == 0) {
      Op::reset(message);
      return true;
    }
    in.start = in.at;
    const Code code = Op::read(in, message, numbers);
    return passed(code, place, in.offset(), error);
  }

  template <class Op>
  static bool allowed(Code code, std::size_t place, Error& error) noexcept {
    return passed(code, Op::error_place(place, code), 0, error);
  }

  static bool passed(Code code, std::size_t place, std::size_t offset, Error& error) noexcept {
    return code == Code::none || fault(error, code, M::message_name, Layout<M>::names[place], offset);
  }
};

/// Slow path of `decode`: reports the error.
template <class M>
ZEPS_WIRE_APART bool decode_slow(Octets frame, M& message, Error& error) noexcept {
  const bool whole = Codec<M>::read(frame, message, error);
  if (!whole) {
    message = M{};
  }
  return whole;
}

/// Slow path of `check`: reports the error.
template <class M>
ZEPS_WIRE_APART bool check_slow(const M& message, Error& error) noexcept {
  return Codec<M>::check(message, error);
}

/// Reads the first frame.
template <class M>
ZEPS_WIRE_INLINE bool decode_first(Octets frame, M& message, Error& error) noexcept {
  if constexpr (Codec<M>::has_fast_path) {
    return ZEPS_WIRE_LIKELY(Codec<M>::read_fast(frame, message)) || decode_slow(frame, message, error);
  } else {
    return decode_slow(frame, message, error);
  }
}

/// Calls `visitor` with the message in `any`.
template <class... Ms, class Visit>
ZEPS_WIRE_INLINE void visit_message(const std::variant<Ms...>& any, Visit visitor) {
  static_cast<void>((... || (std::holds_alternative<Ms>(any) && (visitor(*std::get_if<Ms>(&any)), true))));
}

}  // namespace detail

/// Decodes a message of one or several frames. Bytes of the message are views of the frames, and its lists of frames
/// are views of `frames`: both must outlive the message. Returns false and sets `error` if the frames are not valid.
template <class M, class = typename Layout<M>::Head>
bool decode_frames(Span<const Octets> frames, M& message, Error& error) noexcept {
  if (frames.empty()) {
    message = M{};
    return fault(error, Code::truncated, M::message_name, {}, 0);
  }
  if (!detail::decode_first(frames[0], message, error)) {
    return false;
  }
  const bool whole = detail::Codec<M>::read_apart(frames, message, error);
  if (!whole) {
    message = M{};
  }
  return whole;
}

/// Decodes a frame that is expected to hold a message of this class. Text, bytes and lists are views of the frame,
/// which must outlive them. Returns false and sets `error` if the frame is not valid; the message is then empty.
template <class M, class = typename Layout<M>::Head>
ZEPS_WIRE_INLINE bool decode(Octets frame, M& message, Error& error) noexcept {
  if constexpr (detail::Codec<M>::has_frames) {
    return decode_frames(Span<const Octets>(&frame, 1), message, error);
  } else {
    return detail::decode_first(frame, message, error);
  }
}

/// Whether the message can be encoded. Returns false and sets `error` if it cannot.
template <class M, class = typename Layout<M>::Head>
ZEPS_WIRE_INLINE bool check(const M& message, [[maybe_unused]] Error& error) noexcept {
  if constexpr (detail::Codec<M>::has_fast_path) {
    return ZEPS_WIRE_LIKELY(detail::Codec<M>::check_fast(message)) || detail::check_slow(message, error);
  } else {
    return detail::check_slow(message, error);
  }
}

/// The size of the encoded message in bytes, all frames together.
template <class M, class = typename Layout<M>::Head>
[[nodiscard]] ZEPS_WIRE_INLINE std::size_t encoded_size(const M& message) noexcept {
  return detail::Codec<M>::size(message);
}

/// Encodes a message of one frame to `at`, where `encoded_size` bytes must be available; `check` must have succeeded.
/// Returns the end.
template <class M, class = typename Layout<M>::Head>
ZEPS_WIRE_INLINE std::uint8_t* write(const M& message, std::uint8_t* at) noexcept {
  static_assert(!detail::Codec<M>::has_frames, "a message of several frames: encode_frames");
  return detail::Codec<M>::write(message, at);
}

/// The model's name of the message.
template <class M, class = typename Layout<M>::Head>
[[nodiscard]] constexpr std::string_view name_of(const M& /*message*/) noexcept {
  return M::message_name;
}

// --- the same for a variant of a protocol's messages

/// Whether the message can be encoded. Returns false and sets `error` if it cannot.
template <class... Ms>
bool check(const std::variant<Ms...>& any, Error& error) noexcept {
  bool fine = true;
  detail::visit_message(any, [&](const auto& message) noexcept { fine = check(message, error); });
  return fine;
}

/// The size of the encoded message in bytes, all frames together.
template <class... Ms>
[[nodiscard]] std::size_t encoded_size(const std::variant<Ms...>& any) noexcept {
  std::size_t size = 0;
  detail::visit_message(any, [&](const auto& message) noexcept { size = encoded_size(message); });
  return size;
}

/// Encodes a message of one frame to `at`, where `encoded_size` bytes must be available; `check` must have succeeded.
/// Returns the end.
template <class... Ms>
std::uint8_t* write(const std::variant<Ms...>& any, std::uint8_t* at) noexcept {
  detail::visit_message(any, [&](const auto& message) noexcept { at = write(message, at); });
  return at;
}

/// The model's name of the message.
template <class... Ms>
[[nodiscard]] std::string_view name_of(const std::variant<Ms...>& any) noexcept {
  std::string_view name;
  detail::visit_message(any, [&](const auto& message) noexcept { name = name_of(message); });
  return name;
}

namespace detail {

inline Octets first_of(Octets frame) noexcept { return frame; }
inline Octets first_of(Span<const Octets> frames) noexcept { return frames.empty() ? Octets() : frames[0]; }

// No constructor of a message throws, so that the variant always has a value.
template <class M, class Input, class Message>  // NOLINTNEXTLINE(bugprone-exception-escape)
bool decode_as(Input input, Message& any, Error& error) noexcept {
  M& message = any.template emplace<M>();
  if constexpr (std::is_same_v<Input, Octets>) {
    return decode(input, message, error);
  } else {
    return decode_frames(input, message, error);
  }
}

template <class Input, class Message>
using Decoders = std::array<bool (*)(Input, Message&, Error&) noexcept, 256>;

/// The decoders of messages that are identified by a number, indexed by it.
template <class Input, class Message, class... Ms>
constexpr Decoders<Input, Message> decoders() noexcept {
  Decoders<Input, Message> found{};
  static_cast<void>((..., (found[Codec<Ms>::Head::octets.back()] = &decode_as<Ms, Input, Message>)));
  return found;
}

template <class Input, class Message, class... Ms>
inline constexpr auto decoders_of = decoders<Input, Message, Ms...>();

}  // namespace detail

/// Decodes any of the messages `M`, `Ms`… from a frame or frames. They are identified by a number, or by their
/// beginnings, which are tried in this order. Returns false and sets `error` if the frames are not valid.
template <class M, class... Ms, class Input, class Message>
bool decode_any(Input input, Message& any, Error& error) noexcept {
  const Octets frame = detail::first_of(input);
  if constexpr (Layout<M>::by == Beginning::Dispatch::number) {
    constexpr std::size_t at = Layout<M>::Head::least - 1;
    const auto decoder =
        frame.size() > at ? detail::decoders_of<Input, Message, M, Ms...>[frame[at]] : nullptr;
    if (decoder != nullptr) {
      return decoder(input, any, error);
    }
  } else {
    bool whole = false;
    const auto is_read = [&](bool begins, auto decoder) {
      whole = begins && decoder(input, any, error);
      return begins;
    };
    if (is_read(detail::Codec<M>::begins(frame), &detail::decode_as<M, Input, Message>) ||
        (... || is_read(detail::Codec<Ms>::begins(frame), &detail::decode_as<Ms, Input, Message>))) {
      return whole;
    }
  }
  any = Message();
  constexpr std::array<Beginning, sizeof...(Ms) + 1> beginnings = {detail::Codec<M>::beginning(),
                                                                   detail::Codec<Ms>::beginning()...};
  return unknown(beginnings, frame, error);
}

// --- into buffers

/// Encodes `message` into a buffer, which is resized and keeps its memory. The message must not be a view of it.
/// Returns false and sets `error` if the message cannot be encoded; the buffer is then unchanged.
template <class Message>
bool encode(const Message& message, Buffer& into, Error& error) {
  if (!check(message, error)) {
    return false;
  }
  into.resize(encoded_size(message));
  write(message, into.data());
  return true;
}

/// Encodes `message` into a new buffer of exactly its size.
template <class Message>
Result<Buffer> encode(const Message& message) {
  Error error;
  Buffer buffer;
  if (!encode(message, buffer, error)) {
    return error;
  }
  return buffer;
}

/// Encodes a message into its frames.
template <class M, class = typename Layout<M>::Head>
Result<std::vector<Buffer>> encode_frames(const M& message) {
  Error error;
  if (!check(message, error)) {
    return error;
  }
  std::vector<Buffer> frames;
  detail::Codec<M>::append(frames, message);
  return frames;
}

template <class... Ms>
Result<std::vector<Buffer>> encode_frames(const std::variant<Ms...>& any) {
  Result<std::vector<Buffer>> frames = Error();
  detail::visit_message(any, [&](const auto& message) { frames = encode_frames(message); });
  return frames;
}

}  // namespace zeps_wire

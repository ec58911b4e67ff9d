/// @file
/// The operations of a codec: the handling of each part of a message, in wire order.
///
/// `read` decodes the part and returns the code of an error; `read_fast` decodes it if it is valid, see kinds.hpp;
/// `check` returns the code of the error for which the part cannot be encoded; `size` and `write` encode it.
/// `numbers` are the counts and lengths in a frame that the message does not show, by the indices of their
/// operations. `visit` calls a function with the kind and the value of a shown field.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <vector>

#include "error.hpp"
#include "kinds.hpp"
#include "list.hpp"
#include "span.hpp"
#include "wire.hpp"

namespace zeps_wire {

/// An encoded message, or one of its frames.
using Buffer = std::vector<std::uint8_t>;

/// No index of an operation.
inline constexpr std::size_t nowhere = SIZE_MAX;

/// The layout of a message, in generated specialisations: `by` and `Head` identify the message; `Operations` is a
/// tuple of the types of the operations; `names` are their names in the model. Each layout is Closed or Extensible.
template <class Message>
struct Layout;

/// A message whose frame ends with its last field.
struct Closed {
  static constexpr bool is_extensible = false;
  static constexpr std::size_t tail = nowhere;
};

/// A message with bytes allowed after the last field, whose frame may end before the operation at `Tail` or a later
/// one.
template <std::size_t Tail = nowhere>
struct Extensible {
  static constexpr bool is_extensible = true;
  static constexpr std::size_t tail = Tail;
};

template <class M, std::size_t Place>
using OperationAt = std::tuple_element_t<Place, typename Layout<M>::Operations>;

namespace operation {

/// The defaults of all operations.
struct Operation {
  static constexpr std::size_t least = 0;      ///< its minimum size in the first frame, in bytes
  static constexpr bool has_fast_path = true;  ///< whether it has a fast path
  static constexpr bool is_apart = false;      ///< whether it consists of separate frames
  static constexpr bool is_shown = false;      ///< whether the message has a member for it

  /// The operation whose field an encoding error names.
  static constexpr std::size_t error_place(std::size_t place, Code /*code*/) noexcept { return place; }
  /// Sets the field to its default.
  template <class M>
  static void reset(M& /*message*/) noexcept {}
  /// Compares the size of the field with those of the other siblings of its number.
  template <class M>
  static Code check_count(const M& /*message*/) noexcept {
    return Code::none;
  }
  template <class M>
  static Code check(const M& /*message*/) noexcept {
    return Code::none;
  }
  /// Removes the frames of the field from the remaining frames.
  template <class M>
  static Code read_frames(Span<const Octets>& /*frames*/, M& /*message*/) noexcept {
    return Code::none;
  }
  template <class M>
  static void append(std::vector<Buffer>& /*frames*/, const M& /*message*/) {}
  template <class M, class Visit>
  static void visit(M& /*message*/, Visit& /*visitor*/) {}
};

/// A constant.
template <std::uint8_t... Values>
struct Constant : Operation {
  static constexpr std::size_t least = sizeof...(Values);
  static constexpr std::array<std::uint8_t, least> octets = {Values...};

  /// Whether the constant is at `at`.
  ZEPS_WIRE_INLINE static bool matches([[maybe_unused]] const std::uint8_t* at) noexcept {
    if constexpr (least > 0) {
      return std::memcmp(at, octets.data(), least) == 0;
    } else {
      return true;
    }
  }
  ZEPS_WIRE_INLINE static std::uint8_t* store(std::uint8_t* at) noexcept {
    if constexpr (least > 0) {
      std::memcpy(at, octets.data(), least);
    }
    return at + least;
  }

  template <class M, class Numbers>
  static Code read(Reader& in, M& /*message*/, Numbers& /*numbers*/) noexcept {
    return read_constant(in, octets);
  }
  template <class M, class Numbers>
  ZEPS_WIRE_INLINE static bool read_fast(const std::uint8_t*& at, std::size_t& /*spare*/, M& /*message*/,
                                         Numbers& /*numbers*/) noexcept {
    at += least;
    return matches(at - least);
  }
  template <class M>
  ZEPS_WIRE_INLINE static std::size_t size(const M& /*message*/) noexcept {
    return least;
  }
  template <class M>
  ZEPS_WIRE_INLINE static std::uint8_t* write(std::uint8_t* at, const M& /*message*/) noexcept {
    return store(at);
  }
};

/// `Size` reserved bytes: zero when written, ignored when read.
template <std::size_t Size>
struct Reserved : Operation {
  static constexpr std::size_t least = Size;

  template <class M, class Numbers>
  static Code read(Reader& in, M& /*message*/, Numbers& /*numbers*/) noexcept {
    Octets octets;
    return in.take(Size, octets) ? Code::none : Code::truncated;
  }
  template <class M, class Numbers>
  ZEPS_WIRE_INLINE static bool read_fast(const std::uint8_t*& at, std::size_t& /*spare*/, M& /*message*/,
                                         Numbers& /*numbers*/) noexcept {
    at += Size;
    return true;
  }
  template <class M>
  ZEPS_WIRE_INLINE static std::size_t size(const M& /*message*/) noexcept {
    return Size;
  }
  template <class M>
  ZEPS_WIRE_INLINE static std::uint8_t* write(std::uint8_t* at, const M& /*message*/) noexcept {
    std::memset(at, 0, Size);
    return at + Size;
  }
};

/// The base of operations for which the message has a member.
template <auto Pointer, class Kind>
struct Shown : Operation {
  static constexpr bool is_shown = true;

  template <class M>
  ZEPS_WIRE_INLINE static Code check(const M& message) noexcept {
    return Kind::check(message.*Pointer);
  }
  template <class M>
  static auto& member(M& message) noexcept {
    return message.*Pointer;
  }
  template <class M>
  static void set_zero(M& message) noexcept {
    message.*Pointer = kind::zero(Kind());
  }
  template <class M, class Visit>
  static void visit(M& message, Visit& visitor) {
    visitor(Kind(), message.*Pointer);
  }
};

/// A shown field. The number at `By`, if it is set, counts or measures it.
template <auto Pointer, class Kind, std::size_t By = nowhere>
struct Field : Shown<Pointer, Kind> {
  static constexpr std::size_t least = Kind::least;
  static constexpr bool has_fast_path = Kind::has_fast_path;

  template <class M, class Numbers>
  ZEPS_WIRE_INLINE static Code read(Reader& in, M& message, [[maybe_unused]] Numbers& numbers) noexcept {
    if constexpr (By == nowhere) {
      return Kind::read(in, message.*Pointer);
    } else {
      return Kind::read(in, message.*Pointer, numbers[By]);
    }
  }
  template <class M, class Numbers>
  ZEPS_WIRE_INLINE static bool read_fast(const std::uint8_t*& at, std::size_t& spare, M& message,
                                         [[maybe_unused]] Numbers& numbers) noexcept {
    if constexpr (By == nowhere) {
      return Kind::read_fast(at, spare, message.*Pointer);
    } else {
      return Kind::read_fast(at, spare, message.*Pointer, numbers[By]);
    }
  }
  template <class M>
  static std::size_t count(const M& message) noexcept {
    return (message.*Pointer).size();
  }
  template <class M>
  ZEPS_WIRE_INLINE static Code check_count([[maybe_unused]] const M& message) noexcept {
    if constexpr (By != nowhere) {
      const std::uint64_t wanted = OperationAt<M, By>::number(message);
      return count(message) == wanted  ? Code::none
             : count(message) > wanted ? Code::too_long
                                       : Code::truncated;
    } else {
      return Code::none;
    }
  }
  template <class M>
  ZEPS_WIRE_INLINE static std::size_t size(const M& message) noexcept {
    return Kind::size(message.*Pointer);
  }
  template <class M>
  ZEPS_WIRE_INLINE static std::uint8_t* write(std::uint8_t* at, const M& message) noexcept {
    return Kind::write(at, message.*Pointer);
  }
  /// The value of the field as a number.
  template <class M, class... Numbers>
  ZEPS_WIRE_INLINE static std::uint64_t number(const M& message, const Numbers&... /*numbers*/) noexcept {
    return static_cast<std::uint64_t>(message.*Pointer);
  }
  template <class M>
  static void reset(M& message) noexcept {
    message.*Pointer = M{}.*Pointer;
  }
  /// Sets the field; returns the code of the error if its bytes cannot hold the value.
  template <class M, class Given>
  static Code assign(M& message, const Given& value) noexcept {
    return Kind::assign(value, message.*Pointer);
  }
};

/// The number at `Place`, which counts or measures fields, the first of them at `First`. The message does not show it.
template <class Kind, std::size_t Place, std::size_t First = Place>
struct Derived : Operation {
  static constexpr std::size_t least = Kind::least;
  static constexpr bool has_fast_path = Kind::has_fast_path;

  static constexpr std::size_t error_place(std::size_t place, Code code) noexcept {
    return code == Code::bad_relation ? place : First;
  }
  /// Its value in a decoded frame.
  template <class M, class Numbers>
  ZEPS_WIRE_INLINE static std::uint64_t number(const M& /*message*/, const Numbers& numbers) noexcept {
    return numbers[Place];
  }
  /// Its value in a message to be encoded.
  template <class M>
  ZEPS_WIRE_INLINE static std::uint64_t number([[maybe_unused]] const M& message) noexcept {
    if constexpr (First != Place) {
      return OperationAt<M, First>::count(message);
    } else {
      return 0;
    }
  }
  template <class M, class Numbers>
  static Code read(Reader& in, M& /*message*/, Numbers& numbers) noexcept {
    return Kind::read(in, numbers[Place]);
  }
  template <class M, class Numbers>
  ZEPS_WIRE_INLINE static bool read_fast(const std::uint8_t*& at, std::size_t& spare, M& /*message*/,
                                         Numbers& numbers) noexcept {
    return Kind::read_fast(at, spare, numbers[Place]);
  }
  template <class M>
  ZEPS_WIRE_INLINE static Code check(const M& message) noexcept {
    return Kind::check(number(message));
  }
  template <class M>
  ZEPS_WIRE_INLINE static std::size_t size(const M& message) noexcept {
    return Kind::size(number(message));
  }
  template <class M>
  ZEPS_WIRE_INLINE static std::uint8_t* write(std::uint8_t* at, const M& message) noexcept {
    return Kind::write(at, number(message));
  }
};

/// The operand of a relation: the number at an index.
template <std::size_t Place>
struct NumberAt {
  template <class M, class... Numbers>
  ZEPS_WIRE_INLINE static std::uint64_t number(const M& message, const Numbers&... numbers) noexcept {
    return OperationAt<M, Place>::number(message, numbers...);
  }
};

/// The operand of a relation: a constant.
template <std::uint64_t Value>
struct Literal {
  template <class M, class... Numbers>
  ZEPS_WIRE_INLINE static std::uint64_t number(const M& /*message*/, const Numbers&... /*numbers*/) noexcept {
    return Value;
  }
};

/// A relation between two numbers.
template <class Left, class Compare, class Right>
struct Relation {
  template <class M, class... Numbers>
  ZEPS_WIRE_INLINE static bool holds(const M& message, const Numbers&... numbers) noexcept {
    return Compare()(Left::number(message, numbers...), Right::number(message, numbers...));
  }
};

/// A number with the relations in which it is the last operand.
template <class Number, class... Relations>
struct Related : Number {
  template <class M, class Numbers>
  static Code read(Reader& in, M& message, Numbers& numbers) noexcept {
    const Code code = Number::read(in, message, numbers);
    return code != Code::none || (... && Relations::holds(message, numbers)) ? code : Code::bad_relation;
  }
  template <class M, class Numbers>
  ZEPS_WIRE_INLINE static bool read_fast(const std::uint8_t*& at, std::size_t& spare, M& message,
                                         Numbers& numbers) noexcept {
    return Number::read_fast(at, spare, message, numbers) && (... && Relations::holds(message, numbers));
  }
  template <class M>
  ZEPS_WIRE_INLINE static Code check(const M& message) noexcept {
    const Code code = Number::check(message);
    return code != Code::none || (... && Relations::holds(message)) ? code : Code::bad_relation;
  }
};

/// The base of fields that are separate frames: they are not part of the first frame.
template <auto Pointer, class Kind>
struct Apart : Shown<Pointer, Kind> {
  static constexpr bool is_apart = true;

  template <class M, class Numbers>
  static Code read(Reader& /*in*/, M& /*message*/, Numbers& /*numbers*/) noexcept {
    return Code::none;
  }
  template <class M, class Numbers>
  static bool read_fast(const std::uint8_t*& /*at*/, std::size_t& /*spare*/, M& /*message*/,
                        Numbers& /*numbers*/) noexcept {
    return true;
  }
  template <class M>
  static std::uint8_t* write(std::uint8_t* at, const M& /*message*/) noexcept {
    return at;
  }
};

/// A separate frame.
template <auto Pointer, std::uint64_t Max = kind::unlimited>
struct Frame : Apart<Pointer, kind::Measured<Max>> {
  template <class M>
  static Code read_frames(Span<const Octets>& frames, M& message) noexcept {
    if (frames.empty()) {
      return Code::truncated;
    }
    message.*Pointer = frames[0];
    frames = {frames.data() + 1, frames.size() - 1};
    return Frame::check(message);
  }
  template <class M>
  static std::size_t size(const M& message) noexcept {
    return (message.*Pointer).size();
  }
  template <class M>
  static void append(std::vector<Buffer>& frames, const M& message) {
    frames.emplace_back((message.*Pointer).begin(), (message.*Pointer).end());
  }
};

/// All remaining frames, at least one.
template <auto Pointer, std::uint64_t Max = kind::unlimited>
struct Frames : Apart<Pointer, kind::Counted<kind::Chunk<8, Max>>> {
  template <class M>
  static Code read_frames(Span<const Octets>& frames, M& message) noexcept {
    message.*Pointer = frames;
    frames = {};
    return check(message);
  }
  template <class M>
  static Code check(const M& message) noexcept {
    return (message.*Pointer).empty() ? Code::truncated : Frames::Shown::check(message);
  }
  template <class M>
  static std::size_t size(const M& message) noexcept {
    std::size_t sum = 0;
    for (const Octets& frame : message.*Pointer) {
      sum += frame.size();
    }
    return sum;
  }
  template <class M>
  static void append(std::vector<Buffer>& frames, const M& message) {
    for (const Octets& frame : message.*Pointer) {
      frames.emplace_back(frame.begin(), frame.end());
    }
  }
  template <class M>
  static void set_zero(M& message) noexcept {
    static constexpr Octets empty[1] = {};
    message.*Pointer = empty;
  }
};

}  // namespace operation
}  // namespace zeps_wire

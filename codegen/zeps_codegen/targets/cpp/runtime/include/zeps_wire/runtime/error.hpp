/// @file
/// The errors of decoding and encoding; their names are the same in every language.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#if defined(__GNUC__)
#define ZEPS_WIRE_INLINE [[gnu::always_inline]] inline
#define ZEPS_WIRE_APART [[gnu::noinline]]
#define ZEPS_WIRE_LIKELY(condition) (__builtin_expect(static_cast<bool>(condition), true))
#else
#define ZEPS_WIRE_INLINE inline
#define ZEPS_WIRE_APART
#define ZEPS_WIRE_LIKELY(condition) (condition)
#endif

namespace zeps_wire {

/// Decoding and encoding fail with one of these codes.
enum class Code : std::uint8_t {
  none,             ///< nothing went wrong
  truncated,        ///< the frame ends before the field does
  trailing,         ///< octets follow the last field
  bad_signature,    ///< the frame does not begin as every frame of the protocol does
  unknown_message,  ///< no message has this number, name or beginning
  bad_constant,     ///< a constant field holds something else, or a value is not in its enumeration
  bad_text,         ///< text that is not UTF-8, or holds what its class forbids
  too_long,         ///< a length, a count or a number beyond its limit
  bad_relation,     ///< numbers that are not related as they have to be
  not_set,          ///< a field that the host has not filled (sending only)
};

/// The code as the models spell it: `bad-text`.
[[nodiscard]] std::string_view name_of(Code code) noexcept;

/// An error: what, and where. Message and field are named as in the model; they are empty if none is known.
struct Error {
  Code code = Code::none;
  std::string_view message{};
  std::string_view field{};
  std::size_t offset = 0;  ///< octets of the frame before the field that is wrong; 0 when encoding
};

/// The error as one line of printable ASCII, of at most 255 bytes.
[[nodiscard]] std::string describe(const Error& error);

/// Sets `error`. Returns false.
ZEPS_WIRE_APART bool fault(Error& error, Code code, std::string_view message, std::string_view field,
                           std::size_t offset) noexcept;

/// A `T` or an error.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : held_(std::in_place_index<0>, std::move(value)) {}
  Result(const Error& error) : held_(std::in_place_index<1>, error) {}

  /// Whether there is a value.
  [[nodiscard]] explicit operator bool() const noexcept { return held_.index() == 0; }

  /// The value, which there must be.
  [[nodiscard]] T& operator*() & noexcept { return *std::get_if<0>(&held_); }
  [[nodiscard]] const T& operator*() const& noexcept { return *std::get_if<0>(&held_); }
  [[nodiscard]] T&& operator*() && noexcept { return std::move(*std::get_if<0>(&held_)); }
  [[nodiscard]] T* operator->() noexcept { return std::get_if<0>(&held_); }
  [[nodiscard]] const T* operator->() const noexcept { return std::get_if<0>(&held_); }

  /// The error; there must be no value.
  [[nodiscard]] const Error& error() const noexcept { return *std::get_if<1>(&held_); }

 private:
  std::variant<T, Error> held_;
};

}  // namespace zeps_wire

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
  none,             ///< no error
  truncated,        ///< the frame ends before the field does
  trailing,         ///< bytes follow the last field
  bad_signature,    ///< the frame does not begin with the protocol's signature
  unknown_message,  ///< no message has this number, name or beginning
  bad_constant,     ///< a constant field has another value, or a value is not in its enumeration
  bad_text,         ///< a text that is not UTF-8, or has a character that its class forbids
  too_long,         ///< a length, a count or a number beyond its limit
  bad_relation,     ///< a relation between numbers is false
  not_set,          ///< a field that the host has not filled (sending only)
};

/// The code in the models' spelling: `bad-text`.
[[nodiscard]] std::string_view name_of(Code code) noexcept;

/// An error and its place. Message and field have the model's names; they are empty if unknown.
struct Error {
  Code code = Code::none;
  std::string_view message{};
  std::string_view field{};
  std::size_t offset = 0;  ///< number of bytes in the frame before the field; 0 when encoding
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

  /// Whether the result has a value.
  [[nodiscard]] explicit operator bool() const noexcept { return held_.index() == 0; }

  /// The value, which must exist.
  [[nodiscard]] T& operator*() & noexcept { return *std::get_if<0>(&held_); }
  [[nodiscard]] const T& operator*() const& noexcept { return *std::get_if<0>(&held_); }
  [[nodiscard]] T&& operator*() && noexcept { return std::move(*std::get_if<0>(&held_)); }
  [[nodiscard]] T* operator->() noexcept { return std::get_if<0>(&held_); }
  [[nodiscard]] const T* operator->() const noexcept { return std::get_if<0>(&held_); }

  /// The error; the result must not have a value.
  [[nodiscard]] const Error& error() const noexcept { return *std::get_if<1>(&held_); }

 private:
  std::variant<T, Error> held_;
};

}  // namespace zeps_wire

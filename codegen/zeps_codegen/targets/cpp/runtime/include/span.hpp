/// @file
/// A view of values that lie side by side and belong to somebody else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <utility>

namespace zeps_wire {

/// `size` values from `data` on. It owns nothing: what it shows has to live as long as it is looked at.
template <class T>
class Span {
 public:
  constexpr Span() noexcept = default;
  constexpr Span(T* data, std::size_t size) noexcept : data_(data), size_(size) {}

  template <std::size_t Size>
  constexpr Span(T (&array)[Size]) noexcept : data_(array), size_(Size) {}

  /// Of anything with `data()` and `size()`: a vector, an array.
  template <
      class Container,
      class = std::enable_if_t<!std::is_same_v<std::decay_t<Container>, Span> &&
                               std::is_convertible_v<decltype(std::declval<const Container&>().data()), T*>>,
      class = decltype(std::declval<const Container&>().size())>
  constexpr Span(const Container& container) noexcept : data_(container.data()), size_(container.size()) {}

  [[nodiscard]] constexpr T* data() const noexcept { return data_; }
  [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
  [[nodiscard]] constexpr bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] constexpr T* begin() const noexcept { return data_; }
  [[nodiscard]] constexpr T* end() const noexcept { return data_ + size_; }
  [[nodiscard]] constexpr T& operator[](std::size_t index) const noexcept { return data_[index]; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Octets of somebody else's.
using Octets = Span<const std::uint8_t>;

[[nodiscard]] inline bool operator==(Octets left, Octets right) noexcept {
  return left.size() == right.size() &&
         (left.empty() || std::memcmp(left.data(), right.data(), left.size()) == 0);
}

[[nodiscard]] inline bool operator!=(Octets left, Octets right) noexcept { return !(left == right); }

/// The octets of `text`.
[[nodiscard]] inline Octets octets_of(std::string_view text) noexcept {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

/// The octets as text, whatever they hold.
[[nodiscard]] inline std::string_view text_of(Octets octets) noexcept {
  return {reinterpret_cast<const char*>(octets.data()), octets.size()};
}

}  // namespace zeps_wire

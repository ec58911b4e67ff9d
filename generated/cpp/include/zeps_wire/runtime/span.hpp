/// @file
/// Views of contiguous values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <utility>

#if defined(__clang__)
#define ZEPS_WIRE_LIFETIMEBOUND [[clang::lifetimebound]]
#else
#define ZEPS_WIRE_LIFETIMEBOUND
#endif

namespace zeps_wire {
namespace detail {

/// Whether a container has `size()`, and `data()` that converts to `T*`.
template <class Container, class T, class = void>
inline constexpr bool holds = false;
template <class Container, class T>
inline constexpr bool holds<Container, T,
                            std::void_t<decltype(std::declval<const Container&>().data()),
                                        decltype(std::declval<const Container&>().size())>> =
    std::is_convertible_v<decltype(std::declval<const Container&>().data()), T*>;

/// Whether a container is a view that does not own its values. std::array, which owns them, is an aggregate.
template <class Container>
inline constexpr bool is_view = std::is_trivially_copyable_v<Container> && !std::is_aggregate_v<Container>;

}  // namespace detail

/// A view of `size` values from `data` on, which must outlive it.
template <class T>
class Span {
 public:
  constexpr Span() noexcept = default;
  constexpr Span(T* data, std::size_t size) noexcept : data_(data), size_(size) {}

  template <std::size_t Size>
  constexpr Span(T (&array ZEPS_WIRE_LIFETIMEBOUND)[Size]) noexcept : data_(array), size_(Size) {}

  /// A view of a container that owns its values, such as a vector, which must outlive the span: the compiler rejects
  /// temporaries.
  template <class Owner, class = std::enable_if_t<detail::holds<Owner, T> && !detail::is_view<Owner>>>
  constexpr Span(Owner& owner ZEPS_WIRE_LIFETIMEBOUND) noexcept : data_(owner.data()), size_(owner.size()) {}
  template <class Owner, class = std::enable_if_t<detail::holds<Owner, T> && !detail::is_view<Owner>>>
  Span(const Owner&& owner) = delete;

  /// The values of another view.
  template <class View, class = void,
            class = std::enable_if_t<detail::holds<View, T> && detail::is_view<View>>>
  constexpr Span(const View& view) noexcept : data_(view.data()), size_(view.size()) {}

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

/// A view of bytes.
using Octets = Span<const std::uint8_t>;

[[nodiscard]] inline bool operator==(Octets left, Octets right) noexcept {
  return left.size() == right.size() &&
         (left.empty() || std::memcmp(left.data(), right.data(), left.size()) == 0);
}

[[nodiscard]] inline bool operator!=(Octets left, Octets right) noexcept { return !(left == right); }

/// The bytes of `text`.
[[nodiscard]] inline Octets octets_of(std::string_view text) noexcept {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

/// The bytes as text, which is not checked.
[[nodiscard]] inline std::string_view text_of(Octets octets) noexcept {
  return {reinterpret_cast<const char*>(octets.data()), octets.size()};
}

}  // namespace zeps_wire

/// @file
/// A view of values that lie side by side and belong to somebody else.
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

/// Whether a container has `data()`, of what a `T*` may point to, and `size()`.
template <class Container, class T, class = void>
inline constexpr bool holds = false;
template <class Container, class T>
inline constexpr bool holds<Container, T,
                            std::void_t<decltype(std::declval<const Container&>().data()),
                                        decltype(std::declval<const Container&>().size())>> =
    std::is_convertible_v<decltype(std::declval<const Container&>().data()), T*>;

/// Whether a container with `data()` shows what belongs to something else. An array is an aggregate.
template <class Container>
inline constexpr bool is_view = std::is_trivially_copyable_v<Container> && !std::is_aggregate_v<Container>;

}  // namespace detail

/// `size` values from `data` on. It owns nothing: what it shows has to live as long as it is looked at.
template <class T>
class Span {
 public:
  constexpr Span() noexcept = default;
  constexpr Span(T* data, std::size_t size) noexcept : data_(data), size_(size) {}

  template <std::size_t Size>
  constexpr Span(T (&array ZEPS_WIRE_LIFETIMEBOUND)[Size]) noexcept : data_(array), size_(Size) {}

  /// Of what owns its values, as a vector or an array does. It has to outlive the span: a temporary is refused.
  template <class Owner, class = std::enable_if_t<detail::holds<Owner, T> && !detail::is_view<Owner>>>
  constexpr Span(Owner& owner ZEPS_WIRE_LIFETIMEBOUND) noexcept : data_(owner.data()), size_(owner.size()) {}
  template <class Owner, class = std::enable_if_t<detail::holds<Owner, T> && !detail::is_view<Owner>>>
  Span(const Owner&& owner) = delete;

  /// Of another view.
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

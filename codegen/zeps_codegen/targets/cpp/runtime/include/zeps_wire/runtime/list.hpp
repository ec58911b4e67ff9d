/// @file
/// Lists of messages: views of the items in a frame, or of the values in a container.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <type_traits>

#include "span.hpp"

namespace zeps_wire {

/// A view of `size()` values. Items of a frame were checked by `decode`, and are decoded on each access.
template <class T>
class List {
 public:
  /// Decodes the value at `at`, and advances `at` to its end.
  using Next = T (*)(const std::uint8_t*& at) noexcept;

  constexpr List() noexcept = default;
  constexpr List(const T* items, std::size_t size) noexcept : items_(items), size_(size) {}

  /// A view of a contiguous container: a vector, an array, a Span. It must outlive the list; the compiler rejects
  /// temporaries that own their values.
  constexpr List(Span<const T> items) noexcept : items_(items.data()), size_(items.size()) {}
  template <class Container, class = std::enable_if_t<std::is_constructible_v<Span<const T>, Container>>>
  constexpr List(Container&& container) noexcept : List(Span<const T>(container)) {}

  /// A view of `size` checked items of a frame, of `width` bytes each; 0 if they vary in size.
  static constexpr List of_frame(const std::uint8_t* octets, std::size_t size, Next next,
                                 std::size_t width) noexcept {
    List list;
    list.octets_ = octets;
    list.size_ = size;
    list.next_ = next;
    list.width_ = width;
    return list;
  }

  [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
  [[nodiscard]] constexpr bool empty() const noexcept { return size_ == 0; }

  /// The value at `index`, which must be less than `size()`. Takes constant time, or time linear in `index` for items
  /// of a frame with different sizes.
  [[nodiscard]] T operator[](std::size_t index) const noexcept {
    if (next_ == nullptr) {
      return items_[index];
    }
    const std::uint8_t* at = octets_ + index * width_;
    for (std::size_t before = width_ == 0 ? index : 0; before > 0; --before) {
      static_cast<void>(next_(at));
    }
    return next_(at);
  }

  /// An input iterator over the values.
  class iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = const T*;
    using reference = const T&;

    iterator() noexcept = default;
    [[nodiscard]] reference operator*() const noexcept { return value_; }
    [[nodiscard]] pointer operator->() const noexcept { return &value_; }
    iterator& operator++() noexcept {
      --left_;
      read();
      return *this;
    }
    iterator operator++(int) noexcept {
      const iterator before = *this;
      ++*this;
      return before;
    }
    [[nodiscard]] friend bool operator==(const iterator& a, const iterator& b) noexcept {
      return a.left_ == b.left_;
    }
    [[nodiscard]] friend bool operator!=(const iterator& a, const iterator& b) noexcept {
      return a.left_ != b.left_;
    }

   private:
    friend class List;
    explicit iterator(const List& list) noexcept
        : items_(list.items_), octets_(list.octets_), next_(list.next_), left_(list.size_) {
      read();
    }
    void read() noexcept {
      if (left_ > 0) {
        value_ = next_ != nullptr ? next_(octets_) : *items_++;
      }
    }

    const T* items_ = nullptr;
    const std::uint8_t* octets_ = nullptr;
    Next next_ = nullptr;
    std::size_t left_ = 0;
    T value_{};
  };

  [[nodiscard]] iterator begin() const noexcept { return iterator(*this); }
  [[nodiscard]] iterator end() const noexcept { return iterator(); }

 private:
  const T* items_ = nullptr;
  const std::uint8_t* octets_ = nullptr;
  Next next_ = nullptr;
  std::size_t size_ = 0;
  std::size_t width_ = 0;
};

template <class T>
[[nodiscard]] bool operator==(const List<T>& left, const List<T>& right) noexcept {
  if (left.size() != right.size()) {
    return false;
  }
  auto other = right.begin();
  for (const T& item : left) {
    if (!(item == *other)) {
      return false;
    }
    ++other;
  }
  return true;
}

template <class T>
[[nodiscard]] bool operator!=(const List<T>& left, const List<T>& right) noexcept {
  return !(left == right);
}

/// An entry of a hash.
struct Pair {
  std::string_view key{};
  std::string_view value{};
};

[[nodiscard]] inline bool operator==(const Pair& left, const Pair& right) noexcept {
  return left.key == right.key && left.value == right.value;
}

}  // namespace zeps_wire

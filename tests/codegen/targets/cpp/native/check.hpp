/// @file
/// The checks of the tests, instead of a framework.
#pragma once

#include <cstdio>

/// The number of failed checks.
inline int& failures() noexcept {
  static int count = 0;
  return count;
}

inline void expect(bool holds, const char* what, const char* file, int line) noexcept {
  if (!holds) {
    std::fprintf(stderr, "%s:%d: %s does not hold\n", file, line, what);
    ++failures();
  }
}

#define EXPECT(condition) expect(static_cast<bool>(condition), #condition, __FILE__, __LINE__)

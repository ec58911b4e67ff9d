#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include "driver.hpp"

namespace {

constexpr std::size_t request_octets_max = std::size_t{64} << 20U;
constexpr std::size_t read_octets = 1U << 16U;

bool write_all(const zeps_driver::Buffer& octets) {
  for (std::size_t at = 0; at < octets.size();) {
    const ssize_t done = write(STDOUT_FILENO, octets.data() + at, octets.size() - at);
    if (done <= 0) {
      return false;
    }
    at += static_cast<std::size_t>(done);
  }
  return true;
}

/// Answers the complete requests, and keeps the rest. Returns false if a request is too large.
bool serve(zeps_driver::Buffer& input, zeps_driver::Answer& output) {
  std::size_t at = 0;
  while (input.size() - at >= 4) {
    const std::uint64_t size = zeps_wire::load_number<4>(input.data() + at);
    if (size > request_octets_max) {
      return false;
    }
    if (input.size() - at - 4 < size) {
      break;
    }
    const auto answer = zeps_driver::handle({input.data() + at + 4, static_cast<std::size_t>(size)});
    output.put_blob(answer);
    at += 4 + static_cast<std::size_t>(size);
  }
  input.erase(input.begin(), input.begin() + static_cast<std::ptrdiff_t>(at));
  return true;
}

}  // namespace

int main() {
  zeps_driver::Buffer input;
  std::array<std::uint8_t, read_octets> piece{};
  for (;;) {
    const ssize_t got = read(STDIN_FILENO, piece.data(), piece.size());
    if (got <= 0) {
      return got < 0 ? 1 : 0;
    }
    input.insert(input.end(), piece.begin(), piece.begin() + got);
    zeps_driver::Answer output;
    if (!serve(input, output)) {
      std::fputs("a request is too large\n", stderr);
      return 2;
    }
    if (!write_all(output.octets())) {
      return 1;
    }
  }
}

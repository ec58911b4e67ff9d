/// @file
/// A program that answers requests about the codecs and machines of this library.
#pragma once

#include <string_view>

#include "values.hpp"

namespace zeps_driver {

/// The answer to a request, without the lengths of frames.
[[nodiscard]] Buffer handle(Octets request);

/// A protocol of this library, with the functions that answer requests about it.
struct ProtocolEntry {
  std::string_view name;
  Buffer (*decode)(Cursor&, bool several);
  Buffer (*encode)(Cursor&, bool several);
  Buffer (*measure)(Cursor&);
};

/// A machine of this library, with the function that runs its steps.
struct MachineEntry {
  std::string_view name;
  Buffer (*run)(Cursor&);
};

/// The content of driver/bundle.cpp.
[[nodiscard]] zeps_wire::Span<const ProtocolEntry> protocols() noexcept;
[[nodiscard]] zeps_wire::Span<const MachineEntry> machines() noexcept;

}  // namespace zeps_driver

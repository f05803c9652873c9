// SPDX-License-Identifier: Apache-2.0
#pragma once
// What vector instructions do: so many operations of a class, as they were written, are done by so many instructions of the final code
// (docs/formats/facts.md, `final`).

#include <cstdint>
#include <map>
#include <string>

namespace parcast::facts {

struct Packed {
  std::int64_t operations = 1, instructions = 1;  // 1 at least; 0 at least
  friend bool operator==(const Packed&, const Packed&) = default;
};

/// By class of operation; of classes that are not there nothing is told.
using PackedOperations = std::map<std::string, Packed>;

/// Beyond these a file is damaged: iterations that one instruction does, or that are under way together.
constexpr std::int64_t kWidest = 4096;
constexpr std::int64_t kMostPacked = std::int64_t{1} << 40;

}  // namespace parcast::facts

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Vector instructions: how many operations of a class in the source are done by how many instructions of the
// final code (docs/formats/facts.md, `final`).

#include <cstdint>
#include <map>
#include <string>

namespace parcast::facts {

struct Packed {
  std::int64_t operations = 1, instructions = 1;  // operations at least 1, instructions at least 0
  friend bool operator==(const Packed&, const Packed&) = default;
};

/// By class of operation. Nothing is known about classes without an entry.
using PackedOperations = std::map<std::string, Packed>;

/// Larger values mean that a file is damaged: iterations per instruction, or instructions in flight together.
constexpr std::int64_t kWidest = 4096;
constexpr std::int64_t kMostPacked = std::int64_t{1} << 40;

}  // namespace parcast::facts

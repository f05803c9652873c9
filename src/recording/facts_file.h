// SPDX-License-Identifier: Apache-2.0
#pragma once
// NAME.recording/facts: what the compiler pass knows of the executables and libraries that counted (docs/formats/facts.md). It
// is copied out of their files when the run has ended, since a later build will count something else.

#include <filesystem>

#include "recording/recording.h"

namespace parcast::recording {

struct FactsFound {
  std::string text;                  // of file `facts`: records as in the section, each module once, ascending by ID
  std::vector<std::uint64_t> absent; // modules that counted and of which no file tells anything, ascending
};

/// From the files that the modules of the ranks name, where they are still those that ran.
FactsFound find_facts(const Recording& recording);

/// Records of a section parcast_facts by ID; what cannot be read is left out. What the fuzzer calls.
std::map<std::uint64_t, std::string> facts_in(std::string_view section);

/// Writes the file `facts` of a recording that counted, and of its worlds; nothing where nothing counted. Modules without facts
/// come back.
Result<std::vector<std::uint64_t>> store_facts(const std::filesystem::path& folder, const Recording& recording);

}  // namespace parcast::recording

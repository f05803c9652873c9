// SPDX-License-Identifier: Apache-2.0
#pragma once
// NAME.recording/facts: the compiler pass's facts about the executables and libraries that counted
// (docs/formats/facts.md). They are copied from those files after the run, because a later build will have
// different counters.

#include <filesystem>

#include "recording/recording.h"

namespace parcast::recording {

struct FactsFound {
  // content of the file `facts`: records as in the section, each module once, by ascending ID
  std::string text;
  // modules that counted but whose facts no file contains, ascending
  std::vector<std::uint64_t> absent;
};

/// Reads the facts from the files of the ranks' modules, if those files are still the ones that ran.
FactsFound find_facts(const Recording& recording);

/// Returns the records of a section parcast_facts by ID; unreadable ones are skipped. The fuzzer calls this.
std::map<std::uint64_t, std::string> facts_in(std::string_view section);

/// Writes the file `facts` of a recording with counts, and of its worlds; writes nothing when nothing was
/// counted. Returns the modules without facts.
Result<std::vector<std::uint64_t>> store_facts(const std::filesystem::path& folder,
                                               const Recording& recording);

}  // namespace parcast::recording

// SPDX-License-Identifier: Apache-2.0
#include "observations/join_builds.h"

#include <filesystem>
#include <string_view>

#include "observations/inputs.h"

namespace parcast::program {
namespace {

/// Returns the 64-bit FNV-1a hash (Fowler, Noll, Vo), which is the same on every machine.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

std::string place_of(const recording::Site& site) {
  return site.function + "\n" + std::filesystem::path(site.file).filename().string() + "\n" +
         std::to_string(site.line);
}

}  // namespace

Result<void> forget_build(recording::Recording& recording) {
  bool any = false, lines = false;
  for (recording::RankRecording& rank : recording.ranks) {
    for (recording::Site& site : rank.sites) {
      any = any || site.module != recording::kNoModule;
      lines = lines || !site.file.empty();
      if (site.file.empty() && site.function.empty()) continue;
      site.module = recording::kNoModule, site.offset = hash_of(place_of(site));
    }
    rank.counted = {};
  }
  if (any && !lines)
    return Error{"the executable has no debug lines, so its calls cannot be found in other builds",
                 describe(recording), "compile all builds with -g and record them again"};
  recording.executable_digest.clear();
  recording.facts.clear();
  return {};
}

}  // namespace parcast::program

// SPDX-License-Identifier: Apache-2.0
#include "cli/sources.h"

#include <filesystem>
#include <set>

#include "cli/report_inputs.h"

namespace parcast::cli {
namespace {

namespace fs = std::filesystem;

/// Returns the full paths of the model's files by their names.
std::map<std::string, std::set<std::string>> paths_by_name(const program::Model& model) {
  std::map<std::string, std::set<std::string>> out;
  if (!model.structure) return out;
  for (const trace::Place& place : model.structure->places)
    if (fs::path(place.file).is_absolute()) out[fs::path(place.file).filename().string()].insert(place.file);
  return out;
}

}  // namespace

const Flag& source_flag() {
  static const Flag flag{"--source", 0, "DIR",
                         "with --json: add lines of the program's source files in this folder", true};
  return flag;
}

Result<void> check_source(const Invocation& invocation) {
  if (!invocation.has("--source") || invocation.json()) return {};
  return Error{"--source adds lines of source files to JSON only", "",
               "add --json; parcast report shows them in a page"};
}

SourcePlaces source_places(const Invocation& invocation, const program::Model& model,
                           const std::vector<std::string>& places) {
  const auto paths = paths_by_name(model);
  const std::vector<std::string> folders = invocation.values("--source");
  SourcePlaces out;
  for (const std::string& place : places) {
    if (place.empty() || out.contains(place)) continue;
    SourcePlace found;
    const auto named = paths.find(place.substr(0, place.find(':')));
    if (named != paths.end() && named->second.size() == 1) found.path = *named->second.begin();
    found.excerpt = excerpt(place, folders);
    if (found.excerpt && found.path.empty())
      found.path = fs::absolute(found.excerpt->file).lexically_normal().string();
    if (!found.path.empty()) out.emplace(place, std::move(found));
  }
  return out;
}

std::vector<std::string> places_of(const predict::Prediction& prediction) {
  std::vector<std::string> out;
  for (const predict::RegionTime& region : prediction.regions) out.push_back(region.where);
  return out;
}

}  // namespace parcast::cli

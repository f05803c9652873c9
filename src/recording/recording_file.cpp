// SPDX-License-Identifier: Apache-2.0
#include "recording/recording_file.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "base/files.h"
#include "base/json_nesting.h"
#include "base/number_range.h"
#include "base/shell.h"
#include "base/text.h"
#include "recording/container.h"
#include "recording/containers.h"
#include "recording/phase_reader.h"
#include "recording/records.h"

namespace parcast::recording {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr const char* kSchema = "parcast.recording/1";

/// Reads a member if it exists and has the right type.
template <class T>
void take(const Json& meta, const char* name, T& into, bool (Json::*is)() const noexcept) {
  const auto at = meta.find(name);
  if (at != meta.end() && ((*at).*is)()) into = at->get<T>();
}

void take(const Json& meta, const char* name, std::string& into) {
  take(meta, name, into, &Json::is_string);
}

void take(const Json& meta, const char* name, int& into) {
  const auto at = meta.find(name);
  if (at == meta.end() || !at->is_number_integer()) return;
  const auto value = at->get<std::int64_t>();
  if (value >= INT32_MIN && value <= INT32_MAX) into = static_cast<int>(value);
}

void take_words(const Json& meta, const char* name, std::vector<std::string>& into) {
  const auto at = meta.find(name);
  if (at != meta.end() && at->is_array() &&
      std::all_of(at->begin(), at->end(), [](const Json& word) { return word.is_string(); }))
    into = at->get<std::vector<std::string>>();
}

void take_parameters(const Json& meta, std::map<std::string, double>& into) {
  const auto at = meta.find("parameters");
  if (at == meta.end() || !at->is_object()) return;
  into.clear();  // meta.json lists all parameters
  for (const auto& [name, value] : at->items())
    if (value.is_number()) into[name] = value.get<double>();
}

void apply_meta(const Json& meta, Recording& recording) {
  take(meta, "program", recording.program);
  take(meta, "mpi_library", recording.mpi_library);
  take(meta, "started", recording.started);
  take(meta, "machine_summary", recording.machine_summary);
  take(meta, "executable_digest", recording.executable_digest);
  take(meta, "cores_per_host", recording.cores_per_host);
  recording.virtual_machine = meta.value("virtual_machine", Json()) == true;
  take(meta, "exit_code", recording.exit_code);
  take(meta, "launch_seconds", recording.launch_seconds, &Json::is_number);
  take_parameters(meta, recording.parameters);
  take(meta, "accelerator_seconds", recording.accelerator_seconds, &Json::is_number);
  recording.accelerator_seconds =
      std::isfinite(recording.accelerator_seconds) ? std::max(0.0, recording.accelerator_seconds) : 0;
  take_words(meta, "outside", recording.outside);
  take_words(meta, "command", recording.command);
}

/// Reads meta.json if it exists. An unreadable file is a loss, not an error.
void read_meta(const fs::path& folder, Recording& recording) {
  const fs::path path = folder / "meta.json";
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return;
  const auto text = read_file(path);
  if (!text) {
    recording.losses.push_back({to_string(text.error())});
    return;
  }
  if (const auto flat = check_json_nesting(*text, path.string()); !flat) {
    recording.losses.push_back({to_string(flat.error())});
    return;
  }
  const Json meta = Json::parse(*text, nullptr, false);
  if (!meta.is_object() || meta.value("schema", Json()) != kSchema) {
    recording.losses.push_back(
        {path.string() + ": it is no " + std::string(kSchema) + "; its content is left out"});
    return;
  }
  apply_meta(meta, recording);
}

/// Returns the host's monotonic clock at the rank's time 0, computed from the nearest moment at which both
/// clocks were read. Returns 0 when the header does not allow it.
std::int64_t zero_of(const parcast_header& header, double ticks_per_second) {
  const double ticks = static_cast<double>(header.init_exit) - static_cast<double>(header.first_ticks);
  const double since = ticks / ticks_per_second * 1e9,
               zero = static_cast<double>(header.first_nanoseconds) + since;
  constexpr double kFar = 4e18;
  if (!(std::abs(since) < kFar) || !(zero > 0 && zero < kFar)) return 0;
  return static_cast<std::int64_t>(header.first_nanoseconds) + std::llround(since);
}

/// Returns a hint for a recording without ranks.
std::string where_else(const fs::path& folder) {
  std::error_code problem;
  const fs::path local = fs::read_symlink(folder / PARCAST_LOCAL_LINK, problem);
  if (problem) return "give a folder made by parcast record";
  return "its processes wrote to " + local.string() +
         " on their nodes: run on each parcast record --gather " + shell_quoted(folder.string());
}

std::int32_t processes_given_by(const std::string& bytes) {
  // read_rank has checked the header; this field has a fixed place.
  std::int32_t processes;
  bytes.copy(reinterpret_cast<char*>(&processes), sizeof processes, 20);
  return processes;
}

void take_rank(const std::string& bytes, RankRecording rank, std::int32_t number, const std::string& where,
               Recording& recording) {
  const std::int32_t processes = processes_given_by(bytes);
  if (recording.processes == 0) recording.processes = processes;
  if (processes != recording.processes || rank.rank != number) {
    recording.losses.push_back({where + ": it belongs to rank " + std::to_string(rank.rank) + " of " +
                                std::to_string(processes) + " processes, not to this run; it is left out"});
    return;
  }
  if (const auto header = read_header(bytes, where)) rank.zero = zero_of(*header, rank.clock_frequency);
  recording.ranks.push_back(std::move(rank));
}

/// Reads the bytes of a rank from the first usable place. Differing contents at two places are a loss. Equal
/// contents are not: an interrupted gathering leaves them.
Result<std::string> read_one_of(std::int32_t rank, const std::vector<RankPlace>& places,
                                std::vector<Loss>& losses) {
  auto bytes = read_place(places.front(), losses);
  for (std::size_t i = 1; i < places.size(); ++i) {
    std::vector<Loss> of_this_place;
    auto other = read_place(places[i], of_this_place);
    if (!bytes)
      bytes = std::move(other);
    else if (!other || *other != *bytes)
      losses.push_back({"rank " + std::to_string(rank) + " is recorded twice, by " + places.front().name() +
                        " and by " + places[i].name() + "; the second is left out"});
  }
  return bytes;
}

/// Reads the counts of a rank's program; nothing when the program was not compiled with the pass.
std::optional<CountsFile> counts_of(std::int32_t rank, const PlacesByRank& places,
                                    std::vector<Loss>& losses) {
  const auto at = places.find(rank);
  if (at == places.end()) return std::nullopt;
  auto bytes = read_one_of(rank, at->second, losses);
  if (bytes) return CountsFile{std::move(*bytes), at->second.front().name()};
  losses.push_back({to_string(bytes.error())});
  return std::nullopt;
}

/// Inserts empty ranks for missing files, so that an index equals a rank.
void fill_missing(Recording& recording) {
  const auto present = static_cast<std::int64_t>(recording.ranks.size());
  if (present == recording.processes) return;
  recording.losses.push_back({std::to_string(recording.processes - present) + " of " +
                              std::to_string(recording.processes) +
                              " processes left no file that can be used"});
  if (recording.processes > 64 * present + 4096) return;
  std::vector<RankRecording> all(static_cast<std::size_t>(recording.processes));
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].rank = static_cast<std::int32_t>(i);
    all[i].communicators.emplace_back();
    all[i].regions.emplace_back();
    all[i].sites.emplace_back();
  }
  for (RankRecording& rank : recording.ranks) all[static_cast<std::size_t>(rank.rank)] = std::move(rank);
  recording.ranks = std::move(all);
}

/// Takes facts from the first rank when there is no meta.json.
void describe_by_rank(Recording& recording) {
  const RankRecording& rank = recording.ranks.front();
  if (!rank.modules.empty()) recording.program = fs::path(rank.modules.front().path).filename().string();
  recording.command = rank.command;
  recording.mpi_library = rank.mpi_library;
  recording.started = rank.started;
  recording.cores_per_host = rank.cores;
  if (rank.cores > 0) recording.machine_summary = rank.host + ", " + std::to_string(rank.cores) + " cores";
  for (const RankRecording& each : recording.ranks)
    recording.parameters.insert(each.parameters.begin(), each.parameters.end());
  for (const auto& [name, value] : rank.environment_parameters) recording.parameters[name] = value;
  if (!rank.modules.empty()) recording.executable_digest = rank.modules.front().build_id;
}

/// Removes parameters out of the range of numbers (docs/formats/numbers.md).
void drop_parameters_out_of_range(const fs::path& folder, Recording& recording) {
  std::erase_if(recording.parameters, [&](const auto& parameter) {
    const auto& [name, value] = parameter;
    const std::string_view fault = fault_of(value);
    if (!fault.empty())
      recording.losses.push_back({"the value of the parameter " + name + " is " + std::string(fault) +
                                  " and is left out (" + folder.string() + ")"});
    return !fault.empty();
  });
}

}  // namespace

std::vector<std::string> worlds_in(const fs::path& folder) {
  std::vector<std::string> worlds;
  std::error_code problem;
  for (fs::directory_iterator entry(folder, problem), end; !problem && entry != end;
       entry.increment(problem)) {
    const std::string name = entry->path().filename().string();
    std::error_code ignored;
    if (name.starts_with(kWorldPrefix) && entry->is_directory(ignored)) worlds.push_back(name);
  }
  std::sort(worlds.begin(), worlds.end(),
            [](const auto& a, const auto& b) { return std::pair(a.size(), a) < std::pair(b.size(), b); });
  return worlds;
}

Result<Recording> read_recording(const fs::path& folder) {
  Recording recording;
  PARCAST_ASSIGN(const auto places, rank_places(folder, recording.losses));
  if (places.ranks.empty() && recording.losses.empty())
    return Error{"there is no rank-N.rec or node-HOST.recs in this folder", folder.string(),
                 where_else(folder)};
  std::string digests;
  std::optional<Error> first_error;
  for (const auto& [number, each] : places.ranks) {
    const std::string where = each.front().name();
    const auto bytes = read_one_of(number, each, recording.losses);
    const auto counts = counts_of(number, places.counts, recording.losses);
    auto rank = bytes ? read_rank(*bytes, where, recording.calls, recording.losses, counts)
                      : Result<RankRecording>(bytes.error());
    if (bytes) digests += digest(*bytes);
    if (rank) {
      take_rank(*bytes, std::move(*rank), number, where, recording);
    } else {
      if (!first_error) first_error = rank.error();
      recording.losses.push_back({to_string(rank.error())});
    }
  }
  if (recording.ranks.empty() && first_error) return *first_error;
  if (places.ranks.empty())
    return Error{recording.losses.front().what, "", "nothing of this recording can be used"};
  if (recording.ranks.empty())
    return Error{"no file belongs to the rank it is named for", folder.string(), "record again"};
  end_time_lines(recording.ranks);
  describe_by_rank(recording);
  fill_missing(recording);
  recording.digest = digest(digests);
  recording.worlds = worlds_in(folder);
  if (fs::exists(folder / "facts")) {
    auto facts = read_file(folder / "facts");
    if (facts)
      recording.facts = std::move(*facts);
    else
      recording.losses.push_back({to_string(facts.error())});
  }
  read_meta(folder, recording);
  drop_parameters_out_of_range(folder, recording);
  return recording;
}

Result<void> write_meta(const fs::path& folder, const Recording& recording) {
  Json meta = {{"schema", kSchema},
               {"program", recording.program},
               {"command", recording.command},
               {"parameters", recording.parameters},
               {"processes", recording.processes},
               {"mpi_library", recording.mpi_library},
               {"started", recording.started},
               {"machine_summary", recording.machine_summary},
               {"cores_per_host", recording.cores_per_host},
               {"exit_code", recording.exit_code},
               {"launch_seconds", recording.launch_seconds},
               {"executable_digest", recording.executable_digest}};
  if (recording.virtual_machine) meta["virtual_machine"] = true;
  if (!recording.outside.empty()) meta["outside"] = recording.outside;
  if (recording.accelerator_seconds > 0) meta["accelerator_seconds"] = recording.accelerator_seconds;
  // Members without a known value are left out, so that the ranks' values are used.
  for (const char* name : {"mpi_library", "executable_digest"})
    if (meta[name] == "") meta.erase(name);
  if (recording.ranks.empty()) meta.erase("parameters");
  return write_file(folder / "meta.json", meta.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace parcast::recording

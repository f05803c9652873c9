// SPDX-License-Identifier: Apache-2.0
#include "observations/inputs.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "base/plain_number.h"
#include "base/shell.h"
#include "base/text.h"
#include "model/binding.h"
#include "model/place.h"
#include "recording/process_time.h"

namespace parcast::program {
namespace {

using recording::Recording;

Result<void> check_programs(const std::vector<Recording>& recordings) {
  const Recording* first = nullptr;  // the first recording that names its executable
  for (const Recording& other : recordings) {
    if (other.executable_digest.empty()) continue;
    if (!first) first = &other;
    if (other.executable_digest == first->executable_digest) continue;
    const std::string what = "the recordings " + describe(*first) + " and " + describe(other) + " come from ";
    if (other.program != first->program)
      return Error{what + "different programs", "", "make one model per program"};
    return Error{what + "different executables",
                 first->executable_digest.substr(0, 12) + " and " + other.executable_digest.substr(0, 12),
                 "record again if it was rebuilt in between, or join builds of one source with parcast model "
                 "--same-program"};
  }
  return {};
}

bool is_process_count(const std::string& name, const std::vector<Recording>& recordings) {
  return name == "p" && std::all_of(recordings.begin(), recordings.end(), [](const Recording& r) {
           const auto at = r.parameters.find("p");
           return at == r.parameters.end() || at->second == r.processes;
         });
}

Result<std::vector<std::string>> common_parameters(const std::vector<Recording>& recordings) {
  std::map<std::string, const Recording*> named;
  for (const Recording& recording : recordings)
    for (const auto& [name, value] : recording.parameters) named.emplace(name, &recording);
  std::vector<std::string> names;
  const auto reserved = symbol_kinds({});
  for (const auto& [name, owner] : named) {
    if (is_process_count(name, recordings)) continue;
    if (reserved.contains(name))
      return Error{"a parameter may not be named " + name + ", a reserved name of processes, ranks and grids",
                   describe(*owner), "record it under another name with --param"};
    for (const Recording& recording : recordings) {
      const auto given = recording.parameters.find(name);
      if (given == recording.parameters.end())
        return Error{
            "the parameter " + name + " is given for " + describe(*owner) + ", but not for this recording",
            describe(recording), "record it with --param " + shell_quoted(name) + "=..."};
      if (!std::isfinite(given->second))
        return Error{"the parameter " + name + " is not a finite number", describe(recording),
                     "record it with --param " + shell_quoted(name) + "=..."};
    }
    names.push_back(name);
  }
  return names;
}

void add_grid(const recording::Communicator& communicator, std::int32_t processes,
              std::vector<ProcessGrid>& grids) {
  const int dimensions = static_cast<int>(communicator.dimensions.size());
  if (dimensions < 1 || dimensions > kMostDimensions) return;
  std::int64_t size = 1;
  for (const std::int32_t extent : communicator.dimensions) {
    if (extent < 1 || extent > processes) return;
    size *= extent;
  }
  if (size != processes) return;
  auto at = std::find_if(grids.begin(), grids.end(),
                         [&](const ProcessGrid& g) { return g.dimensions == dimensions; });
  if (at == grids.end()) {
    grids.push_back({dimensions, true, {}, communicator.periodic});
    at = grids.end() - 1;
  }
  at->recorded.emplace(processes, communicator.dimensions);
  if (at->recorded.at(processes) != balanced_dimensions(processes, dimensions)) at->from_dims_create = false;
}

std::vector<ProcessGrid> find_grids(const std::vector<Recording>& recordings,
                                    const std::vector<std::size_t>& order) {
  std::vector<ProcessGrid> grids;
  for (const std::size_t i : order)
    for (const auto& rank : recordings[i].ranks)
      for (const auto& communicator : rank.communicators)
        add_grid(communicator, recordings[i].processes, grids);
  std::sort(grids.begin(), grids.end(),
            [](const ProcessGrid& a, const ProcessGrid& b) { return a.dimensions < b.dimensions; });
  return grids;
}

Source describe_source(const Recording& recording) {
  Source source{recording.digest, recording.parameters, recording.processes};
  for (const auto& rank : recording.ranks)
    source.seconds = std::max(source.seconds, static_cast<double>(rank.wall) * 1e-9);
  source.oversubscribed = recording.oversubscribed();
  source.reserved = std::any_of(recording.ranks.begin(), recording.ranks.end(),
                                [](const auto& rank) { return rank.processor_share < 1; });
  source.damaged = is_damaged(recording);
  source.mpi_library = recording.mpi_library;
  return source;
}

void note_damage(const Recording& recording, std::vector<Notice>& notices) {
  const auto whole = std::ranges::count_if(recording.ranks, &recording::RankRecording::complete);
  std::string text = describe(recording) + " is used as far as it goes: counts rest on " +
                     std::to_string(whole) + " of " + std::to_string(recording.processes) + " ranks";
  if (!recording.losses.empty()) text += "; " + recording.losses.front().what;
  notices.push_back({"damaged-recording", std::move(text), "record this point again"});
}

// Removes repeated recordings: a recording given twice is one run.
void leave_out_copies(const std::vector<Recording>& recordings, Inputs& inputs) {
  std::set<std::string> seen;
  std::erase_if(inputs.order, [&](std::size_t i) {
    if (recordings[i].digest.empty() || seen.insert(recordings[i].digest).second) return false;
    inputs.notices.push_back(
        {"given-twice", describe(recordings[i]) + " was given more than once and is used once", ""});
    return true;
  });
}

}  // namespace

std::string describe(const Recording& recording) {
  std::string text = recording.program + " (p = " + std::to_string(recording.processes);
  for (const auto& [name, value] : recording.parameters) text += ", " + name + " = " + format_plain(value);
  return text + ")";
}

bool is_damaged(const Recording& recording) {
  return !recording.losses.empty() ||
         static_cast<std::int32_t>(recording.ranks.size()) != recording.processes ||
         !std::ranges::all_of(recording.ranks, &recording::RankRecording::complete);
}

bool has_failed(const Recording& recording) {
  return recording.exit_code != 0 && !is_damaged(recording);
}

Result<Inputs> check_inputs(const std::vector<Recording>& recordings) {
  if (recordings.empty())
    return Error{"there is no recording to make a model of", "", "name at least one NAME.recording"};
  PARCAST_TRY(check_programs(recordings));
  const bool any = std::any_of(recordings.begin(), recordings.end(), [](const Recording& r) {
    return std::any_of(r.ranks.begin(), r.ranks.end(),
                       [](const auto& rank) { return recording::event_count(rank) > 0; });
  });
  if (!any)
    return Error{"no recording holds an event", describe(recordings.front()),
                 "was the recorder loaded into an MPI program, and did it call MPI?"};
  Inputs inputs;
  PARCAST_ASSIGN(inputs.parameters, common_parameters(recordings));
  for (const Recording& recording : recordings) {
    if (recording.processes < 1)
      return Error{"the recording names " + std::to_string(recording.processes) + " processes",
                   describe(recording), "record it again"};
    Run run{{}, recording.processes};
    for (const std::string& name : inputs.parameters) run.parameters.push_back(recording.parameters.at(name));
    inputs.order.push_back(inputs.runs.size());
    inputs.runs.push_back(std::move(run));
  }
  std::stable_sort(inputs.order.begin(), inputs.order.end(), [&](std::size_t a, std::size_t b) {
    const auto key = [&](std::size_t i) {
      return std::tie(inputs.runs[i].processes, inputs.runs[i].parameters, recordings[i].started,
                      recordings[i].digest);
    };
    return key(a) < key(b);
  });
  leave_out_copies(recordings, inputs);
  inputs.grids = find_grids(recordings, inputs.order);
  for (const std::size_t i : inputs.order) {
    inputs.sources.push_back(describe_source(recordings[i]));
    if (inputs.sources.back().damaged) note_damage(recordings[i], inputs.notices);
    if (std::any_of(recordings[i].ranks.begin(), recordings[i].ranks.end(),
                    [](const auto& rank) { return rank.summarised; }))
      inputs.notices.push_back(
          {"summarised",
           "in " + describe(recordings[i]) +
               " the order of events and their partners did not fit; counts, sums and times are complete",
           "record with a larger PARCAST_LIMIT, or fewer --classes"});
    for (const std::string& sentence : recordings[i].outside)
      inputs.notices.push_back({"outside-model", describe(recordings[i]) + ": " + sentence, ""});
    if (const std::string threads = recording::said_of_threads(recordings[i]); !threads.empty())
      inputs.notices.push_back({"several-threads", "in " + describe(recordings[i]) + " " + threads, ""});
    if (recordings[i].exit_code != 0)
      inputs.notices.push_back({"failed-run",
                                describe(recordings[i]) + " ended with exit code " +
                                    std::to_string(recordings[i].exit_code) + "; it counts as any other run",
                                "leave it out if it stopped early"});
  }
  return inputs;
}

}  // namespace parcast::program

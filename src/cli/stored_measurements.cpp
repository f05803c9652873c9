// SPDX-License-Identifier: Apache-2.0
#include "cli/stored_measurements.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/shell.h"
#include "base/text.h"
#include "cli/inputs.h"
#include "cli/store_actions.h"
#include "fit/observations.h"
#include "interchange/measurement_collector.h"
#include "interchange/recorded_measurements.h"
#include "report/problems.h"
#include "report/words.h"

namespace parcast::cli {
namespace {

using store::Entry;
using store::Kind;

constexpr std::string_view kSeconds = "seconds";

std::string runs_counted(std::size_t count) {
  return report::counted(static_cast<std::int64_t>(count), "run");
}

// Returns a run's parameters by name: p, its own, and its placement as far as known.
std::map<std::string, double> parameters_of(const Entry& entry) {
  std::map<std::string, double> out = entry.parameters;
  out["p"] = static_cast<double>(entry.processes);
  const auto place = [&](const char* name, std::int64_t value) {
    if (value > 0) out.try_emplace(name, static_cast<double>(value));
  };
  place("nodes", entry.nodes), place("ranks_per_node", entry.ranks_per_node), place("threads", entry.threads);
  return out;
}

bool is_placement(const std::string& name) {
  return name == "nodes" || name == "ranks_per_node" || name == "threads";
}

Result<void> of_one_program(const std::vector<Entry>& runs) {
  std::set<std::string> programs;
  for (const Entry& run : runs) programs.insert(run.program);
  if (programs.size() < 2) return {};
  return Error{"the runs are of " + std::to_string(programs.size()) +
                   " programs: " + join(std::vector<std::string>(programs.begin(), programs.end()), ", "),
               "", "choose one with --program"};
}

// Returns the names of the parameters to use: p first, the others by name. A placement that never varies is
// no parameter.
Result<std::vector<std::string>> parameter_names(const std::vector<Entry>& runs, const StoredOptions& options,
                                                 std::vector<std::string>& warnings) {
  std::map<std::string, std::set<double>> values;
  std::map<std::string, std::size_t> having;
  for (const Entry& run : runs)
    for (const auto& [name, value] : parameters_of(run)) values[name].insert(value), ++having[name];
  std::vector<std::string> known;
  for (const auto& [name, some] : values) known.push_back(name);
  std::vector<std::string> names{"p"};
  for (const std::string& name : options.parameters) {
    if (!values.contains(name)) {
      const std::string near = did_you_mean(name, known);
      return Error{"no run has a parameter \"" + name + "\"", "--parameters",
                   near.empty() ? "they have " + join(known, ", ") : near};
    }
  }
  const auto counts = [&](const std::string& name) {
    if (!options.parameters.empty())
      return std::ranges::find(options.parameters, name) != options.parameters.end();
    return !is_placement(name) || values[name].size() > 1;
  };
  if (!counts("p")) names.clear();
  for (const std::string& name : known) {
    if (!counts(name)) {
      if (!is_placement(name) && values[name].size() > 1)
        warnings.push_back(
            name +
            " varies and is left out by --parameters: runs that differ in it alone count as repetitions");
      continue;
    }
    if (having[name] < runs.size()) {
      const std::size_t missing = runs.size() - having[name];
      const auto first =
          std::ranges::find_if(runs, [&](const Entry& run) { return !parameters_of(run).contains(name); });
      return Error{std::to_string(missing) + " of " + runs_counted(runs.size()) +
                       (missing == 1 ? " has no " : " have no ") + name,
                   "run " + store::id_of(*first),
                   is_placement(name)
                       ? "choose runs with --tag, or choose the parameters with --parameters p,..."
                       : "choose those that have it with -s " + shell_quoted(name) +
                             "=A..B, or choose the parameters with --parameters p,..."};
    }
    if (name != "p") names.push_back(name);
  }
  return names;
}

// Fails if parameters vary together, so that their effects cannot be separated. The formulas would then
// contain only one of them, which a user must request explicitly.
Result<void> move_apart(const fit::Measurements& measured) {
  const fit::Kernel& whole = measured.kernels.front();
  const fit::Arguments arguments = fit::usable_arguments(whole.points, measured.parameters);
  for (std::size_t j = 0; j < measured.parameters.size(); ++j) {
    if (arguments.fixed[j] || std::ranges::find(arguments.used, j) != arguments.used.end()) continue;
    return Error{measured.parameters[j] + " moves together with " + join(arguments.names, ", ") + " at all " +
                     std::to_string(whole.points.size()) + " points, so their effects cannot be separated",
                 "",
                 "make a run where " + measured.parameters[j] +
                     " changes alone, or leave it out: --parameters " +
                     shell_quoted(join(arguments.names, ","))};
  }
  return {};
}

Result<void> add_regions(const std::vector<Entry>& runs, const std::vector<std::string>& names,
                         LoadedMeasurements& loaded) {
  std::vector<recording::Recording> recordings;
  std::size_t gone = 0, measured = 0;
  for (const Entry& run : runs) {
    std::error_code problem;
    if (run.kind != Kind::recording) {
      ++measured;
    } else if (run.path.empty() || !std::filesystem::exists(run.path, problem)) {
      ++gone;
    } else {
      PARCAST_ASSIGN(auto recording, recording::read_recording(run.path));
      for (const auto& each : report::problems_of(recording))
        loaded.measured.warnings.push_back(run.path + ": " + each.text);
      loaded.partial |= !recording.losses.empty();
      recording::resolve_sites(recording);
      recordings.push_back(std::move(recording));
    }
  }
  auto& warnings = loaded.measured.warnings;
  if (gone > 0)
    warnings.push_back(std::to_string(gone) + " of " + std::to_string(runs.size() - measured) +
                       " recordings no longer lie where they were: of them the time alone is known");
  if (recordings.empty())
    return Error{"no recording of these runs lies where it was, so regions are not known", "--regions",
                 "leave --regions out, or add recordings again: parcast store add"};
  PARCAST_ASSIGN(const fit::Measurements regions, interchange::measurements_of(recordings));
  warnings.insert(warnings.end(), regions.warnings.begin(), regions.warnings.end());
  std::vector<std::size_t> columns;
  for (const std::string& name : names) {
    const auto at = std::ranges::find(regions.parameters, name);
    if (at == regions.parameters.end())
      return Error{"recordings have no value of " + name + ", by which these runs differ", "--regions",
                   "choose runs of one " + name + ", or leave --regions out"};
    columns.push_back(static_cast<std::size_t>(at - regions.parameters.begin()));
  }
  for (const fit::Kernel& kernel : regions.kernels) {
    // the time of the program comes from all runs
    if (kernel.callpath.empty() && kernel.unit == "s") continue;
    std::map<fit::Points::value_type, std::vector<double>> merged;
    for (std::size_t i = 0; i < kernel.points.size(); ++i) {
      std::vector<double> point;
      for (const std::size_t column : columns) point.push_back(kernel.points[i][column]);
      auto& values = merged[point];
      values.insert(values.end(), kernel.values[i].begin(), kernel.values[i].end());
    }
    fit::Kernel out{kernel.callpath, kernel.metric, kernel.unit, {}, {}};
    for (auto& [point, values] : merged) out.points.push_back(point), out.values.push_back(std::move(values));
    loaded.measured.kernels.push_back(std::move(out));
  }
  return {};
}

}  // namespace

const std::vector<Flag>& stored_flags() {
  static const std::vector<Flag> flags = [] {
    std::vector<Flag> all{store_flag()};
    all[0].help =
        "take runs of this store: a file or postgresql://... (default with the flags below: "
        "$PARCAST_STORE, a parcast.toml, else parcast.db)";
    all.insert(all.end(), query_flag_list().begin(), query_flag_list().end());
    all.push_back(
        {"--regions", 0, "", "of runs of a store: also what their recordings measured region by region"});
    return all;
  }();
  return flags;
}

bool asks_store(const Invocation& invocation) {
  return std::ranges::any_of(stored_flags(), [&](const Flag& flag) { return invocation.has(flag.name); });
}

Result<void> of_one_machine(const std::vector<Entry>& runs, std::vector<std::string>& warnings) {
  std::set<std::string> recorded, measured;
  for (const Entry& run : runs)
    if (!run.machine.empty()) (run.kind == Kind::recording ? recorded : measured).insert(run.machine);
  if (recorded.size() > 1 || measured.size() > 1) {
    std::set<std::string> all = recorded;
    all.insert(measured.begin(), measured.end());
    return Error{"the runs are of " + std::to_string(all.size()) +
                     " machines: " + join(std::vector<std::string>(all.begin(), all.end()), ", "),
                 "", "choose one with -m, or runs of one with --tag"};
  }
  if (!recorded.empty() && !measured.empty() && *recorded.begin() != *measured.begin())
    warnings.push_back("recordings name the processor (" + *recorded.begin() +
                       ") and measured runs the machine (" + *measured.begin() + "): taken as one machine");
  return {};
}

Result<LoadedMeasurements> stored_measurements(const store::Store& store, store::Query query,
                                               const StoredOptions& options) {
  query.kinds = store::kRuns;
  PARCAST_ASSIGN(const store::Found found, store.find(query));
  const std::vector<Entry>& runs = found.entries;
  if (runs.empty()) return Error{"no run is meant", store.name(), "parcast store runs lists what there is"};
  LoadedMeasurements loaded;
  std::vector<std::string> warnings;
  if (found.undated > 0)
    warnings.push_back(runs_counted(static_cast<std::size_t>(found.undated)) + " without a time " +
                       (found.undated == 1 ? "was" : "were") + " left out");
  PARCAST_TRY(of_one_program(runs));
  PARCAST_TRY(of_one_machine(runs, warnings));
  PARCAST_ASSIGN(const std::vector<std::string> names, parameter_names(runs, options, warnings));
  interchange::MeasurementCollector collector;
  const std::size_t whole = collector.kernel("", kSeconds);
  for (const Entry& run : runs) {
    const auto all = parameters_of(run);
    std::vector<double> point;
    for (const std::string& name : names) point.push_back(all.at(name));
    collector.add(whole, collector.point(point), run.seconds);
  }
  PARCAST_ASSIGN(loaded.measured, collector.finish(names, "", store.name()));
  loaded.measured.warnings.insert(loaded.measured.warnings.begin(), warnings.begin(), warnings.end());
  PARCAST_TRY(move_apart(loaded.measured));
  if (options.regions) PARCAST_TRY(add_regions(runs, names, loaded));
  return loaded;
}

Result<LoadedMeasurements> load_measurements(const Invocation& invocation) {
  const interchange::MeasurementOptions options = measurement_options(invocation);
  if (!asks_store(invocation)) {
    if (invocation.inputs.empty())
      return Error{"no measured values are named", "",
                   "name a table or recordings, or take runs of a store: --store, --program NAME"};
    return load_measurements(invocation.inputs, options);
  }
  if (!invocation.inputs.empty())
    return Error{invocation.inputs.front() + " and runs of a store are both named", "",
                 "leave one of them out; parcast store add keeps recordings, parcast store import runs.csv"};
  if (!options.metrics.empty() || !options.unit.empty())
    return Error{"--metrics and --unit are for tables, and the store has all that", "", "leave them out"};
  PARCAST_ASSIGN(const store::Query query, query_from(invocation));
  PARCAST_ASSIGN(const store::Store store, store::Store::open_existing(store_url(invocation)));
  return stored_measurements(store, query, {options.parameters, invocation.has("--regions")});
}

}  // namespace parcast::cli

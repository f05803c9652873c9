// SPDX-License-Identifier: Apache-2.0
#include "cli/simulation_sweep.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <set>
#include <span>
#include <thread>

#include "base/shell.h"
#include "base/text.h"
#include "base/vary.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/sweep_answer.h"
#include "machine/extrap.h"
#include "machine/fields.h"
#include "machine/tools.h"
#include "predict/simulate/variants.h"
#include "report/repeats_text.h"
#include "report/sweep_axes.h"
#include "report/words.h"
#include "statistics/summary.h"

namespace parcast::cli {
namespace {

constexpr double kLevel = 0.9;  // of the interval over repeats

/// Flags whose values may vary, in addition to the machine's parameters.
constexpr std::array kFlags{"ranks-per-node", "compute-ratio", "rank-noise", "memory-bound"};
bool is_flag(const std::string& name) {
  return std::find(kFlags.begin(), kFlags.end(), name) != kFlags.end();
}

using Point = std::map<std::string, predict::Varied>;
using Summaries = std::span<const simulate::Summary>;

Result<Dimension> dimension_for(const machine::Machine& machine, const std::string& name) {
  if (is_flag(name)) return Dimension::none;
  if (name == "p")
    return Error{"a trace has the number of its ranks, so that p cannot vary", "--vary",
                 "of a model it can: parcast simulate M.model.json --vary p=2,4,8"};
  if (const auto key = machine::extrap_key(name)) {
    if (machine::extrap_fields()[static_cast<std::size_t>(*key)].unit == machine::ExtrapUnit::choice)
      return Error{name + " is chosen from names, which do not lie on an axis", "--vary",
                   "run it for each, by --set " + name + "=NAME"};
    return machine::extrap_dimension(*key);
  }
  return machine::dimension_of(machine, name);
}

/// For ExtraP's parameters, numbers without a unit are in the units of the paper.
Result<double> value_of(const std::string& name, const std::string& text, Dimension dimension) {
  const auto key = machine::extrap_key(name);
  if (!key || is_flag(name)) return parse_measure(text, dimension);
  PARCAST_ASSIGN(const double value, machine::extrap_value(*key, text));
  return machine::extrap_measure(*key, value);
}

/// Fails if a parameter is given twice, by --vary or otherwise.
Result<void> check_given_once(const Invocation& invocation, const std::vector<Variation>& variations) {
  std::set<std::string> seen;
  for (const std::string& assignment : invocation.values("--set"))
    seen.insert(machine::assigned_name(assignment));
  for (const std::string flag : kFlags)
    if (invocation.value("--" + flag)) seen.insert(flag);
  for (const Variation& variation : variations)
    if (!seen.insert(variation.name).second)
      return Error{variation.name + " is given twice", "", "give it once, by --vary or by a flag of its own"};
  return {};
}

Result<std::vector<Point>> points_from(const Invocation& invocation, const machine::Machine& machine,
                                       const std::set<std::string>& of_runs) {
  std::vector<Variation> variations;
  std::map<std::string, Dimension> dimensions;
  for (const std::string& word : invocation.values("--vary")) {
    const std::string name = varied_name(word);
    if (of_runs.contains(name)) continue;
    PARCAST_ASSIGN(const Dimension dimension, dimension_for(machine, name));
    dimensions[name] = dimension;
    auto variation =
        parse_variation(word, [&](const std::string& text) { return value_of(name, text, dimension); });
    if (!variation) return Error{variation.error().what, "--vary", variation.error().hint};
    variations.push_back(*std::move(variation));
  }
  PARCAST_TRY(check_given_once(invocation, variations));
  if (combinations(variations) > kMostValues)
    return Error{"more than a million points are asked for", "--vary", "vary fewer values"};
  std::vector<Point> points;
  for (const auto& values : cross(variations)) {
    Point& point = points.emplace_back();
    for (const auto& [name, value] : values) point[name] = {value, dimensions.at(name)};
  }
  return points;
}

PlatformChange change_at(const Point& point) {
  PlatformChange change;
  for (const auto& [name, varied] : point) {
    if (is_flag(name))
      change.flags["--" + name] = varied.value;
    else
      change.settings.push_back(name + "=" + machine::format_measure(varied.value, varied.dimension));
  }
  return change;
}

std::string text_of(const VariedRun& run, const Point& point) {
  std::string text;
  for (const auto& [name, value] : run.values)
    text += (text.empty() ? "" : ", ") + name + " = " + format_exact(value);
  for (const auto& [name, varied] : point)
    text += (text.empty() ? "" : ", ") + name + " = " + report::measure_text(varied.value, varied.dimension);
  return text;
}

double seconds(trace::Time time) {
  return static_cast<double>(time) / 1e12;
}

std::vector<double> times_of(Summaries repeats) {
  std::vector<double> out;
  for (const simulate::Summary& summary : repeats) out.push_back(seconds(summary.makespan));
  return out;
}

predict::Estimate without_interval(double value, const char* unit = "s") {
  return {value, value, value, 0, unit, Origin::assumed};
}

/// Returns the median of repeats, with the spread of runs as its interval.
predict::Estimate time_of(Summaries repeats) {
  if (repeats.size() == 1) return without_interval(seconds(repeats[0].makespan));
  const std::vector<double> times = times_of(repeats);
  return {statistics::median(times),
          statistics::quantile(times, (1 - kLevel) / 2),
          statistics::quantile(times, (1 + kLevel) / 2),
          kLevel,
          "s",
          Origin::assumed};
}

/// Returns the time parts of the rank that ends last, as the mean over its cpus, in the run nearest below the
/// median.
predict::Parts parts_of(Summaries repeats, double total) {
  std::vector<const simulate::Summary*> sorted;
  for (const simulate::Summary& summary : repeats) sorted.push_back(&summary);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto* a, const auto* b) { return a->makespan < b->makespan; });
  const simulate::Summary& of = *sorted[(sorted.size() - 1) / 2];
  const double scale = of.makespan > 0 ? total / seconds(of.makespan) : 0;
  predict::Parts parts;
  for (auto* part : {&parts.memory, &parts.transfer}) *part = without_interval(0);
  parts.compute = without_interval(scale * seconds(of.last.compute) / of.last.cpus);
  parts.message_startup = without_interval(scale * seconds(of.last.communication) / of.last.cpus);
  parts.wait = without_interval(total - parts.compute.value - parts.message_startup.value);
  return parts;
}

std::vector<std::string> assumptions_of(const LoadedTrace& loaded, const simulate::Summary& summary) {
  std::vector<std::string> out;
  for (const auto* sentences : {&loaded.warnings, &loaded.trace.assumptions, &summary.assumptions})
    out.insert(out.end(), sentences->begin(), sentences->end());
  return out;
}

std::string program_of(const Invocation& invocation, const LoadedTrace& loaded) {
  return loaded.trace.program.empty() ? invocation.inputs[0] : loaded.trace.program;
}

predict::Prediction prediction_of(const Invocation& invocation, const LoadedTrace& loaded,
                                  const machine::Machine& machine, const VariedRun& run, const Point& point,
                                  Summaries repeats) {
  const simulate::Summary& first = repeats.front();
  predict::Prediction out;
  out.program = program_of(invocation, loaded);
  out.machine = machine.name;
  out.engine = "simulate";
  out.question.point.processes = loaded.trace.ranks;
  for (const auto& [name, value] : run.values)
    if (name != "p") out.question.point.parameters[name] = value;
  out.question.machine = point;
  out.nodes = first.nodes;
  out.ranks_per_node = (loaded.trace.ranks + first.nodes - 1) / first.nodes;
  out.seconds = time_of(repeats);
  out.question.level = out.seconds.level;
  out.parts = parts_of(repeats, out.seconds.value);
  const double nodes_for_an_hour = first.nodes / 3600.0;
  out.node_hours = {out.seconds.value * nodes_for_an_hour,
                    out.seconds.low * nodes_for_an_hour,
                    out.seconds.high * nodes_for_an_hour,
                    out.seconds.level,
                    "node-h",
                    Origin::assumed};
  out.coverage[Origin::assumed] = 1;
  for (const std::string& sentence : assumptions_of(loaded, first))
    out.warnings.push_back({"assumed", sentence, ""});
  if (first.unreceived > 0)
    out.warnings.push_back(
        {"unreceived",
         "no rank receives " + report::counted(static_cast<std::int64_t>(first.unreceived), "message"), ""});
  return out;
}

bool some_hang(Summaries repeats) {
  return std::any_of(repeats.begin(), repeats.end(),
                     [](const simulate::Summary& summary) { return summary.hanging > 0; });
}

void say_hang(const Invocation& invocation, const VariedRun& run, const Point& point, Summaries repeats) {
  const auto at = std::find_if(repeats.begin(), repeats.end(),
                               [](const simulate::Summary& summary) { return summary.hanging > 0; });
  const PlatformChange change = change_at(point);
  std::string again = "parcast simulate " + shell_quoted(invocation.inputs[0]);
  for (const auto& [name, value] : run.values) again += " -s " + name + "=" + format_exact(value);
  for (const std::string& setting : change.settings) again += " --set " + shell_quoted(setting);
  for (const auto& [flag, value] : change.flags) again += " " + flag + " " + format_exact(value);
  if (const auto seed = invocation.value("--noise"))
    again += " --noise " + std::to_string(parse_integer(*seed).value_or(0) + (at - repeats.begin()));
  say_warning(invocation,
              {(point.empty() && run.values.empty() ? "" : "with " + text_of(run, point) + " ") +
                   report::counted(static_cast<std::int64_t>(at->hanging), "rank") + " would wait for ever",
               invocation.inputs[0], again + " prints what they wait for"});
}

Result<std::size_t> repeats_of(const Invocation& invocation) {
  PARCAST_ASSIGN(const double repeats, number_behind(invocation, "--repeats", 1, 1));
  if (repeats != std::floor(repeats) || repeats > kMostValues)
    return Error{"--repeats is not a whole number up to a million", "", ""};
  if (repeats > 1 && !invocation.has("--noise"))
    return Error{"without noise all repeats are the same", "--repeats", "add --noise SEED"};
  return static_cast<std::size_t>(repeats);
}

/// Returns the summaries of every point's repeats, one point after the other. `not_made`: errors of
/// platforms, as opposed to errors of simulations.
Result<std::vector<simulate::Summary>> simulate_points(const Invocation& invocation,
                                                       const std::vector<Point>& points, std::size_t repeats,
                                                       unsigned threads, const SimulateAt& simulate_at,
                                                       std::set<std::string>& not_made) {
  const std::size_t count = points.size() * repeats;
  Progress progress(invocation);
  std::mutex mutex;
  const auto one = [&](std::size_t number) {
    PlatformChange change = change_at(points[number / repeats]);
    change.repeat = number % repeats;
    bool made = false;
    auto out = simulate_at(change, made);
    if (!out && !made) {
      const std::lock_guard lock(mutex);
      not_made.insert(out.error().what);
    }
    if (out && change.repeat > 0) out->assumptions.clear();  // those of the first repeat apply to all
    return out;
  };
  return simulate::side_by_side(count, one, threads, [&](std::size_t done) {
    progress.show(static_cast<double>(done) / static_cast<double>(count), "simulate");
  });
}

/// Returns the names of the model's parameters, p among them; none of an input that is no model.
Result<std::set<std::string>> names_of_runs(const Invocation& invocation) {
  std::set<std::string> names;
  if (!invocation.has("--vary") || !is_model(invocation.inputs[0], true)) return names;
  PARCAST_ASSIGN(const program::Model model, load_model(invocation.inputs[0]));
  for (const program::Parameter& parameter : model.parameters) names.insert(parameter.name);
  names.insert("p");
  return names;
}

/// Fails on a value that -p, -s or another --vary gives, too.
Result<void> check_free(const RunAsked& asked, const std::set<std::string>& seen, const std::string& name) {
  const bool is_given = name == "p" ? asked.processes > 0 : asked.parameters.contains(name);
  if (!is_given && !seen.contains(name)) return {};
  return Error{name + " is given twice", "--vary", "give it once, by --vary or by -p or -s"};
}

Result<VariedRun> run_at(const RunAsked& asked, const std::map<std::string, double>& values) {
  VariedRun run{asked, values};
  for (const auto& [name, value] : values) {
    if (name != "p") {
      run.asked.parameters[name] = value;
      continue;
    }
    PARCAST_ASSIGN(run.asked.processes, process_count(value));
  }
  return run;
}

}  // namespace

const std::vector<Flag>& simulation_sweep_flags() {
  static const std::vector<Flag> flags = [] {
    std::vector<Flag> out{
        {"--vary", 0, "K=LIST",
         "simulate at several values: L=1us,2us,4us or L=1us..64us*2 or G=0ns/B..1ns/B/11; also "
         "ranks-per-node, compute-ratio, rank-noise, memory-bound, ExtraP's (MipsRatio=0.25..4*2), and of a "
         "model p=2,4,8 and its parameters",
         true},
        {"--repeats", 0, "N", "with --noise: as many seeds from SEED on, and the distribution of the time"},
        {"--threads", 0, "N", "with --vary or --repeats: simulations at a time (default: all cores)"}};
    out.insert(out.end(), sweep_answer_flags().begin(), sweep_answer_flags().end());
    return out;
  }();
  return flags;
}

bool asks_for_many(const Invocation& invocation) {
  return invocation.has("--vary") || invocation.has("--repeats");
}

Result<double> number_at(const Invocation& invocation, const PlatformChange& change, const std::string& flag,
                         double otherwise, double least) {
  const auto own = change.flags.find(flag);
  if (own == change.flags.end()) return number_behind(invocation, flag, otherwise, least);
  if (own->second >= least) return own->second;
  return Error{
      flag.substr(2) + " is " + format_exact(own->second) + ", but must be at least " + format_exact(least),
      "--vary", ""};
}

Result<VariedRuns> varied_runs(const Invocation& invocation, const RunAsked& asked,
                               const machine::Machine& machine) {
  PARCAST_ASSIGN(const std::set<std::string> known, names_of_runs(invocation));
  VariedRuns out;
  std::vector<Variation> variations;
  for (const std::string& word : invocation.values("--vary")) {
    const std::string name = varied_name(word);
    if (!known.contains(name)) continue;
    if (name != "p" && (is_flag(name) || machine::extrap_key(name) || machine::dimension_of(machine, name)))
      return Error{name + " is a parameter of the program and of the machine", "--vary",
                   "set the program's by -s; a link's are links.network.latency and so on"};
    PARCAST_TRY(check_free(asked, out.names, name));
    auto variation = parse_variation(word);
    if (!variation) return Error{variation.error().what, "--vary", variation.error().hint};
    variations.push_back(*std::move(variation));
    out.names.insert(name);
  }
  if (combinations(variations) > kMostValues)
    return Error{"more than a million points are asked for", "--vary", "vary fewer values"};
  for (const auto& values : cross(variations)) {
    PARCAST_ASSIGN(VariedRun run, run_at(asked, values));
    out.runs.push_back(std::move(run));
  }
  return out;
}

Result<SimulationSweep> SimulationSweep::create(const Invocation& invocation, const machine::Machine& machine,
                                                const std::set<std::string>& names) {
  SimulationSweep out(invocation, machine);
  PARCAST_TRY(check_sweep_answer(invocation));
  PARCAST_ASSIGN(out.points_, points_from(invocation, machine, names));
  PARCAST_ASSIGN(out.repeats_, repeats_of(invocation));
  PARCAST_ASSIGN(const double threads, number_behind(invocation, "--threads",
                                                     std::max(std::thread::hardware_concurrency(), 1u), 1));
  out.threads_ = static_cast<unsigned>(std::min(threads, 1024.0));
  if (out.points_.size() * out.repeats_ > kMostValues)
    return Error{"more than a million simulations are asked for", "--repeats",
                 "vary fewer values, or repeat less"};
  return out;
}

int SimulationSweep::add(const VariedRun& run, const LoadedTrace& loaded, const SimulateAt& simulate_at) {
  std::set<std::string> not_made;
  const auto summaries = simulate_points(invocation_, points_, repeats_, threads_, simulate_at, not_made);
  if (!summaries)
    return say_error(summaries.error()), not_made.contains(summaries.error().what) ? kUsage : kFailed;
  for (std::size_t number = 0; number < points_.size(); ++number) {
    const Summaries repeats = Summaries(*summaries).subspan(number * repeats_, repeats_);
    if (some_hang(repeats))
      hanging_.push_back({run, points_[number], {repeats.begin(), repeats.end()}});
    else
      predictions_.push_back(prediction_of(invocation_, loaded, machine_, run, points_[number], repeats));
  }
  if (!invocation_.has("--vary")) {
    const auto seed = parse_integer(invocation_.value("--noise").value_or("0")).value_or(0);
    distribution_ = report::Repeats{
        program_of(invocation_, loaded),  machine_.name,        loaded.trace.ranks,
        static_cast<std::uint64_t>(seed), times_of(*summaries), assumptions_of(loaded, summaries->front())};
  }
  is_partial_ |= loaded.partial, is_recorded_ |= !loaded.recording.empty();
  return kAnswered;
}

int SimulationSweep::give_distribution(const report::Style& style) const {
  for (const char* flag : {"--output", "--csv"})
    if (invocation_.has(flag))
      return say_error({std::string(flag) + " needs points of a sweep", "", "add --vary, or take --json"}),
             kUsage;
  print_result(invocation_.json() ? report::repeats_to_json(*distribution_)
                                  : report::repeats_text(*distribution_, style));
  for (const std::string& sentence : distribution_->assumptions)
    say_warning(invocation_, {sentence, invocation_.inputs[0], ""});
  return kAnswered;
}

int SimulationSweep::finish(const report::Style& style) const {
  const bool varies = invocation_.has("--vary");
  if (varies || !predictions_.empty())
    if (const int code = varies ? deliver_sweep(invocation_, predictions_, style) : give_distribution(style);
        code != kAnswered)
      return code;
  for (const Hanging& each : hanging_) say_hang(invocation_, each.run, each.point, each.repeats);
  if (!hanging_.empty()) return is_recorded_ ? kPartial : kWouldHang;
  return is_partial_ ? kPartial : kAnswered;
}

}  // namespace parcast::cli

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
                 "parcast model and parcast sweep predict other numbers of processes"};
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

Result<std::vector<Point>> points_from(const Invocation& invocation, const machine::Machine& machine) {
  std::vector<Variation> variations;
  std::map<std::string, Dimension> dimensions;
  for (const std::string& word : invocation.values("--vary")) {
    const std::string name = word.substr(0, word.find('='));
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

std::string text_of(const Point& point) {
  std::string text;
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
                                  const machine::Machine& machine, const Point& point, Summaries repeats) {
  const simulate::Summary& first = repeats.front();
  predict::Prediction out;
  out.program = program_of(invocation, loaded);
  out.machine = machine.name;
  out.engine = "simulate";
  out.question.point.processes = loaded.trace.ranks;
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
         report::counted(static_cast<std::int64_t>(first.unreceived), "message") + " nobody receives", ""});
  return out;
}

bool some_hang(Summaries repeats) {
  return std::any_of(repeats.begin(), repeats.end(),
                     [](const simulate::Summary& summary) { return summary.hanging > 0; });
}

void say_hang(const Invocation& invocation, const Point& point, Summaries repeats) {
  const auto at = std::find_if(repeats.begin(), repeats.end(),
                               [](const simulate::Summary& summary) { return summary.hanging > 0; });
  const PlatformChange change = change_at(point);
  std::string again = "parcast simulate " + shell_quoted(invocation.inputs[0]);
  for (const std::string& setting : change.settings) again += " --set " + shell_quoted(setting);
  for (const auto& [flag, value] : change.flags) again += " " + flag + " " + format_exact(value);
  if (const auto seed = invocation.value("--noise"))
    again += " --noise " + std::to_string(parse_integer(*seed).value_or(0) + (at - repeats.begin()));
  say_warning(invocation,
              {(point.empty() ? "" : "with " + text_of(point) + " ") +
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

struct Work {
  std::vector<Point> points;
  std::size_t repeats = 1;
  unsigned threads = 1;
};

Result<Work> work_from(const Invocation& invocation, const machine::Machine& machine) {
  Work work;
  PARCAST_TRY(check_sweep_answer(invocation));
  PARCAST_ASSIGN(work.points, points_from(invocation, machine));
  PARCAST_ASSIGN(work.repeats, repeats_of(invocation));
  PARCAST_ASSIGN(const double threads, number_behind(invocation, "--threads",
                                                     std::max(std::thread::hardware_concurrency(), 1u), 1));
  work.threads = static_cast<unsigned>(std::min(threads, 1024.0));
  if (work.points.size() * work.repeats > kMostValues)
    return Error{"more than a million simulations are asked for", "--repeats",
                 "vary fewer values, or repeat less"};
  return work;
}

/// Returns the summaries of every point's repeats, one point after the other. `not_made`: errors of
/// platforms, as opposed to errors of simulations.
Result<std::vector<simulate::Summary>> simulate_points(const Invocation& invocation, const Work& work,
                                                       const SimulateAt& simulate_at,
                                                       std::set<std::string>& not_made) {
  const std::size_t count = work.points.size() * work.repeats;
  Progress progress(invocation);
  std::mutex mutex;
  const auto one = [&](std::size_t number) {
    PlatformChange change = change_at(work.points[number / work.repeats]);
    change.repeat = number % work.repeats;
    bool made = false;
    auto out = simulate_at(change, made);
    if (!out && !made) {
      const std::lock_guard lock(mutex);
      not_made.insert(out.error().what);
    }
    if (out && change.repeat > 0) out->assumptions.clear();  // those of the first repeat apply to all
    return out;
  };
  return simulate::side_by_side(count, one, work.threads, [&](std::size_t done) {
    progress.show(static_cast<double>(done) / static_cast<double>(count), "simulate");
  });
}

int give_distribution(const Invocation& invocation, const LoadedTrace& loaded,
                      const machine::Machine& machine, Summaries repeats, const report::Style& style) {
  for (const char* flag : {"--output", "--csv"})
    if (invocation.has(flag))
      return say_error({std::string(flag) + " needs points of a sweep", "", "add --vary, or take --json"}),
             kUsage;
  const auto seed = static_cast<std::uint64_t>(parse_integer(*invocation.value("--noise")).value_or(0));
  const report::Repeats out{
      program_of(invocation, loaded),         machine.name, loaded.trace.ranks, seed, times_of(repeats),
      assumptions_of(loaded, repeats.front())};
  print_result(invocation.json() ? report::repeats_to_json(out) : report::repeats_text(out, style));
  for (const std::string& sentence : out.assumptions)
    say_warning(invocation, {sentence, invocation.inputs[0], ""});
  return kAnswered;
}

}  // namespace

const std::vector<Flag>& simulation_sweep_flags() {
  static const std::vector<Flag> flags = [] {
    std::vector<Flag> out{
        {"--vary", 0, "K=LIST",
         "simulate at several values: L=1us,2us,4us or L=1us..64us*2 or G=0ns/B..1ns/B/11; also "
         "ranks-per-node, compute-ratio, rank-noise, memory-bound, and ExtraP's: MipsRatio=0.25..4*2",
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

int sweep_simulation(const Invocation& invocation, const LoadedTrace& loaded, const machine::Machine& machine,
                     const SimulateAt& simulate_at, const report::Style& style) {
  const auto work = work_from(invocation, machine);
  if (!work) return say_error(work.error()), kUsage;
  std::set<std::string> not_made;
  const auto summaries = simulate_points(invocation, *work, simulate_at, not_made);
  if (!summaries)
    return say_error(summaries.error()), not_made.contains(summaries.error().what) ? kUsage : kFailed;
  const auto repeats = [&](std::size_t number) {
    return Summaries(*summaries).subspan(number * work->repeats, work->repeats);
  };
  const std::vector<Point>& points = work->points;
  std::vector<predict::Prediction> predictions;
  for (std::size_t number = 0; number < points.size(); ++number)
    if (!some_hang(repeats(number)))
      predictions.push_back(prediction_of(invocation, loaded, machine, points[number], repeats(number)));
  const bool varies = invocation.has("--vary");
  if (varies || !predictions.empty())
    if (const int code = varies ? deliver_sweep(invocation, predictions, style)
                                : give_distribution(invocation, loaded, machine, *summaries, style);
        code != kAnswered)
      return code;
  for (std::size_t number = 0; number < points.size(); ++number)
    if (some_hang(repeats(number))) say_hang(invocation, points[number], repeats(number));
  if (predictions.size() < points.size()) return loaded.recording.empty() ? kWouldHang : kPartial;
  return loaded.partial ? kPartial : kAnswered;
}

}  // namespace parcast::cli

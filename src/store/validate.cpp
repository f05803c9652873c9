// SPDX-License-Identifier: Apache-2.0
#include "store/validate.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/files.h"
#include "base/text.h"
#include "statistics/summary.h"
#include "store/measurements.h"
#include "store/same_value.h"

namespace parcast::store {
namespace {

/// Rows of the same point.
struct Group {
  const MeasuredRun* first = nullptr;
  std::vector<const MeasuredRun*> runs;
};

bool same_point(const Measurement& a, const Measurement& b) {
  return a.program == b.program && a.machine == b.machine && a.point.processes == b.point.processes &&
         a.nodes == b.nodes && a.ranks_per_node == b.ranks_per_node && a.threads == b.threads &&
         a.point.parameters == b.point.parameters;
}

std::vector<Group> groups_of(const std::vector<MeasuredRun>& runs, const std::string& machine) {
  std::vector<Group> groups;
  for (const MeasuredRun& run : runs) {
    if (!machine.empty() && !run.measurement.machine.empty() && run.measurement.machine != machine) continue;
    const auto at = std::find_if(groups.begin(), groups.end(), [&](const Group& g) {
      return same_point(g.first->measurement, run.measurement);
    });
    if (at == groups.end()) {
      groups.push_back({&run, {&run}});
    } else {
      at->runs.push_back(&run);
    }
  }
  return groups;
}

bool answers(const Entry& prediction, const Measurement& m) {
  const auto given = [](std::int64_t wanted, std::int64_t have) { return wanted == 0 || wanted == have; };
  if (!m.program.empty() && m.program != prediction.program) return false;
  if (!m.machine.empty() && m.machine != prediction.machine) return false;
  if (m.point.processes != prediction.processes) return false;
  if (!given(m.nodes, prediction.nodes) || !given(m.ranks_per_node, prediction.ranks_per_node) ||
      !given(m.threads, prediction.threads))
    return false;
  return std::all_of(m.point.parameters.begin(), m.point.parameters.end(), [&](const auto& wanted) {
    const auto at = prediction.parameters.find(wanted.first);
    return at != prediction.parameters.end() && same(at->second, wanted.second);
  });
}

std::string point_text(const Measurement& m) {
  std::string text = "p = " + std::to_string(m.point.processes);
  for (const auto& [name, value] : m.point.parameters) text += ", " + name + " = " + format_exact(value);
  return text;
}

/// Fails if the predictions for a point differ in more than when and how they were made.
Result<void> check_one_question(const std::vector<const Entry*>& candidates, const Group& group) {
  const Entry& first = *candidates.front();
  for (const Entry* other : candidates) {
    const auto differs = [&](const std::string& column, const std::string& a, const std::string& b) {
      return Error{"predictions at " + point_text(group.first->measurement) + " differ in " + column + ": " +
                       a + " and " + b,
                   group.first->place, "add a column " + column};
    };
    if (other->program != first.program) return differs("program", first.program, other->program);
    if (other->machine != first.machine) return differs("machine", first.machine, other->machine);
    if (other->threads != first.threads)
      return differs("threads", std::to_string(first.threads), std::to_string(other->threads));
    if (other->nodes != first.nodes)
      return differs("nodes", std::to_string(first.nodes), std::to_string(other->nodes));
    for (const auto& [name, value] : first.parameters) {
      const auto at = other->parameters.find(name);
      if (at != other->parameters.end() && !same(at->second, value))
        return differs(name, format_exact(value), format_exact(at->second));
    }
  }
  return {};
}

/// Returns the run that was measured first, among those with a time.
const MeasuredRun& earliest(const Group& group) {
  const MeasuredRun* out = group.first;
  for (const MeasuredRun* run : group.runs)
    if (run->time && (!out->time || run->time->latest < out->time->latest)) out = run;
  return *out;
}

/// Returns the last prediction stored before the group's earliest run.
Result<const Entry*> choose(const std::vector<const Entry*>& candidates, const Group& group, bool published) {
  if (published) return candidates.back();
  for (const MeasuredRun* run : group.runs)
    if (!run->time)
      return Error{"the row has no measured_at", run->place,
                   "add when it was measured, or add --published for published data"};
  const MeasuredRun& first = earliest(group);
  const Entry* best = nullptr;
  for (const Entry* candidate : candidates) {
    PARCAST_ASSIGN(const WrittenTime stored, parse_time(candidate->stored_at));
    if (stored.earliest <= first.time->latest) best = candidate;
  }
  if (best) return best;
  const Entry& oldest = *candidates.front();
  return Error{
      "the run was measured at " + first.measurement.measured_at + ", but its prediction (" +
          point_text(first.measurement) + ", " + id_of(oldest) + ") was stored later, at " + oldest.stored_at,
      first.place, "only predictions made before the measurement count; add --published for published data"};
}

ValidatedPoint compare(const Entry& prediction, const Group& group) {
  ValidatedPoint point;
  point.program = prediction.program;
  point.machine = prediction.machine;
  point.parameters = prediction.parameters;
  point.processes = group.first->measurement.point.processes;
  point.prediction = prediction.digest;
  point.engine = prediction.engine;
  point.predicted_at = prediction.stored_at;
  point.measured_at = earliest(group).measurement.measured_at;
  point.predicted = prediction.seconds;
  point.low = prediction.low;
  point.high = prediction.high;
  point.level = prediction.level;
  std::vector<double> seconds;
  for (const MeasuredRun* run : group.runs) seconds.push_back(run->measurement.seconds);
  point.runs = static_cast<int>(seconds.size());
  point.measured = statistics::median(seconds);
  point.fastest = *std::min_element(seconds.begin(), seconds.end());
  point.slowest = *std::max_element(seconds.begin(), seconds.end());
  point.error = (point.predicted - point.measured) / point.measured;
  point.hit = point.low <= point.measured && point.measured <= point.high;
  return point;
}

Unanswered unanswered(const Group& group) {
  const Measurement& m = group.first->measurement;
  return {m.program,         m.machine,         m.point.parameters,
          m.point.processes, group.first->line, static_cast<int>(group.runs.size())};
}

std::vector<std::string> parameter_names(const std::vector<Entry>& predictions) {
  std::set<std::string> names;
  for (const Entry& prediction : predictions)
    for (const auto& [name, value] : prediction.parameters) names.insert(name);
  return {names.begin(), names.end()};
}

void add_notes(const MeasuredRuns& measured, Validation& out) {
  for (const std::string& column : measured.ignored)
    out.notes.push_back("column " + column + " is no parameter of a stored prediction and was left out");
  const bool unzoned = std::any_of(measured.runs.begin(), measured.runs.end(),
                                   [](const MeasuredRun& run) { return run.time && !run.time->zoned; });
  if (unzoned && !out.published) out.notes.push_back("measured_at without a time zone was read as UTC");
}

void add_summaries(Validation& out) {
  out.all = summarize(out.points);
  std::map<std::string, std::vector<ValidatedPoint>> by_program;
  for (const ValidatedPoint& point : out.points) by_program[point.program].push_back(point);
  for (const auto& [program, points] : by_program) {
    out.programs.push_back(summarize(points, program));
    out.mean_of_programs += out.programs.back().median_error / static_cast<double>(by_program.size());
  }
}

Result<Csv> read_csv(const std::string& path) {
  PARCAST_ASSIGN(const std::string text, read_file(path));
  return parse_csv(text, path);
}

/// Returns a hint for the case that no row has a prediction.
std::string nearest_predictions(const std::vector<Entry>& predictions) {
  if (predictions.empty()) return "make and keep predictions first: parcast predict";
  const Entry& last = predictions.back();
  std::string text = "the last one stored is of " + last.program + " on " + last.machine +
                     " at p = " + std::to_string(last.processes);
  for (const auto& [name, value] : last.parameters) text += ", " + name + " = " + format_exact(value);
  return text;
}

}  // namespace

ValidationSummary summarize(const std::vector<ValidatedPoint>& points, const std::string& program) {
  ValidationSummary out;
  out.program = program;
  if (points.empty()) return out;
  std::vector<double> sizes;
  const double share = 1.0 / static_cast<double>(points.size());
  for (const ValidatedPoint& point : points) {
    sizes.push_back(std::fabs(point.error));
    out.runs += point.runs;
    out.mean_error += share * point.error;
    out.coverage += point.hit ? share : 0;
    out.level += share * point.level;
    const double width = (point.high - point.low) / point.measured;
    const double outside =
        std::max({point.low - point.measured, point.measured - point.high, 0.0}) / point.measured;
    out.width += share * width;
    out.interval_score += share * (width + (outside > 0 ? 2 / (1 - point.level) * outside : 0));
  }
  out.points = static_cast<int>(points.size());
  out.median_error = statistics::median(sizes);
  out.p90_error = statistics::quantile(sizes, 0.9);
  out.worst_error = *std::max_element(sizes.begin(), sizes.end());
  return out;
}

Result<Validation> validate(Store& store, const std::string& path, const ValidateOptions& options) {
  PARCAST_ASSIGN(const Csv csv, read_csv(path));
  return validate(store, csv, options);
}

Result<Validation> validate(Store& store, const Csv& csv, const ValidateOptions& options) {
  PARCAST_ASSIGN(auto predictions, store.list("predictions"));
  if (!options.machine.empty())
    std::erase_if(predictions, [&](const Entry& e) { return e.machine != options.machine; });
  PARCAST_ASSIGN(const MeasuredRuns measured, measured_runs(csv, parameter_names(predictions)));
  Validation out;
  out.published = options.published;
  for (const Group& group : groups_of(measured.runs, options.machine)) {
    std::vector<const Entry*> candidates;
    for (const Entry& prediction : predictions)
      if (answers(prediction, group.first->measurement)) candidates.push_back(&prediction);
    if (candidates.empty()) {
      out.unanswered.push_back(unanswered(group));
      continue;
    }
    PARCAST_TRY(check_one_question(candidates, group));
    PARCAST_ASSIGN(const Entry* prediction, choose(candidates, group, options.published));
    out.points.push_back(compare(*prediction, group));
  }
  if (out.points.empty())
    return Error{"no stored prediction answers any row", csv.where, nearest_predictions(predictions)};
  std::vector<Measurement> runs;
  for (const MeasuredRun& run : measured.runs) runs.push_back(run.measurement);
  PARCAST_TRY(store.add_measurements(runs));
  add_notes(measured, out);
  add_summaries(out);
  return out;
}

}  // namespace parcast::store

// SPDX-License-Identifier: Apache-2.0
#include "causes/relations.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "base/text.h"

namespace parcast::causes {
namespace {

/// The order of preference for the work variable: the first one that every sample has.
const std::vector<std::string>& preferred(Kind kind) {
  static const std::vector<std::string> computing{"operations", "quantums"},
      communicating{"quantums", "bytes", "messages", "operations"};
  return kind == Kind::computation ? computing : communicating;
}

/// One phase in one run, summed over processes.
struct Totals {
  double seconds = 0;
  std::vector<double> values;  // by Runs::variables; kNotMeasured if some process has no value
};

std::optional<Totals> totals_of(const Run& run, std::size_t variables, Kind kind, const std::string* name) {
  std::optional<Totals> out;
  for (const Phase& phase : run.phases) {
    if (phase.kind != kind || (name != nullptr && phase.name != *name)) continue;
    if (!out) out = Totals{0, std::vector<double>(variables, 0.0)};
    out->seconds += phase.seconds;
    for (std::size_t i = 0; i < variables; ++i) out->values[i] += phase.values[i];
  }
  return out;
}

/// The amounts of variables: a row per sample.
using Amounts = std::vector<std::vector<double>>;

bool measured_everywhere(const Amounts& amounts, std::size_t variable) {
  return std::none_of(amounts.begin(), amounts.end(),
                      [&](const auto& row) { return std::isnan(row[variable]); }) &&
         std::any_of(amounts.begin(), amounts.end(), [&](const auto& row) { return row[variable] > 0; });
}

std::optional<std::size_t> work_of(const Runs& runs, Kind kind, const Amounts& amounts) {
  const auto usable = [&](std::size_t i) {
    return runs.variables[i].role == Role::work && measured_everywhere(amounts, i);
  };
  for (const std::string& name : preferred(kind))
    for (std::size_t i = 0; i < runs.variables.size(); ++i)
      if (runs.variables[i].name == name && usable(i)) return i;
  for (std::size_t i = 0; i < runs.variables.size(); ++i)
    if (usable(i)) return i;
  return std::nullopt;
}

/// Fills the relation from totals, all per process. A speed is a mean, not a sum.
void take_samples(const Runs& runs, PhaseRelation& relation, const Amounts& amounts) {
  const auto work = work_of(runs, relation.phase.kind, amounts);
  if (!work) {
    const bool nothing =
        std::any_of(runs.variables.begin(), runs.variables.end(), [&](const Variable& variable) {
          const auto i = static_cast<std::size_t>(&variable - runs.variables.data());
          return variable.role == Role::work &&
                 std::all_of(amounts.begin(), amounts.end(), [&](const auto& row) { return row[i] == 0; });
        });
    relation.without = nothing ? "the reported work is 0 in every run"
                               : "no work was measured in all runs to compare the time with";
    return;
  }
  relation.work = runs.variables[*work].name;
  for (std::size_t sample = 0; sample < amounts.size(); ++sample)
    relation.samples[sample].work = amounts[sample][*work];
  for (std::size_t i = 0; i < runs.variables.size(); ++i) {
    if (i == *work) continue;
    Candidate candidate{runs.variables[i].name,
                        runs.variables[i].role,
                        {},
                        std::string(brought_about_by(runs.variables[i].name))};
    for (const auto& row : amounts) candidate.amounts.push_back(row[i]);
    const bool ever = std::any_of(candidate.amounts.begin(), candidate.amounts.end(),
                                  [](double amount) { return !std::isnan(amount); });
    if (ever) relation.candidates.push_back(std::move(candidate));
  }
}

void add_sample(PhaseRelation& relation, Amounts& amounts, const Runs& runs, std::size_t run, double seconds,
                const Totals& totals, std::size_t rows) {
  const double processes = runs.runs[run].processes;
  relation.runs.push_back(run);
  relation.samples.push_back({0, seconds / processes, processes});
  amounts.emplace_back();
  for (std::size_t i = 0; i < runs.variables.size(); ++i)
    amounts.back().push_back(totals.values[i] /
                             (runs.variables[i].role == Role::speed ? static_cast<double>(rows) : processes));
}

std::size_t rows_of(const Run& run, Kind kind, const std::string* name) {
  return static_cast<std::size_t>(std::count_if(
      run.phases.begin(), run.phases.end(),
      [&](const Phase& phase) { return phase.kind == kind && (name == nullptr || phase.name == *name); }));
}

void refine_relation(PhaseRelation& relation, const BreakOptions& breaks) {
  if (!relation.without.empty()) return;
  auto refined = refine(relation.samples, relation.candidates, breaks);
  if (refined) {
    relation.refinement = std::move(*refined);
  } else {
    relation.without = refined.error().what;
  }
}

double median_of(std::span<const double> sorted) {
  return sorted[sorted.size() / 2];
}

}  // namespace

std::optional<std::string> suspected_unit(const PhaseRelation& relation) {
  std::vector<double> rates;
  for (const Sample& sample : relation.samples)
    if (sample.work > 0) rates.push_back(sample.seconds / sample.work);
  std::sort(rates.begin(), rates.end());
  for (std::size_t i = 1; i < rates.size(); ++i) {
    const std::span<const double> low(rates.data(), i), high(rates.data() + i, rates.size() - i);
    const double factor = median_of(high) / median_of(low),
                 power = std::pow(1000, std::round(std::log(factor) / std::log(1000)));
    const bool near = power >= 1000 && factor < 1.5 * power && power < 1.5 * factor;
    if (!near || low.back() / low.front() > 30 || high.back() / high.front() > 30 ||
        high.front() / low.back() < 30)
      continue;
    const bool few_high = high.size() <= low.size();
    return "time of " + to_string(relation.phase) + ": in " +
           std::to_string(few_high ? high.size() : low.size()) + " of " + std::to_string(rates.size()) +
           " runs " + relation.work + " cost about " + format_significant(power, 4) + " times as " +
           (few_high ? "much" : "little") + " as in the others; are their seconds or " + relation.work +
           " given in another unit?";
  }
  return std::nullopt;
}

Result<std::vector<PhaseRelation>> relations_of(const Runs& runs, const AnalysisOptions& options) {
  std::vector<PhaseRelation> out;
  std::vector<Amounts> amounts;
  for (const PhaseClass& phase : phase_classes(runs)) {
    if (phase.kind == Kind::idle) continue;
    PhaseRelation relation{.phase = phase};
    Amounts rows;
    bool matters = false;
    for (std::size_t run = 0; run < runs.runs.size(); ++run) {
      const auto totals = totals_of(runs.runs[run], runs.variables.size(), phase.kind, &phase.name);
      if (!totals || totals->seconds <= 0) continue;
      matters |= totals->seconds >= options.least_share * runs.runs[run].processes * longest(runs.runs[run]);
      add_sample(relation, rows, runs, run, totals->seconds, *totals,
                 rows_of(runs.runs[run], phase.kind, &phase.name));
    }
    if (!matters)
      relation.without =
          "less than " + format_significant(100 * options.least_share, 2) + " % of the time of every run";
    if (matters) take_samples(runs, relation, rows);
    out.push_back(std::move(relation));
  }
  BreakOptions breaks = options.breaks;
  const auto tested = std::count_if(out.begin(), out.end(),
                                    [](const PhaseRelation& relation) { return relation.without.empty(); });
  breaks.level /= static_cast<double>(std::max<std::ptrdiff_t>(tested, 1));
  breaks.permutations = std::max(breaks.permutations, static_cast<std::size_t>(20 / breaks.level) - 1);
  for (PhaseRelation& relation : out) refine_relation(relation, breaks);
  return out;
}

std::optional<PhaseRelation> delay_of(const Runs& runs, const AnalysisOptions& options) {
  PhaseRelation relation{.phase = {Kind::idle, "delay"}};
  Amounts rows;
  for (std::size_t run = 0; run < runs.runs.size(); ++run) {
    const auto totals = totals_of(runs.runs[run], runs.variables.size(), Kind::communication, nullptr);
    const double delay = idle_of(runs.runs[run]).delay;
    if (!totals || delay <= options.least_share * runs.runs[run].processes * longest(runs.runs[run]))
      continue;
    add_sample(relation, rows, runs, run, delay, *totals,
               rows_of(runs.runs[run], Kind::communication, nullptr));
  }
  if (relation.samples.empty()) return std::nullopt;
  take_samples(runs, relation, rows);
  refine_relation(relation, options.breaks);
  return relation;
}

}  // namespace parcast::causes

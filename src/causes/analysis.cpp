// SPDX-License-Identifier: Apache-2.0
#include "causes/analysis.h"

#include <algorithm>

#include "causes/recorded_runs.h"
#include "causes/relations.h"

namespace parcast::causes {
namespace {

constexpr double kWorthTelling = 0.2;  // fraction of a gain

/// Returns the noise; a speedup may exceed the ideal one by two such standard deviations by chance.
double noise_of(const std::vector<PhaseRelation>& relations) {
  double noise = 0.01;
  for (const PhaseRelation& relation : relations)
    if (relation.phase.kind == Kind::computation && relation.refinement)
      noise = std::max(noise, relation.refinement->refined.noise);
  return noise;
}

void add_terms(const Analysis& analysis, const Runs& runs, std::size_t run, bool parallel, double share,
               std::vector<Superlinear::Change>& changes) {
  for (const PhaseRelation& relation : analysis.relations) {
    if (relation.phase.kind != Kind::computation) continue;
    for (const Term& term : terms_of(relation, run, runs.runs[run].processes)) {
      auto at = std::find_if(changes.begin(), changes.end(),
                             [&](const auto& change) { return change.cause == term.cause; });
      if (at == changes.end()) at = changes.insert(at, {term.cause, 0, 0});
      (parallel ? at->parallel : at->sequential) += share * term.seconds;
    }
  }
}

/// Returns nothing unless the speedup exceeds the ideal one by more than noise.
std::optional<Superlinear> superlinear(const Analysis& analysis, const Runs& runs, std::size_t index,
                                       const Overheads& overheads) {
  const Run& run = runs.runs[index];
  if (run.processes == 1 || overheads.efficiency <= 1 + 2 * noise_of(analysis.relations)) return std::nullopt;
  Superlinear out;
  if (overheads.sequential.basis == Sequential::Basis::measured)
    for (const std::size_t i : alone_at(runs, run))
      add_terms(analysis, runs, i, false, 1 / static_cast<double>(overheads.sequential.runs), out.changes);
  add_terms(analysis, runs, index, true, 1, out.changes);
  const auto gain = [](const Superlinear::Change& change) { return change.sequential - change.parallel; };
  std::stable_sort(out.changes.begin(), out.changes.end(),
                   [&](const auto& a, const auto& b) { return gain(a) > gain(b); });
  double total = 0, given = 0;
  for (const auto& change : out.changes) total += gain(change);
  for (const auto& change : out.changes) {
    if (change.cause.empty() || gain(change) < kWorthTelling * total) break;
    given += gain(change);
    ++out.telling;
  }
  out.explained = out.telling > 0 && given >= 0.5 * total;
  return out;
}

Result<RunFindings> findings_of(const Analysis& analysis, const Runs& runs, std::size_t index) {
  const Run& run = runs.runs[index];
  RunFindings out;
  out.idle = idle_of(run);
  if (const auto sequential = sequential_of(runs, run)) {
    out.overheads = overheads(run, *sequential);
    out.superlinear = superlinear(analysis, runs, index, *out.overheads);
  }
  const std::vector<double> computing = seconds_by_process(run, Kind::computation);
  if (*std::max_element(computing.begin(), computing.end()) > 0) {
    const std::vector<std::size_t> alone = alone_at(runs, run);
    PARCAST_ASSIGN(out.efficiencies, efficiencies(run, alone.empty() ? nullptr : &runs.runs[alone.front()]));
  }
  return out;
}

}  // namespace

Idle idle_of(const Run& run) {
  const std::vector<double> computing = seconds_by_process(run, Kind::computation);
  const double most = *std::max_element(computing.begin(), computing.end());
  std::vector<double> idle = seconds_by_process(run);
  const double last = *std::max_element(idle.begin(), idle.end());
  for (double& seconds : idle) seconds = last - seconds;
  Idle out;
  for (const Phase& phase : run.phases) {
    if (phase.kind != Kind::idle) continue;
    if (phase.name == kOffProcessor) {
      out.off_processor += phase.seconds;
    } else {
      idle[static_cast<std::size_t>(phase.process)] += phase.seconds;
    }
  }
  for (std::size_t i = 0; i < idle.size(); ++i) {
    const double uneven = std::min(idle[i], most - computing[i]);
    out.imbalance += uneven;
    out.delay += idle[i] - uneven;
  }
  return out;
}

std::vector<Term> terms_of(const PhaseRelation& relation, std::size_t run, std::int32_t processes) {
  const auto at = std::find(relation.runs.begin(), relation.runs.end(), run);
  if (at == relation.runs.end() || !relation.refinement) return {};
  const auto sample = static_cast<std::size_t>(at - relation.runs.begin());
  const Refinement& refinement = *relation.refinement;
  const double seconds = processes * relation.samples[sample].seconds;
  std::vector<Term> terms{
      {relation.work, processes * refinement.refined.delta * relation.samples[sample].work}};
  for (const Cause& cause : refinement.causes) {
    const Candidate& candidate = relation.candidates[cause.variable];
    terms.push_back(
        {candidate.name, processes * cause.delta * regressor(candidate, relation.samples)[sample]});
  }
  double given = 0;
  for (const Term& term : terms) given += term.seconds;
  terms.push_back({"", seconds - given});
  return terms;
}

Result<Analysis> analyse(const Runs& runs, const AnalysisOptions& options) {
  PARCAST_TRY(check(runs));
  Analysis out;
  out.notes = runs.notes;
  PARCAST_ASSIGN(out.relations, relations_of(runs, options));
  out.delay = delay_of(runs, options);
  for (const PhaseRelation& relation : out.relations)
    if (relation.refinement)
      if (auto question = suspected_unit(relation)) out.notes.push_back(std::move(*question));
  for (std::size_t i = 0; i < runs.runs.size(); ++i) {
    PARCAST_ASSIGN(RunFindings findings, findings_of(out, runs, i));
    out.runs.push_back(std::move(findings));
  }
  return out;
}

}  // namespace parcast::causes

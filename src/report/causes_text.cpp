// SPDX-License-Identifier: Apache-2.0
#include "report/causes_text.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "report/table.h"
#include "report/words.h"

namespace parcast::report {
namespace {

using causes::Linearity;
using causes::PhaseRelation;
using causes::Refinement;
using causes::Shape;
using causes::Verdict;

/// Runs that deviate by more from proportionality are not reported as proportional.
constexpr double kLoose = 0.2;

using Sentences = std::vector<std::string>;

std::string chance(double p) {
  return "p = " + format_significant(p, 2);
}

/// Returns the unit of a delta, e.g. " per unit of operations".
std::string each(const std::string& variable) {
  return " per unit of " + variable;
}

std::string heading(const Reasons& reasons, const Style& style) {
  const causes::Run& run = reasons.runs.runs[reasons.run];
  const auto& overheads = reasons.analysis.runs[reasons.run].overheads;
  std::string text = bold(style, visible(causes::point_text(run))) + ": " + duration(causes::longest(run));
  if (!overheads) return text + "; no run on one process shows its time there, so it has no speedup\n\n";
  const bool measured = overheads->sequential.basis == causes::Sequential::Basis::measured;
  text += ", speedup " + format_significant(overheads->speedup, 3) + " over " +
          duration(overheads->sequential.seconds) + " on one process (" +
          (measured ? "measured, " : "from the growth of ") +
          counted(static_cast<std::int64_t>(overheads->sequential.runs), "run") + "), efficiency " +
          in_percent(overheads->efficiency);
  return text + "\n\n";
}

/// Returns the overheads; without a sequential time, the phases as shares of the processors' time.
std::string overheads_text(const Reasons& reasons, const Style& style) {
  const causes::Run& run = reasons.runs.runs[reasons.run];
  const auto& known = reasons.analysis.runs[reasons.run].overheads;
  const double total = causes::longest(run) * run.processes;
  const causes::Overheads overheads =
      known ? *known : causes::overheads(run, {total, causes::Sequential::Basis::measured, 0});
  const TimeScale scale(total);
  Table table({{known ? "overhead" : "phase", Column::Align::left, Column::Shrink::cut_front},
               {known ? "ratio" : "share", Column::Align::right},
               {scale.unit(), Column::Align::right},
               {""}});
  const auto ratio = [&](double value) { return known ? format_significant(value, 3) : percent(value); };
  for (const causes::OverheadRow& row : tree_of(overheads))
    table.add({std::string(2 * row.depth, ' ') + row.name, ratio(row.ratio), scale.text(row.seconds), ""});
  table.add({"sum", ratio(1 / overheads.efficiency), scale.text(total), known ? "= 1 / efficiency" : ""});
  return table.text(style) + "\n";
}

std::string efficiencies_text(const Reasons& reasons, const Style& style) {
  const auto& e = reasons.analysis.runs[reasons.run].efficiencies;
  if (!e) return "";
  std::string text = "  parallel efficiency " + in_percent(e->parallel) + " = load balance " +
                     in_percent(e->load_balance) + " x communication " + in_percent(e->communication);
  if (e->serialisation)
    text +=
        " (serialisation " + in_percent(*e->serialisation) + " x transfer " + in_percent(*e->transfer) + ")";
  if (e->computation_scalability)
    text += "; computation scalability " + in_percent(*e->computation_scalability);
  return wrapped(style, text, 4) + "\n\n";
}

std::string terms_text(const PhaseRelation& relation, const Reasons& reasons) {
  const std::int32_t processes = reasons.runs.runs[reasons.run].processes;
  const std::vector<causes::Term> terms = terms_of(relation, reasons.run, processes);
  if (terms.empty()) return "";
  double total = 0;
  for (const causes::Term& term : terms) total += term.seconds;
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const bool entered = i > 0 && !terms[i].cause.empty();
    parts.push_back((terms[i].cause.empty() ? "else" : terms[i].cause) + " " +
                    (terms[i].seconds < 0 ? "-" : "") + format_seconds(std::abs(terms[i].seconds)) +
                    (entered ? " (" + in_percent(terms[i].seconds / total) + ")" : ""));
  }
  return to_string(relation.phase) + " takes " + duration(total) + " of all processes: " + join(parts, ", ");
}

/// Returns e.g. "5.40e+10 operations".
std::string place_of(const Linearity& broken, const PhaseRelation& relation) {
  if (broken.shape == Shape::step_in_processes)
    return counted(static_cast<std::int64_t>(broken.last_linear), "process");
  return format_significant(broken.last_linear, 3) + " " + relation.work;
}

std::string extent(const PhaseRelation& relation) {
  const Linearity& first = relation.refinement->first_order;
  return place_of(first, relation) + " (" + std::to_string(first.linear_samples) + " of " +
         counted(static_cast<std::int64_t>(relation.samples.size()), "run") + ")";
}

std::string twice_text(const PhaseRelation& relation) {
  const auto& twice = relation.refinement->twice;
  if (!twice) return "";
  return "; it breaks twice, beyond " + place_of(twice->earlier, relation) + " and beyond " +
         place_of(twice->later, relation) + " (" +
         chance(std::max(twice->earlier.p_value, twice->later.p_value)) + ")";
}

std::string relation_text(const PhaseRelation& relation) {
  const Linearity& first = relation.refinement->first_order;
  const std::string cost = format_seconds(first.delta) + each(relation.work);
  if (!relation.refinement->broken() && first.noise > kLoose)
    return "time of " + to_string(relation.phase) + " hardly follows from " + relation.work +
           ": runs differ by " + size_percent(first.noise) + " from proportion (" + cost + ", over " +
           counted(static_cast<std::int64_t>(relation.samples.size()), "run") + ")";
  if (!relation.refinement->broken()) {
    const bool few = relation.samples.size() < causes::kFewest;
    const std::string tested = first.tested ? "no break (" + chance(first.p_value) + ")"
                               : few        ? "too few runs to test for a break"
                                            : "the work varies too little to test for a break";
    return "time of " + to_string(relation.phase) + " is in proportion to " + relation.work + ", " + cost +
           " over " + counted(static_cast<std::int64_t>(relation.samples.size()), "run") + ": " + tested +
           ", runs differ from it by " + size_percent(first.noise);
  }
  return "time of " + to_string(relation.phase) + " is in proportion to " + relation.work + ", " + cost +
         ", only up to " + extent(relation) + "; beyond it is " + format_seconds(first.delta_beyond) +
         (first.shape == Shape::bend ? " for each further one" : " for each") + " (" + chance(first.p_value) +
         ")" + twice_text(relation);
}

/// Returns e.g. "swapped, 271 us (+- 2.96 us) each".
std::string entered(const Refinement& refinement, const causes::Cause& cause) {
  return refinement.tried[cause.variable].name + ", " + format_seconds(cause.delta) + " (+- " +
         format_seconds(cause.standard_error) + ") each";
}

/// Returns why the other of two causes is not enough.
std::string needed(const PhaseRelation& relation, const causes::Cause& cause) {
  const std::string without = "without " + relation.refinement->tried[cause.variable].name;
  if (cause.without.shape != Shape::straight)
    return without + " a break remains beyond " + place_of(cause.without, relation) + " (" +
           chance(cause.without.p_value) + ")";
  return without + " no break is found, but its cost is " +
         format_significant(cause.delta / cause.standard_error, 2) + " times its error";
}

std::string part_text(const PhaseRelation& relation) {
  const Refinement& refinement = *relation.refinement;
  const causes::Cause& cause = refinement.causes[0];
  return "part of it is explained by " + entered(refinement, cause) + "; with it a break remains beyond " +
         place_of(refinement.refined, relation) + " (" + chance(refinement.tried[cause.variable].p_value) +
         "), which is unexplained";
}

/// Returns the variables that fit equally well, and pairs of them ("swapped with page_faults").
std::vector<std::string> explained_alike(const Refinement& refinement) {
  std::vector<std::string> alike;
  std::vector<bool> paired(refinement.tried.size());
  for (const causes::TriedPair& pair : refinement.pairs) {
    if (pair.verdict != Verdict::indistinguishable) continue;
    alike.push_back(refinement.tried[pair.variables[0]].name + " with " +
                    refinement.tried[pair.variables[1]].name);
    for (const std::size_t variable : pair.variables) paired[variable] = true;
  }
  for (std::size_t i = 0; i < refinement.tried.size(); ++i)
    if (refinement.tried[i].verdict == Verdict::indistinguishable && !paired[i])
      alike.push_back(refinement.tried[i].name);
  return alike;
}

std::string cause_text(const PhaseRelation& relation) {
  const Refinement& refinement = *relation.refinement;
  if (!refinement.broken()) return "";
  const std::vector<std::string> alike = explained_alike(refinement);
  const std::string who =
      alike.empty()
          ? ""
          : join(alike, " and ") + " explain it alike; a run in which only one of them rises would decide";
  if (refinement.partly()) return part_text(relation) + (who.empty() ? "" : ": " + who);
  const std::string everywhere = "no break is left (" + chance(refinement.refined.p_value) + "), and " +
                                 relation.work + " cost " + format_seconds(refinement.refined.delta) +
                                 " each everywhere";
  if (refinement.causes.size() == 1)
    return "the cause is " + entered(refinement, refinement.causes[0]) + ": with it " + everywhere;
  if (refinement.causes.size() == 2)
    return "it has two causes, " + entered(refinement, refinement.causes[0]) + ", and " +
           entered(refinement, refinement.causes[1]) + ": with both " + everywhere + "; " +
           needed(relation, refinement.causes[0]) + ", " + needed(relation, refinement.causes[1]);
  if (!who.empty()) return "the break is unexplained: " + who;
  return refinement.tried.empty() ? "the break is unexplained: no other variable was measured"
                                  : "the break is unexplained: none of the variables measured takes it away";
}

std::string rejected_text(const PhaseRelation& relation) {
  const Refinement& refinement = *relation.refinement;
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < refinement.tried.size(); ++i)
    if (std::none_of(refinement.causes.begin(), refinement.causes.end(),
                     [&](const causes::Cause& cause) { return cause.variable == i; }))
      parts.push_back(refinement.tried[i].name + " (" + verdict_text(refinement.tried[i]) + ")");
  return parts.empty() ? "" : "not " + join(parts, ", ");
}

void add_relations(const Reasons& reasons, Sentences& out) {
  std::vector<const PhaseRelation*> all;
  for (const PhaseRelation& relation : reasons.analysis.relations) all.push_back(&relation);
  if (reasons.analysis.delay) all.push_back(&*reasons.analysis.delay);
  std::map<std::string, std::vector<std::string>> without;
  for (const PhaseRelation* relation : all) {
    if (!relation->refinement) {
      without[relation->without].push_back(to_string(relation->phase));
      continue;
    }
    for (const std::string& part : {terms_text(*relation, reasons), relation_text(*relation),
                                    cause_text(*relation), rejected_text(*relation)})
      if (!part.empty()) out.push_back(part);
  }
  for (const auto& [reason, phases] : without) out.push_back(join(phases, ", ") + ": " + reason);
}

void add_idle(const Reasons& reasons, Sentences& out) {
  const causes::Idle& idle = reasons.analysis.runs[reasons.run].idle;
  const double total = idle.imbalance + idle.delay + idle.off_processor;
  if (total <= 1e-9 * causes::longest(reasons.runs.runs[reasons.run])) return;
  std::string text = "idle time of all processes is " + duration(total) + ": imbalance " +
                     format_seconds(idle.imbalance) + ", delay of messages " + format_seconds(idle.delay);
  if (idle.off_processor > 0) text += ", off the processor " + format_seconds(idle.off_processor);
  out.push_back(text);
}

void add_superlinear(const Reasons& reasons, Sentences& out) {
  const auto& found = reasons.analysis.runs[reasons.run].superlinear;
  if (!found) return;
  const std::string text =
      "the speedup is above " + std::to_string(reasons.runs.runs[reasons.run].processes) + ", ";
  if (found->changes.empty()) return out.push_back(text + "and no relation of computation explains it");
  std::vector<std::string> given;
  for (std::size_t i = 0; i < found->telling; ++i) {
    const auto& change = found->changes[i];
    given.push_back(change.cause + " costs " + format_seconds(change.sequential) + " on one process and " +
                    format_seconds(change.parallel) + " on all here");
  }
  out.push_back(text + (found->explained ? "because computation is cheaper: " + join(given, ", ")
                                         : "and its cause is not among the variables measured"));
}

void add_held_out(const Reasons& reasons, Sentences& out) {
  for (const causes::HeldOut& held : reasons.held_out)
    out.push_back("predicted from the runs below the largest " + held.over + ", times of " +
                  to_string(held.phase) + " are off by " + size_percent(held.work_known) +
                  " over their own work, by " + size_percent(held.composed) +
                  " over the work that its growth gives, and by " + size_percent(held.direct) + " directly");
}

}  // namespace

std::string verdict_text(const causes::Tried& tried) {
  switch (tried.verdict) {
    case Verdict::enters:
      return "enters, " + chance(tried.p_value);
    case Verdict::effect:
      return "explains it as an effect of another one that does";
    case Verdict::explains_part:
      return "explains part of it";
    case Verdict::indistinguishable:
      return "explains it as well";
    case Verdict::less_likely:
      return "explains it, but another one much better";
    case Verdict::not_measured:
      return "not measured in every run";
    case Verdict::never_changes:
      return "the same in every run";
    case Verdict::as_work:
      return "in the same proportion to the work in every run";
    case Verdict::no_influence:
      return "no influence beyond chance";
    case Verdict::break_remains:
      return "a break remains, " + chance(tried.p_value);
    case Verdict::scatter_remains:
      return "times still scatter beyond the break";
    case Verdict::takes_over:
      return "follows the time instead of causing it";
    case Verdict::worse_than_break:
      return "a plain change of cost fits much better";
    case Verdict::part_only:
      return "not all of it, another one with a plain change of cost fits much better";
  }
  return "";
}

std::vector<std::string> findings_of(const Reasons& reasons) {
  Sentences out;
  add_superlinear(reasons, out);
  add_relations(reasons, out);
  add_idle(reasons, out);
  add_held_out(reasons, out);
  return out;
}

std::string reasons_text(const Reasons& reasons, const Style& style) {
  std::string text =
      heading(reasons, style) + overheads_text(reasons, style) + efficiencies_text(reasons, style);
  for (const std::string& finding : findings_of(reasons))
    text += wrapped(style, "  > " + visible(finding), 4) + "\n";
  for (const std::string& note : reasons.analysis.notes)
    text += alert(style, wrapped(style, "  ! " + visible(note), 4)) + "\n";
  return text;
}

}  // namespace parcast::report

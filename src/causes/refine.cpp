// SPDX-License-Identifier: Apache-2.0
#include "causes/refine.h"

#include <algorithm>
#include <cmath>

#include "causes/exclusion.h"

namespace parcast::causes {
namespace {

constexpr double kDistinct = 6;  // 2 ln 20: the alternative is 20 times less likely
// by another variable with a plain break: one cost and one place more, chosen among all
constexpr double kOutdone = 20;

/// One or two variables that may enter the relation.
struct Explanation {
  std::vector<std::size_t> variables;
  double residual = 0;
};

/// Returns -2 ln likelihood by Schwarz's criterion, which penalises each cost.
double score_of(const Explanation& x, std::size_t samples) {
  return log_ratio(x.residual, 1, samples) +
         std::log(static_cast<double>(samples)) * static_cast<double>(x.variables.size());
}

bool holds(const Explanation& x, std::size_t variable) {
  return std::find(x.variables.begin(), x.variables.end(), variable) != x.variables.end();
}

/// If two variables would enter and one is known to cause the other, the other is redundant.
void turn_down_effects(std::vector<Tried>& tried, const std::vector<Candidate>& candidates) {
  std::vector<std::size_t> effects;
  for (std::size_t i = 0; i < tried.size(); ++i)
    for (const Tried& cause : tried)
      if (tried[i].verdict == Verdict::enters && cause.verdict == Verdict::enters &&
          cause.name == candidates[i].effect_of)
        effects.push_back(i);
  for (const std::size_t i : effects) tried[i].verdict = Verdict::effect;
}

class Search {
 public:
  Search(std::span<const Sample> samples, const std::vector<Candidate>& candidates,
         const BreakOptions& options, Refinement& out)
      : samples_(samples),
        candidates_(candidates),
        out_(out),
        broken_{samples, out.first_order, out.twice, options, remaining_options(out.first_order, options)} {
    for (const Candidate& candidate : candidates) columns_.push_back(regressor(candidate, samples));
  }

  void run() {
    for (std::size_t i = 0; i < candidates_.size(); ++i) try_one(i);
    std::erase_if(useful_, [&](std::size_t i) { return follows_time(broken_, columns_[i]); });
    for (const std::size_t i : useful_) beside_.push_back(beside_break(broken_, columns_[i]));
    for (Tried& tried : out_.tried)
      if (tried.verdict == Verdict::enters && outdone(tried.residual)) tried.verdict = Verdict::part_only;
    turn_down_effects(out_.tried, candidates_);
    try_pairs();
    decide();
  }

 private:
  void try_one(std::size_t i) {
    Tried& tried = out_.tried.emplace_back(Tried{.name = candidates_[i].name});
    tried.residual = out_.first_order.straight_residual;
    const auto none = unfit(broken_, candidates_[i]);
    if (!none) useful_.push_back(i);
    tried.verdict = none.value_or(Verdict::no_influence);
    if (none) return;
    const auto with = find_break(samples_, std::vector<Column>{columns_[i]}, broken_.remaining);
    if (!with || !std::isfinite(with->other_errors[0])) return;
    tried.delta = with->others[0];
    tried.standard_error = with->other_errors[0];
    tried.p_value = with->p_value;
    tried.noise = with->noise;
    tried.residual = with->residual;
    tried.verdict = verdict_on_one(broken_, columns_[i], *with, candidates_.size());
  }

  double residual_beside(std::size_t useful) const {
    return beside_[useful] ? beside_[useful]->residual : out_.first_order.residual;
  }

  /// Returns whether some variable with a plain break describes the times much better: then there is more
  /// than one effect.
  bool outdone(double residual) const {
    for (std::size_t k = 0; k < useful_.size(); ++k)
      if (log_ratio(residual, residual_beside(k), samples_.size()) > kOutdone) return true;
    return false;
  }

  void try_pairs() {
    const std::size_t pairs =
        useful_.size() * (useful_.size() - std::min<std::size_t>(1, useful_.size())) / 2;
    for (std::size_t a = 0; a < useful_.size(); ++a)
      for (std::size_t b = a + 1; b < useful_.size(); ++b) try_pair(a, b, pairs);
  }

  void try_pair(std::size_t first, std::size_t second, std::size_t pairs) {
    const std::size_t a = useful_[first], b = useful_[second];
    if (brings_about(a, b) || brings_about(b, a)) return;  // the same cause twice
    const std::vector<Column> columns{columns_[a], columns_[b]};
    const auto with = find_break(samples_, columns, broken_.no_break());
    if (!with || !std::isfinite(with->other_errors[0]) || !std::isfinite(with->other_errors[1])) return;
    TriedPair tried{.variables = {a, b},
                    .deltas = {with->others[0], with->others[1]},
                    .standard_errors = {with->other_errors[0], with->other_errors[1]}};
    tried.noise = with->noise;
    tried.residual = with->residual;
    tried.verdict = verdict_on_pair(broken_, columns, *with, pairs,
                                    std::min(residual_beside(first), residual_beside(second)), tried.p_value);
    if (tried.verdict == Verdict::enters && outdone(tried.residual))
      tried.verdict = Verdict::worse_than_break;
    out_.pairs.push_back(tried);
  }

  bool brings_about(std::size_t cause, std::size_t effect) const {
    return candidates_[effect].effect_of == candidates_[cause].name;
  }

  std::vector<Explanation> entering() const {
    std::vector<Explanation> out;
    for (std::size_t i = 0; i < out_.tried.size(); ++i)
      if (out_.tried[i].verdict == Verdict::enters) out.push_back({{i}, out_.tried[i].residual});
    for (const TriedPair& pair : out_.pairs)
      if (pair.verdict == Verdict::enters)
        out.push_back({{pair.variables[0], pair.variables[1]}, pair.residual});
    return out;
  }

  Verdict& verdict_of(const Explanation& x) {
    if (x.variables.size() == 1) return out_.tried[x.variables[0]].verdict;
    return std::find_if(out_.pairs.begin(), out_.pairs.end(),
                        [&](const TriedPair& pair) {
                          return pair.variables[0] == x.variables[0] && pair.variables[1] == x.variables[1];
                        })
        ->verdict;
  }

  /// A variable does not compete with a pair that contains it: the test of the pair has shown that the other
  /// one is needed.
  bool within_pair(const Explanation& x, const std::vector<Explanation>& all) const {
    return x.variables.size() == 1 && std::any_of(all.begin(), all.end(), [&](const Explanation& other) {
             return other.variables.size() == 2 && holds(other, x.variables[0]);
           });
  }

  /// Takes the best explanation if the next one is much less likely; otherwise what all the best ones have in
  /// common.
  void decide() {
    const std::vector<Explanation> all = entering();
    if (all.empty()) return take_part(useful_);
    std::vector<Explanation> alternatives;
    for (const Explanation& x : all)
      if (!within_pair(x, all)) alternatives.push_back(x);
    const auto score = [&](const Explanation& x) { return score_of(x, samples_.size()); };
    const Explanation best =
        *std::min_element(alternatives.begin(), alternatives.end(),
                          [&](const Explanation& a, const Explanation& b) { return score(a) < score(b); });
    std::vector<std::size_t> common = best.variables;
    for (const Explanation& x : all) {
      if (x.variables == best.variables) continue;
      const bool close = !within_pair(x, all) && score(x) - score(best) < kDistinct;
      verdict_of(x) = close ? Verdict::indistinguishable : Verdict::less_likely;
      if (!close) continue;
      std::erase_if(common, [&](std::size_t variable) { return !holds(x, variable); });
      for (const std::size_t variable : x.variables) alike_.push_back(variable);
    }
    note_turned_down(best, score(best), common);
    if (common == best.variables) return take(best.variables);
    verdict_of(best) = Verdict::indistinguishable;
    alike_.insert(alike_.end(), best.variables.begin(), best.variables.end());
    settle_on(common);
  }

  /// Pairs that are as likely, but were rejected for a break or scatter that may be chance, count as
  /// alternatives, too: true causes are rejected in one of a hundred cases.
  void note_turned_down(const Explanation& best, double score, std::vector<std::size_t>& common) {
    if (best.variables.size() != 2) return;
    for (TriedPair& pair : out_.pairs) {
      const Explanation x{{pair.variables[0], pair.variables[1]}, pair.residual};
      if ((pair.verdict != Verdict::break_remains && pair.verdict != Verdict::scatter_remains) ||
          score_of(x, samples_.size()) - score >= kDistinct)
        continue;
      pair.verdict = Verdict::indistinguishable;
      std::erase_if(common, [&](std::size_t variable) { return !holds(x, variable); });
      alike_.insert(alike_.end(), x.variables.begin(), x.variables.end());
    }
  }

  /// If several explanations are as likely, a variable in all of them is still a cause of a part.
  void settle_on(const std::vector<std::size_t>& common) {
    for (const std::size_t variable : alike_)
      if (std::find(common.begin(), common.end(), variable) == common.end())
        out_.tried[variable].verdict = Verdict::indistinguishable;
    if (!common.empty()) take_part(common);
  }

  void take(const std::vector<std::size_t>& variables) {
    std::vector<Column> columns;
    for (const std::size_t i : variables) columns.push_back(columns_[i]);
    if (auto refined = find_break(samples_, columns, broken_.remaining)) take(variables, std::move(*refined));
  }

  void take(const std::vector<std::size_t>& variables, Linearity refined) {
    for (std::size_t k = 0; k < variables.size(); ++k)
      out_.causes.push_back({variables[k], refined.others[k], refined.other_errors[k],
                             variables.size() == 1 ? out_.first_order : with_only(variables[1 - k])});
    out_.refined = std::move(refined);
  }

  Linearity with_only(std::size_t variable) const {
    const auto with = find_break(samples_, std::vector<Column>{columns_[variable]}, broken_.remaining);
    return with ? *with : out_.first_order;
  }

  /// Takes one variable that explains part of the break, if no other one with a plain break does about as
  /// well.
  void take_part(const std::vector<std::size_t>& variables) {
    const auto best =
        static_cast<std::size_t>(std::min_element(beside_.begin(), beside_.end(),
                                                  [&](const auto& a, const auto& b) {
                                                    return a && (!b || a->residual < b->residual);
                                                  }) -
                                 beside_.begin());
    if (best == beside_.size() || !beside_[best] || !may_be_part(best, variables)) return;
    std::vector<std::size_t> alike;
    for (std::size_t k = 0; k < useful_.size(); ++k)
      if (k != best && !brings_about(useful_[best], useful_[k]) &&
          log_ratio(residual_beside(k), residual_beside(best), samples_.size()) < kDistinct)
        alike.push_back(useful_[k]);
    for (const std::size_t i : alike) out_.tried[i].verdict = Verdict::indistinguishable;
    out_.tried[useful_[best]].verdict = alike.empty() ? Verdict::explains_part : Verdict::indistinguishable;
    if (alike.empty()) take({useful_[best]}, *beside_[best]);
  }

  bool may_be_part(std::size_t useful, const std::vector<std::size_t>& variables) const {
    const std::size_t i = useful_[useful];
    return std::find(variables.begin(), variables.end(), i) != variables.end() &&
           out_.tried[i].verdict == Verdict::break_remains &&
           explains_part(broken_, columns_[i], *beside_[useful], candidates_.size());
  }

  std::span<const Sample> samples_;
  const std::vector<Candidate>& candidates_;
  Refinement& out_;
  Broken broken_;
  std::vector<Column> columns_;
  std::vector<std::size_t> useful_;               // candidates that may be causes together with another one
  std::vector<std::optional<Linearity>> beside_;  // for each of these, the relation with it and a plain break
  std::vector<std::size_t> alike_;                // variables of explanations that cannot be distinguished
};

}  // namespace

Column regressor(const Candidate& candidate, std::span<const Sample> samples) {
  if (candidate.role != Role::speed) return candidate.amounts;
  Column column;
  const double fastest = *std::max_element(candidate.amounts.begin(), candidate.amounts.end());
  for (std::size_t i = 0; i < samples.size(); ++i)
    column.push_back(candidate.amounts[i] > 0 ? samples[i].work * (fastest / candidate.amounts[i] - 1) : 0);
  return column;
}

Result<Refinement> refine(std::span<const Sample> samples, const std::vector<Candidate>& candidates,
                          const BreakOptions& options) {
  Refinement out;
  PARCAST_ASSIGN(out.first_order, find_break(samples, {}, options));
  out.refined = out.first_order;
  if (!out.broken()) return out;
  out.twice = find_second_break(samples, out.first_order, remaining_options(out.first_order, options));
  Search(samples, candidates, options, out).run();
  return out;
}

}  // namespace parcast::causes

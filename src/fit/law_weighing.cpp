// SPDX-License-Identifier: Apache-2.0
#include "fit/law_weighing.h"

#include <algorithm>
#include <cmath>

#include "fit/dot.h"
#include "fit/weighing.h"
#include "statistics/growth_search.h"

namespace parcast::fit {
namespace {

constexpr double kNegligibleLaw = 0.004;  // fraction of the largest weight
constexpr std::size_t kMostLaws = 128;

// A law under one relation of errors.
struct Trial {
  std::size_t law = 0, relation = 0;
  double log_scale = 0, squares = 0;
  double weight = 0;  // first the logarithm of the evidence
};

bool heavier(const Trial& a, const Trial& b) {
  if (a.weight != b.weight) return a.weight > b.weight;
  return a.relation != b.relation ? a.relation < b.relation : a.law < b.law;
}

double normalise(std::vector<Trial>& trials) {
  std::ranges::sort(trials, heavier);
  const double best = trials.front().weight;
  double total = 0;
  for (Trial& each : trials) each.weight = std::exp(each.weight - best);
  std::erase_if(trials, [](const Trial& each) { return each.weight < kNegligibleLaw; });
  if (trials.size() > kMostLaws) trials.resize(kMostLaws);
  for (const Trial& each : trials) total += each.weight;
  for (Trial& each : trials) each.weight /= total;
  return best + std::log(total);
}

class LawWeighing {
 public:
  LawWeighing(const Values& values, const PointSet& set, const Prior& prior)
      : laws_(*set.laws),
        rows_(values.values.size()),
        options_(options_of(values.relative_errors, prior)),
        evidence_(rows_, options_) {
    for (const double value : values.values) logs_.push_back(std::log(value));
  }

  void weigh(std::size_t relation, const Whitening& whitening, std::vector<Trial>& out) {
    Whitened& whitened = whitened_[relation];
    whitened.one.assign(rows_, 1.0);
    whitening.apply(whitened.one);
    const double ones = dot(whitened.one.data(), whitened.one.data(), rows_);
    whitened.length = std::sqrt(ones);
    const auto of_laws = laws_.logarithms();
    whitened.residuals.resize(of_laws.size());
    for (std::size_t k = 0; k < of_laws.size(); ++k) whitened.residuals[k] = logs_[k % rows_] - of_laws[k];
    whitening.apply_each(whitened.residuals);
    const double beside = std::log(kRelations[relation].weight) - whitening.log_determinant();
    for (std::size_t law = 0; law < laws_.all().size(); ++law) {
      double* residuals = whitened.residuals.data() + law * rows_;
      Trial trial{law, relation};
      trial.log_scale = dot(residuals, whitened.one.data(), rows_) / ones;
      for (std::size_t i = 0; i < rows_; ++i) residuals[i] -= trial.log_scale * whitened.one[i];
      trial.squares = dot(residuals, residuals, rows_);
      trial.weight =
          evidence_(1, trial.squares, std::log(whitened.length)) + beside + laws_.all()[law].log_prior;
      out.push_back(trial);
    }
  }

  Mixture::Part part(const Trial& trial, const Whitening& whitening, Detail detail) const {
    const Whitened& whitened = whitened_[trial.relation];
    Mixture::Part part;
    part.law = &laws_.all()[trial.law];
    part.scale = std::exp(trial.log_scale);
    part.errors = trial.relation;
    part.hypothesis.weight = trial.weight;
    statistics::growth::set_noise(part.hypothesis, rows_, 1, trial.squares, options_);
    if (detail == Detail::distributions) {
      part.hypothesis.terms = part.law->terms;
      for (auto& term : part.hypothesis.terms) term.coefficient *= part.scale;
      part.hypothesis.factor = statistics::Matrix(1, 1);
      part.hypothesis.factor(0, 0) = 1 / whitened.length;
      part.columns = whitening.of_cells(whitened.one);
    }
    if (trial.relation == 0) return part;
    part.carried = whitening.of_cells(std::span(whitened.residuals).subspan(trial.law * rows_, rows_));
    whitening.apply_transposed(part.carried);
    return part;
  }

 private:
  struct Whitened {
    std::vector<double> one;        // the gradient of a law's logarithm by that of its scale
    std::vector<double> residuals;  // of each law, one after the other
    double length = 1;              // of the former
  };

  const Laws& laws_;
  std::size_t rows_;
  statistics::GrowthOptions options_;
  statistics::growth::Evidence evidence_;
  std::vector<double> logs_;
  std::array<Whitened, kRelations.size()> whitened_;
};

}  // namespace

WeighedLaws weigh_laws(const Values& values, const PointSet& set,
                       std::span<const std::shared_ptr<const Whitening>> whitenings, const Prior& prior,
                       Detail detail) {
  LawWeighing weighing(values, set, prior);
  std::vector<Trial> trials;
  trials.reserve(whitenings.size() * set.laws->all().size());
  for (std::size_t k = 0; k < whitenings.size(); ++k) weighing.weigh(k, *whitenings[k], trials);
  WeighedLaws out;
  out.log_evidence = normalise(trials);
  for (const Trial& trial : trials)
    out.parts.push_back(weighing.part(trial, *whitenings[trial.relation], detail));
  return out;
}

}  // namespace parcast::fit

// SPDX-License-Identifier: Apache-2.0
#include "regress/costs.h"

#include <algorithm>
#include <cmath>

#include "base/shell.h"
#include "base/text.h"
#include "regress/held_out.h"

namespace parcast::regress {
namespace {

using statistics::GroupedFit;
using statistics::Matrix;

std::string runs_counted(std::size_t n) {
  return std::to_string(n) + (n == 1 ? " run" : " runs");
}

Result<void> enough(const Runs& runs) {
  const std::size_t needed = runs.counts.size() + 1;
  if (runs.runs.size() >= needed) return {};
  const std::size_t more = needed - runs.runs.size();
  return Error{runs_counted(runs.runs.size()) + (runs.runs.size() == 1 ? " is" : " are") + " too few for " +
                   std::to_string(runs.counts.size()) + (runs.counts.size() == 1 ? " cost" : " costs"),
               runs.where,
               "at least " + std::to_string(needed) + " are needed: add " + std::to_string(more) +
                   " more, or take fewer counts with --counts"};
}

std::string combination_of(const statistics::Alias& alias, const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t k = 0; k < alias.columns.size(); ++k) {
    const double factor = alias.factors[k];
    out += out.empty() ? (factor < 0 ? "-" : "") : (factor < 0 ? " - " : " + ");
    if (std::abs(std::abs(factor) - 1) > 1e-9)
      out += format_exact(*parse_double(format_significant(std::abs(factor), 6))) + " ";
    out += names[alias.columns[k]];
  }
  return out;
}

bool has(const std::vector<std::size_t>& some, std::size_t index) {
  return std::ranges::find(some, index) != some.end();
}

class Judge {
 public:
  explicit Judge(Costs& costs) : costs_(costs), fit_(costs.fit) {}

  void judge() {
    for (std::size_t j = 0; j < costs_.runs.counts.size(); ++j) costs_.costs.push_back(cost(j));
    for (const auto& alias : fit_.aliases)
      costs_.aliases.push_back({costs_.runs.counts[alias.column], combination_of(alias, costs_.runs.counts)});
    correlate();
    costs_.quantiles = statistics::quantile_plot(fit_.standardized);
    costs_.normality = straightness();
    costs_.warnings = costs_.runs.warnings;
    warn_of_counts();
    warn_of_costs();
    warn_of_rows();
    warn_of_programs();
  }

 private:
  bool never_happens(std::size_t j) const {
    return std::ranges::all_of(costs_.runs.runs, [&](const Run& run) { return run.counts[j] == 0; });
  }

  Cost cost(std::size_t j) const {
    Cost out;
    out.name = costs_.runs.counts[j];
    out.value = fit_.coefficients[j];
    out.standard_error = fit_.standard_errors[j];
    out.inflation = fit_.variance_inflation[j];
    const bool bound = has(fit_.bound, j), aliased = has(fit_.aliased, j);
    out.t = bound ? 0 : out.standard_error > 0 ? out.value / out.standard_error : aliased ? kAsked : INFINITY;
    out.identified = std::abs(out.t) >= 2;
    if (never_happens(j)) {
      out.why = "no run has any";
    } else if (aliased) {
      out.why = "occurs only together with others";
    } else if (bound) {
      out.why = "held at 0";
    } else if (!out.identified) {
      out.why = "below 2 standard errors";
    }
    for (std::size_t i = 0; i < costs_.runs.runs.size(); ++i)
      if (fit_.fitted[i] > 0)
        out.share += costs_.runs.runs[i].counts[j] * out.value / fit_.fitted[i] /
                     static_cast<double>(costs_.runs.runs.size());
    return out;
  }

  void correlate() {
    const Matrix& covariance = fit_.covariance;
    costs_.correlation = Matrix(covariance.rows, covariance.columns);
    for (std::size_t i = 0; i < covariance.rows; ++i)
      for (std::size_t j = 0; j < covariance.columns; ++j) {
        const double size = std::sqrt(covariance(i, i)) * std::sqrt(covariance(j, j));
        costs_.correlation(i, j) = i == j ? 1 : size > 0 ? covariance(i, j) / size : 0;
      }
  }

  double straightness() const {
    double xx = 0, yy = 0, xy = 0, mean = 0;
    for (const auto& pair : costs_.quantiles)
      mean += pair.value / static_cast<double>(costs_.quantiles.size());
    for (const auto& pair : costs_.quantiles)
      xx += pair.normal * pair.normal, yy += (pair.value - mean) * (pair.value - mean),
          xy += pair.normal * (pair.value - mean);
    return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 1;
  }

  void warn(const std::string& text) { costs_.warnings.push_back(text); }

  void warn_of_counts() {
    const auto& runs = costs_.runs.runs;
    for (std::size_t j = 0; j < costs_.runs.counts.size(); ++j) {
      const std::string& name = costs_.runs.counts[j];
      if (never_happens(j)) {
        warn("no run has any " + name + ", so what one costs is not known (" + costs_.runs.where + ")");
      } else if (std::ranges::all_of(
                     runs, [&](const Run& run) { return run.counts[j] == runs.front().counts[j]; })) {
        warn(name + " is " + format_exact(runs.front().counts[j]) + " in every run from " +
             runs.front().place +
             " on: its cost is what every run takes whatever it does, or it is a parameter (--parameters " +
             shell_quoted(name) + ")");
      }
    }
    for (const AliasedCount& alias : costs_.aliases)
      if (!alias.combination.empty())
        warn(alias.name + " = " + alias.combination +
             " on all runs, so their costs cannot be separated: only runs that keep to it are predicted");
  }

  void warn_of_costs() {
    for (const Cost& cost : costs_.costs)
      if (cost.value < 0)
        warn("a " + cost.name + " costs " + format_seconds(cost.value) + ", less than nothing: " +
             (cost.identified
                  ? "another count that goes along with it is missing; --nonnegative holds it at 0"
                  : "the runs do not distinguish it from 0; --nonnegative holds it there"));
    std::vector<std::string> inflated;
    for (const Cost& cost : costs_.costs)
      if (std::isfinite(cost.inflation) && cost.inflation > 30) inflated.push_back(cost.name);
    if (inflated.size() > 1)
      warn(
          join(inflated, ", ") +
          " grow nearly together: their costs trade against each other, while sums of them are known better");
  }

  void warn_of_rows() {
    const auto& runs = costs_.runs.runs;
    for (std::size_t k = 0; k < costs_.outliers.size() && k < kShown; ++k) {
      const std::size_t i = costs_.outliers[k];
      const double factor = runs[i].seconds / costs_.expected[i];
      warn("measured " +
           (factor > 0 ? format_significant(factor, 3) + " times what the costs give"
                       : format_seconds(runs[i].seconds)) +
           ": " + name_of(runs[i]) + " (" + runs[i].place + "), " +
           (costs_.options.fit.robust ? "which counts only as far as it lies within the usual"
                                      : "an outlier: look at the run, or fit with --robust"));
    }
    if (costs_.outliers.size() > kShown)
      warn("and " + std::to_string(costs_.outliers.size() - kShown) + " more outliers");
    std::size_t shown = 0;
    for (std::size_t i = 0; i < runs.size(); ++i)
      if (fit_.leverage[i] > 0.9 && shown++ < kShown)
        warn(name_of(runs[i]) + " (" + runs[i].place + ") decides a cost alone: leverage " +
             format_significant(fit_.leverage[i], 3));
    if (shown > kShown) warn("and " + std::to_string(shown - kShown) + " more such runs");
  }

  void warn_of_programs() {
    const std::size_t programs = costs_.programs.size();
    const auto needed = static_cast<std::size_t>(std::ceil(1 / (1 - costs_.options.level) - 1 - 1e-9));
    if (costs_.options.fit.plain) {
      warn(
          "plain: all runs are taken to err alike, in seconds, and programs not to differ, as the papers "
          "assume");
    } else if (programs == 1) {
      warn(
          "all runs are of one program, so how much programs differ is not known: there is no interval for "
          "another program");
    } else if (programs < needed) {
      warn("with " + std::to_string(programs) + " programs a " +
           format_exact(std::round(1000 * costs_.options.level) / 10) +
           " % interval for another one rests on programs differing by a normal distribution; " +
           std::to_string(needed) + " would be needed to do without");
    }
  }

  static constexpr std::size_t kShown = 5;
  Costs& costs_;
  const GroupedFit& fit_;
};

}  // namespace

Result<GroupedFit> fit_of(const Runs& runs, const statistics::GroupedOptions& options) {
  PARCAST_TRY(enough(runs));
  const std::vector<std::string> programs = programs_of(runs);
  statistics::GroupedData data;
  data.design = Matrix(runs.runs.size(), runs.counts.size());
  for (std::size_t i = 0; i < runs.runs.size(); ++i) {
    const Run& run = runs.runs[i];
    for (std::size_t j = 0; j < run.counts.size(); ++j) data.design(i, j) = run.counts[j];
    data.response.push_back(run.seconds);
    data.groups.push_back(
        static_cast<std::size_t>(std::ranges::find(programs, run.program) - programs.begin()));
  }
  auto fit = statistics::fit_grouped(data, options);
  if (!fit) return Error{fit.error().what, runs.where, fit.error().hint};
  return fit;
}

Result<Costs> find_costs(Runs runs, const Options& options) {
  Costs out;
  PARCAST_ASSIGN(out.fit, fit_of(runs, options.fit));
  if (auto classic = fit_of(runs, {.plain = true})) out.classic = *std::move(classic);
  statistics::GroupedOptions robust = options.fit;
  robust.robust = true;
  const auto steady = options.fit.robust ? Result<GroupedFit>(out.fit) : fit_of(runs, robust);
  out.outliers = steady ? steady->outliers : out.fit.outliers;
  out.expected = steady ? steady->conditional : out.fit.conditional;
  out.runs = std::move(runs);
  out.options = options;
  out.programs = programs_of(out.runs);
  Judge(out).judge();
  if (options.held_out) hold_out(out);
  return out;
}

Answer answer(const Costs& costs, const Run& run) {
  return answer_by(costs.fit, costs.programs, costs.classic ? &*costs.classic : nullptr, run, costs.options);
}

}  // namespace parcast::regress

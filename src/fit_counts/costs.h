// SPDX-License-Identifier: Apache-2.0
#pragma once
// Seconds per execution of a segment. The mean over ranks and iterations is fitted against the measure of
// work that extrapolates best. Measures are the parameters and p, or the data of one process according to the
// exact counts (rows of its block, points of its block). Recordings with more processes than cores are fitted
// only for values that undisturbed ones do not cover; otherwise they decide between laws that fit the
// undisturbed ones alike. docs/models/segments.md.

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fit_counts/counts.h"
#include "observations/run_deviations.h"

namespace parcast::program {

/// A measure of work: a product of parameters and of parts of a distribution, times a power of p.
struct Measure {
  Feature feature;
  int power_of_p = 0;
  // Replaces both by min(2, p): whether there is more than one process.
  bool alone_or_not = false;
};

/// The runs of which a segment is part.
enum class RunsOf { all, one_process, several_processes };

/// Returns whether the process count is one of them.
constexpr bool includes(RunsOf runs, std::int32_t processes) {
  return runs == RunsOf::all || (runs == RunsOf::one_process) == (processes == 1);
}

class CostBuilder {
 public:
  struct RunInfo {
    Run run;
    bool oversubscribed = false;
    bool slowed = false;  // its times are left out if other runs cover its values
  };
  CostBuilder(std::vector<std::string> parameters, std::vector<RunInfo> runs, std::vector<ProcessGrid> grids,
              std::vector<Factor> distributions, const Traces& traces);

  /// `sized`: parameters of which the data consist. `usual`: the degree in them that a time has at most
  /// unless the recordings show it clearly. docs/models/segments.md, "Steep growth".
  void expect_growth(std::set<std::string> sized, double usual) {
    sized_ = std::move(sized), usual_degree_ = usual;
  }

  struct Built {
    Cost cost;
    // To the recordings with a core for every process, unless there are none.
    FittedSegment fitted;
    bool disturbed = false;  // fitted to recordings with more processes than cores
    // To recordings with more processes than cores that only decided between laws.
    std::vector<SegmentDeviation> compared;
  };
  /// `major`: the segment's share of the time is large, so every measure is tried. `work`: the work of an
  /// execution by the program's own code, if known (source/counts/counted_program.h). It is one more measure,
  /// preferred if the runs leave a choice.
  struct KnownWork {
    symbolic::Expression weighted;
    double constant = 0, measured = 0;  // shares of the work by tier
    std::vector<symbolic::Expression> alternatives =
        {};                   // factors of it under alternative formulas of its counts
    std::string advice = {};  // the run that would decide between these
  };
  /// `repeats`: by parameter, whether it is a number of repetitions of the segment and of nothing else;
  /// empty: none is. The time of one repetition does not depend on it, unless the recordings show that
  /// clearly. `of`: the runs whose times are fitted.
  Built build(std::int32_t transition, bool major, const std::optional<KnownWork>& work = {},
              const std::vector<bool>& repeats = {}, RunsOf of = RunsOf::all) const;
  /// `bytes`: peak resident bytes per trace; 0: unknown. `repeats`: by parameter, whether it is a number of
  /// iterations, which no data depend on.
  Residence residence(const std::vector<double>& bytes, const std::vector<bool>& repeats = {}) const;

 private:
  struct Observation;
  std::vector<Observation> observations(std::int32_t transition,
                                        const std::optional<symbolic::Expression>& work, RunsOf of) const;
  struct Used {
    std::vector<Observation> fitted;
    std::vector<Observation> compared;  // of process counts that those fitted do not have
  };
  Used choose(const std::vector<Observation>& all) const;
  statistics::GrowthData data(const std::vector<Observation>& observations,
                              const std::vector<std::size_t>& arguments) const;
  struct Noise {
    double relative = 0, weight = 0;  // expected noise, and the weight of that prior in observations
  };
  struct Fit {
    std::vector<symbolic::Expression> arguments;
    statistics::GrowthModel growth;
    double score = 0;  // nats
  };
  Fit fit(const Used& used, bool major, Noise noise, const std::vector<bool>& repeats = {}) const;
  /// Returns `repeats` with all parameters of which no data consist: the noise of a short time looks like an
  /// effect of them.
  std::vector<bool> without_effect_on_short(std::vector<bool> repeats) const;
  /// By parameter: whether it has two values only, which differ by less than a factor of two.
  std::vector<bool> hardly_varied(const std::vector<Observation>& observations) const;
  Fit fit_to_any_degree(const Used& used, bool major, Noise noise, const std::vector<bool>& repeats) const;
  Fit fit_to_work(const Used& used, const KnownWork& work, Noise noise) const;
  struct Degrees {
    double largest = 0, further = 0;  // as in statistics::GrowthOptions
  };
  Fit fit_to_degree(const Used& used, bool major, Noise noise, Degrees degrees,
                    const std::vector<bool>& repeats) const;
  std::vector<double> point_of(const Cost& cost, std::size_t trace) const;
  using PointOf = std::function<std::vector<double>(const Observation&)>;
  // By process count.
  std::vector<statistics::RoughGroup> groups(const std::vector<Observation>& compared,
                                             const PointOf& point_of) const;
  std::optional<SegmentDeviation> deviation(const Observation& observation, const Cost& cost) const;
  FittedSegment deviations(const std::vector<Observation>& observations, const Cost& cost) const;
  void describe_spread(const std::vector<Observation>& observations, bool by_work, Cost& cost) const;
  symbolic::Expression argument(std::size_t measure) const;
  int degree(std::size_t measure) const;
  double degree_of_processes(std::size_t measure) const;
  /// The degree of a measure in the sizes of the data, and the one that a time has at most as a rule.
  double degree_of_data(std::size_t measure) const;
  double usual_degree(std::size_t measure) const;
  bool takes_unvaried(const Feature& feature, const std::vector<std::size_t>& distinct) const;
  double price(const std::vector<std::size_t>& arguments) const;
  double value(std::size_t measure, const Place& place) const;
  void make_measures(const std::vector<Factor>& distributions);
  std::vector<std::size_t> distinct_values(const std::vector<Observation>& observations) const;

  std::vector<std::string> parameters_;
  std::vector<RunInfo> runs_;
  std::vector<ProcessGrid> grids_;
  const Traces& traces_;
  std::vector<Place> places_;                  // per trace
  std::vector<Measure> measures_;              // first the parameters, then p, then products
  std::vector<std::vector<double>> measured_;  // [measure][trace]
  std::set<std::string> sized_;
  double usual_degree_ = std::numeric_limits<double>::infinity();
};

}  // namespace parcast::program

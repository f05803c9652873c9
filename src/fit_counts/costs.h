// SPDX-License-Identifier: Apache-2.0
#pragma once
// Seconds per execution of a segment. The mean over ranks and iterations is fitted against whichever measure of work
// extrapolates best: the parameters and p as they are, or what the exact counts show a process to hold (rows of its
// block, points of its block). Recordings with more processes than cores count only where undisturbed ones do not reach.
// docs/models/segments.md.

#include <cstdint>
#include <optional>
#include <vector>

#include "fit_counts/counts.h"
#include "observations/run_deviations.h"

namespace parcast::program {

/// A measure of work: a product of parameters and of parts of a distribution, times a power of p.
struct Measure {
  Feature feature;
  int power_of_p = 0;
  bool alone_or_not = false;  // min(2, p) in place of both: whether there is another process at all
};

class CostBuilder {
 public:
  struct RunInfo {
    Run run;
    bool oversubscribed = false;
    bool slowed = false;  // its times are left out where others show as much
  };
  CostBuilder(std::vector<std::string> parameters, std::vector<RunInfo> runs, std::vector<ProcessGrid> grids,
              std::vector<Factor> distributions, const Traces& traces);

  struct Built {
    Cost cost;
    FittedSegment fitted;     // to the recordings with a core for every process, unless there are none
    bool disturbed = false;   // rests on recordings with more processes than cores
  };
  /// `major`: large enough a share of the time that every measure is tried. `work`: what the program's own code does in an
  /// execution, where that is known (source/counts/counted_program.h): one more measure, and the one that is taken where the runs
  /// leave a choice.
  struct KnownWork {
    symbolic::Expression weighted;
    double constant = 0, measured = 0;  // shares of it by tier
    std::vector<symbolic::Expression> rivals = {};  // what it is multiplied with by other formulas of its counts
    std::string advice = {};                        // the run that would tell these apart
  };
  Built build(std::int32_t transition, bool major, const std::optional<KnownWork>& work = {}) const;
  /// `bytes`: resident at most, per trace; 0 where unknown.
  Residence residence(const std::vector<double>& bytes) const;

 private:
  struct Observation;
  std::vector<Observation> observations(std::int32_t transition, const std::optional<symbolic::Expression>& work = {}) const;
  std::vector<Observation> undisturbed(const std::vector<Observation>& all) const;
  statistics::GrowthData data(const std::vector<Observation>& observations, const std::vector<std::size_t>& arguments) const;
  struct Noise {
    double relative = 0, weight = 0;  // expected beforehand, and its weight in observations
  };
  struct Fit {
    std::vector<symbolic::Expression> arguments;
    statistics::GrowthModel growth;
    double score = 0;  // nats
  };
  Fit fit(const std::vector<Observation>& observations, bool major, Noise noise) const;
  Fit fit_to_work(const std::vector<Observation>& observations, const KnownWork& work, Noise noise) const;
  Fit fit(const std::vector<Observation>& observations, bool major, Noise noise, double largest_degree) const;
  std::vector<double> point_of(const Cost& cost, std::size_t trace) const;
  FittedSegment deviations(const std::vector<Observation>& observations, const Cost& cost) const;
  void describe_spread(const std::vector<Observation>& observations, bool by_work, Cost& cost) const;
  symbolic::Expression argument(std::size_t measure) const;
  int degree(std::size_t measure) const;
  bool takes_unvaried(const Feature& feature, const std::vector<std::size_t>& distinct) const;
  double price(const std::vector<std::size_t>& arguments) const;
  double value(std::size_t measure, const Place& place) const;
  void make_measures(const std::vector<Factor>& distributions);
  std::vector<std::size_t> distinct_values(const std::vector<Observation>& observations) const;

  std::vector<std::string> parameters_;
  std::vector<RunInfo> runs_;
  std::vector<ProcessGrid> grids_;
  const Traces& traces_;
  std::vector<Place> places_;            // per trace
  std::vector<Measure> measures_;        // first the parameters, then p, then products
  std::vector<std::vector<double>> measured_;  // [measure][trace]
};

}  // namespace parcast::program

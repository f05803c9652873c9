// SPDX-License-Identifier: Apache-2.0
#include "fit_counts/costs.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "fit_counts/noise_law.h"
#include "model/binding.h"
#include "observations/slow_phases.h"

namespace parcast::program {
namespace {

constexpr double kLeastSeconds = 1e-10;  // below the clock's resolution
constexpr double kLeastError = 0.003;    // of a mean: the least difference between repeats of a run
constexpr double kOversubscribedError = 0.15;
// Errors of times with more processes than cores: processes in turn use caches and memory in another way than
// all at once.
constexpr statistics::RoughErrors kOfCrowded{0.3, kOversubscribedError};
constexpr double kPerArgument = 2;  // nats that a further argument must gain
constexpr double kPerDegree = 0.5;  // and each degree of it beyond the first
// Usual difference between the memory of two equal runs (their times: observations/run_deviations.h).
constexpr double kResidenceNoise = 0.005;
constexpr double kUsualDegree = 3;  // for growth with the parameters
// A loop without calls takes n^3 x steps: one degree of a second size is free if it gains so many nats.
constexpr double kFurtherDegree = 1, kFurtherGain = 2;
constexpr double kSteepDegree = 6;  // tried if the usual degrees leave kMisfit unexplained
constexpr double kMisfit = 0.2;     // relative error
constexpr double kSteepGain = 8;    // nats that steep degrees must gain: noise does not cause that much
// If this relative error is unexplained in at least kShown runs, any gain suffices: neither a jump at the
// last run nor the noise of a busy host, which leaves half, explains it.
constexpr double kLost = 0.8;
constexpr std::size_t kShown = 5;     // runs
constexpr double kWorkPreferred = 3;  // nats that other measures must gain over the program's counts
// Largest power of counted work that time may grow with, through caches; work that is nearly constant
// determines no power.
constexpr double kSteepestByWork = 1.5;
constexpr double kWorkError = 0.02;  // per doubling of the work: effect of caches and pipelines
// Error of measured counts, for the part of the work without formulas (docs/models/segments.md).
constexpr double kMeasuredError = 0.06;
constexpr double kClearly = 0.2;  // nats: with a smaller gain the earlier fit is kept
// Nats that a time must gain to grow with the processes: work is divided among them.
constexpr double kPerDegreeOfProcesses = 2;
// Nats for each degree in which a time grows faster than the data of the program: caches and noise look like
// that over a few sizes.
constexpr double kPerSteepDegree = 3;
constexpr double kNotDivided = 2;  // nats of a size that processes do not divide, where nothing shows it
// Nats that the time of one repetition must gain to depend on the number of repetitions.
constexpr double kOfRepetitions = 8;

}  // namespace

struct CostBuilder::Observation {
  std::size_t run = 0;
  double seconds = 0;  // or bytes: the fitted value
  double relative_error = 0, total = 0, first_excess = 0, noise = 0;
  std::vector<double> arguments;  // every measure, mean over the executions
  double work = 0;                // the same for the work of the program's own code
  std::vector<std::pair<std::size_t, const TransitionTotals*>> ranks;  // trace and its times
};

CostBuilder::CostBuilder(std::vector<std::string> parameters, std::vector<RunInfo> runs,
                         std::vector<ProcessGrid> grids, std::vector<Factor> distributions,
                         const Traces& traces)
    : parameters_(std::move(parameters)), runs_(std::move(runs)), grids_(std::move(grids)), traces_(traces) {
  for (const Trace& trace : traces.traces) {
    const Run& run = runs_[trace.run].run;
    places_.push_back(place_at(run.parameters, run.processes, trace.rank, grids_));
  }
  make_measures(distributions);
  for (std::size_t m = 0; m < measures_.size(); ++m) {
    measured_.emplace_back();
    for (std::size_t t = 0; t < traces.traces.size(); ++t) {
      const Run& run = runs_[traces.traces[t].run].run;
      measured_.back().push_back(m < parameters_.size() ? run.parameters[m] : value(m, places_[t]));
    }
  }
}

std::vector<CostBuilder::Observation> CostBuilder::observations(
    std::int32_t transition, const std::optional<symbolic::Expression>& work, RunsOf of) const {
  std::vector<Observation> all;
  // By run; the order is that of the traces, not of the recordings as given.
  std::map<std::size_t, std::size_t> index_of;
  for (std::size_t t = 0; t < traces_.traces.size(); ++t) {
    const auto at = traces_.traces[t].transitions.find(transition);
    if (at == traces_.traces[t].transitions.end() || at->second.time.count == 0) continue;
    if (!includes(of, runs_[traces_.traces[t].run].run.processes)) continue;
    const auto [index, is_new] = index_of.emplace(traces_.traces[t].run, all.size());
    if (is_new) all.emplace_back();
    Observation& o = all[index->second];
    o.run = traces_.traces[t].run;
    o.ranks.push_back({t, &at->second});
  }
  for (Observation& o : all) {
    double executions = 0, variance = 0;
    o.arguments.assign(measures_.size(), 0);
    for (const auto& [t, totals] : o.ranks) {
      const auto weight = static_cast<double>(totals->time.count);
      executions += weight;
      o.seconds += weight * totals->time.mean;
      o.total += totals->time.total;
      variance += std::pow(weight * totals->time.standard_error, 2);
      o.noise += weight * totals->time.noise;
      if (totals->time.mean > 0)
        o.first_excess += totals->time.first_extra / totals->time.mean / static_cast<double>(o.ranks.size());
      for (std::size_t m = 0; m < measures_.size(); ++m) o.arguments[m] += weight * measured_[m][t];
      if (work) {
        const auto amount =
            symbolic::evaluate(*work, binding_of(places_[t], parameters_, runs_[o.run].run.parameters));
        o.work += weight * (amount && std::isfinite(*amount) ? std::max(*amount, 0.0) : 0);
      }
    }
    o.work /= executions;
    o.seconds = std::max(o.seconds / executions, kLeastSeconds);
    o.noise /= executions;
    o.relative_error = std::max(kLeastError, std::sqrt(variance) / executions / o.seconds);
    if (runs_[o.run].oversubscribed) o.relative_error += kOversubscribedError;
    for (double& a : o.arguments) a /= executions;
  }
  return all;
}

std::vector<std::size_t> CostBuilder::distinct_values(const std::vector<Observation>& observations) const {
  std::vector<std::size_t> counts;
  for (std::size_t v = 0; v <= parameters_.size(); ++v) {
    std::set<double> values;
    for (const Observation& o : observations) values.insert(o.arguments[v]);
    counts.push_back(values.size());
  }
  return counts;
}

// Removes slowed recordings if no value is lost. Of the others, those with a core for every process are
// fitted if these determine the effects of the parameters as well.
CostBuilder::Used CostBuilder::choose(const std::vector<Observation>& everything) const {
  std::vector<Observation> all = everything, calm;
  std::erase_if(all, [&](const Observation& o) { return runs_[o.run].slowed; });
  if (all.empty() || distinct_values(all) != distinct_values(everything)) all = everything;
  for (const Observation& o : all)
    if (!runs_[o.run].oversubscribed) calm.push_back(o);
  if (calm.size() == all.size() || calm.empty()) return {std::move(all), {}};
  const auto of_all = distinct_values(all), of_calm = distinct_values(calm);
  for (std::size_t v = 0; v < of_all.size(); ++v) {
    const std::size_t enough = v < parameters_.size() ? 3 : 2;
    if (of_calm[v] < std::min(enough, of_all[v])) return {std::move(all), {}};
  }
  const std::size_t p = parameters_.size();
  std::set<double> known;
  for (const Observation& o : calm) known.insert(o.arguments[p]);
  std::erase_if(all, [&](const Observation& o) {
    return !runs_[o.run].oversubscribed || known.contains(o.arguments[p]);
  });
  return {std::move(calm), std::move(all)};
}

std::vector<statistics::RoughGroup> CostBuilder::groups(const std::vector<Observation>& compared,
                                                        const PointOf& point_of) const {
  std::map<double, statistics::RoughGroup> by_processes;
  for (const Observation& o : compared) {
    statistics::RoughGroup& group = by_processes[o.arguments[parameters_.size()]];
    group.points.push_back(point_of(o));
    group.values.push_back(o.seconds);
  }
  std::vector<statistics::RoughGroup> out;
  for (auto& [p, group] : by_processes) out.push_back(std::move(group));
  return out;
}

statistics::GrowthData CostBuilder::data(const std::vector<Observation>& observations,
                                         const std::vector<std::size_t>& arguments) const {
  statistics::GrowthData data;
  for (const std::size_t m : arguments) data.arguments.push_back(symbolic::to_text(argument(m)));
  for (const Observation& o : observations) {
    data.points.emplace_back();
    for (const std::size_t m : arguments) data.points.back().push_back(o.arguments[m]);
    data.values.push_back(o.seconds);
    data.relative_errors.push_back(o.relative_error);
  }
  return data;
}

// Returns the nats that a fit against these measures must gain over one against none.
double CostBuilder::price(const std::vector<std::size_t>& arguments) const {
  double price = 0;
  for (const std::size_t m : arguments) {
    price += kPerArgument + kPerDegree * std::max(0, degree(m) - 1);
  }
  return arguments.empty() ? 0 : price - kPerArgument;
}

CostBuilder::Fit CostBuilder::fit(const Used& used, bool major, Noise noise,
                                  const std::vector<bool>& repeats) const {
  const std::vector<bool> without = major ? repeats : without_effect_on_short(repeats);
  Fit usual = fit_to_any_degree(used, major, noise, without);
  if (usual.growth.residual_relative_error < kMisfit || std::ranges::find(without, true) == without.end())
    return usual;
  Fit free = fit_to_any_degree(used, major, noise, major ? std::vector<bool>{} : hardly_varied(used.fitted));
  const bool fits = major || free.growth.residual_relative_error < kMisfit;
  return fits && free.score > usual.score + kOfRepetitions ? std::move(free) : std::move(usual);
}

std::vector<bool> CostBuilder::hardly_varied(const std::vector<Observation>& observations) const {
  constexpr std::size_t kFewestValues = 3;
  constexpr double kLeastRange = 2;  // largest / smallest
  const auto distinct = distinct_values(observations);
  std::vector<bool> out;
  for (std::size_t v = 0; v < parameters_.size(); ++v) {
    double least = INFINITY, most = 0;
    for (const Observation& o : observations)
      least = std::min(least, o.arguments[v]), most = std::max(most, o.arguments[v]);
    out.push_back(distinct[v] < kFewestValues && most < kLeastRange * least);
  }
  return out;
}

std::vector<bool> CostBuilder::without_effect_on_short(std::vector<bool> repeats) const {
  repeats.resize(parameters_.size(), false);
  if (sized_.empty()) return repeats;
  for (std::size_t v = 0; v < parameters_.size(); ++v)
    if (!sized_.contains(parameters_[v])) repeats[v] = true;
  return repeats;
}

CostBuilder::Fit CostBuilder::fit_to_any_degree(const Used& used, bool major, Noise noise,
                                                const std::vector<bool>& repeats) const {
  Fit usual = fit_to_degree(used, major, noise, {kUsualDegree}, repeats);
  const auto distinct = distinct_values(used.fitted);
  std::size_t sizes = 0;  // that varied
  for (std::size_t v = 0; v < parameters_.size(); ++v)
    sizes += distinct[v] > 1 && !(v < repeats.size() && repeats[v]);
  if (sizes > 1 && (major || usual.growth.residual_relative_error >= kMisfit)) {
    Fit further = fit_to_degree(used, major, noise, {kUsualDegree, kFurtherDegree}, repeats);
    if (further.score > usual.score + kFurtherGain) usual = std::move(further);
  }
  // The noise of a short time leaves much unexplained, and steep powers of a few sizes explain some of it.
  if (!major || usual.growth.residual_relative_error < kMisfit) return usual;
  Fit steep = fit_to_degree(used, major, noise, {kSteepDegree}, repeats);
  const bool lost = usual.growth.residual_relative_error >= kLost && used.fitted.size() >= kShown;
  return steep.score > usual.score + (lost ? 0 : kSteepGain) ? std::move(steep) : std::move(usual);
}

CostBuilder::Fit CostBuilder::fit_to_degree(const Used& used, bool major, Noise noise, Degrees degrees,
                                            const std::vector<bool>& repeats) const {
  const std::vector<Observation>& observations = used.fitted;
  Fit best;
  best.score = -INFINITY;
  const auto distinct = distinct_values(observations);
  const std::size_t basic = parameters_.size() + 1;
  const auto only_repeats = [&](std::size_t v) { return v < repeats.size() && repeats[v]; };
  std::vector<std::size_t> varied;
  for (std::size_t v = 0; v < basic; ++v)
    if (distinct[v] > 1 && !only_repeats(v)) varied.push_back(v);

  // The time of a process grows at most with the square of p, or with p itself if there are only two process
  // counts. What one process omits would otherwise look like a steep power.
  const double of_p = degrees.largest / (distinct[parameters_.size()] < 3 ? 1 : 2);
  // Times on one of several numbers of processes do not show how they change with it. Then the work of a
  // process falls with its part of the data, and no faster.
  const double processes = observations[0].arguments[parameters_.size()];
  const bool on_one_number =
      distinct[parameters_.size()] < 2 && processes > 1 &&
      std::ranges::any_of(runs_, [&](const RunInfo& run) { return run.run.processes != processes; });
  const auto attempt = [&](const std::vector<std::size_t>& arguments) {
    double cost = price(arguments);
    for (const std::size_t m : arguments)
      if (on_one_number && m < parameters_.size() && sized_.contains(parameters_[m])) cost += kNotDivided;
    statistics::GrowthOptions options;
    options.expected_relative_noise = noise.relative;
    options.expected_noise_weight = noise.weight;
    options.largest_degree = degrees.largest;
    options.further_degree = degrees.further;
    for (const std::size_t m : arguments) {
      const bool is_p = m == parameters_.size();
      options.degrees.push_back(is_p ? of_p : degree(m));
      options.size_degrees.push_back(is_p ? 0 : degree(m));
      options.rare_degrees.push_back(degree_of_processes(m));
      options.data_degrees.push_back(degree_of_data(m));
      options.usual_degrees.push_back(on_one_number ? usual_degree_ : usual_degree(m));
    }
    if (on_one_number) options.least_rare_degree = -1;
    options.nats_per_steep_degree = kPerSteepDegree;
    options.nats_per_rare_degree = kPerDegreeOfProcesses;
    options.least_log_evidence = best.score + cost;
    auto model = statistics::fit_growth(data(observations, arguments), options);
    if (!model) return -double{INFINITY};
    const auto point = [&](const Observation& o) {
      std::vector<double> values;
      for (const std::size_t m : arguments) values.push_back(o.arguments[m]);
      return values;
    };
    statistics::weigh_by_rough(*model, groups(used.compared, point), kOfCrowded);
    const double score = model->log_evidence - cost;
    if (!model->hypotheses.empty() && score > best.score + kClearly) {
      best.score = score;
      best.growth = std::move(*model);
      best.arguments.clear();
      for (const std::size_t m : arguments) best.arguments.push_back(argument(m));
    }
    return score;
  };

  attempt({});
  if (varied.empty()) return best;
  std::vector<std::pair<double, std::size_t>> singles;
  std::set<std::vector<double>> tried;
  const std::size_t most = major ? 24 : 4;
  for (std::size_t m = basic; m + 1 < measures_.size() && singles.size() < most; ++m) {
    const Feature& feature = measures_[m].feature;
    if (takes_unvaried(feature, distinct)) continue;
    bool by_repetitions = false;
    for (std::size_t v = 0; v < parameters_.size(); ++v)
      by_repetitions = by_repetitions || (only_repeats(v) && feature.involves(v));
    if (by_repetitions) continue;
    std::vector<double> column;
    for (const Observation& o : observations) column.push_back(o.arguments[m] / observations[0].arguments[m]);
    const bool flat = std::all_of(column.begin(), column.end(), [](double v) { return v == 1; });
    for (double& v : column) v = std::round(v * 1e9);
    if (flat || !tried.insert(column).second) continue;
    singles.push_back({attempt({m}), m});
  }
  for (const std::size_t v : varied) attempt({v});
  if (varied.size() > 1) attempt(varied);
  const std::size_t last = measures_.size() - 1;  // min(2, p)
  if (std::ranges::any_of(observations, [&](const Observation& o) {
        return o.arguments[last] != observations[0].arguments[last];
      }))
    attempt({last});
  if (!major) return best;
  std::stable_sort(singles.begin(), singles.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (std::size_t s = 0; s < std::min<std::size_t>(2, singles.size()); ++s)
    for (const std::size_t v : varied)
      if (distinct[v] > 2) attempt({singles[s].second, v});
  return best;
}

// Fits a time proportional to the work, plus a constant if there are enough runs to determine one.
CostBuilder::Fit CostBuilder::fit_to_work(const Used& used, const KnownWork& work, Noise noise) const {
  const std::vector<Observation>& observations = used.fitted;
  Fit found;
  found.score = -INFINITY;
  std::set<double> distinct;
  for (const Observation& o : observations) distinct.insert(o.work);
  if (observations.empty() || !(*distinct.begin() > 0)) return found;
  statistics::GrowthOptions options;
  options.expected_relative_noise = noise.relative;
  options.expected_noise_weight = noise.weight;
  options.exponents = {{1}};
  options.largest_log_power = {0};
  options.maximal_terms = 1;
  options.degrees = {1};
  options.largest_degree = kSteepestByWork;
  options.relative_error_per_doubling = std::hypot(kWorkError, kMeasuredError * work.measured);
  statistics::GrowthData data = this->data(observations, {});
  const std::string name = symbolic::to_text(work.weighted);
  if (distinct.size() > 1) {
    data.arguments = {name};
    for (std::size_t i = 0; i < observations.size(); ++i) data.points[i] = {observations[i].work};
  }
  auto model = statistics::fit_growth(data, options);
  if (!model) return found;
  found.arguments = {work.weighted};
  found.growth = distinct.size() > 1 ? std::move(*model)
                                     : statistics::in_proportion(std::move(*model), name, *distinct.begin(),
                                                                 options.relative_error_per_doubling);
  statistics::weigh_by_rough(found.growth,
                             groups(used.compared, [](const Observation& o) { return std::vector{o.work}; }),
                             kOfCrowded);
  found.score = found.growth.log_evidence;
  return found;
}

Residence CostBuilder::residence(const std::vector<double>& bytes, const std::vector<bool>& repeats) const {
  std::vector<Observation> all;
  std::map<std::size_t, std::size_t> index_of;  // by run
  for (std::size_t t = 0; t < traces_.traces.size(); ++t) {
    if (!(bytes[t] > 0)) return {};
    const auto [index, is_new] = index_of.emplace(traces_.traces[t].run, all.size());
    if (is_new) {
      all.emplace_back();
      all.back().run = traces_.traces[t].run;
      all.back().arguments.assign(measures_.size(), 0);
    }
    Observation& o = all[index->second];
    o.ranks.push_back({t, nullptr});
    o.seconds += bytes[t];
    for (std::size_t m = 0; m < measures_.size(); ++m) o.arguments[m] += measured_[m][t];
  }
  for (Observation& o : all) {
    const auto ranks = static_cast<double>(o.ranks.size());
    o.seconds /= ranks;
    for (double& a : o.arguments) a /= ranks;
  }
  if (all.empty()) return {};
  Fit found = fit_to_any_degree({all, {}}, true, {kResidenceNoise, kOpinion}, repeats);
  return {std::move(found.arguments), std::move(found.growth)};
}

// Computes the lasting differences between ranks, beyond those explained by the arguments and by the noise of
// their means.
void CostBuilder::describe_spread(const std::vector<Observation>& observations, bool by_work,
                                  Cost& cost) const {
  std::vector<double> imbalances;
  double excess = 0, weight = 0, slow_phases = 0, compared = 0;
  std::vector<NoiseOfRun> noise, between_ranks;  // the latter: of runs whose ranks can be compared
  for (const Observation& o : observations) {
    noise.push_back({o.seconds, o.noise, o.total});
    excess += o.first_excess * o.total;
    weight += o.total;
    if (o.ranks.size() < 2) continue;
    std::vector<const TimeSummary*> times;
    for (const auto& rank : o.ranks) times.push_back(&rank.second->time);
    const SlowPhases between = slow_phases_between(times);
    slow_phases += between.noise * o.total;
    compared += o.total;
    if (between.between_executions)
      between_ranks.push_back({o.seconds, std::min(o.noise, *between.between_executions), o.total});
    std::vector<double> ratios;
    double error = 0;
    for (std::size_t i = 0; i < o.ranks.size(); ++i) {
      const auto& [t, totals] = o.ranks[i];
      const double expected = cost.growth->predict(point_of(cost, t));
      if (!(expected > 0) || totals->time.mean <= 0) continue;
      ratios.push_back(totals->time.mean / expected);
      error += std::pow(totals->time.standard_error / expected, 2) + between.squared_errors[i];
    }
    // A single execution does not separate lasting differences from chance. If counts give each rank's work,
    // the remaining differences are chance.
    const bool once =
        std::ranges::all_of(o.ranks, [](const auto& rank) { return rank.second->time.count == 1; });
    if (ratios.size() < 2 || (by_work && once)) continue;
    const auto n = static_cast<double>(ratios.size());
    double mean = 0, variance = 0;
    for (const double x : ratios) mean += x / n;
    for (const double x : ratios) variance += (x - mean) * (x - mean) / (n - 1);
    const double persistent = variance > 0 ? std::sqrt(std::max(0.0, 1 - error / n / variance)) : 0;
    imbalances.push_back((*std::max_element(ratios.begin(), ratios.end()) / mean - 1) * persistent);
  }
  cost.iteration_noise = noise_law(between_ranks.empty() ? noise : between_ranks);
  cost.slow_phase_noise = compared > 0 ? slow_phases / compared : 0;
  cost.first_excess = weight > 0 ? excess / weight : 0;
  if (imbalances.empty()) return;
  std::nth_element(imbalances.begin(),
                   imbalances.begin() + static_cast<std::ptrdiff_t>(imbalances.size() / 2), imbalances.end());
  cost.imbalance = imbalances[imbalances.size() / 2];
}

// Returns the arguments of the cost in a rank of a run.
std::vector<double> CostBuilder::point_of(const Cost& cost, std::size_t trace) const {
  const symbolic::Binding binding =
      binding_of(places_[trace], parameters_, runs_[traces_.traces[trace].run].run.parameters);
  std::vector<double> point;
  for (const auto& argument : cost.arguments) {
    const auto at = symbolic::evaluate(argument, binding);
    point.push_back(at ? std::max(*at, 0.0) : 0);
  }
  return point;
}

// Returns the measured value relative to the cost's prediction.
std::optional<SegmentDeviation> CostBuilder::deviation(const Observation& o, const Cost& cost) const {
  double expected = 0, executions = 0;
  for (const auto& [t, totals] : o.ranks) {
    const auto weight = static_cast<double>(totals->time.count);
    executions += weight, expected += weight * cost.growth->predict(point_of(cost, t));
  }
  if (!(expected > 0)) return std::nullopt;
  return SegmentDeviation{o.run, o.seconds * executions / expected - 1, expected};
}

FittedSegment CostBuilder::deviations(const std::vector<Observation>& observations, const Cost& cost) const {
  FittedSegment out;
  for (const statistics::GrowthHypothesis& h : cost.growth->hypotheses)
    out.coefficients += h.weight * static_cast<double>(h.factor.rows);
  const bool all = std::ranges::all_of(runs_, [](const RunInfo& run) { return run.oversubscribed; });
  for (const Observation& o : observations)
    if (const auto found = deviation(o, cost))
      (runs_[o.run].oversubscribed && !all ? out.crowded : out.deviations).push_back(*found);
  return out;
}

CostBuilder::Built CostBuilder::build(std::int32_t transition, bool major,
                                      const std::optional<KnownWork>& work, const std::vector<bool>& repeats,
                                      RunsOf of) const {
  Built built;
  const auto all = observations(transition, work ? std::optional(work->weighted) : std::nullopt, of);
  if (all.empty()) return built;
  const Used used = choose(all);
  built.disturbed =
      std::ranges::any_of(used.fitted, [&](const Observation& o) { return runs_[o.run].oversubscribed; });
  Fit found = fit(used, major, {kUsualDeviation, kOpinion}, repeats);
  bool by_work = false;
  if (work) {
    Fit of_work = fit_to_work(used, *work, {kUsualDeviation, kOpinion});
    const double missed = of_work.growth.residual_relative_error;
    const bool others_fit_better = found.growth.residual_relative_error < missed;
    const bool lost = missed >= kLost && others_fit_better;
    if (!lost && of_work.score > found.score - (missed < kMisfit || !others_fit_better ? kWorkPreferred : 0))
      found = std::move(of_work), by_work = true;
  }
  if (by_work) {
    built.cost.unsure = work->constant + work->measured;
    built.cost.alternatives = work->alternatives;
    built.cost.advice = work->advice;
  }
  built.cost.arguments = std::move(found.arguments);
  built.cost.growth = std::move(found.growth);
  std::set<std::vector<double>> points;
  for (const Observation& o : used.fitted)
    points.insert(
        {o.arguments.begin(), o.arguments.begin() + static_cast<std::ptrdiff_t>(parameters_.size() + 1)});
  built.cost.origin = points.size() < 2 ? Origin::measured : Origin::fitted;
  built.fitted = deviations(used.fitted, built.cost);
  for (const Observation& o : used.compared)
    if (const auto compared = deviation(o, built.cost)) built.compared.push_back(*compared);
  describe_spread(used.fitted, by_work, built.cost);
  return built;
}

}  // namespace parcast::program

// SPDX-License-Identifier: Apache-2.0
// parcast_reconciliation_bench TREES [SEED]: generated programs of 12 to 60 segments in regions, each with a
// law in N and p, measured with noise at three to five sizes and three process counts; some segments are
// missing on one process. The computing of a process at four times the largest N and p is forecast by the sum
// of the segments alone, by the program as a whole alone (its parts scaled to it), and reconciled.
//
//   100 trees from 9000 on     error of the total        of regions     of segments
//                            median   mean    worst     mean             mean, by share
//   sum of the segments       0.5 %   1.9 %    46 %      2.2 %             2.5 %
//   whole alone              36.9 %  45.7 %   213 %     46.0 %            46.2 %
//   reconciled                0.5 %   1.9 %    46 %      2.2 %             2.5 %
//
// The same, where time moves between neighbouring segments: 5.1, 49.8 and 5.1 % in the mean of the total.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <vector>

#include "predict/reconcile.h"
#include "statistics/growth.h"

using namespace parcast;
using predict::Group;
using predict::Weighed;

namespace {

constexpr double kFurther = 4;
constexpr double kFragileNoise = 0.5;

struct At {
  double n = 0, p = 0;
};

/// c N^a p^b, or that and a constant.
struct Law {
  double coefficient = 0, of_n = 0, of_p = 0, constant = 0;
  std::size_t region = 0;
  bool only_parallel = false;

  double value(const At& at) const {
    return only_parallel && at.p < 2 ? 0
                                     : constant + coefficient * std::pow(at.n, of_n) * std::pow(at.p, of_p);
  }
};

struct Program {
  std::vector<Law> laws;
  std::size_t regions = 0;
  std::vector<At> recorded;
  double noise = 0, of_run = 0;
  std::vector<bool> fragile;  // measured with kFragileNoise
};

class Generator {
 public:
  /// `fragile`: the times of one segment in five have a large noise, which their sum has not.
  Generator(std::uint64_t seed, bool fragile) : random_(seed), fragile_(fragile) {}

  Program program() {
    Program out;
    out.regions = static_cast<std::size_t>(pick(3, 6));
    out.noise = std::exp(uniform(std::log(0.01), std::log(0.1)));
    out.of_run = uniform(0.003, 0.02);
    const int sizes = pick(3, 5);
    const double least = uniform(50, 200), step = uniform(1.3, 1.8);
    for (int i = 0; i < sizes; ++i)
      for (const double p : {1., 2., 4.}) out.recorded.push_back({std::round(least * std::pow(step, i)), p});
    for (int k = pick(12, 60); k > 0; --k) {
      out.laws.push_back(law(out));
      out.fragile.push_back(fragile_ && pick(0, 4) == 0);
    }
    return out;
  }
  double normal() { return std::normal_distribution<double>()(random_); }

 private:
  int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }

  Law law(const Program& program) {
    constexpr double kOfN[]{0, 1, 1, 2, 2, 3, 1.5}, kOfP[]{-1, -1, -1, -0.5, 0};
    Law out;
    out.of_n = kOfN[pick(0, 6)], out.of_p = out.of_n > 0 ? kOfP[pick(0, 4)] : 0;
    const At middle = program.recorded[program.recorded.size() / 2];
    const double seconds = std::exp(2 * normal());
    out.coefficient = seconds / (std::pow(middle.n, out.of_n) * std::pow(middle.p, out.of_p));
    if (pick(0, 3) == 0) out.constant = seconds * uniform(0.01, 0.5);
    out.region = static_cast<std::size_t>(pick(0, static_cast<int>(program.regions) - 1));
    out.only_parallel = pick(0, 9) == 0;
    return out;
  }

  std::mt19937_64 random_;
  bool fragile_;
};

/// Moves time between fragile segments and their successors, as a mark does that is not always at one place.
void shift(const Program& program, Generator& generator, std::vector<std::vector<double>>& seconds) {
  for (std::size_t s = 0; s + 1 < seconds.size(); ++s) {
    if (!program.fragile[s]) continue;
    const double most = std::min(seconds[s].back(), seconds[s + 1].back());
    const double moved = most * std::clamp(kFragileNoise * generator.normal(), -0.9, 0.9);
    seconds[s].back() += moved, seconds[s + 1].back() -= moved;
  }
}

/// Seconds of each segment in each recorded run; 0 where it is missing.
std::vector<std::vector<double>> measure(const Program& program, Generator& generator) {
  std::vector<std::vector<double>> out(program.laws.size());
  for (const At& at : program.recorded) {
    const double run = std::exp(program.of_run * generator.normal());
    for (std::size_t s = 0; s < out.size(); ++s)
      out[s].push_back(program.laws[s].value(at) * run * std::exp(program.noise * generator.normal()));
    shift(program, generator, out);
  }
  return out;
}

std::optional<Weighed> forecast(const std::vector<At>& points, const std::vector<double>& seconds,
                                double noise, const At& asked) {
  statistics::GrowthData data{{"N", "p"}, {}, {}, {}};
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!(seconds[i] > 0)) continue;
    data.points.push_back({points[i].n, points[i].p});
    data.values.push_back(seconds[i]);
    data.relative_errors.push_back(noise);
  }
  statistics::GrowthOptions options;
  options.degrees = {1, 2};
  const auto model = statistics::fit_growth(data, options);
  if (!model) return std::nullopt;
  const std::vector<double> at{asked.n, asked.p};
  const auto interval = model->predict(at, 0.9);
  return Weighed{model->predict(at),
                 std::clamp(std::log(interval.high / interval.low) / 2 / 1.6449, 0.02, 10.0)};
}

/// As the forward check of a model has it: without the largest N and without the largest p.
struct ForwardErrors {
  double whole = 0, parts = 0;  // root mean squares per doubling
};

ForwardErrors check_forward(const Program& program, const std::vector<std::vector<double>>& measured) {
  ForwardErrors out;
  double count = 0;
  for (const bool of_p : {false, true}) {
    const auto value = [&](const At& at) { return of_p ? at.p : at.n; };
    double largest = 0, remaining = 0;
    for (const At& at : program.recorded) largest = std::max(largest, value(at));
    for (const At& at : program.recorded)
      if (value(at) < largest) remaining = std::max(remaining, value(at));
    std::vector<At> kept;
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < program.recorded.size(); ++i)
      if (value(program.recorded[i]) < largest) kept.push_back(program.recorded[i]), rows.push_back(i);
    const auto select = [&](const std::vector<double>& seconds) {
      std::vector<double> some;
      for (const std::size_t i : rows) some.push_back(seconds[i]);
      return some;
    };
    std::vector<double> sums(program.recorded.size());
    for (const auto& seconds : measured)
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += seconds[i];
    for (std::size_t i = 0; i < program.recorded.size(); ++i) {
      if (value(program.recorded[i]) < largest) continue;
      const auto whole = forecast(kept, select(sums), 0, program.recorded[i]);
      double parts = 0;
      for (const auto& seconds : measured)
        parts += forecast(kept, select(seconds), 0, program.recorded[i]).value_or(Weighed{}).value;
      const double doublings = std::log2(largest / remaining);
      out.whole += std::pow(std::log(sums[i] / whole->value) / doublings, 2),
          out.parts += std::pow(std::log(sums[i] / parts) / doublings, 2), ++count;
    }
  }
  return {std::sqrt(out.whole / count), std::sqrt(out.parts / count)};
}

struct Score {
  std::vector<double> total;
  double regions = 0, segments = 0;

  void print(const char* name) {
    std::sort(total.begin(), total.end());
    const auto count = static_cast<double>(total.size());
    const double mean = std::accumulate(total.begin(), total.end(), 0.0) / count;
    std::printf("%-24s %7.1f %% %6.1f %% %6.0f %% %8.1f %% %14.1f %%\n", name, 100 * total[total.size() / 2],
                100 * mean, 100 * total.back(), 100 * regions / count, 100 * segments / count);
  }
};

double error(double value, double truth) {
  return std::abs(std::log(value / truth));
}

class Bench {
 public:
  void add(std::uint64_t seed, bool fragile) {
    Generator generator(seed, fragile);
    const Program program = generator.program();
    const auto measured = measure(program, generator);
    At asked;
    for (const At& at : program.recorded)
      asked.n = std::max(asked.n, kFurther * at.n), asked.p = std::max(asked.p, kFurther * at.p);
    std::vector<double> truth, sums(program.recorded.size());
    std::vector<Weighed> values;
    for (std::size_t s = 0; s < measured.size(); ++s) {
      truth.push_back(program.laws[s].value(asked));
      values.push_back(forecast(program.recorded, measured[s], 0, asked).value_or(Weighed{}));
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += measured[s][i];
    }
    std::vector<Group> groups(1);
    groups.front().whole = forecast(program.recorded, sums, 0, asked);
    const ForwardErrors errors = check_forward(program, measured);
    const double beyond = std::sqrt(2.0) * std::log2(kFurther);
    const double whole = groups.front().whole->value;
    groups.front().whole->deviation = std::max(groups.front().whole->deviation, errors.whole * beyond);
    groups.front().error_of_parts = errors.parts * beyond;
    if (!predict::is_better_as_a_whole(errors.whole, errors.parts)) groups.front() = {};
    groups.front().parts.resize(values.size());
    std::iota(groups.front().parts.begin(), groups.front().parts.end(), std::size_t{0});
    std::vector<double> parts;
    for (const Weighed& each : values) parts.push_back(each.value);
    const double sum = std::accumulate(parts.begin(), parts.end(), 0.0);
    std::vector<double> scaled = parts;
    for (double& each : scaled) each *= whole / sum;
    score(parts_, program, parts, truth);
    score(whole_, program, scaled, truth);
    score(reconciled_, program, predict::reconciled_values(values, groups), truth);
  }

  void print() {
    std::printf("%zu trees, %g times the largest N and p\n%-24s %9s %8s %8s %10s %16s\n", parts_.total.size(),
                kFurther, "", "median", "mean", "worst", "regions", "segments");
    parts_.print("sum of the segments");
    whole_.print("whole alone");
    reconciled_.print("reconciled");
  }

 private:
  static void score(Score& score, const Program& program, const std::vector<double>& values,
                    const std::vector<double>& truth) {
    const double all = std::accumulate(truth.begin(), truth.end(), 0.0);
    score.total.push_back(error(std::accumulate(values.begin(), values.end(), 0.0), all));
    std::vector<double> given(program.regions), right(program.regions);
    for (std::size_t s = 0; s < values.size(); ++s) {
      given[program.laws[s].region] += values[s], right[program.laws[s].region] += truth[s];
      if (truth[s] > 0 && values[s] > 0) score.segments += truth[s] / all * error(values[s], truth[s]);
    }
    for (std::size_t r = 0; r < program.regions; ++r)
      if (right[r] > 0) score.regions += right[r] / all * error(given[r], right[r]);
  }

  Score parts_, whole_, reconciled_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3)
    return std::fprintf(stderr, "usage: parcast_reconciliation_bench TREES [SEED]\n"), 2;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  for (const bool fragile : {false, true}) {
    Bench bench;
    for (std::int64_t k = 0; k < std::strtoll(argv[1], nullptr, 10); ++k)
      bench.add(seed + static_cast<std::uint64_t>(k), fragile);
    std::printf(fragile ? "\ntime moves between neighbours\n" : "times of each segment by its law\n");
    bench.print();
  }
}

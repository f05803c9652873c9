// SPDX-License-Identifier: Apache-2.0
// Measures how often intervals of predicted times hold: parcast_regress_coverage [sets [programs [runs]]]
//
// Synthetic sets of runs (default 1,000 of 6 programs with 10 runs each) from costs that are known, with four
// kinds of errors: those of the model (a constant part, one in proportion, programs that differ), and three
// that it does not know: heavy tails, drift from run to run, and programs each with costs of its own. Costs
// are fitted to each set, and two fresh runs are predicted: one of a program in the set, one of a program
// that is not. Printed are, per kind and per run, how often the 90 % interval held, its median width, and its
// mean interval score (width + 20 x distance outside, over the true time), and those of the naive interval
// (ordinary least squares with Student's interval of an observation), of the same with weights in proportion,
// and of the papers' +- 2 standard errors of the mean.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "regress/costs.h"
#include "regress/held_out.h"
#include "statistics/random.h"
#include "statistics/summary.h"

namespace {

using namespace parcast;
using statistics::Interval;
using statistics::Random;

constexpr double kLevel = 0.9;

enum class Errors { of_the_model, heavy_tails, drift, costs_of_their_own };
constexpr const char* kNames[] = {"constant, relative, programs", "heavy tails", "drift",
                                  "programs with costs of their own"};

/// Student's t with 3 degrees of freedom, scaled to variance 1.
double heavy(Random& random) {
  double squares = 0;
  for (int i = 0; i < 3; ++i) squares += std::pow(random.normal(), 2);
  return random.normal() / std::sqrt(squares / 3) / std::sqrt(3.0);
}

struct Program {
  double effect = 1, talk = 1, size = 1;
  std::vector<double> costs;
};

const std::vector<double> kCosts{1e-9, 2e-5, 5e-10};

Program program(Random& random, Errors errors) {
  constexpr double kBetween = 0.12;
  Program out{1, std::pow(10, 2 * random.uniform() - 1), std::pow(10, 2 * random.uniform() - 1), kCosts};
  if (errors == Errors::costs_of_their_own) {
    for (double& cost : out.costs) cost *= std::exp(kBetween * random.normal());
  } else {
    out.effect = std::exp(kBetween * (errors == Errors::heavy_tails ? heavy(random) : random.normal()));
  }
  return out;
}

/// `age` is the run's place in the sequence, 0 .. 1.
regress::Run run(Random& random, Errors errors, const Program& program, const std::string& name, double age) {
  constexpr double kRelative = 0.03, kConstant = 2e-3;
  regress::Run out;
  out.program = name;
  const double n = 50 * std::pow(20, random.uniform()), p = std::pow(2, static_cast<double>(random.below(5)));
  out.counts = {20 * n * n * n / p, program.talk * 5 * n * (1 + std::log2(p)),
                program.size * program.talk * 4000 * n * n / p};
  double mean = 0;
  for (std::size_t j = 0; j < 3; ++j) mean += program.costs[j] * out.counts[j];
  mean *= program.effect;
  const double noise = errors == Errors::heavy_tails ? heavy(random) : random.normal();
  const double drift = errors == Errors::drift ? 0.1 * (age - 0.5) : 0;
  out.seconds = std::max(mean * (1 + drift + kRelative * noise) + kConstant * random.normal(), 0.2 * mean);
  return out;
}

struct Score {
  int held = 0, of = 0;
  std::vector<double> widths, scores;

  void add(const Interval& interval, double measured) {
    ++of;
    const double outside = std::max({interval.low - measured, measured - interval.high, 0.0});
    held += outside == 0 ? 1 : 0;
    widths.push_back((interval.high - interval.low) / measured);
    scores.push_back((interval.high - interval.low + 2 / (1 - kLevel) * outside) / measured);
  }
  void take(const Score& other) {
    held += other.held, of += other.of;
    widths.insert(widths.end(), other.widths.begin(), other.widths.end());
    scores.insert(scores.end(), other.scores.begin(), other.scores.end());
  }
};

enum Way { kOurs, kRobust, kWeighted, kNaive, kPapers, kWays };
constexpr const char* kWayNames[] = {"regress", "regress --robust", "weighted, Student's t",
                                     "least squares, Student's t", "papers' +- 2 SE"};

struct Outcome {
  Score ways[2][kWays];  // a known program, a new one
  void take(const Outcome& other) {
    for (int known = 0; known < 2; ++known)
      for (int way = 0; way < kWays; ++way) ways[known][way].take(other.ways[known][way]);
  }
};

/// Weighted least squares by the measured times: rows over their times, with Student's interval.
void add_weighted(const regress::Runs& runs, const regress::Run& asked, Score& score) {
  statistics::Matrix design(runs.runs.size(), runs.counts.size());
  std::vector<double> seconds;
  statistics::LeastSquaresOptions options;
  for (std::size_t i = 0; i < runs.runs.size(); ++i) {
    for (std::size_t j = 0; j < runs.counts.size(); ++j) design(i, j) = runs.runs[i].counts[j];
    seconds.push_back(runs.runs[i].seconds);
    options.weights.push_back(std::pow(runs.runs[i].seconds, -2));
  }
  const auto fit = statistics::fit_least_squares(design, seconds, options);
  if (!fit) return;
  const auto value = statistics::predict(*fit, asked.counts);
  if (!value || *value <= 0) return;
  if (const auto interval =
          statistics::observation_interval(*fit, asked.counts, kLevel, std::pow(*value, -2)))
    score.add(*interval, asked.seconds);
}

Outcome one_set(std::uint64_t seed, Errors errors, int programs, int runs) {
  Random random(seed);
  regress::Runs set;
  set.counts = {"operations", "messages", "bytes"};
  set.where = "synthetic";
  regress::Run known;
  for (int g = 0; g < programs; ++g) {
    const Program each = program(random, errors);
    const std::string name = "program " + std::to_string(g);
    for (int i = 0; i < runs; ++i)
      set.runs.push_back(run(random, errors, each, name, static_cast<double>(i) / (runs - 1)));
    if (g == 0) known = run(random, errors, each, name, random.uniform());
  }
  const regress::Run fresh = run(random, errors, program(random, errors), "another", random.uniform());
  Outcome out;
  const std::vector<std::string> names = regress::programs_of(set);
  const auto naive = regress::fit_of(set, {.plain = true});
  for (const bool robust : {false, true}) {
    regress::Options options;
    options.fit.robust = robust;
    const auto fit = regress::fit_of(set, options.fit);
    if (!fit || !naive) continue;
    for (const bool is_known : {true, false}) {
      const regress::Run& asked = is_known ? known : fresh;
      const regress::Answer answer = regress::answer_by(*fit, names, &*naive, asked, options);
      const int k = is_known ? 0 : 1;
      out.ways[k][robust ? kRobust : kOurs].add(is_known ? *answer.same : *answer.fresh, asked.seconds);
      if (robust) continue;
      add_weighted(set, asked, out.ways[k][kWeighted]);
      if (const auto interval = naive->new_group(asked.counts, kLevel))
        out.ways[k][kNaive].add(*interval, asked.seconds);
      if (answer.classic) out.ways[k][kPapers].add(*answer.classic, asked.seconds);
    }
  }
  return out;
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

}  // namespace

int main(int count, char** words) {
  const int sets = count > 1 ? std::atoi(words[1]) : 1000, programs = count > 2 ? std::atoi(words[2]) : 6,
            runs = count > 3 ? std::atoi(words[3]) : 10;
  if (sets < 1 || programs < 2 || runs < 2)
    return std::fprintf(stderr,
                        "usage: parcast_regress_coverage [sets [programs [runs]]], at least 1, 2 and 2\n"),
           2;
  std::printf("%d sets of %d programs with %d runs each; intervals of 90 %%\n", sets, programs, runs);
  for (const Errors errors :
       {Errors::of_the_model, Errors::heavy_tails, Errors::drift, Errors::costs_of_their_own}) {
    std::vector<Outcome> all(static_cast<std::size_t>(sets));
    std::atomic<int> next = 0;
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < std::max(1u, std::thread::hardware_concurrency()); ++t)
      threads.emplace_back([&] {
        for (int s = next++; s < sets; s = next++)
          all[static_cast<std::size_t>(s)] =
              one_set(static_cast<std::uint64_t>(s) + 1, errors, programs, runs);
      });
    for (std::thread& thread : threads) thread.join();
    Outcome sum;
    for (const Outcome& each : all) sum.take(each);
    std::printf("\n%s\n  %-28s %9s %9s %9s   %9s %9s %9s\n", kNames[static_cast<int>(errors)], "",
                "known: in", "width", "score", "new: in", "width", "score");
    for (int way = 0; way < kWays; ++way) {
      std::printf("  %-28s", kWayNames[way]);
      for (const Score* score : {&sum.ways[0][way], &sum.ways[1][way]})
        std::printf(" %7.1f %% %7.1f %% %9.3f  ", 100.0 * score->held / std::max(score->of, 1),
                    100 * statistics::median(score->widths), mean(score->scores));
      std::printf("\n");
    }
    std::fflush(stdout);
  }
  return 0;
}

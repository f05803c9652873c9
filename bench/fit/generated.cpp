// SPDX-License-Identifier: Apache-2.0
// parcast_fit_generated [files] [seed]: errors and intervals beyond generated data with a known truth, family
// by family. Each file has 24 kernels of one family at 5, 7 or 10 doublings of one parameter (or 8 x 4 of
// two), with three repetitions. The fit predicts new measurements at twice and four times the largest value;
// each is the mean of three runs like the others. Half of the families with breaks have a twin without one.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "fit/fit.h"
#include "statistics/random.h"
#include "statistics/summary.h"

namespace {

using namespace parcast;
using statistics::Random;
using Law = std::function<double(double)>;  // at x = 1, 2, 4, ...

// The kernels of a file: a law drawn for each, and the noise of a run.
struct Family {
  std::string name;
  std::function<Law(Random&, double last)> draw;
  std::function<double(Random&)> noise;  // logarithm of measured / true
};

double between(Random& random, double low, double high) {
  return low + (high - low) * random.uniform();
}

// Multiplies the law by a random walk in logarithms, with one step per doubling.
Law walk(Random& random, Law law, double step) {
  std::vector<double> steps{0};
  for (int i = 0; i < 16; ++i) steps.push_back(steps.back() + step * random.normal());
  return
      [=](double x) { return law(x) * std::exp(steps[static_cast<std::size_t>(std::lround(std::log2(x)))]); };
}

Law power(Random& random, double low, double high) {
  const double a = between(random, low, high);
  return [=](double x) { return std::pow(x, a); };
}

// Changes the slope at a value that has at least `after` values beyond it, and adds a step.
Law broken(Random& random, double last, double bend, double step) {
  const double a = between(random, -1, 1.5);
  const int doublings = static_cast<int>(std::lround(std::log2(last)));
  // three values before, four after
  const int at = 3 + static_cast<int>(random.below(static_cast<std::uint64_t>(std::max(1, doublings - 6))));
  const double b = a + (random.below(2) ? bend : -bend), jump = random.below(2) ? step : 1 / step,
               x0 = std::pow(2.0, at - 0.5);
  return [=](double x) { return x < x0 ? std::pow(x, a) : std::pow(x0, a) * jump * std::pow(x / x0, b); };
}

std::vector<Family> families() {
  const auto noise = [](double size) { return [=](Random& random) { return size * random.normal(); }; };
  const auto sum = [](Random& random, double last) -> Law {
    static const std::vector<double> exponents{-1, 0.5, 1, 1.5, 2};
    const double a = exponents[random.below(exponents.size())], share = between(random, 0.2, 5);
    return [=](double x) { return 1 + share * std::pow(x / std::sqrt(last), a); };
  };
  return {
      {"sums", sum, noise(0.03)},
      {"sums, quiet", sum, noise(0.003)},
      {"powers", [](Random& random, double) { return power(random, -1.2, 2); }, noise(0.05)},
      {"saturating",
       [](Random& random, double last) -> Law {
         const double at = last * std::pow(2.0, between(random, -4, 2));
         return [=](double x) { return x / (1 + x / at); };
       },
       noise(0.03)},
      {"overheads",
       [](Random& random, double last) -> Law {
         const double b = between(random, 0.5, 2) * last, c = between(random, 0, 0.3);
         return [=](double x) { return 1 + b / x + c * std::log2(x) + 0.2 * std::sqrt(x); };
       },
       noise(0.04)},
      {"walks", [](Random& random, double) { return walk(random, power(random, -1, 1), 0.1); }, noise(0.02)},
      {"rough walks", [](Random& random, double) { return walk(random, power(random, -1, 1), 0.3); },
       noise(0.02)},
      {"heavy tails", sum,
       [](Random& random) {
         const double z = random.normal(), w = random.normal() * random.normal() + 0.3;
         return 0.04 * z / std::max(0.2, std::fabs(w));
       }},
      {"loud and quiet",
       [sum](Random& random, double last) {
         return random.below(2) ? walk(random, sum(random, last), 0.2) : sum(random, last);
       },
       noise(0.02)},
      {"bends", [](Random& random, double last) { return broken(random, last, 1, 1); }, noise(0.03)},
      {"bends, none", [](Random& random, double last) { return broken(random, last, 0, 1); }, noise(0.03)},
      {"steps", [](Random& random, double last) { return broken(random, last, 0, 4); }, noise(0.03)},
      {"steps, none", [](Random& random, double) { return power(random, -1, 1.5); }, noise(0.03)}};
}

struct Scores {
  std::vector<double> errors[2], widths[2];  // at twice, at four times the largest value
  double held[2] = {0, 0};
  std::size_t breaks = 0, kernels = 0;
};

// Writes one file. With two parameters the second one is a power that does not interfere.
void score_file(const Family& family, int doublings, bool two, std::uint64_t seed, Scores& scores) {
  Random random(seed);
  const double last = std::pow(2.0, doublings - 1);
  const std::vector<double> others = two ? std::vector<double>{1, 2, 4, 8} : std::vector<double>{1};
  fit::Measurements data{two ? std::vector<std::string>{"n", "p"} : std::vector<std::string>{"n"}, {}, {}};
  std::vector<double> truth[2];
  for (int k = 0; k < 24; ++k) {
    fit::Kernel kernel{"k" + std::to_string(k), "time", "s", {}, {}};
    const Law law = family.draw(random, last);
    const double other = between(random, -1, 0);
    for (const double p : others)
      for (double x = 1; x <= last; x *= 2) {
        kernel.points.push_back(two ? std::vector<double>{x, p} : std::vector<double>{x});
        kernel.values.emplace_back();
        for (int r = 0; r < 3; ++r)
          kernel.values.back().push_back(law(x) * std::pow(p, other) * std::exp(family.noise(random)));
      }
    for (const int reach : {0, 1}) {
      double mean = 0;  // measured like the others
      for (int r = 0; r < 3; ++r)
        mean +=
            law(last * (reach ? 4 : 2)) * std::pow(others.back(), other) * std::exp(family.noise(random)) / 3;
      truth[reach].push_back(mean);
    }
    data.kernels.push_back(std::move(kernel));
  }
  fit::Options options;
  for (const double x : {2 * last, 4 * last})
    options.asked.push_back(two ? std::vector<double>{x, others.back()} : std::vector<double>{x});
  const auto fits = fit::fit_all(data, options);
  if (!fits) std::exit(1);
  for (std::size_t k = 0; k < data.kernels.size(); ++k) {
    const fit::KernelFit& each = fits->kernels[k];
    ++scores.kernels;
    scores.breaks += each.regime.has_value();
    for (const int reach : {0, 1}) {
      const fit::Predicted& at = each.predictions[static_cast<std::size_t>(reach)];
      const double measured = truth[reach][k];
      scores.errors[reach].push_back(std::fabs(at.value / measured - 1));
      scores.widths[reach].push_back(std::log(at.high / at.low));
      scores.held[reach] += at.low <= measured && measured <= at.high;
    }
  }
}

}  // namespace

int main(int count, char** words) {
  const std::uint64_t files = count > 1 ? std::strtoull(words[1], nullptr, 10) : 20,
                      first = count > 2 ? std::strtoull(words[2], nullptr, 10) : 1;
  std::printf("%-16s %6s  %6s  %8s %8s  %8s %8s  %6s %6s  %6s %6s\n", "family", "values", "breaks", "x2",
              "x4", "x2 90%", "x4 90%", "holds", "holds", "width", "width");
  for (const Family& family : families())
    for (const int values : {5, 7, 10, 8}) {
      const bool two = values == 8;
      Scores scores;
      for (std::uint64_t f = 0; f < (two ? std::max<std::uint64_t>(1, files / 4) : files); ++f)
        score_file(family, values, two, 1000 * first + f, scores);
      const double n = static_cast<double>(scores.kernels);
      std::printf("%-16s %6s  %5.1f%%  %8.4f %8.4f  %8.3f %8.3f  %6.1f %6.1f  %6.3f %6.3f\n",
                  family.name.c_str(), two ? "8 x 4" : std::to_string(values).c_str(),
                  100 * static_cast<double>(scores.breaks) / n, statistics::median(scores.errors[0]),
                  statistics::median(scores.errors[1]), statistics::quantile(scores.errors[0], 0.9),
                  statistics::quantile(scores.errors[1], 0.9), 100 * scores.held[0] / n,
                  100 * scores.held[1] / n, statistics::median(scores.widths[0]),
                  statistics::median(scores.widths[1]));
    }
  return 0;
}

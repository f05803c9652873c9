// SPDX-License-Identifier: Apache-2.0
#include "explain/selection.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "statistics/distribution.h"
#include "statistics/random.h"

namespace parcast::explain {
namespace {

constexpr std::uint64_t kSeed = 1;
constexpr std::size_t kDraws = 400'000;  // the standard error of a probability is at most 0.0008
constexpr double kDeepest = 1e-6;        // an interval that reaches 0 ends at this part of the value

/// Standard deviations of the logarithm below and above the value.
struct Spread {
  double below = 0, above = 0;
  double at(double normal) const { return normal * (normal < 0 ? below : above); }
};

Spread spread_of(const predict::Estimate& estimate) {
  if (!(estimate.level > 0) || !(estimate.value > 0)) return {};
  const double z = statistics::normal_quantile(0.5 + estimate.level / 2);
  const auto logarithm = [&](double end) { return std::abs(std::log(std::max(end / estimate.value, kDeepest))) / z; };
  return {logarithm(std::min(estimate.low, estimate.value)), logarithm(std::max(estimate.high, estimate.value))};
}

/// What is left of `whole` when `part` is taken out in squares.
Spread rest_of(const Spread& whole, const Spread& part) {
  const auto rest = [](double a, double b) { return std::sqrt(std::max(0.0, a * a - b * b)); };
  return {rest(whole.below, part.below), rest(whole.above, part.above)};
}

struct Contender {
  double logarithm = 0;
  Spread shared, own;
};

std::vector<Contender> contenders_of(const std::vector<predict::Prediction>& predictions, bool shared) {
  std::vector<Contender> out;
  for (const predict::Prediction& prediction : predictions) {
    Contender contender{prediction.seconds.value > 0 ? std::log(prediction.seconds.value) : -std::numeric_limits<double>::infinity(), {}, spread_of(prediction.seconds)};
    if (shared) {
      contender.shared = spread_of(*prediction.of_program);
      contender.own = rest_of(contender.own, contender.shared);
    }
    out.push_back(contender);
  }
  return out;
}

/// How often each is the fastest; those that tie share the draw.
std::vector<double> wins(const std::vector<Contender>& contenders) {
  statistics::Random random(kSeed);
  std::vector<double> won(contenders.size(), 0), times(contenders.size());
  for (std::size_t draw = 0; draw < kDraws; ++draw) {
    const double program = random.normal();
    for (std::size_t i = 0; i < contenders.size(); ++i) times[i] = contenders[i].logarithm + contenders[i].shared.at(program) + contenders[i].own.at(random.normal());
    const double best = *std::min_element(times.begin(), times.end());
    const auto ties = static_cast<double>(std::count(times.begin(), times.end(), best));
    for (std::size_t i = 0; i < contenders.size(); ++i)
      if (times[i] == best) won[i] += 1 / ties;
  }
  for (double& each : won) each /= kDraws;
  return won;
}

}  // namespace

Selection select_machine(const std::vector<predict::Prediction>& predictions) {
  Selection out;
  if (predictions.empty()) return out;
  out.shared = std::all_of(predictions.begin(), predictions.end(), [](const predict::Prediction& each) { return each.of_program.has_value(); });
  const std::vector<double> won = wins(contenders_of(predictions, out.shared));
  std::vector<std::size_t> order(predictions.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return predictions[a].seconds.value < predictions[b].seconds.value; });
  const double first = predictions[order.front()].seconds.value;
  for (const std::size_t i : order) out.choices.push_back({i, won[i], first > 0 ? predictions[i].seconds.value / first : 1});
  return out;
}

}  // namespace parcast::explain

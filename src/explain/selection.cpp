// SPDX-License-Identifier: Apache-2.0
#include "explain/selection.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "machine/cost.h"
#include "predict/intervals.h"
#include "statistics/distribution.h"
#include "statistics/random.h"

namespace parcast::explain {
namespace {

constexpr std::uint64_t kSeed = 1;

/// Standard deviations of the logarithm below and above the value.
struct Spread {
  double below = 0, above = 0;
  double at(double normal) const { return normal * (normal < 0 ? below : above); }
};

Spread spread_of(const predict::Estimate& estimate) {
  if (!(estimate.level > 0) || !(estimate.value > 0)) return {};
  const double z = statistics::normal_quantile(0.5 + estimate.level / 2);
  const auto logarithm = [&](double end) {
    return std::abs(std::log(std::max(end / estimate.value, predict::kLeastEnd))) / z;
  };
  return {logarithm(std::min(estimate.low, estimate.value)),
          logarithm(std::max(estimate.high, estimate.value))};
}

/// Returns `whole` without `part`, as a difference of squares.
Spread rest_of(const Spread& whole, const Spread& part) {
  const auto rest = [](double a, double b) { return std::sqrt(std::max(0.0, a * a - b * b)); };
  return {rest(whole.below, part.below), rest(whole.above, part.above)};
}

struct Contender {
  double logarithm = 0;
  Spread shared, own;
  // for errors shared in different measure: coefficients of independent normal variables, equally many for
  // each contender
  std::vector<double> loads;
};

std::vector<Contender> contenders_of(const std::vector<predict::Prediction>& predictions, bool shared) {
  std::vector<Contender> out;
  for (const predict::Prediction& prediction : predictions) {
    Contender contender{prediction.seconds.value > 0 ? std::log(prediction.seconds.value)
                                                     : -std::numeric_limits<double>::infinity(),
                        {},
                        spread_of(prediction.seconds)};
    if (shared) {
      contender.shared = spread_of(*prediction.of_program);
      contender.own = rest_of(contender.own, contender.shared);
    }
    out.push_back(contender);
  }
  return out;
}

/// Returns how often each is the fastest; ties share the draw.
std::vector<double> wins(const std::vector<Contender>& contenders, std::size_t draws,
                         const std::vector<bool>& outdone = {}) {
  statistics::Random random(kSeed);
  std::vector<double> won(contenders.size(), 0), times(contenders.size()),
      common(contenders.front().loads.size());
  for (std::size_t draw = 0; draw < draws; ++draw) {
    const double program = random.normal();
    for (double& each : common) each = random.normal();
    for (std::size_t i = 0; i < contenders.size(); ++i)
      times[i] = contenders[i].logarithm + contenders[i].shared.at(program) +
                 contenders[i].own.at(random.normal()) +
                 std::inner_product(common.begin(), common.end(), contenders[i].loads.begin(), 0.0);
    for (std::size_t i = 0; i < outdone.size(); ++i)
      if (outdone[i]) times[i] = std::numeric_limits<double>::infinity();
    const double best = *std::min_element(times.begin(), times.end());
    const auto ties = static_cast<double>(std::count(times.begin(), times.end(), best));
    for (std::size_t i = 0; i < contenders.size(); ++i)
      if (times[i] == best) won[i] += 1 / ties;
  }
  for (double& each : won) each /= static_cast<double>(draws);
  return won;
}

using Matrix = std::vector<std::vector<double>>;

/// Returns the covariances of the logarithms of the times that the machine's errors cause.
Matrix machine_covariance(const std::vector<predict::MachineErrors>& errors,
                          const machine::Machine& machine) {
  const auto parameters = machine::cost_parameters(machine);
  const auto covariance = [&](const std::string& a, const std::string& b) {
    const double known = predict::covariance(machine, a, b);
    const auto at = parameters.find(a);
    return known == 0 && a == b && at != parameters.end()
               ? at->second.standard_error * at->second.standard_error
               : known;
  };
  Matrix out(errors.size(), std::vector<double>(errors.size()));
  for (std::size_t i = 0; i < errors.size(); ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = errors[i].processor * errors[j].processor;
      for (const auto& [name, own] : errors[i].tables)
        if (const auto other = errors[j].tables.find(name); other != errors[j].tables.end())
          sum += own * other->second;
      for (const auto& [a, own] : errors[i].slopes)
        for (const auto& [b, other] : errors[j].slopes) sum += own * other * covariance(a, b);
      out[i][j] = out[j][i] = sum;
    }
  return out;
}

/// Returns L with L L' = the matrix, which is positive semidefinite (Cholesky). The diagonal of a row that is
/// linearly dependent on the ones before is 0.
Matrix factored(const Matrix& matrix) {
  Matrix out(matrix.size(), std::vector<double>(matrix.size()));
  for (std::size_t i = 0; i < matrix.size(); ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double rest = matrix[i][j];
      for (std::size_t k = 0; k < j; ++k) rest -= out[i][k] * out[j][k];
      const bool nothing = out[j][j] == 0 || !(matrix[i][i] > 0);
      out[i][j] = i == j    ? (rest > 1e-12 * matrix[i][i] ? std::sqrt(rest) : 0)
                  : nothing ? 0
                            : rest / out[j][j];
    }
  return out;
}

Selection selection_of(const std::vector<predict::Prediction>& predictions, const std::vector<double>& won,
                       bool shared) {
  Selection out;
  out.shared = shared;
  std::vector<std::size_t> order(predictions.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return predictions[a].seconds.value < predictions[b].seconds.value;
  });
  const double first = predictions[order.front()].seconds.value;
  for (const std::size_t i : order)
    out.choices.push_back({i, won[i], first > 0 ? predictions[i].seconds.value / first : 1});
  return out;
}

}  // namespace

Selection select_machine(const std::vector<predict::Prediction>& predictions,
                         const std::vector<bool>& outdone, std::size_t draws) {
  if (predictions.empty()) return {};
  const bool shared =
      std::all_of(predictions.begin(), predictions.end(),
                  [](const predict::Prediction& each) { return each.of_program.has_value(); });
  return selection_of(predictions, wins(contenders_of(predictions, shared), draws, outdone), shared);
}

Standings standings_of(const std::vector<predict::Prediction>& predictions, std::size_t machines,
                       const std::vector<bool>& outdone) {
  Standings out;
  if (machines < 2 || predictions.size() < machines) return out;
  out.shared = true;
  out.each.resize(predictions.size());
  for (std::size_t first = 0; first + machines <= predictions.size(); first += machines) {
    const auto begin = predictions.begin() + static_cast<std::ptrdiff_t>(first);
    const std::vector<predict::Prediction> point(begin, begin + static_cast<std::ptrdiff_t>(machines));
    const Selection selection =
        select_machine(point, outdone, predictions.size() > machines ? kMachineDrawsOfSweep : kMachineDraws);
    for (const Choice& choice : selection.choices)
      out.each[first + choice.prediction] = {choice.probability_best, choice.slower};
    out.shared = out.shared && selection.shared;
  }
  return out;
}

Selection select_variant(const std::vector<predict::Prediction>& predictions,
                         const std::vector<predict::MachineErrors>& errors, const machine::Machine& machine,
                         std::size_t draws) {
  if (predictions.empty()) return {};
  std::vector<Contender> contenders = contenders_of(predictions, false);
  const bool shared = errors.size() == predictions.size();
  if (shared) {
    const Matrix loads = factored(machine_covariance(errors, machine));
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      contenders[i].loads = loads[i];
      const double common =
          std::sqrt(std::inner_product(loads[i].begin(), loads[i].end(), loads[i].begin(), 0.0));
      contenders[i].own = rest_of(contenders[i].own, {common, common});
    }
  }
  return selection_of(predictions, wins(contenders, draws), shared);
}

}  // namespace parcast::explain

// SPDX-License-Identifier: Apache-2.0
#include "fit/laws.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace parcast::fit {
namespace {

using statistics::GrowthTerm;

// A share with its prior weight.
struct Weighted {
  double share = 0, weight = 0;
};

// Prior weights of families: perfect scaling, the last value, powers, a + b / p, and the three that turn up.
constexpr double kPerfect = 0.12, kConstant = 0.25, kPower = 0.2, kAmdahl = 0.08, kTurning = 0.35 / 3;

// The share c of what grows. Published curves have small ones, and large ones with a long tail.
constexpr std::array<Weighted, 5> kGrowing{
    {{0.03, 0.4}, {0.1, 0.33}, {0.25, 0.17}, {0.5, 0.06}, {0.8, 0.04}}};
// The constant's share of the rest.
constexpr std::array<Weighted, 6> kOfTheRest{
    {{0, 0.2}, {0.1, 0.2}, {0.3, 0.15}, {0.6, 0.15}, {0.85, 0.15}, {1, 0.15}}};
// The constant's share without a part that grows, all alike.
constexpr std::array<double, 11> kAmdahlShares{0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.95, 0.98};

// Of sizes: the last value, powers, and a + b x^s with a weight for each s.
constexpr double kSizeConstant = 0.1, kSizePower = 0.4;
constexpr std::array<Weighted, 6> kSizeExponents{
    {{0.5, 0.06}, {2.0 / 3, 0.06}, {1, 0.18}, {1.5, 0.06}, {2, 0.09}, {3, 0.05}}};
constexpr double kSlowestSize = -1, kFastestSize = 3.25;

double size_density(double exponent) {
  return std::exp(exponent < 0 ? exponent / 0.3 : -std::max(0.0, exponent - 1));
}

constexpr double kMostOfLaws = 1e60;  // of an argument, whose cube must be a number
constexpr double kStep = 0.125;       // of the exponents of powers
constexpr double kSteep = 0.2, kGrowth = 0.6, kSuperlinear = 0.2;  // scales of their exponential priors

double power_density(double exponent) {
  if (exponent < -1) return std::exp((exponent + 1) / kSteep);
  if (exponent <= 0) return 1;
  return std::exp(-exponent / kGrowth - std::max(0.0, exponent - 1) / kSuperlinear);
}

// Builds laws with coefficients that sum to one at the largest point.
class Builder {
 public:
  explicit Builder(double largest) : largest_(largest) {}

  void begin(double weight) {
    weight_ = weight;
    first_ = laws_.size();
    sum_ = 0;
  }
  void add(std::vector<GrowthTerm> terms, double weight) {
    std::erase_if(terms, [](const GrowthTerm& term) { return term.coefficient == 0; });
    for (GrowthTerm& term : terms) term.coefficient /= statistics::shape_value(term, {&largest_, 1});
    laws_.push_back({families_, std::move(terms), weight});
    sum_ += weight;
  }
  // Ends a family: its laws share its weight.
  void end() {
    for (std::size_t k = first_; k < laws_.size(); ++k)
      laws_[k].log_prior = std::log(weight_ * laws_[k].log_prior / sum_);
    ++families_;
  }
  std::vector<Law> take() { return std::move(laws_); }

 private:
  double largest_, weight_ = 0, sum_ = 0;
  std::size_t first_ = 0, families_ = 0;
  std::vector<Law> laws_;
};

GrowthTerm term(double share, double exponent, int log_power = 0) {
  return {share, {exponent}, {log_power}};
}

void add_turning(Builder& builder, const GrowthTerm& growing) {
  builder.begin(kTurning);
  for (const auto& [c, c_weight] : kGrowing)
    for (const auto& [a, a_weight] : kOfTheRest) {
      GrowthTerm last = growing;
      last.coefficient = c;
      builder.add({term((1 - c) * a, 0), term((1 - c) * (1 - a), -1), std::move(last)}, c_weight * a_weight);
    }
  builder.end();
}

}  // namespace

bool counts_processes(const std::string& name) {
  static constexpr std::array names{"p",          "np",    "nprocs", "procs",   "processes", "nprocesses",
                                    "processors", "ranks", "nranks", "tasks",   "ntasks",    "cores",
                                    "ncores",     "nodes", "nnodes", "threads", "nthreads",  "workers",
                                    "pes",        "npes",  "gpus"};
  std::string lower;
  for (const char c : name)
    if (c != '_' && c != ' ' && c != '-')
      lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (lower.starts_with("mpi")) lower.erase(0, 3);
  if (lower.starts_with("num")) lower.erase(0, 3);
  return std::ranges::find(names, lower) != names.end();
}

double Law::at(double x) const {
  double sum = 0;
  for (const GrowthTerm& each : terms) sum += each.coefficient * statistics::shape_value(each, {&x, 1});
  return sum;
}

Laws::Laws(const Points& points, std::vector<Law> laws) : laws_(std::move(laws)) {
  logarithms_.reserve(laws_.size() * points.size());
  for (const Law& law : laws_)
    for (const auto& point : points) logarithms_.push_back(std::log(law.at(point[0])));
}

std::vector<Law> laws_of_processes(double largest) {
  Builder builder(largest);
  builder.begin(kPerfect);
  builder.add({term(1, -1)}, 1);
  builder.end();
  builder.begin(kConstant);
  builder.add({term(1, 0)}, 1);
  builder.end();
  builder.begin(kPower);
  for (double exponent = kSteepestLaw; exponent <= kFastestLaw; exponent += kStep)
    builder.add({term(1, exponent)}, power_density(exponent));
  builder.end();
  builder.begin(kAmdahl);
  for (const double a : kAmdahlShares) builder.add({term(a, 0), term(1 - a, -1)}, 1);
  builder.end();
  if (largest > 1) add_turning(builder, term(1, 0, 1));
  add_turning(builder, term(1, 0.5));
  add_turning(builder, term(1, 1));
  return builder.take();
}

std::vector<Law> laws_of_sizes(double largest) {
  Builder builder(largest);
  builder.begin(kSizeConstant);
  builder.add({term(1, 0)}, 1);
  builder.end();
  builder.begin(kSizePower);
  for (double exponent = kSlowestSize; exponent <= kFastestSize; exponent += kStep)
    builder.add({term(1, exponent)}, size_density(exponent));
  builder.end();
  for (const auto& [exponent, weight] : kSizeExponents) {
    builder.begin(weight);
    for (const double a : kAmdahlShares) builder.add({term(a, 0), term(1 - a, exponent)}, 1);
    builder.end();
  }
  return builder.take();
}

std::shared_ptr<const Laws> laws_for(const Points& points, bool processes) {
  if (points.empty() || points[0].size() != 1) return nullptr;
  const std::size_t values = distinct_values(points, 0);
  if (values < 2 || values > (processes ? kFewValuesOfLaws : kFewSizes)) return nullptr;
  double largest = 0;
  for (const auto& point : points) {
    if (!(point[0] > 1 / kMostOfLaws && point[0] < kMostOfLaws)) return nullptr;
    largest = std::max(largest, point[0]);
  }
  return std::make_shared<const Laws>(points,
                                      processes ? laws_of_processes(largest) : laws_of_sizes(largest));
}

}  // namespace parcast::fit

// SPDX-License-Identifier: Apache-2.0
#include "fit/crossed.h"

#include <algorithm>
#include <cmath>

namespace parcast::fit {
namespace {

// Costs in nats. Whole powers are more usual than others.
const std::vector<Factor> kOfSizes{{0, 0, 0},     {1, 0, 0.3},   {2, 0, 0.4},  {3, 0, 0.5},
                                   {0.5, 0, 1.2}, {1.5, 0, 1.2}, {2.5, 0, 1.8}};
constexpr std::size_t kOfManySizes = 5;  // of these, with three sizes or more
const std::vector<Factor> kOfProcesses{{0, 0, 0}, {-1, 0, 0.2}, {-1, 1, 1.2}, {0, 1, 0.5}, {1, 0, 1.2}};

constexpr double kNoMessages = 1.5;    // a sum without messages
constexpr double kNoComputing = 2;     // a sum of messages, with or without a constant
constexpr double kNothingShared = 2;   // a sum whose computing does not fall with p
constexpr double kMoreMessages = 1.5;  // a second kind of messages, and each further one
constexpr double kMoreComputing = 1.5;
constexpr double kMessagesExcess = 2.5;  // messages that grow with a size faster than computing, per power
constexpr double kOwnExcess =
    2;  // computing of each process that grows faster than shared computing, per power

enum class Kind { own, shared, messages };  // computing of each process, shared computing

double exponent(const Shapes& shapes, std::size_t term, std::size_t argument) {
  return shapes.exponents[term * shapes.arguments + argument];
}

Kind kind_of(const Shapes& shapes, std::size_t term) {
  bool falls = false;
  for (std::size_t j = 0; j < shapes.arguments; ++j) {
    if (!shapes.processes[j]) continue;
    if (shapes.log_powers[term * shapes.arguments + j] > 0 || exponent(shapes, term, j) > 0)
      return Kind::messages;
    falls |= exponent(shapes, term, j) < 0;
  }
  return falls ? Kind::shared : Kind::own;
}

// The largest power of one size in each kind of terms; 0 without any.
struct Powers {
  double own = 0, shared = 0, messages = 0;

  double& of(Kind kind) { return kind == Kind::own ? own : kind == Kind::shared ? shared : messages; }
};

Powers powers_of(const Shapes& shapes, std::span<const std::size_t> terms, std::size_t size) {
  Powers out;
  for (const std::size_t t : terms) {
    double& most = out.of(kind_of(shapes, t));
    most = std::max(most, exponent(shapes, t, size));
  }
  return out;
}

// Returns the cost of growth with sizes that is too fast for its kind.
double cost_of_excess(const Shapes& shapes, std::span<const std::size_t> terms, bool shares) {
  double cost = 0;
  for (std::size_t j = 0; j < shapes.arguments; ++j) {
    if (shapes.processes[j]) continue;
    const Powers most = powers_of(shapes, terms, j);
    cost += kMessagesExcess * std::max(0.0, most.messages - std::max(most.own, most.shared));
    if (shares) cost += kOwnExcess * std::max(0.0, most.own - most.shared);
  }
  return cost;
}

}  // namespace

bool is_crossed(const Points& points, const std::vector<bool>& processes) {
  bool shared = false, sized = false;
  for (std::size_t j = 0; j < processes.size(); ++j) {
    const bool positive = std::ranges::all_of(points, [&](const auto& point) { return point[j] > 0; });
    if (!positive) return false;
    if (!processes[j]) {
      sized = true;
      continue;
    }
    shared = true;
    const bool counts = std::ranges::all_of(points, [&](const auto& point) { return point[j] >= 1; });
    if (!counts || distinct_values(points, j) > kFewCrossed) return false;
  }
  return shared && sized;
}

std::vector<Factor> crossed_factors(const Points& points, std::size_t argument,
                                    const std::vector<bool>& processes) {
  if (distinct_values(points, argument) < 2) return {Factor{}};
  if (processes[argument]) return kOfProcesses;
  const auto sizes = static_cast<std::size_t>(std::ranges::count(processes, false));
  if (sizes < 3) return kOfSizes;
  return {kOfSizes.begin(), kOfSizes.begin() + kOfManySizes};
}

double cost_of_crossed(const Shapes& shapes, std::span<const std::size_t> terms) {
  double cost = 0;
  std::size_t messages = 0, computing = 0;
  bool shares = false;
  for (const std::size_t t : terms) {
    cost += shapes.cost[t];
    if (t == 0) continue;
    const Kind kind = kind_of(shapes, t);
    ++(kind == Kind::messages ? messages : computing);
    shares |= kind == Kind::shared;
  }
  if (messages == 0) cost += kNoMessages;
  if (messages > 1) cost += kMoreMessages * static_cast<double>(messages - 1);
  if (computing == 0) cost += kNoComputing;
  if (computing > 1) cost += kMoreComputing * static_cast<double>(computing - 1);
  if (!shares) cost += kNothingShared;
  return cost + cost_of_excess(shapes, terms, shares);
}

}  // namespace parcast::fit

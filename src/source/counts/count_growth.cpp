// SPDX-License-Identifier: Apache-2.0
#include "source/counts/count_growth.h"

#include <algorithm>
#include <cmath>
#include <ranges>

#include "model/binding.h"

namespace parcast::program {
namespace {

using symbolic::Expression;
using symbolic::Rational;

constexpr double kSize = 5;        // smallest number that is a size
constexpr double kFar = 4;         // factor by which sizes are increased to compare hypotheses
constexpr double kSame = 0.01;     // relative deviation that counts as equal
constexpr double kOfChance = 0.5;  // relative noise of n executions is this over sqrt(n)
// bits of a higher power of one of several sizes, instead of a product of them
constexpr double kMixed = 1.5;
constexpr double kSecond = 4;          // bits of a second term
constexpr double kBorder = 3;          // bits of a second term that is a border of the first one
constexpr double kPlain = 0.02;        // a second term is at least this part of the ratio in some run
constexpr double kMostBorder = 3;      // largest border that may be subtracted, per power
constexpr double kMostTaken = 0.6;     // largest part of the first term that may be subtracted
constexpr double kFaces = 1.5;         // bits of the faces between processes
constexpr double kAlternatives = 0.9;  // bits: a formula longer by more than this is no alternative

double logarithm(double value) {
  return std::log2(value);
}

struct Power {
  int numerator = 0, denominator = 1;
  bool times_logarithm = false;
  double bits = 0;  // bits for naming it
  bool paired = false;
};
// In this order: each integer power follows the next lower one.
constexpr Power kOfParameter[] = {{-1, 1, false, 3, false}, {0, 1, false, 0, true},   {1, 1, false, 1, true},
                                  {2, 1, false, 2, true},   {3, 1, false, 2.5, true}, {1, 2, false, 3, false},
                                  {0, 1, true, 2, true},    {1, 1, true, 2.5, true},  {2, 1, true, 4, false},
                                  {3, 1, true, 5, false}};
constexpr Power kOfProcessCount[] = {{0, 1, false, 0, true},  {-1, 1, false, 1.5, true},
                                     {1, 1, false, 2, true},  {-1, 2, false, 3.5, false},
                                     {1, 2, false, 4, false}, {0, 1, true, 3, false}};

double value_of(const Power& power, double x) {
  const double value = std::pow(x, static_cast<double>(power.numerator) / power.denominator);
  return power.times_logarithm ? value * logarithm(x) : value;
}
Expression expression_of(const Power& power, const Expression& x) {
  const Expression value = symbolic::power(x, Rational::of(power.numerator, power.denominator));
  return power.times_logarithm ? value * symbolic::log2(x) : value;
}

template <class Of>
bool differs(const std::vector<CountGrowth::Run>& runs, Of of) {
  return std::ranges::any_of(runs, [&](const auto& run) { return of(run) != of(runs.front()); });
}

}  // namespace

std::vector<CountGrowth::Form> CountGrowth::of_parameters(const std::vector<std::string>& names,
                                                          const std::vector<Run>& runs) const {
  std::vector<Form> forms;
  forms.push_back({1, std::vector<double>(runs.size(), 1), 1, 0, true, {}, 0});
  std::vector<std::size_t> sizes;
  for (std::size_t v = 0; v < names.size(); ++v) {
    const auto of = [v](const Run& run) { return run.parameters[v]; };
    if (differs(runs, of) && std::ranges::find(sizes_, v) != sizes_.end()) sizes.push_back(v);
  }
  const auto largest = [&](std::size_t v) {
    double most = 0;
    for (const Run& run : runs) most = std::max(most, run.parameters[v]);
    return most;
  };
  const auto add = [&](const std::vector<std::pair<std::size_t, const Power*>>& factors, double bits,
                       bool paired) {
    Form form{1, std::vector<double>(runs.size(), 1), 1, bits, paired, {}, 0};
    for (const auto& [v, power] : factors) {
      form.degree += static_cast<double>(power->numerator) / power->denominator;
      form.what = form.what * expression_of(*power, parameter_symbol(names[v]));
      for (std::size_t k = 0; k < runs.size(); ++k) form.at[k] *= value_of(*power, runs[k].parameters[v]);
      form.far *= value_of(*power, kFar * largest(v));
    }
    forms.push_back(std::move(form));
  };
  for (const std::size_t v : sizes) {
    std::optional<std::size_t> one_less;
    for (const Power& power : kOfParameter) {
      const bool whole = power.denominator == 1 && !power.times_logarithm;
      if (power.numerator == 0 && whole) {  // it is the constant at the front
        forms.front().lower = forms.size() - 1;
        one_less = 0;
        continue;
      }
      const double mixed = whole && power.numerator > 1 && sizes.size() > 1 ? kMixed : 0;
      add({{v, &power}}, power.bits + mixed, power.paired && (sizes.size() < 3 || whole));
      if (!whole) continue;
      forms.back().lower = one_less;
      one_less = forms.size() - 1;
    }
  }
  const Power& once = kOfParameter[2];
  const Power& twice = kOfParameter[3];
  for (const std::size_t v : sizes)
    for (const std::size_t w : sizes) {
      if (v < w) add({{v, &once}, {w, &once}}, 1.9, true);
      if (v != w) add({{v, &twice}, {w, &once}}, 3, false);
      for (const std::size_t x : sizes)
        if (v < w && w < x) add({{v, &once}, {w, &once}, {x, &once}}, 3, false);
    }
  return forms;
}

std::vector<CountGrowth::Form> CountGrowth::of_processes(const std::vector<Run>& runs) const {
  std::vector<Form> forms;
  double most = 1;
  for (const Run& run : runs) most = std::max(most, run.processes);
  const bool varied = differs(runs, [](const Run& run) { return run.processes; });
  const bool several = std::ranges::all_of(runs, [](const Run& run) { return run.processes > 1; });
  for (const Power& power : kOfProcessCount) {
    if ((power.numerator != 0 || power.times_logarithm) && (!varied || (power.times_logarithm && !several)))
      continue;
    Form form{expression_of(power, processes_symbol()),
              {},
              value_of(power, kFar * most),
              power.bits,
              power.paired,
              {},
              0};
    for (const Run& run : runs) form.at.push_back(value_of(power, run.processes));
    forms.push_back(std::move(form));
  }
  if (varied && several && !sides_.empty()) forms.push_back(of_faces(runs));
  return forms;
}

// Mean number of faces with neighbours per process in a process grid, counted in pairs: 1 - 1/P along a side
// of P processes.
CountGrowth::Form CountGrowth::of_faces(const std::vector<Run>& runs) const {
  Form form{0, std::vector<double>(runs.size()), 0, kFaces, true, {}, 0};
  const double farther = std::pow(kFar, 1 / static_cast<double>(sides_.size()));
  for (const std::size_t v : sides_) {
    double most = 1;
    form.what = form.what + Expression(1) - Expression(1) / parameter_symbol(names_[v]);
    for (std::size_t k = 0; k < runs.size(); ++k) {
      form.at[k] += 1 - 1 / runs[k].parameters[v];
      most = std::max(most, runs[k].parameters[v]);
    }
    form.far += 1 - 1 / (most * farther);
  }
  return form;
}

// Returns the largest set of parameters whose product is the number of processes in each run: the sides of a
// grid.
std::vector<std::size_t> CountGrowth::sides_of(const std::vector<Run>& runs) const {
  constexpr std::size_t kMost = 10;  // number of parameters whose subsets are tried
  std::vector<std::size_t> sides;
  for (std::size_t set = 0; set < std::size_t{1} << std::min(names_.size(), kMost); ++set) {
    std::vector<std::size_t> members;
    for (std::size_t v = 0; v < std::min(names_.size(), kMost); ++v)
      if ((set >> v & 1) != 0) members.push_back(v);
    const bool together = std::ranges::all_of(runs, [&](const Run& run) {
      double product = 1;
      for (const std::size_t v : members) product *= run.parameters[v];
      return product == run.processes;
    });
    if (together && members.size() > std::max<std::size_t>(sides.size(), 1)) sides = members;
  }
  return sides;
}

CountGrowth::CountGrowth(const std::vector<std::string>& parameters, const std::vector<Run>& runs)
    : runs_(runs.size()) {
  if (runs_ < kFewest) return;
  std::vector<std::vector<double>> sizes;  // by run
  for (std::size_t v = 0; v < parameters.size(); ++v)
    if (std::ranges::all_of(runs, [&](const Run& run) { return run.parameters[v] >= kSize; }))
      sizes_.push_back(v);
  for (const Run& run : runs) {
    sizes.emplace_back();
    for (const std::size_t v : sizes_) sizes.back().push_back(run.parameters[v]);
  }
  const auto differs_alone = [&](const auto& one, const auto& other) {
    const auto range = std::views::iota(std::size_t{0}, runs_);
    const bool varied = std::ranges::any_of(range, [&](std::size_t k) { return one(k) != one(0); });
    return !varied || std::ranges::any_of(range, [&](std::size_t k) {
      return std::ranges::any_of(range,
                                 [&](std::size_t l) { return one(k) != one(l) && other(k) == other(l); });
    });
  };
  const auto size = [&](std::size_t k) -> const std::vector<double>& { return sizes[k]; };
  const auto processes = [&](std::size_t k) { return runs[k].processes; };
  apart_ = differs_alone(size, processes) && differs_alone(processes, size);
  names_ = parameters;
  at_ = runs;
  sides_ = sides_of(runs);
  const std::vector<Form> of_sizes = of_parameters(parameters, runs);
  for (const Form& b : of_processes(runs)) {
    const std::size_t first = forms_.size();
    for (const Form& a : of_sizes) {
      Form form{a.what * b.what, {}, a.far * b.far, a.bits + b.bits, a.paired && b.paired, {}, a.degree};
      for (std::size_t k = 0; k < runs_; ++k) form.at.push_back(a.at[k] * b.at[k]);
      if (a.lower) form.lower = first + *a.lower;
      forms_.push_back(std::move(form));
    }
  }
}

namespace {

struct Hypothesis {
  std::size_t first = 0;
  std::optional<std::size_t> second;
  double a = 0, b = 0;  // coefficients
  double far = 0;       // logarithm of the value at the enlarged point
  double bits = 0;
};

}  // namespace

std::optional<CountGrowth::Found> CountGrowth::of(const std::vector<double>& some,
                                                  const std::vector<double>& all,
                                                  std::optional<double> most) const {
  if (!apart() || some.size() != runs_ || all.size() != runs_) return std::nullopt;
  const auto count = static_cast<double>(runs_);
  std::vector<double> ratio(runs_), noise(runs_), weight(runs_);
  for (std::size_t k = 0; k < runs_; ++k) {
    if (!(some[k] > 0 && all[k] > 0)) return std::nullopt;
    ratio[k] = some[k] / all[k];
    noise[k] = std::hypot(kSame, kOfChance / std::sqrt(some[k]));
    weight[k] = 1 / (noise[k] * noise[k]);
  }
  if (most && std::ranges::any_of(ratio, [&](double r) { return r > *most * (1 + kSame); })) most.reset();
  std::vector<Hypothesis> hypotheses;
  const auto add = [&](Hypothesis h, double cost) {
    double squares = 0;
    for (std::size_t k = 0; k < runs_; ++k) {
      const double value = h.a * forms_[h.first].at[k] + (h.second ? h.b * forms_[*h.second].at[k] : 0);
      if (!(value > 0)) return;
      squares += std::pow(std::log(value / ratio[k]) / noise[k], 2);
    }
    const double far = h.a * forms_[h.first].far + (h.second ? h.b * forms_[*h.second].far : 0);
    if (!(far > 0) || (most && far > *most * (1 + kSame))) return;
    h.far = std::log(far);
    h.bits = cost + count / 2 * std::log2(1 + squares / count);
    hypotheses.push_back(h);
  };
  for (std::size_t f = 0; f < forms_.size(); ++f) {
    double sum = 0, weights = 0;
    for (std::size_t k = 0; k < runs_; ++k)
      sum += weight[k] * std::log(ratio[k] / forms_[f].at[k]), weights += weight[k];
    add({f, {}, std::exp(sum / weights), 0, 0, 0}, forms_[f].bits);
  }
  // Least squares of relative deviations.
  const auto add_pair = [&](std::size_t f, std::size_t g, bool border) {
    double ff = 0, fg = 0, gg = 0, fr = 0, gr = 0;
    for (std::size_t k = 0; k < runs_; ++k) {
      const double x = forms_[f].at[k] / ratio[k], y = forms_[g].at[k] / ratio[k], w = weight[k];
      ff += w * x * x, fg += w * x * y, gg += w * y * y, fr += w * x, gr += w * y;
    }
    const double determinant = ff * gg - fg * fg;
    if (!(determinant > 1e-9 * ff * gg)) return;
    const double a = (fr * gg - gr * fg) / determinant, b = (gr * ff - fr * fg) / determinant;
    if (!(a > 0) || (b < 0 && (!border || -b > kMostBorder * std::max(1.0, forms_[f].degree) * a))) return;
    bool has_first = false, has_second = false;
    for (std::size_t k = 0; k < runs_; ++k) {
      const double first = a * forms_[f].at[k], second = b * forms_[g].at[k];
      has_first = has_first || first > kPlain * ratio[k];
      has_second = has_second || std::abs(second) > kPlain * ratio[k];
      if (-second > kMostTaken * first) return;
    }
    if (!has_first || !has_second) return;
    add({f, g, a, b, 0, 0}, forms_[f].bits + (border ? kBorder : forms_[g].bits + kSecond));
  };
  for (std::size_t f = 0; f < forms_.size(); ++f) {
    if (forms_[f].lower && forms_[f].paired) add_pair(f, *forms_[f].lower, true);
    for (std::size_t g = f + 1; g < forms_.size() && forms_[f].paired; ++g)
      if (forms_[g].paired && forms_[f].lower != g && forms_[g].lower != f) add_pair(f, g, false);
  }
  if (hypotheses.empty()) return std::nullopt;
  const auto best = std::ranges::min_element(hypotheses, {}, &Hypothesis::bits);
  // Among hypotheses of about equal length, take the one nearest to the weighted mean of all for larger runs.
  double weights = 0, mean = 0;
  for (const Hypothesis& h : hypotheses) {
    const double share = std::exp2(best->bits - h.bits);
    weights += share, mean += share * h.far;
  }
  mean /= weights;
  const auto is_constant = [&](const Hypothesis& h) {
    return !h.second && forms_[h.first].what.is_constant();
  };
  const Hypothesis* typical = &*best;
  for (const Hypothesis& h : hypotheses)
    if (h.bits <= best->bits + kAlternatives && !is_constant(*best) &&
        std::abs(h.far - mean) < std::abs(typical->far - mean))
      typical = &h;
  const auto given = [&](const Hypothesis& h) {
    const Expression first = symbolic::real(h.a) * forms_[h.first].what;
    return h.second ? first + symbolic::real(h.b) * forms_[*h.second].what : first;
  };
  Found found{given(*typical), is_constant(*typical), typical->bits, {}};
  const Hypothesis *least = typical, *most_of_all = typical;
  for (const Hypothesis& h : hypotheses) {
    if (h.bits > best->bits + kAlternatives) continue;
    if (h.far < least->far) least = &h;
    if (h.far > most_of_all->far) most_of_all = &h;
  }
  if (least != typical || most_of_all != typical) found.alternatives = {given(*least), given(*most_of_all)};
  return found;
}

namespace {

constexpr Power kMeanOfParameter[] = {{1, 1, false, 1, false},
                                      {2, 1, false, 2, false},
                                      {3, 1, false, 3, false},
                                      {1, 2, false, 2.5, false},
                                      {-1, 1, false, 3, false}};
constexpr Power kMeanOfProcessCount[] = {{0, 1, false, 0, false},
                                         {-1, 1, false, 1.5, false},
                                         {1, 1, false, 2, false},
                                         {-1, 2, false, 2.5, false},
                                         {1, 2, false, 3, false}};

}  // namespace

std::optional<Expression> CountGrowth::mean_powers(const std::vector<double>& some,
                                                   const std::vector<double>& all) const {
  constexpr double kNear = 0.05;   // deviations below this count as equal
  constexpr double kChange = 0.2;  // smallest deviation that is not attributed to noise
  constexpr int kSteps = 16;       // exponents are rounded to multiples of 1/kSteps
  if (runs_ < kFewest || some.size() != runs_ || all.size() != runs_) return std::nullopt;
  std::vector<double> ratio;  // logarithms
  for (std::size_t k = 0; k < runs_; ++k) {
    if (!(some[k] > 0 && all[k] > 0)) return std::nullopt;
    ratio.push_back(std::log(some[k] / all[k]));
  }
  const auto count = static_cast<double>(runs_);
  const auto processes = [&](std::size_t k) { return std::log(at_[k].processes); };
  const auto parameter = [&](std::size_t v, std::size_t k) {
    return std::log(std::max(at_[k].parameters[v], kSize));
  };
  // Standard deviation of the rest after dividing by a power of a parameter and a power of p.
  const auto left = [&](std::size_t v, double a, double b) {
    double sum = 0, squares = 0;
    for (std::size_t k = 0; k < runs_; ++k) {
      const double rest = ratio[k] - (a != 0 ? a * parameter(v, k) : 0) - b * processes(k);
      sum += rest, squares += rest * rest;
    }
    return std::sqrt(std::max(0.0, squares / count - sum * sum / (count * count)));
  };
  if (left(0, 0, 0) < kChange) return std::nullopt;
  // All powers, weighted by their description length and residual deviation. Their weighted mean is again a
  // product of powers.
  double weights = 0, of_processes = 0;
  std::vector<double> of_parameters(names_.size());
  const auto exponent = [](const Power& power) {
    return static_cast<double>(power.numerator) / power.denominator;
  };
  const auto add = [&](std::size_t v, const Power& a, const Power& b) {
    const double weight =
        std::exp2(-(count * std::log2(std::max(left(v, exponent(a), exponent(b)), kNear)) + a.bits + b.bits));
    weights += weight;
    of_processes += weight * exponent(b);
    if (a.numerator != 0) of_parameters[v] += weight * exponent(a);
  };
  for (const Power& b : kMeanOfProcessCount) {
    add(0, {}, b);
    for (const std::size_t v : sizes_)
      for (const Power& a : kMeanOfParameter) add(v, a, b);
  }
  double mean = 0;
  Expression powers = 1;
  const auto multiply = [&](const Expression& by, double sum, const auto& logarithm_at) {
    const auto numerator = std::llround(kSteps * sum / weights);
    for (std::size_t k = 0; k < runs_; ++k)
      mean -= static_cast<double>(numerator) / kSteps * logarithm_at(k) / count;
    if (numerator != 0) powers = powers * symbolic::power(by, Rational::of(numerator, kSteps));
  };
  for (const double each : ratio) mean += each / count;
  for (const std::size_t v : sizes_)
    multiply(parameter_symbol(names_[v]), of_parameters[v], [&](std::size_t k) { return parameter(v, k); });
  multiply(processes_symbol(), of_processes, processes);
  return symbolic::real(std::exp(mean)) * powers;
}

}  // namespace parcast::program

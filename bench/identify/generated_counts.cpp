// SPDX-License-Identifier: Apache-2.0
#include "generated_counts.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "fit_counts/identify.h"
#include "model/binding.h"
#include "model/lattice.h"
#include "model/resolved.h"

namespace parcast::bench {
namespace {

class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_((seed + 1) * 0x9e3779b97f4a7c15ULL) {
    for (int i = 0; i < 4; ++i) next();
  }
  std::uint64_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }
  std::int64_t integer(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(high - low + 1));
  }
  double real(double low, double high) {
    return low + (high - low) * static_cast<double>(next() >> 11) * 0x1p-53;
  }
  template <class T>
  const T& pick(const std::vector<T>& list) {
    return list[next() % list.size()];
  }

 private:
  std::uint64_t state_;
};

std::uint64_t hash(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  std::uint64_t x = a * 0x9e3779b97f4a7c15ULL ^ b * 0xc2b2ae3d27d4eb4fULL ^ c * 0x165667b19e3779f9ULL;
  x ^= x >> 29;
  x *= 0xbf58476d1ce4e5b9ULL;
  return x ^ (x >> 32);
}

std::int64_t rounded(double x, std::int64_t mode) {
  return static_cast<std::int64_t>(mode == 0 ? std::floor(x) : mode == 1 ? std::llround(x) : std::ceil(x));
}

double real(std::int64_t x) {
  return static_cast<double>(x);
}

Generated n_log_n(Numbers& g) {
  const double c = g.real(0.5, 4), a = g.integer(0, 1) ? real(g.integer(1, 5)) : 0;
  const std::int64_t mode = g.integer(0, 2), over_p = g.integer(0, 2), base = g.integer(0, 8);
  return {"n log n", [=](std::int64_t n, std::int64_t p, std::int64_t) {
            const double m = over_p == 1 ? real(n) / real(p) : real(n);
            return base + rounded(c * m * std::log2(real(n)) + a * real(n), mode) * (over_p == 2 ? p : 1);
          }};
}

Generated tree_depth(Numbers& g) {
  const double base = g.pick(std::vector<double>{1.5, 3, 4, 5, 7, 10});
  const std::int64_t over = g.integer(0, 2), factor = g.integer(1, 12), mode = g.integer(0, 2) == 0 ? 0 : 2;
  return {"tree depth", [=](std::int64_t n, std::int64_t p, std::int64_t) {
            const std::int64_t of = over == 0 ? n : over == 1 ? p : n * p;
            return factor *
                   (1 + rounded(std::log(real(of)) / std::log(base) + (mode == 0 ? 1e-9 : -1e-9), mode));
          }};
}

Generated remainder(Numbers& g) {
  const std::int64_t m = g.pick(std::vector<std::int64_t>{3, 5, 7, 9, 11, 13}), over = g.integer(0, 3),
                     factor = g.integer(1, 9), base = g.integer(0, 20), slope = g.integer(0, 3);
  return {"remainder", [=](std::int64_t n, std::int64_t p, std::int64_t) {
            const std::int64_t of = over == 0 ? n : over == 1 ? n + p : over == 2 ? n * p + 1 : n / p;
            return base + slope * n + factor * (of % m);
          }};
}

Generated threshold(Numbers& g, const ObservedAt& at) {
  const bool in_p = g.integer(0, 1);
  const std::size_t size = in_p ? at.p.size() : at.n.size();
  const auto cut = static_cast<std::size_t>(g.integer(1, static_cast<std::int64_t>(size) - 1));
  const std::int64_t limit = in_p ? at.p[cut] : at.n[cut];
  const std::int64_t low = g.integer(0, 40), jump = g.integer(1, 30), slope = g.integer(0, 4);
  const bool kink = g.integer(0, 1);
  return {"threshold", [=](std::int64_t n, std::int64_t p, std::int64_t) {
            const std::int64_t x = in_p ? p : n;
            return low + slope * n + (x >= limit ? jump * (kink ? x - limit + 1 : 1) : 0);
          }};
}

Generated hashed(Numbers& g) {
  const std::uint64_t seed = g.next();
  const std::int64_t range = g.pick(std::vector<std::int64_t>{2, 3, 4, 6, 10, 30, 100, 1000}),
                     slope = g.integer(0, 5), over = g.integer(0, 3);
  return {"data dependence", [=](std::int64_t n, std::int64_t p, std::int64_t r) {
            const auto key = static_cast<std::uint64_t>(over == 1 ? 0 : p),
                       rank = static_cast<std::uint64_t>(over == 2 ? r : 0);
            return slope * n +
                   static_cast<std::int64_t>(hash(seed ^ static_cast<std::uint64_t>(n), key, rank) %
                                             static_cast<std::uint64_t>(range));
          }};
}

Generated truncated(Numbers& g) {
  const double c = g.real(0.3, 6), d = g.real(0.7, 9);
  const std::int64_t power = g.integer(1, 3), factor = g.integer(1, 8), grid = g.integer(0, 1);
  return {"truncated quotient", [=](std::int64_t n, std::int64_t p, std::int64_t) {
            std::int64_t product = 1;
            const auto extents =
                program::balanced_dimensions(static_cast<std::int32_t>(p), static_cast<int>(power));
            for (std::int64_t k = 0; k < power; ++k) {
              const double parts = grid ? extents[static_cast<std::size_t>(k)] : (k == 0 ? real(p) : 1);
              product *= static_cast<std::int64_t>(real(n) * c / parts / d);
            }
            return factor * product;
          }};
}

Generated root(Numbers& g) {
  const double power = g.pick(std::vector<double>{0.5, 1.0 / 3, 2.0 / 3, 0.7, 1.5, 1.3, 0.9, 1.1});
  const std::int64_t mode = g.integer(0, 2), over = g.integer(0, 3), factor = g.integer(1, 8);
  const double c = g.integer(0, 1) ? 1 : g.real(0.5, 5);
  return {"root", [=](std::int64_t n, std::int64_t p, std::int64_t) {
            const double of = over == 0   ? real(n)
                              : over == 1 ? real(n * p)
                              : over == 2 ? real(n) / real(p)
                                          : real(p);
            return factor * rounded(c * std::pow(of, power), mode);
          }};
}

Generated perturbed(Numbers& g) {
  const std::uint64_t seed = g.next();
  const std::int64_t a = g.integer(1, 9), b = g.integer(0, 9), degree = g.integer(1, 2),
                     every = g.integer(2, 5);
  return {"perturbed polynomial", [=](std::int64_t n, std::int64_t p, std::int64_t) {
            const auto h = hash(seed, static_cast<std::uint64_t>(n), static_cast<std::uint64_t>(p));
            const std::int64_t error =
                static_cast<std::int64_t>(h % static_cast<std::uint64_t>(every)) == 0 ? 1 : 0;
            return a * (degree == 2 ? n * n : n) + b * p + error;
          }};
}

Generated number_theory(Numbers& g) {
  const std::int64_t what = g.integer(0, 3), factor = g.integer(1, 6);
  return {"divisors", [=](std::int64_t n, std::int64_t p, std::int64_t) {
            if (what == 0) return factor * std::gcd(n, p);
            if (what == 1) return factor * std::int64_t{__builtin_ctzll(static_cast<unsigned long long>(n))};
            if (what == 2)
              return factor * std::int64_t{__builtin_popcountll(static_cast<unsigned long long>(n))};
            std::int64_t divisors = 0;
            for (std::int64_t d = 1; d <= n; ++d) divisors += n % d == 0;
            return factor * divisors;
          }};
}

Generated convergence(Numbers& g) {
  const double c = g.real(1, 20), power = g.real(0.3, 1.4), drift = g.real(0, 0.2);
  return {"convergence", [=](std::int64_t n, std::int64_t p, std::int64_t) {
            return rounded(c * std::pow(real(n), power) * (1 + drift * std::log(real(p))), 2);
          }};
}

std::int64_t block(std::int64_t n, std::int64_t parts, std::int64_t part) {
  return n / parts + (part < n % parts ? 1 : 0);
}

struct State2d {
  std::int64_t rows, columns, i, j;
};
State2d grid(std::int64_t p, std::int64_t r) {
  const auto e = program::balanced_dimensions(static_cast<std::int32_t>(p), 2);
  return {e[0], e[1], r / e[1], r % e[1]};
}

}  // namespace

std::vector<ObservedAt> designs() {
  const std::vector<std::vector<std::int64_t>> ns{{16, 32, 64},
                                                  {24, 36, 48, 60},
                                                  {32, 48, 64, 96},
                                                  {20, 40, 60, 80, 100},
                                                  {100, 150, 225},
                                                  {30, 47, 64, 81, 99},
                                                  {64, 128, 256, 512},
                                                  {16, 33, 63},
                                                  {24, 37, 51, 60},
                                                  {33, 48, 65, 98},
                                                  {20, 41, 63, 80, 101},
                                                  {61, 127, 254, 510},
                                                  {21, 32, 45, 64, 83, 100}};
  const std::vector<std::vector<std::int32_t>> ps{{1, 2, 3},    {1, 2, 4},       {1, 2, 3, 4},
                                                  {1, 2, 4, 8}, {1, 2, 3, 4, 6}, {1, 2, 3, 4, 6, 8, 9}};
  std::vector<ObservedAt> all;
  for (const auto& n : ns)
    for (const auto& p : ps) all.push_back({n, p});
  for (const Shape shape : {Shape::star, Shape::diagonal})
    for (const auto& n : {ns[9], ns[10], ns[12]})
      for (const auto& p : {ps[3], ps[4], ps[5]}) all.push_back({n, p, shape});
  return all;
}

std::vector<std::pair<std::int64_t, std::int32_t>> points(const ObservedAt& at) {
  std::vector<std::pair<std::int64_t, std::int32_t>> all;
  for (std::size_t j = 0; j < at.p.size(); ++j)
    for (std::size_t i = 0; i < at.n.size(); ++i) {
      const bool in = at.shape == Shape::full || (at.shape == Shape::star ? i == 0 || j == 0 : i == j);
      if (in) all.push_back({at.n[i], at.p[j]});
    }
  return all;
}

program::Design make_design(const ObservedAt& at) {
  program::Design design;
  design.parameters = {"n"};
  design.whole = {true};
  for (const auto& [n, p] : points(at)) {
    design.groups.push_back({{real(n)}, p, design.cells.size(), static_cast<std::size_t>(p)});
    for (std::int32_t r = 0; r < p; ++r)
      design.cells.push_back(
          {design.groups.size() - 1, program::place_at(design.groups.back().parameters, p, r, {})});
  }
  return design;
}

Generated outside(std::uint64_t i, const ObservedAt& at) {
  Numbers g(i * 7919 + 17);
  switch (i % 10) {
    case 0:
      return n_log_n(g);
    case 1:
      return tree_depth(g);
    case 2:
      return remainder(g);
    case 3:
      return threshold(g, at);
    case 4:
      return hashed(g);
    case 5:
      return truncated(g);
    case 6:
      return root(g);
    case 7:
      return perturbed(g);
    case 8:
      return number_theory(g);
    default:
      return convergence(g);
  }
}

Generated inside(std::uint64_t i) {
  Numbers g(i * 104729 + 5);
  const std::int64_t a = 8 * g.integer(1, 6), b = g.integer(0, 2) * 8, k = g.integer(1, 6);
  switch (i % 12) {
    case 0:
      return {"constant", [=](auto, auto, auto) { return a; }};
    case 1:
      return {"a n + b", [=](auto n, auto, auto) { return a * n + b; }};
    case 2:
      return {"a n^2 + b n", [=](auto n, auto, auto) { return a * n * n + b * n; }};
    case 3:
      return {"a (p - 1)", [=](auto, auto p, auto) { return k * (p - 1); }};
    case 4:
      return {"a n p", [=](auto n, auto p, auto) { return k * n * p; }};
    case 5:
      return {"a ceil(log2 p)", [=](auto, auto p, auto) {
                std::int64_t depth = 0;
                while ((std::int64_t{1} << depth) < p) ++depth;
                return k * depth;
              }};
    case 6:
      return {"block rows", [=](auto n, auto p, auto r) { return a * block(n, p, r) + b; }};
    case 7:
      return {"block rows x n", [=](auto n, auto p, auto r) { return a * n * block(n, p, r); }};
    case 8:
      return {"halo 2-D", [=](auto n, auto p, auto r) {
                const auto s = grid(p, r);
                return a * (block(n, s.columns, s.j) + 2);
              }};
    case 9:
      return {"block points 2-D", [=](auto n, auto p, auto r) {
                const auto s = grid(p, r);
                return a * block(n, s.rows, s.i) * block(n, s.columns, s.j);
              }};
    case 10:
      return {"neighbours 1-D", [=](auto n, auto p, auto r) { return k * n * ((r > 0) + (r < p - 1)); }};
    default:
      return {"root sends to all", [=](auto n, auto p, auto r) { return r == 0 ? (p - 1) * n : 0 * n; }};
  }
}

struct Judge::State {
  program::Identifier identifier;
  program::Model model;               // model of one count
  std::vector<program::Point> tried;  // points where formulas are compared with the truth
};

Judge::Judge(const ObservedAt& at) : state_(new State{program::Identifier(make_design(at)), {}, {}}) {
  program::Model& model = state_->model;
  model.nodes.resize(1);
  model.parameters = {{"n", {at.n.begin(), at.n.end()}}};
  model.processes = at.p;
  for (const auto& [n, p] : points(at)) {
    program::Source source;
    source.parameters = {{"n", real(n)}};
    source.processes = p;
    model.sources.push_back(source);
  }
  const std::int64_t high = at.n.back(), low = at.n.front();
  const std::int32_t most = at.p.back();
  std::set<std::int64_t> sizes{low, low + 1, (low + high) / 2 + 1, high + 7, 2 * high, 3 * high + 1};
  for (const auto& rule : program::lattice_of(model).residues)
    if (rule.variable == "n")
      for (const std::int64_t k : {1, 3, 10}) sizes.insert(high + k * rule.modulus);
  for (std::int64_t n = high; n <= 16 * high; n *= 2) sizes.insert(n);
  for (const std::int64_t n : sizes)
    for (const std::int32_t p : std::set<std::int32_t>{1, 2, 3, 4, 5, 7, most + 1, 2 * most, 16, 25})
      state_->tried.push_back({{{"n", real(n)}}, p});
}
Judge::~Judge() {
  delete state_;
}

Verdict Judge::judge(const CountFunction& count) {
  const program::Design& design = state_->identifier.design();
  std::vector<std::int64_t> values;
  for (const auto& cell : design.cells)
    values.push_back(count(cell.place.parameters[0], cell.place.p, cell.place.r));
  Verdict verdict;
  verdict.visible = std::any_of(values.begin(), values.end(), [&](std::int64_t v) { return v != values[0]; });
  const auto& found = state_->identifier.identify(values);
  verdict.found = found.has_value();
  if (!found) return verdict;
  verdict.exact = found->count.origin == Origin::exact;
  verdict.formula = to_text(found->count.expression);
  state_->model.nodes[0].executions = found->count;
  for (const program::Point& point : state_->tried) {
    const program::Model model = program::resolved(state_->model, point);
    const program::Count& here = model.nodes[0].executions;
    if (here.origin != Origin::exact) continue;
    verdict.claimed = true;
    const auto n = static_cast<std::int64_t>(point.parameters.at("n"));
    const std::int32_t p = point.processes;
    for (const std::int32_t r : {0, 1, p / 2, p - 1}) {
      if (r >= p) continue;
      const auto binding = program::bind(model, point, r);
      const auto value = program::value_of(here, *binding);
      if (value && value->value == real(count(n, p, r))) continue;
      verdict.wrong = verdict.exact;
      verdict.wrong_claim = true;
    }
  }
  return verdict;
}

}  // namespace parcast::bench

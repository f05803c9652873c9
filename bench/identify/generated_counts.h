// SPDX-License-Identifier: Apache-2.0
#pragma once
// Count functions outside the family that the identification searches (rounded n log n, tree depths,
// remainders modulo odd numbers, thresholds, hash-like data dependence, truncated quotients, roots),
// functions inside it, and the designs at which they are observed. Counts reported as exact are compared with
// the truth at points that no design contains.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "model/place.h"

namespace parcast::bench {

/// f(n, p, r)
using CountFunction = std::function<std::int64_t(std::int64_t, std::int64_t, std::int64_t)>;

struct Generated {
  std::string kind;
  CountFunction count;
};

/// Designs: every n at every p; every n at the least p and every p at the least n; or n growing with p.
enum class Shape { full, star, diagonal };
struct ObservedAt {
  std::vector<std::int64_t> n;
  std::vector<std::int32_t> p;
  Shape shape = Shape::full;
};
std::vector<std::pair<std::int64_t, std::int32_t>> points(const ObservedAt& at);  // (n, p), by p

std::vector<ObservedAt> designs();
program::Design make_design(const ObservedAt& at);

/// Returns the i-th function outside of the family for a design, of kind i mod kinds. The same i gives the
/// same function.
Generated outside(std::uint64_t i, const ObservedAt& at);
/// Returns the i-th function inside of the family.
Generated inside(std::uint64_t i);

struct Verdict {
  bool visible = false;  // varies over the design
  bool exact = false, wrong = false;
  // reported as exact at some of the tested points (model/resolved.h); wrong at one of these
  bool claimed = false, wrong_claim = false;
  bool found = false;     // a formula fits, exact or not
  std::string formula{};  // that formula
};
class Judge {
 public:
  explicit Judge(const ObservedAt& at);
  ~Judge();
  Verdict judge(const CountFunction& count);

 private:
  struct State;
  State* state_;
};

}  // namespace parcast::bench

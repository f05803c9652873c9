// SPDX-License-Identifier: Apache-2.0
#pragma once
// Count functions outside the family that the identification searches (rounded n log n, tree depths, remainders modulo odd
// numbers, thresholds, hash-like data dependence, truncated quotients, roots), functions inside it, and the designs at
// which they are observed. Whatever is called exact is held against points that no design contains.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "program/lattice.h"
#include "program/place.h"

namespace parcast::bench {

/// f(n, p, r)
using CountFunction = std::function<std::int64_t(std::int64_t, std::int64_t, std::int64_t)>;

struct Generated {
  std::string kind;
  CountFunction count;
};

struct ObservedAt {
  std::vector<std::int64_t> n;
  std::vector<std::int32_t> p;
};

std::vector<ObservedAt> designs();
program::Design make_design(const ObservedAt& at);

/// The i-th function outside of the family for a design, of kind i mod kinds; the same for the same i.
Generated outside(std::uint64_t i, const ObservedAt& at);
/// The i-th function inside of the family.
Generated inside(std::uint64_t i);

struct Verdict {
  bool visible = false;   // varies over the design
  bool exact = false, wrong = false;
  bool on_lattice = false, wrong_there = false;  // exact, or so on the lattice of the design; wrong at points of it
  bool found = false;     // a form holds, exact or not
  std::string formula{};  // the form
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

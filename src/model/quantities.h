// SPDX-License-Identifier: Apache-2.0
#pragma once
// Derived quantities: sizes that a program works with and nobody gave it, as a process's part of a parameter, with the border around
// it, or the rounds of a tree. They are found in its counts and get names, so that equations can be read. docs/models/source_counts.md.

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "symbolic/expression.h"

namespace parcast::program {

struct Model;

struct Quantity {
  std::string name;                 // N_part
  symbolic::Expression expression;
  std::int64_t counts = 0;          // in which it stands
  double share = 0;                 // of the weighted work behind these, where that is known
};

/// A count, and what share of all it stands for.
struct Weighed {
  symbolic::Expression count;
  double weight = 0;
};

/// The largest sizes in the counts that stand in half a percent of the work or in ten counts, those of the largest share first, at most
/// `most`: names are made of the parameters in them and are none of `taken`.
std::vector<Quantity> derived_quantities(std::span<const Weighed> counts, const std::set<std::string>& taken, std::size_t most = 12);

/// Of the counts of a model's blocks, by their work in the largest recorded run; none where the program was not compiled by Parcast.
std::vector<Quantity> derived_quantities(const Model& model);
/// Names that no quantity of a model may have.
std::set<std::string> taken_names(const Model& model);

/// Each by its name where it stands.
symbolic::Expression with_names(const symbolic::Expression& expression, std::span<const Quantity> quantities);

/// The same with other names. An error for a name that none has, that is no identifier or that is taken.
Result<std::vector<Quantity>> renamed(std::vector<Quantity> quantities, const std::map<std::string, std::string>& names, const std::set<std::string>& taken);

}  // namespace parcast::program

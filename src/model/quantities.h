// SPDX-License-Identifier: Apache-2.0
#pragma once
// Derived quantities: sizes that a program computes from its inputs, such as a process's part of a parameter,
// with or without a border, or the rounds of a tree. They are found in the program's counts and get names, so
// that equations are readable. docs/models/source_counts.md.

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
  std::string name;  // N_part
  symbolic::Expression expression;
  std::int64_t counts = 0;  // number of counts that contain it
  double share = 0;         // of the work or computing with these counts; 0 if unknown
};

/// A count and its share of the work.
struct Weighed {
  symbolic::Expression count;
  double weight = 0;
};

/// Returns the largest sizes in counts of at least half a percent of the work, or in ten counts; at most
/// `most`, in descending order of their shares. Their names are made of the parameters in them and differ
/// from those in `taken`.
std::vector<Quantity> derived_quantities(std::span<const Weighed> counts, const std::set<std::string>& taken,
                                         std::size_t most = 12);

/// Returns the quantities of the counts of a model's blocks, by their work in the largest recorded run. If
/// the program was not compiled by Parcast: those of the measures of computing times and of message sizes, by
/// their share of the computing.
std::vector<Quantity> derived_quantities(const Model& model);
/// Returns the names that no quantity of a model may have.
std::set<std::string> taken_names(const Model& model);

/// Returns the expression with each quantity replaced by its name.
symbolic::Expression with_names(const symbolic::Expression& expression, std::span<const Quantity> quantities);

/// Returns the quantities with other names. Returns an error for a name that no quantity has, that is not an
/// identifier, or that is taken.
Result<std::vector<Quantity>> renamed(std::vector<Quantity> quantities,
                                      const std::map<std::string, std::string>& names,
                                      const std::set<std::string>& taken);

}  // namespace parcast::program

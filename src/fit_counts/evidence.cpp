// SPDX-License-Identifier: Apache-2.0
#include "fit_counts/evidence.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "fit_counts/near_forms.h"
#include "fit_counts/recorded_lines.h"
#include "model/binding.h"

namespace parcast::program {
namespace {

constexpr double kMostAccidental = 0.05;
constexpr double kLeastSurplus = 4;  // bits
constexpr std::size_t kMostJointLines = 40;

// Returns the variables that the form does not involve and that have at least three values, or two values
// above 1 that differ by a factor of 2. The form holds at all of these values and off the lines. Another
// formula that depends on such a variable would have to agree with it there.
std::set<std::size_t> confirmed_without(const Form& form, const FeatureTable& table, const Scope& scope) {
  const Design& design = table.design();
  std::set<std::size_t> out;
  if (!has_a_group_off_lines(design, scope)) return out;
  for (std::size_t v = 0; v < design.variables(); ++v) {
    if (involves(form, table, v) || (v == design.parameters.size() && table.with_rank())) continue;
    std::set<double> values;
    for (const Group& group : design.groups)
      if (is_evidence(design, group, scope)) values.insert(design.value(group, v));
    if (values.size() >= 3 ||
        (values.size() == 2 && *values.begin() > 1 && *values.rbegin() >= 2 * *values.begin()))
      out.insert(v);
  }
  return out;
}

// Returns a feature's bits without those of powers of other variables, since these factors explain nothing on
// the line.
double bits_of_part(const Feature& feature, std::size_t variable) {
  double bits = feature.bits;
  for (std::size_t v = 0; v < feature.degrees.size(); ++v)
    if (v != variable && feature.degrees[v] > 0) bits -= 1 + 1.5 * (feature.degrees[v] - 1);
  return bits;
}

// Returns the bits needed to encode the values along a line as differences from their predecessors, minus the
// bits of the part of the form that explains them.
double gain_on(const Line& line, const Form& form, const FeatureTable& table,
               std::span<const std::int64_t> values, std::size_t variable) {
  const double unit = unit_of(form, table, variable, table.design().cells[line.cells.front()].place);
  double gain = 0;
  for (std::size_t i = 1; i < line.cells.size(); ++i) {
    const double step =
        static_cast<double>(values[line.cells[i]]) - static_cast<double>(values[line.cells[i - 1]]);
    gain += 1 + std::log2(1 + std::abs(step) / unit);
  }
  for (std::size_t i = 0; i < form.features.size(); ++i) {
    const Feature& feature = table.feature(form.features[i]);
    if (!feature.involves(variable)) continue;
    const auto rest = cofactor(feature, variable, table.design().cells[line.cells.front()].place);
    gain -= bits_of_part(feature, variable) +
            std::log2(1 + std::abs(form.coefficients[i].to_double() * static_cast<double>(rest)) / unit) - 1;
  }
  return gain - (form.constant == symbolic::Rational(0) ? 0 : 1);
}

// Returns whether the process counts could show every dimension of a grid. Two dimensions are always needed,
// since a program may use a grid without a communicator; three if a grid of three was recorded.
bool grids_are_seen(const Design& design, const Scope& scope) {
  const auto splits = [&](int dimensions) {
    return std::any_of(design.groups.begin(), design.groups.end(), [&](const Group& group) {
      return is_evidence(design, group, scope) && balanced_dimensions(group.processes, dimensions).back() > 1;
    });
  };
  const bool in_space = std::any_of(design.grids.begin(), design.grids.end(), [](const ProcessGrid& grid) {
    return grid.dimensions == 3 && grid.from_dims_create;
  });
  return splits(2) && (!in_space || splits(3));
}

// Returns whether the form uses a grid that does not follow MPI_Dims_create. The extents of such a grid at
// another p are unknown.
bool uses_recorded_grid(const Form& form, const FeatureTable& table) {
  const auto& grids = table.design().grids;
  return std::any_of(form.features.begin(), form.features.end(), [&](std::size_t f) {
    const auto& factors = table.feature(f).factors;
    return std::any_of(factors.begin(), factors.end(), [&](const Factor& factor) {
      return std::any_of(grids.begin(), grids.end(), [&](const ProcessGrid& grid) {
        return grid.dimensions == factor.axis.dimensions && !grid.from_dims_create;
      });
    });
  });
}

/// Whether recordings that differ in this variable alone have the same count on every rank that both have,
/// and there are some.
bool is_independent(const Design& design, std::span<const std::int64_t> values, std::size_t variable,
                    const Scope& scope) {
  std::map<std::vector<double>, std::size_t> first;  // by the other variables
  bool any = false;
  for (std::size_t g = 0; g < design.groups.size(); ++g) {
    const Group& group = design.groups[g];
    if (!is_evidence(design, group, scope)) continue;
    std::vector<double> rest;
    for (std::size_t v = 0; v < design.variables(); ++v)
      if (v != variable) rest.push_back(design.value(group, v));
    const auto [at, is_new] = first.emplace(std::move(rest), g);
    if (is_new) continue;
    const Group& other = design.groups[at->second];
    for (std::size_t cell = 0; cell < std::min(group.cell_count, other.cell_count); ++cell)
      if (values[group.first_cell + cell] != values[other.first_cell + cell]) return false;
    any = true;
  }
  return any;
}

/// Whether all ranks of each recording have the same.
bool is_the_same_on_all_ranks(const Design& design, std::span<const std::int64_t> values) {
  return std::ranges::all_of(design.groups, [&](const Group& group) {
    const auto of_group = values.subspan(group.first_cell, group.cell_count);
    return std::ranges::all_of(of_group, [&](std::int64_t value) { return value == of_group.front(); });
  });
}

/// Variables that neither the form nor the recordings depend on: lines may go on through other values of
/// them. Where ranks differ, p is none of these.
std::set<std::size_t> without_effect(const Form& form, const FeatureTable& table,
                                     std::span<const std::int64_t> values, std::size_t variable,
                                     const Scope& scope) {
  const Design& design = table.design();
  const bool by_rank = table.with_rank() && !is_the_same_on_all_ranks(design, values);
  std::set<std::size_t> out;
  for (std::size_t v = 0; v < design.variables(); ++v) {
    if (v == variable || involves(form, table, v) || (v == design.parameters.size() && by_rank)) continue;
    if (is_independent(design, values, v, scope)) out.insert(v);
  }
  return out;
}

}  // namespace

double accidental_matches(const Form& form, const FeatureTable& table, std::span<const std::int64_t> values,
                          std::size_t variable, const Scope& scope) {
  double least = 1;
  const auto lines = lines_of(table.design(), variable, table.with_rank(), scope,
                              without_effect(form, table, values, variable, scope), kMostJointLines);
  for (std::size_t k = 0; k < std::min(lines.size(), kMostLines); ++k)
    least = std::min(least, accidental_on(lines[k], form, table, values, variable));
  return std::min(least, accidental_on_all(lines, form, table, values, variable));
}

double surplus_bits(const Form& form, const FeatureTable& table, std::span<const std::int64_t> values,
                    std::size_t variable, const Scope& scope) {
  double most = -INFINITY;
  for (const Line& line : lines_of(table.design(), variable, table.with_rank(), scope,
                                   without_effect(form, table, values, variable, scope)))
    most = std::max(most, gain_on(line, form, table, values, variable));
  return most;
}

std::optional<std::size_t> group_to_extend(const Form& form, const FeatureTable& table,
                                           std::span<const std::int64_t> values, std::size_t variable) {
  std::optional<std::size_t> best;
  double least = INFINITY;
  for (const Line& line : lines_of(table.design(), variable, table.with_rank(), {})) {
    const double accidental = accidental_on(line, form, table, values, variable);
    if (accidental >= least) continue;
    least = accidental;
    best = table.design().cells[line.cells.front()].group;
  }
  return best;
}

std::vector<std::size_t> unestablished_variables(const Form& form, const FeatureTable& table,
                                                 std::span<const std::int64_t> values, const Scope& scope) {
  std::vector<std::size_t> open;
  const Design& design = table.design();
  const std::set<std::size_t> without = confirmed_without(form, table, scope);
  const auto established = [&](std::size_t v) {
    const bool is_p = v == design.parameters.size();
    const std::size_t needed = std::max<std::size_t>(3, parts_of(form, table, v) + 1);
    if (!without.contains(v) && !varied_alone(design, v, needed, scope, without)) return false;
    if (is_p && (!grids_are_seen(design, scope) || uses_recorded_grid(form, table))) return false;
    return !involves(form, table, v) ||
           (surplus_bits(form, table, values, v, scope) >= kLeastSurplus &&
            accidental_matches(form, table, values, v, scope) <= kMostAccidental);
  };
  for (std::size_t v = 0; v < design.variables(); ++v)
    if (!is_fixed(scope, v) && (!table.keeps_out() || !established(v))) open.push_back(v);
  return open;
}

std::vector<std::vector<double>> settling_values(const Form& form, const FeatureTable& table,
                                                 std::span<const std::int64_t> values,
                                                 const std::vector<std::size_t>& open) {
  const Design& design = table.design();
  std::set<std::vector<double>> seen;
  for (const Group& group : design.groups) {
    if (!is_evidence(design, group, {})) continue;
    std::vector<double> tuple;
    for (const std::size_t v : open) tuple.push_back(design.value(group, v));
    seen.insert(tuple);
  }
  std::vector<std::vector<double>> settling;
  for (const auto& tuple : seen) {
    Scope scope(design.variables());
    for (std::size_t i = 0; i < open.size(); ++i) scope[open[i]] = tuple[i];
    if (unestablished_variables(form, table, values, scope).empty()) settling.push_back(tuple);
  }
  return settling;
}

}  // namespace parcast::program

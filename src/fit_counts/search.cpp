// SPDX-License-Identifier: Apache-2.0
#include "fit_counts/search.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>

#include "fit_counts/modular.h"

namespace parcast::program {
namespace {

using symbolic::Rational;

constexpr std::size_t kMostCells = 160;
constexpr std::size_t kMostTuples = 1'500'000;
constexpr double kMostPairBits = 20, kMostTripleBits = 22;
constexpr double kSlack = 6;  // bits beyond the cheapest form within which others are searched
// Members of a class that are tried: of n, n / 2 and n / 20 one has whole coefficients.
constexpr std::size_t kMostMembers = 200;

double number_bits(const Rational& value) {
  if (value == Rational(0)) return 0;
  return 0.5 + 0.6 * std::log2(std::abs(static_cast<double>(value.numerator()))) +
         2 * std::log2(static_cast<double>(value.denominator()));
}

// Returns the bits of the coefficients. A common factor of all (bytes per item, calls per step) is encoded
// once.
double coefficient_bits(const Form& form) {
  std::int64_t common = std::abs(form.constant.is_integer() ? form.constant.numerator() : 1);
  for (const Rational& c : form.coefficients) common = std::gcd(common, c.is_integer() ? c.numerator() : 1);
  if (common == 0) common = 1;
  double bits = 0.5 * std::log2(static_cast<double>(common));
  const auto reduced = [&](const Rational& c) { return symbolic::divide(c, Rational(common)).value_or(c); };
  for (const Rational& c : form.coefficients) bits += number_bits(reduced(c));
  if (!(form.constant == Rational(0))) bits += 1 + number_bits(reduced(form.constant));
  return bits;
}

// Returns the bits added to a form that may give fractions at points without recordings.
double fraction_bits(const Form& form) {
  const bool whole = std::all_of(form.coefficients.begin(), form.coefficients.end(),
                                 [](const Rational& c) { return c.is_integer(); });
  return whole ? 0 : kFractionBits;
}

// Returns weights of cells: pseudo-random, the same for every design with that number of cells.
std::vector<std::uint64_t> make_weights(std::size_t count) {
  std::vector<std::uint64_t> weights;
  std::uint64_t state = 0x9E3779B97F4A7C15ULL;
  for (std::size_t i = 0; i < count; ++i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    weights.push_back(state % (kLarge - 1) + 1);
  }
  return weights;
}

// Returns the group of the largest point, and one in ten of the others, spread over the design.
std::vector<bool> groups_kept_out(const Design& design) {
  const std::size_t count = design.groups.size();
  std::vector<bool> out(count, false);
  if (count < 4) return out;
  out[count - 1] = true;
  for (std::size_t i = 1; i <= count / 10; ++i) out[(i * 7 + count / 2) % count] = true;
  return out;
}

}  // namespace

std::optional<ExactValue> value_at(const Form& form, const FeatureTable& table, const Place& place) {
  ExactValue value;
  value.denominator = form.constant.denominator();
  for (const Rational& c : form.coefficients)
    value.denominator = std::lcm(value.denominator, c.denominator());
  const auto scaled = [&](const Rational& c) {
    return static_cast<Wide>(c.numerator()) * (value.denominator / c.denominator());
  };
  value.numerator = scaled(form.constant);
  for (std::size_t i = 0; i < form.features.size(); ++i) {
    const auto x = value_at(table.feature(form.features[i]), place);
    if (!x) return std::nullopt;
    value.numerator += scaled(form.coefficients[i]) * *x;
  }
  return value;
}

FeatureTable::FeatureTable(const Design& design, bool with_rank)
    : design_(&design),
      with_rank_(with_rank),
      features_(make_features(design, with_rank)),
      weights_(make_weights(design.cells.size())) {
  choose_cells();
  std::erase_if(features_, [&](const Feature& f) {
    return std::any_of(design.cells.begin(), design.cells.end(),
                       [&](const Cell& cell) { return !value_at(f, cell.place); });
  });
  build_classes();
  choose_budget();
}

void FeatureTable::choose_cells() {
  const auto out = groups_kept_out(*design_);
  kept_out_ = std::any_of(out.begin(), out.end(), [](bool b) { return b; });
  std::vector<std::size_t> later;
  for (std::size_t g = 0; g < design_->groups.size(); ++g) {
    const Group& group = design_->groups[g];
    for (std::size_t k = 0; k < group.cell_count; ++k) {
      const std::size_t cell = group.first_cell + k;
      if (!with_rank_ && k > 0) break;
      if (out[g]) continue;
      if (k == 0)
        searched_.push_back(cell);
      else
        later.push_back(cell);
    }
  }
  // Groups first, then ranks from all over the design.
  std::size_t stride = 1;
  for (const std::size_t s : {61, 37, 23, 17, 11, 7})
    if (!later.empty() && std::gcd(later.size(), s) == 1 && stride == 1) stride = s;
  for (std::size_t i = 0; i < later.size(); ++i) {
    if (searched_.size() < kMostCells) searched_.push_back(later[(i * stride) % later.size()]);
  }
}

std::uint64_t FeatureTable::weighted_sum(std::size_t feature) const {
  std::uint64_t sum = 0;
  for (std::size_t cell = 0; cell < weights_.size(); ++cell)
    sum = large_plus(sum, large_times(weights_[cell], large_residue(*value_at(features_[feature],
                                                                              design_->cells[cell].place))));
  return sum;
}

void FeatureTable::build_classes() {
  std::map<std::vector<std::uint32_t>, std::size_t> known;
  std::vector<std::vector<std::uint32_t>> by_class;
  for (std::size_t f = 0; f < features_.size(); ++f) {
    std::vector<std::uint32_t> column;
    for (const std::size_t cell : searched_)
      column.push_back(residue(*value_at(features_[f], design_->cells[cell].place)));
    const std::uint32_t base = column.empty() ? 0 : column.front();
    for (std::uint32_t& entry : column) entry = minus(entry, base);
    const auto lead = std::find_if(column.begin(), column.end(), [](std::uint32_t v) { return v != 0; });
    if (lead == column.end()) continue;  // constant here: the form's constant represents it
    const std::uint32_t scale = inverse(*lead);
    for (std::uint32_t& entry : column) entry = times(entry, scale);
    const auto [at, is_new] = known.emplace(column, classes_.size());
    if (is_new) {
      classes_.push_back({Member{.feature = f, .sum = weighted_sum(f)}});
      class_bits_.push_back(features_[f].bits);
      by_class.push_back(std::move(column));
    } else if (const std::size_t first = classes_[at->second].front().feature;
               classes_[at->second].size() < kMostMembers) {
      const auto at_cell = [&](std::size_t feature, std::size_t row) {
        return large_residue(*value_at(features_[feature], design_->cells[searched_[row]].place));
      };
      const auto row = static_cast<std::size_t>(lead - column.begin());
      const std::uint64_t base_first = at_cell(first, 0), base_mine = at_cell(f, 0);
      const std::uint64_t step_first = large_minus(at_cell(first, row), base_first),
                          step_mine = large_minus(at_cell(f, row), base_mine);
      const std::uint64_t slope = large_times(step_mine, large_inverse(step_first));
      classes_[at->second].push_back(
          {f, large_inverse(slope), large_minus(base_mine, large_times(slope, base_first)), weighted_sum(f)});
    }
  }
  columns_.assign(searched_.size(), std::vector<std::uint32_t>(classes_.size()));
  for (std::size_t c = 0; c < by_class.size(); ++c)
    for (std::size_t row = 0; row < searched_.size(); ++row) columns_[row][c] = by_class[c][row];
}

// Chooses the largest sums of bits for which pairs and triples can be tried in about a second.
void FeatureTable::choose_budget() {
  const std::size_t n = class_bits_.size();
  const auto within = [&](double bits, std::size_t from) {
    return static_cast<std::size_t>(std::upper_bound(class_bits_.begin() + static_cast<std::ptrdiff_t>(from),
                                                     class_bits_.end(), bits) -
                                    class_bits_.begin()) -
           from;
  };
  const auto pairs = [&](double bits, std::size_t from, double used) {
    std::size_t count = 0;
    for (std::size_t i = from; i < n && class_bits_[i] * 2 + used <= bits; ++i)
      count += within(bits - used - class_bits_[i], i + 1);
    return count;
  };
  for (pair_bits_ = 0; pair_bits_ < kMostPairBits && pairs(pair_bits_ + 0.5, 0, 0) <= kMostTuples;)
    pair_bits_ += 0.5;
  for (triple_bits_ = 0; triple_bits_ < kMostTripleBits; triple_bits_ += 0.5) {
    std::size_t count = 0;
    const double next = triple_bits_ + 0.5;
    for (std::size_t i = 0; i < n && class_bits_[i] * 3 <= next && count <= kMostTuples; ++i)
      count += pairs(next, i + 1, class_bits_[i]);
    if (count > kMostTuples) break;
  }
}

bool FeatureTable::confirms(const Form& form, std::span<const std::int64_t> values) const {
  for (std::size_t cell = 0; cell < design_->cells.size(); ++cell) {
    const auto value = value_at(form, *this, design_->cells[cell].place);
    if (!value || value->numerator != static_cast<Wide>(values[cell]) * value->denominator) return false;
  }
  return true;
}

// One search: rows of classes, eliminated step by step.
struct FeatureTable::Searcher {
  const FeatureTable& table;
  std::span<const std::int64_t> values;
  std::vector<Form> forms{};
  double best = 1e9;
  std::uint64_t weighted_values = 0, weight_of_all = 0;  // over all cells, modulo the large prime

  using Columns = std::vector<std::vector<std::uint32_t>>;
  using Column = std::vector<std::uint32_t>;

  Column target() const {
    Column y;
    for (const std::size_t cell : table.searched_) y.push_back(residue(values[cell]));
    const std::uint32_t base = y.front();
    for (std::uint32_t& entry : y) entry = minus(entry, base);
    return y;
  }

  static std::optional<std::size_t> lead(const Columns& columns, std::size_t c) {
    for (std::size_t row = 0; row < columns.size(); ++row)
      if (columns[row][c] != 0) return row;
    return std::nullopt;
  }

  // Subtracts a multiple of the class from each row, so that its pivot row vanishes.
  static void eliminate(const Columns& columns, std::size_t pivot, std::size_t c, std::size_t end,
                        Columns& out, Column& y) {
    const std::uint32_t scale = inverse(columns[pivot][c]);
    const std::uint32_t y_scale = times(y[pivot], scale);
    for (std::size_t row = 0; row < y.size(); ++row) y[row] = minus(y[row], times(y_scale, columns[row][c]));
    out.resize(columns.size());
    for (std::size_t row = 0; row < columns.size(); ++row) {
      out[row].resize(end);
      const std::uint32_t mine = times(columns[row][c], scale);
      for (std::size_t k = c + 1; k < end; ++k)
        out[row][k] = minus(columns[row][k], times(columns[pivot][k], mine));
    }
  }

  void singles(const Columns& columns, const Column& y) {
    const std::size_t first = first_nonzero(y, 0);
    for (std::size_t c = 0; c < table.classes_.size(); ++c) {
      if (table.class_bits_[c] > best + kSlack) break;
      if (columns[first][c] != 0 && proportional(columns, c, y, first)) add({c});
    }
  }

  static std::size_t first_nonzero(const Column& y, std::size_t from) {
    while (from < y.size() && y[from] == 0) ++from;
    return from;
  }

  static bool proportional(const Columns& columns, std::size_t c, const Column& y, std::size_t first) {
    for (std::size_t row = 0; row < y.size(); ++row)
      if (times(y[row], columns[first][c]) != times(y[first], columns[row][c])) return false;
    return true;
  }

  // Finds all j < k in [begin, end) with y in their span; `used` bits and the classes `taken` are already
  // part of the form.
  void pairs(const Columns& columns, const Column& y, std::size_t begin, double limit, double used,
             const std::vector<std::size_t>& taken) {
    const auto& bits = table.class_bits_;
    for (std::size_t j = begin; j < bits.size(); ++j) {
      const double bound = std::min(limit, best + kSlack) - used - bits[j];
      if (bits[j] > bound) break;
      const auto pivot = lead(columns, j);
      if (!pivot) continue;
      pairs_with(columns, y, j, *pivot, bound, taken);
    }
  }

  void pairs_with(const Columns& columns, Column y, std::size_t j, std::size_t pivot, double bound,
                  const std::vector<std::size_t>& taken) {
    const std::uint32_t scale = inverse(columns[pivot][j]);
    const std::uint32_t y_scale = times(y[pivot], scale);
    for (std::size_t row = 0; row < y.size(); ++row) y[row] = minus(y[row], times(y_scale, columns[row][j]));
    const std::size_t a = first_nonzero(y, 0);
    if (a == y.size()) return;  // fewer terms already hold
    std::size_t b = a + 1 + (y.size() - a - 1) / 2;
    if (b >= y.size() || b == pivot) b = a == 0 ? a : a - 1;
    const std::uint32_t fa = times(columns[a][j], scale), fb = times(columns[b][j], scale);
    const auto& row_a = columns[a];
    const auto& row_b = columns[b];
    const auto& row_p = columns[pivot];
    const auto& bits = table.class_bits_;
    // y[a] g(b) = y[b] g(a), with g(row) = columns[row][k] - f(row) columns[pivot][k], is one linear form in
    // the three rows.
    const std::uint64_t of_b = y[a], of_a = minus(0, y[b]);
    const std::uint64_t of_pivot = minus(times(y[b], fa), times(y[a], fb));
    for (std::size_t k = j + 1; k < bits.size() && bits[k] <= bound; ++k) {
      if (!is_multiple(of_b * row_b[k] + of_a * row_a[k] + of_pivot * row_p[k])) continue;
      if (row_a[k] == times(row_p[k], fa)) continue;
      if (!holds(columns, y, j, k, pivot, scale, a)) continue;
      auto found = taken;
      found.push_back(j);
      found.push_back(k);
      add(found);
    }
  }

  static bool holds(const Columns& columns, const Column& y, std::size_t j, std::size_t k, std::size_t pivot,
                    std::uint32_t scale, std::size_t a) {
    const std::uint32_t g = times(columns[pivot][k], scale);
    const std::uint32_t ga = minus(columns[a][k], times(g, columns[a][j]));
    for (std::size_t row = 0; row < y.size(); ++row)
      if (times(y[a], minus(columns[row][k], times(g, columns[row][j]))) != times(y[row], ga)) return false;
    return true;
  }

  void triples(const Columns& columns, const Column& y) {
    const auto& bits = table.class_bits_;
    const double limit = std::min(table.triple_bits_, best + kSlack);
    Columns rest;
    for (std::size_t i = 0; i < bits.size() && bits[i] * 3 <= limit; ++i) {
      const auto pivot = lead(columns, i);
      if (!pivot) continue;
      // The bits of the largest partner are bounded by those of the cheapest middle one.
      const auto end = static_cast<std::size_t>(
          std::upper_bound(bits.begin(), bits.end(), limit - 2 * bits[i]) - bits.begin());
      if (end <= i + 2) continue;
      Column y_rest = y;
      eliminate(columns, *pivot, i, end, rest, y_rest);
      pairs_below(rest, y_rest, i + 1, end, limit, bits[i], {i});
    }
  }

  void pairs_below(const Columns& columns, const Column& y, std::size_t begin, std::size_t end, double limit,
                   double used, const std::vector<std::size_t>& taken) {
    const auto& bits = table.class_bits_;
    for (std::size_t j = begin; j < end; ++j) {
      const double bound = std::min({limit - used - bits[j], best + kSlack - used - bits[j], bits[end - 1]});
      if (bits[j] > bound) break;
      const auto pivot = lead(columns, j);
      if (pivot) pairs_with(columns, y, j, *pivot, bound, taken);
    }
  }

  // Adds every sufficiently short choice of members of the classes. The first members determine all
  // coefficients.
  void add(const std::vector<std::size_t>& classes) {
    Equations equations(classes.size() + 1);
    for (const std::size_t cell : table.searched_) {
      if (equations.determined()) break;
      Equations::Row row{};
      for (std::size_t i = 0; i < classes.size(); ++i)
        row[i] = large_residue(*value_at(table.features_[table.classes_[classes[i]].front().feature],
                                         table.design_->cells[cell].place));
      row[classes.size()] = 1;
      row[classes.size() + 1] = large_residue(values[cell]);
      equations.add(row);
    }
    if (!equations.determined()) return;
    std::vector<std::vector<Group>> groups;
    for (std::size_t i = 0; i < classes.size(); ++i) {
      groups.push_back(groups_of(classes[i], equations.solution(i)));
      if (groups.back().empty()) return;
    }
    const std::uint64_t constant = equations.solution(classes.size());
    match(groups, {}, large_minus(weighted_values, large_times(weight_of_all, constant)), constant, 0);
  }

  // A member of a class with its coefficient, and its share of the form's constant.
  struct Choice {
    std::size_t feature;
    Rational coefficient;
    std::uint64_t constant;
  };

  // Choices of one class that differ by at most a constant at every cell of the design: all of them hold, or
  // none.
  struct Group {
    std::uint64_t check;
    double bits;  // of the cheapest
    std::vector<Choice> choices;
  };

  // Returns the groups in order of the bits of their first choice.
  std::vector<Group> groups_of(std::size_t of_class, std::uint64_t solution) const {
    std::vector<Group> groups;
    std::map<std::uint64_t, std::size_t> known;
    for (const Member& member : table.classes_[of_class]) {
      const std::uint64_t residue = large_times(solution, member.inverse_of_scale);
      const auto coefficient = fraction(residue);
      if (!coefficient || *coefficient == Rational(0)) continue;
      const std::uint64_t constant = large_times(residue, member.shift);
      const std::uint64_t check =
          large_minus(large_times(residue, member.sum), large_times(weight_of_all, constant));
      const auto [at, is_new] = known.emplace(check, groups.size());
      if (is_new) groups.push_back({check, table.features_[member.feature].bits, {}});
      groups[at->second].choices.push_back({member.feature, *coefficient, constant});
    }
    return groups;
  }

  // Finds the groups, one of each class, whose checks sum to `missing`.
  void match(const std::vector<std::vector<Group>>& groups, const std::vector<const Group*>& matched,
             std::uint64_t missing, std::uint64_t constant, double used) {
    const std::size_t at = matched.size();
    double rest = 0;
    for (std::size_t i = at + 1; i < groups.size(); ++i) rest += groups[i].front().bits;
    for (const Group& group : groups[at]) {
      if (used + group.bits + rest > best + kSlack) break;
      if (at + 1 == groups.size() && group.check != missing) continue;
      auto more = matched;
      more.push_back(&group);
      if (at + 1 == groups.size()) return choose(more, Form{}, constant, 0);
      match(groups, more, large_minus(missing, group.check), constant, used + group.bits);
    }
  }

  // Adds choices of the groups after the end of `form`. `constant` is the remainder after the chosen ones,
  // `used` their features' bits.
  void choose(const std::vector<const Group*>& groups, const Form& form, std::uint64_t constant,
              double used) {
    const std::size_t taken = form.features.size();
    if (taken == groups.size()) return finish(form, constant, used);
    double rest = 0;
    for (std::size_t i = taken + 1; i < groups.size(); ++i) rest += groups[i]->bits;
    for (const Choice& choice : groups[taken]->choices) {
      const double bits = used + table.features_[choice.feature].bits;
      if (bits + rest > best + kSlack) break;
      Form longer = form;
      longer.features.push_back(choice.feature);
      longer.coefficients.push_back(choice.coefficient);
      // Further coefficients cannot shorten it: the common factor of all can only become smaller.
      if (bits + rest + coefficient_bits(longer) > best + kSlack) continue;
      choose(groups, longer, large_minus(constant, choice.constant), bits);
    }
  }

  void finish(Form form, std::uint64_t constant, double bits) {
    const auto value = fraction(constant);
    if (!value) return;
    form.constant = *value;
    order(form);
    form.bits = bits + coefficient_bits(form);
    if (form.bits > best + kSlack || !table.confirms(form, values)) return;
    best = std::min(best, form.bits + fraction_bits(form));
    forms.push_back(std::move(form));
  }

  // Sorts the features in ascending order.
  static void order(Form& form) {
    std::vector<std::size_t> by_feature(form.features.size());
    std::iota(by_feature.begin(), by_feature.end(), std::size_t{0});
    std::sort(by_feature.begin(), by_feature.end(),
              [&](std::size_t a, std::size_t b) { return form.features[a] < form.features[b]; });
    const Form as_found = form;
    for (std::size_t i = 0; i < by_feature.size(); ++i) {
      form.features[i] = as_found.features[by_feature[i]];
      form.coefficients[i] = as_found.coefficients[by_feature[i]];
    }
  }

  void constant() {
    Form form;
    form.constant = Rational(values[table.searched_.front()]);
    form.bits = coefficient_bits(form);
    if (table.confirms(form, values)) forms.push_back(std::move(form));
  }

  void sum_up() {
    for (std::size_t cell = 0; cell < values.size(); ++cell) {
      weight_of_all = large_plus(weight_of_all, table.weights_[cell]);
      weighted_values =
          large_plus(weighted_values, large_times(table.weights_[cell], large_residue(values[cell])));
    }
  }

  void run(Effort effort) {
    const Column y = target();
    sum_up();
    if (std::all_of(y.begin(), y.end(), [](std::uint32_t v) { return v == 0; })) return constant();
    const std::size_t groups = table.design_->groups.size();
    singles(table.columns_, y);
    if (groups >= 4) pairs(table.columns_, y, 0, table.pair_bits_, 0, {});
    if (effort == Effort::pairs && forms.empty()) return;
    // Three features and a constant fit any four cells.
    if (groups >= 5 && y.size() >= 5) triples(table.columns_, y);
  }
};

std::vector<Form> FeatureTable::search(std::span<const std::int64_t> values, std::size_t most,
                                       Effort effort) const {
  if (searched_.empty()) return {};
  Searcher searcher{*this, values};
  searcher.run(effort);
  std::stable_sort(searcher.forms.begin(), searcher.forms.end(), [](const Form& a, const Form& b) {
    return a.bits + fraction_bits(a) < b.bits + fraction_bits(b);
  });
  if (searcher.forms.size() > most) searcher.forms.resize(most);
  return std::move(searcher.forms);
}

}  // namespace parcast::program

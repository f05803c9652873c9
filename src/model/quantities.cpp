// SPDX-License-Identifier: Apache-2.0
#include "model/quantities.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "base/text.h"
#include "model/binding.h"
#include "model/formula_text.h"
#include "model/model.h"
#include "model/work.h"
#include "symbolic/factor.h"

namespace parcast::program {
namespace {

using symbolic::Expression;
using symbolic::Operation;
using symbolic::SymbolKind;

constexpr std::size_t kMostTerms = 5;
constexpr double kLeastShare = 0.005;
constexpr std::int64_t kFewestCounts = 10;  // for a size with less work
constexpr int kMostNodes = 40;              // in a size: longer expressions are arithmetic and get no name

/// Properties of an expression that is a size.
struct Size {
  int nodes = 0;
  bool derived = false;  // contains a rounding, a choice among sizes, or a quotient of sizes
};

std::optional<Size> size_of(const Expression& a);

std::optional<Size> joined(std::span<const Expression> parts, bool derived) {
  Size all{1, derived};
  for (const Expression& part : parts) {
    const auto size = size_of(part);
    if (!size) return std::nullopt;
    all.nodes += size->nodes;
    all.derived = all.derived || size->derived;
  }
  return all.nodes <= kMostNodes ? std::optional(all) : std::nullopt;
}

/// Returns the size if the product is a number times at most one size, over at most one size.
std::optional<Size> size_of_product(const Expression& a) {
  Size all{1, false};
  int above = 0, below = 0;
  for (const Expression& factor : a.operands()) {
    if (factor.is_number()) continue;
    const bool quotient = factor.operation() == Operation::power && factor.operands()[1] == Expression(-1);
    const auto size = size_of(quotient ? factor.operands()[0] : factor);
    if (!size || ++(quotient ? below : above) > 1) return std::nullopt;
    all.nodes += 1 + size->nodes;
    all.derived = all.derived || size->derived;
  }
  return all;
}

std::optional<Size> size_of(const Expression& a) {
  switch (a.operation()) {
    case Operation::constant:
      return Size{1, false};
    case Operation::symbol:
      return a.kind() == SymbolKind::machine_cost || a.kind() == SymbolKind::loop_index
                 ? std::nullopt
                 : std::optional(Size{1, false});
    case Operation::floor:
    case Operation::ceil:
    case Operation::modulo:
      return joined(a.operands(), true);
    case Operation::minimum:
    case Operation::maximum:
      return joined(a.operands(), false);
    case Operation::log2:
      return joined(a.operands(), false);
    case Operation::sum:
      return a.operands().size() <= kMostTerms ? joined(a.operands(), false) : std::nullopt;
    case Operation::product:
      return size_of_product(a);
    case Operation::power:
      return a.operands()[1] == Expression(-1) ? joined(a.operands().first(1), false) : std::nullopt;
    case Operation::conditional: {
      // One more or one less, for ranks that get a remainder; the condition may be any expression.
      const auto chosen = joined(a.operands().subspan(1), false);
      const auto condition = joined(a.operands().first(1), false);
      if (!chosen || !condition) return std::nullopt;
      return Size{chosen->nodes + condition->nodes, chosen->derived};
    }
    default:
      return std::nullopt;
  }
}

/// Adds the largest sizes in the expression to `out`. The index of a series has no meaning outside its body,
/// so sizes in the body that contain it are left out.
void find_sizes(const Expression& a, std::set<Expression>& out, std::set<const symbolic::Node*>& seen) {
  if (a.is_number() || a.operation() == Operation::symbol || !seen.insert(a.node()).second) return;
  // For a multiple of a size, the size itself gets the name.
  if (const auto size = a.operation() == Operation::product ? std::nullopt : size_of(a);
      size && size->derived) {
    const Expression part = symbolic::primitive_part(a);
    // A sum without an added term is not the size but its negative.
    out.insert(formula_text(part).starts_with('-') ? symbolic::expand(-part) : part);
    return;
  }
  for (const Expression& operand : a.operands()) find_sizes(operand, out, seen);
}

std::string identifier_of(const std::string& text) {
  std::string out;
  for (const char c : text) out += std::isalnum(static_cast<unsigned char>(c)) || c == '_' ? c : '_';
  return out.empty() || std::isdigit(static_cast<unsigned char>(out[0])) ? "_" + out : out;
}

bool holds_logarithm(const Expression& a) {
  return a.operation() == Operation::log2 || std::ranges::any_of(a.operands(), holds_logarithm);
}

std::string base_name(const Expression& size) {
  std::vector<std::string> names;
  for (const Expression& symbol : symbolic::free_symbols(size))
    if (symbol.kind() == SymbolKind::parameter) names.push_back(identifier_of(symbol.name()));
  if (names.empty()) names.push_back("p");
  return join(names, "_") + (holds_logarithm(size) ? "_rounds" : "_part");
}

/// Returns the shares of the work in the largest recorded run, of its first process. A count without a value
/// there has weight 0; only the number of counts can qualify it.
std::vector<Weighed> weighed_counts(const Model& model) {
  std::vector<Weighed> out;
  const auto largest = std::ranges::max_element(model.sources, {}, [](const Source& source) {
    double size = source.processes;
    for (const auto& [name, value] : source.parameters) size *= std::max(1.0, value);
    return size;
  });
  if (largest == model.sources.end()) return out;
  const auto at = bind(model, {largest->parameters, largest->processes}, 0);
  double all = 0;
  for (const Work& work : model.work)
    for (const Work::Executions& each : work.blocks) {
      std::map<std::string, Expression> operations;
      for (const auto& [of_class, count] : model.blocks[static_cast<std::size_t>(each.block)].operations)
        operations.emplace(of_class, Expression(count));
      const auto value =
          at ? symbolic::evaluate(each.count * weighted_work(operations), *at) : Result<double>(at.error());
      out.push_back({each.count, value && *value > 0 ? *value : 0});
      all += out.back().weight;
    }
  for (Weighed& each : out) each.weight = all > 0 ? each.weight / all : 0;
  return out;
}

/// Returns the measures of computing times by their share of it, and the sizes of messages.
std::vector<Weighed> measures_and_sizes(const Model& model) {
  std::vector<Weighed> out;
  for (const Segment& segment : model.segments)
    for (const Expression& argument : segment.cost.arguments) out.push_back({argument, segment.share});
  for (const Node& node : model.nodes)
    for (const Expression& bytes : {node.bytes.expression, node.collective_bytes.expression})
      if (const auto each = symbolic::quotient(bytes, node.executions.expression)) out.push_back({*each, 0});
  return out;
}

std::string free_name(const std::string& base, const std::set<std::string>& taken) {
  if (!taken.contains(base)) return base;
  for (int number = 2;; ++number)
    if (const std::string name = base + std::to_string(number); !taken.contains(name)) return name;
}

}  // namespace

std::vector<Quantity> derived_quantities(std::span<const Weighed> counts, const std::set<std::string>& taken,
                                         std::size_t most) {
  std::map<Expression, Quantity> found;
  for (const Weighed& each : counts) {
    std::set<Expression> sizes;
    std::set<const symbolic::Node*> seen;
    find_sizes(each.count, sizes, seen);
    for (const Expression& size : sizes) {
      Quantity& quantity = found[size];
      quantity.expression = size;
      ++quantity.counts;
      quantity.share += each.weight;
    }
  }
  std::vector<Quantity> out;
  for (auto& [size, quantity] : found) out.push_back(std::move(quantity));
  std::erase_if(out,
                [](const Quantity& each) { return each.share < kLeastShare && each.counts < kFewestCounts; });
  std::ranges::stable_sort(out, [](const Quantity& a, const Quantity& b) {
    return a.share != b.share ? a.share > b.share : a.counts > b.counts;
  });
  if (out.size() > most) out.resize(most);
  std::set<std::string> used = taken;
  for (Quantity& quantity : out) {
    quantity.name = free_name(base_name(quantity.expression), used);
    used.insert(quantity.name);
  }
  return out;
}

std::set<std::string> taken_names(const Model& model) {
  std::set<std::string> out;
  for (const auto& [name, kind] : symbol_kinds(model.parameters)) out.insert(name);
  return out;
}

std::vector<Quantity> derived_quantities(const Model& model) {
  const bool is_counted = !model.work.empty();
  return derived_quantities(is_counted ? weighed_counts(model) : measures_and_sizes(model),
                            taken_names(model));
}

Expression with_names(const Expression& expression, std::span<const Quantity> quantities) {
  std::map<Expression, Expression> names;
  for (const Quantity& quantity : quantities) {
    const Expression part = symbolic::primitive_part(quantity.expression),
                     name = parameter_symbol(quantity.name);
    names.emplace(part, part == quantity.expression ? name : -name);
  }
  return symbolic::replace_parts(expression, names);
}

Result<std::vector<Quantity>> renamed(std::vector<Quantity> quantities,
                                      const std::map<std::string, std::string>& names,
                                      const std::set<std::string>& taken) {
  const std::vector<Quantity> as_they_were = quantities;
  for (const auto& [from, to] : names) {
    const auto at = std::ranges::find(as_they_were, from, &Quantity::name);
    if (at == as_they_were.end()) {
      std::vector<std::string> known;
      for (const Quantity& quantity : as_they_were) known.push_back(quantity.name);
      const std::string guess = did_you_mean(from, known);
      return Error{"the program has no derived quantity " + from, "",
                   known.empty()   ? "it has none"
                   : guess.empty() ? "it has " + join(known, ", ")
                                   : guess};
    }
    if (to.empty() || identifier_of(to) != to)
      return Error{"\"" + to + "\" is no name for " + from, "",
                   "a name is of letters, digits and _, and does not begin with a digit"};
    if (taken.contains(to)) return Error{"the name " + to + " is taken", "", "give " + from + " another one"};
    quantities[static_cast<std::size_t>(at - as_they_were.begin())].name = to;
  }
  std::set<std::string> all;
  for (const Quantity& quantity : quantities)
    if (!all.insert(quantity.name).second)
      return Error{"two derived quantities are called " + quantity.name, "", "give each its own name"};
  return quantities;
}

}  // namespace parcast::program

// SPDX-License-Identifier: Apache-2.0
#include "predict/machine_prices.h"

#include <algorithm>
#include <set>

#include "machine/cost.h"
#include "machine/memory.h"
#include "machine/tools.h"
#include "model/prices.h"

namespace parcast::predict {
namespace {

using program::Computing;
using program::ComputingPart;
using program::Model;
using program::Segment;
using symbolic::Expression;
using symbolic::Substitution;

class Pricing {
 public:
  Pricing(const Model& model, const machine::Machine& machine) : model_(model), machine_(machine) {}

  Result<Model> all() {
    for (const Segment& segment : model_.segments)
      for (const Expression& argument : segment.cost.arguments)
        for (const Expression& symbol : symbolic::free_symbols(argument)) PARCAST_TRY(price(symbol));
    Model out = model_;
    for (Segment& segment : out.segments) put_into(segment.cost);
    if (out.structure) {
      put_into(out.structure->steps);
      put_into(out.structure->tail);
    }
    return out;
  }

 private:
  Result<void> price(const Expression& symbol) {
    const std::string_view what = program::priced_by(symbol);
    if (what.empty() || fast_.contains(symbol.name())) return {};
    const std::string where = model_.written_in;
    const Error unknown{"what " + std::string(what) + " costs is not known of " + machine_.name, where,
                        "parcast calibrate measures it"};
    Expression independent = 0, dependent = 0;
    if (what == "operation") {
      const double speed = machine::operations_per_second(machine_);
      if (!(speed > 0))
        return Error{"how fast a core of " + machine_.name + " is, is not known, so operations have no price",
                     where, "parcast calibrate measures it; or set it: core_speed"};
      independent = dependent = symbolic::real(1 / speed);
    } else if (what == "byte") {
      if (!model_.footprint)
        return Error{
            "bytes that are gone through cost what the level of memory gives that holds the data, and no "
            "data are declared",
            where, "declare them: data A (N, M) of 8 B"};
      const Expression beyond = machine::transfer_seconds(machine_, 1, *model_.footprint) -
                                machine::transfer_seconds(machine_, 1, 0);
      Substitution costs;
      for (const auto& [name, value] : machine::cost_binding(machine_))
        costs.emplace(name, symbolic::real(value));
      independent = dependent = substitute(max(beyond, Expression(0)), costs);
    } else {
      const auto found = std::ranges::find(machine_.operations, what, &machine::OperationCost::name);
      if (found == machine_.operations.end() || !(found->independent.value > 0)) return unknown;
      independent = symbolic::real(found->independent.value);
      dependent = symbolic::real(std::max(found->independent.value, found->dependent.value));
    }
    fast_.emplace(symbol.name(), independent);
    slow_.emplace(symbol.name(), dependent);
    return {};
  }

  /// Splits an argument of priced seconds into two: the time with all operations in flight, and the
  /// additional time when each waits for the previous one. A hypothesis with the first alone and one with
  /// both get equal weights.
  void put_into(program::Cost& cost) const {
    if (cost.growth->hypotheses.size() != 1) return;
    const std::size_t count = cost.arguments.size();
    std::vector<Expression> more;
    for (std::size_t k = 0; k < count; ++k) {
      const Expression slow = substitute(cost.arguments[k], slow_);
      cost.arguments[k] = substitute(cost.arguments[k], fast_);
      if (const Expression difference = slow - cost.arguments[k]; !difference.is_zero())
        more.push_back(difference);
    }
    if (more.empty()) return;
    statistics::GrowthModel growth = cost.growth;
    for (const Expression& difference : more) {
      cost.arguments.push_back(difference);
      growth.arguments.push_back("waiting");
      growth.ranges.push_back({0, 1, 1, true});
    }
    statistics::GrowthHypothesis& fast = growth.hypotheses.front();
    for (statistics::GrowthTerm& term : fast.terms)
      term.exponents.resize(count + more.size(), 0), term.log_powers.resize(count + more.size(), 0);
    statistics::GrowthHypothesis slow = fast;
    for (std::size_t k = 0; k < more.size(); ++k) {
      slow.terms.push_back(
          {1, std::vector<double>(count + more.size(), 0), std::vector<int>(count + more.size(), 0)});
      slow.terms.back().exponents[count + k] = 1;
    }
    slow.factor = statistics::Matrix(count + more.size(), count + more.size());
    for (std::size_t k = 0; k < count; ++k) slow.factor(k, k) = fast.factor(k, k);
    fast.weight = slow.weight = 0.5;
    growth.hypotheses.push_back(std::move(slow));
    cost.growth = std::move(growth);
  }

  void put_into(std::vector<ComputingPart>& parts) const {
    for (ComputingPart& part : parts) {
      part.seconds = substitute(part.seconds, fast_);
      put_into(part.parts);
    }
  }
  void put_into(std::vector<Computing>& all) const {
    for (Computing& each : all) {
      each.seconds = substitute(each.seconds, fast_);
      put_into(each.parts);
    }
  }
  void put_into(std::vector<program::Step>& steps) const {
    for (program::Step& step : steps) {
      put_into(step.computing);
      put_into(step.body);
    }
  }

  const Model& model_;
  const machine::Machine& machine_;
  Substitution fast_, slow_;
};

}  // namespace

bool needs_prices(const Model& model) {
  return !model.written_in.empty() && std::ranges::any_of(model.segments, [](const Segment& segment) {
    return std::ranges::any_of(segment.cost.arguments, program::has_prices);
  });
}

Result<Model> with_machine_prices(const Model& model, const machine::Machine& machine) {
  if (!needs_prices(model)) return model;
  return Pricing(model, machine).all();
}

}  // namespace parcast::predict

// SPDX-License-Identifier: Apache-2.0
#include "predict/pure_costs.h"

#include <algorithm>
#include <optional>
#include <set>

#include "base/text.h"
#include "machine/cost.h"
#include "machine/memory.h"
#include "model/work.h"

namespace parcast::predict {
namespace {

using program::Segment;
using symbolic::Expression;

struct Price {
  // seconds each: with many in flight; when each waits for the previous one
  double independent = 0, dependent = 0;
};

class PurePricing {
 public:
  PurePricing(const program::Model& model, const machine::Machine& machine, Overlap overlap)
      : model_(model), machine_(machine), overlap_(overlap) {
    for (const auto& [name, value] : machine::cost_binding(machine))
      costs_.emplace(name, symbolic::real(value));
  }

  Result<program::Model> all() {
    if (model_.work.empty())
      return Error{
          "the model of " + model_.program + " has no operations, so computing cannot be priced by them", "",
          "compile the program with parcast cc, cxx or fc and record it, or leave out --costs"};
    if (!price_of("double_add"))
      return Error{"what operations cost is not known of " + machine_.name, "",
                   "parcast calibrate measures it; or leave out --costs"};
    program::Model out = model_;
    double measured = 0, all = 0;
    for (std::size_t s = 0; s < out.segments.size(); ++s) {
      all += out.segments[s].share;
      if (!price(s, out.segments[s])) measured += out.segments[s].share;
    }
    out.recorded_on = machine_.description;  // no measured time of another machine is carried over
    // nor the cost of data that leave a cache, beyond what is priced
    if (!out.footprint) out.footprint = Expression(0);
    std::string text = "computing is priced by its operations alone, ";
    text += overlap_ == Overlap::full ? "all of them under way"
                                      : "between all of them under way and each waiting for the one before";
    if (!without_price_.empty())
      text += "; what " + join(std::vector<std::string>(without_price_.begin(), without_price_.end()), ", ") +
              " cost is taken from additions";
    if (std::ranges::any_of(model_.blocks, [](const program::Block& block) { return !block.packed.empty(); }))
      text += "; what the final code does by vector instructions is priced by these";
    if (all > 0 && measured / all > 0.005)
      text += "; " + format_significant(100 * measured / all, 2) +
              " % of the recorded computing was not counted and keeps its seconds";
    out.notices.push_back({"pure-costs", text, "without --costs pure the recording's own times are scaled"});
    return out;
  }

 private:
  std::optional<Price> price_of(const std::string& operation) const {
    const auto found = std::ranges::find(machine_.operations, operation, &machine::OperationCost::name);
    if (found == machine_.operations.end() || !(found->independent.value > 0)) return std::nullopt;
    return Price{found->independent.value, std::max(found->independent.value, found->dependent.value)};
  }
  // Operation classes without a measured price cost as many additions as their weight in source_counts.md.
  Price priced(const std::string& operation) {
    if (const auto own = price_of(operation)) return *own;
    without_price_.insert(operation);
    const double weight = program::weight_of(operation).to_double(),
                 addition = price_of("double_add")->independent;
    return {weight * addition, weight * addition};
  }

  bool price(std::size_t s, Segment& segment) {
    const auto operations = program::instructions_in(model_, s);
    if (operations.empty() || segment.executions.expression.is_zero()) return false;
    program::Cost& cost = segment.cost;
    const std::optional<Expression> streamed = cost.streamed;
    cost.arguments.clear();
    statistics::GrowthModel growth;
    // at least 1: a segment that is never executed costs nothing
    const Expression executions = max(segment.executions.expression, Expression(1));
    statistics::GrowthHypothesis fast, slow;
    const auto add = [&](const std::string& name, const Expression& count, const Price& price) {
      growth.arguments.push_back(name);
      growth.ranges.push_back({0, 1, 1, true});
      cost.arguments.push_back(count);
      fast.terms.push_back({price.independent, {}, {}});
      slow.terms.push_back({price.dependent, {}, {}});
    };
    for (const auto& [name, count] : operations)
      if (program::weight_of(name).sign() > 0 && !count.is_zero())
        add(name, count / executions, priced(name));
    add_mispredicted(operations, executions, add);
    if (streamed && model_.footprint) {
      const Expression beyond = machine::transfer_seconds(machine_, *streamed, *model_.footprint) -
                                machine::transfer_seconds(machine_, *streamed, 0);
      const Expression seconds = substitute(max(beyond, Expression(0)), costs_);
      if (!seconds.is_zero()) add("memory", seconds, {1, 1});
    }
    const std::size_t count = cost.arguments.size();
    for (auto* each : {&fast, &slow}) {
      for (std::size_t k = 0; k < count; ++k) {
        each->terms[k].exponents.assign(count, 0);
        each->terms[k].exponents[k] = 1;
        each->terms[k].log_powers.assign(count, 0);
      }
      each->factor = statistics::Matrix(count, count);
      each->weight = 0.5;
      each->degrees_of_freedom = 1e6;
    }
    growth.hypotheses = {fast};
    if (overlap_ == Overlap::full) {
      growth.hypotheses.front().weight = 1;
    } else {
      growth.hypotheses.push_back(slow);
    }
    cost.growth = std::move(growth);
    cost.origin = Origin::assumed;
    cost.streamed.reset();
    cost.first_excess = 0;
    return true;
  }

  /// Adds mispredicted branches. Each costs what the machine loses by one. Where operations otherwise
  /// overlap, the chains that each misprediction exposes are added (pure_costs.md).
  template <class Add>
  void add_mispredicted(const std::map<std::string, Expression>& operations, const Expression& executions,
                        const Add& add) {
    const auto found = operations.find(program::kMispredicted);
    const auto cost =
        std::ranges::find(machine_.operations, program::kMispredicted, &machine::OperationCost::name);
    if (found == operations.end() || found->second.is_zero() || cost == machine_.operations.end() ||
        !(cost->dependent.value > 0))
      return;
    const Expression& mispredicted = found->second;
    add(program::kMispredicted, mispredicted / executions, {cost->dependent.value, cost->dependent.value});
    std::vector<Expression> instructions, waiting;
    for (const auto& [name, count] : operations) {
      if (program::weight_of(name).sign() == 0) continue;
      instructions.push_back(count);
      waiting.push_back(symbolic::real(priced(name).dependent) * count);
    }
    const Expression all = symbolic::sum_of(instructions);
    if (all.is_zero()) return;
    const Expression chains =
        power(min(all * mispredicted, kWindow * power(mispredicted, 2)), symbolic::Rational::of(1, 2));
    add("chains", chains * (symbolic::sum_of(waiting) / max(all, Expression(1))) / executions, {1, 0});
  }

  static constexpr int kWindow = 256;  // instructions in flight in a processor of 2015 to 2024: 224 to 512
  const program::Model& model_;
  const machine::Machine& machine_;
  const Overlap overlap_;
  symbolic::Substitution costs_;
  std::set<std::string> without_price_;
};

}  // namespace

Result<program::Model> with_pure_costs(const program::Model& model, const machine::Machine& machine,
                                       Overlap overlap) {
  return PurePricing(model, machine, overlap).all();
}

}  // namespace parcast::predict

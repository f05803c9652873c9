// SPDX-License-Identifier: Apache-2.0
#include "build_model/conservation.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "model/binding.h"

namespace parcast::program {
namespace {

using symbolic::Binding;
using symbolic::Expression;

constexpr std::size_t kMostChoices = 5000;

/// A law: the executions of a call equal the sum over the segments that end (or begin) with it.
struct Law {
  Count* total = nullptr;
  std::vector<Count*> parts;
};

std::vector<Law> laws_of(Model& model, const std::set<NodeId>& last) {
  std::vector<Law> ends(model.nodes.size()), begins(model.nodes.size());
  for (Segment& segment : model.segments) {
    if (segment.to != kNone) ends[static_cast<std::size_t>(segment.to)].parts.push_back(&segment.executions);
    if (segment.from != kNone)
      begins[static_cast<std::size_t>(segment.from)].parts.push_back(&segment.executions);
  }
  std::vector<Law> laws;
  for (std::size_t n = 0; n < model.nodes.size(); ++n) {
    Node& node = model.nodes[n];
    if (node.kind != NodeKind::call) continue;
    ends[n].total = begins[n].total = &node.executions;
    if (!ends[n].parts.empty()) laws.push_back(std::move(ends[n]));
    // The segment after the last call of a process or thread is not recorded.
    const bool ends_here = node.call_class == recording::CallClass::finalise || last.contains(node.id);
    if (!ends_here && !begins[n].parts.empty()) laws.push_back(std::move(begins[n]));
  }
  return laws;
}

/// Returns ranks at points inside and beyond the data.
std::vector<Binding> probes_of(const Model& model) {
  constexpr std::int32_t kProcesses[]{1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16};
  std::vector<Binding> probes;
  std::uint64_t state = 0x2545f4914f6cdd1dULL;
  const auto pick = [&state](std::uint64_t below) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % below;
  };
  constexpr int kPoints = 33;
  for (int i = 0; i < kPoints; ++i) {
    Point point;
    point.processes = model.processes.size() == 1
                          ? model.processes.front()
                          : kProcesses[static_cast<std::size_t>(i) % std::size(kProcesses)];
    for (const Parameter& parameter : model.parameters) {
      double value = parameter.values.front();
      const double last = parameter.values.back();
      if (parameter.values.size() > 1 && value == std::floor(value) && last < 1e12)
        value += static_cast<double>(
            pick(static_cast<std::uint64_t>(std::max(3 * last - value, last - value)) + 1));
      point.parameters[parameter.name] = value;
    }
    for (const std::int32_t rank : std::set<std::int32_t>{0, point.processes / 2, point.processes - 1})
      if (auto binding = bind(model, point, rank)) probes.push_back(std::move(*binding));
  }
  return probes;
}

using Values = std::vector<double>;  // at the probes

class Conservation {
 public:
  Conservation(Model& model, const std::set<NodeId>& last)
      : laws_(laws_of(model, last)), probes_(probes_of(model)) {}

  void run() {
    for (bool changed = true; changed;) {
      changed = false;
      for (Law& law : laws_) changed = complete(law) || changed;
    }
    bound();
    std::stable_sort(laws_.begin(), laws_.end(),
                     [](const Law& a, const Law& b) { return a.parts.size() < b.parts.size(); });
    for (Law& law : laws_) choose(law);
  }

 private:
  static bool established(const Count& count) {
    return count.origin <= Origin::exact ||
           (count.origin == Origin::ambiguous && count.alternatives.empty() && count.open.empty());
  }

  std::optional<Values> at_probes(const Expression& expression) const {
    Values values;
    for (const Binding& probe : probes_) {
      const auto value = symbolic::evaluate(expression, probe);
      if (!value) return std::nullopt;
      values.push_back(*value);
    }
    return values;
  }

  // Returns whether the values lie between 0 and the established executions of the calls at both ends of the
  // segment.
  bool possible(const Count* part, const Values& values) const {
    const auto limits = limits_.find(part);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!(values[i] > -0.5)) return false;
      if (limits != limits_.end() && values[i] > limits->second[i] + 0.5) return false;
    }
    return true;
  }

  // Removes alternatives that exceed the total; the first remaining one is preferred.
  void bound() {
    for (const Law& law : laws_) {
      if (!established(*law.total)) continue;
      const auto total = at_probes(law.total->expression);
      if (!total) continue;
      for (const Count* part : law.parts) {
        auto [at, is_new] = limits_.try_emplace(part, *total);
        for (std::size_t i = 0; i < total->size(); ++i) at->second[i] = std::min(at->second[i], (*total)[i]);
      }
    }
    for (const Law& law : laws_)
      for (Count* part : law.parts) {
        if (part->origin != Origin::ambiguous) continue;
        const auto fits = [&](const Expression& option) {
          const auto values = at_probes(option);
          return values && possible(part, *values);
        };
        std::vector<Expression> options = candidates(*part);
        std::erase_if(options, [&](const Expression& option) { return !fits(option); });
        if (options.empty() || options.size() == part->alternatives.size() + 1) continue;
        if (options.front() != part->expression) part->settling.clear();
        part->expression = options.front();
        part->alternatives.assign(options.begin() + 1, options.end());
      }
  }

  static Expression difference(const Law& law, const Count* but) {
    Expression rest = law.total->expression;
    for (const Count* part : law.parts)
      if (part != but) rest = rest - part->expression;
    return rest;
  }

  // Determines the count if it is the only unknown and all others are established.
  bool complete(Law& law) {
    std::vector<Count*> all = law.parts;
    all.push_back(law.total);
    Count* unknown = nullptr;
    Origin origin = Origin::exact;  // a difference is identified, whatever its parts are
    for (Count* count : all) {
      if (established(*count)) {
        origin = weaker(origin, count->origin);
        continue;
      }
      if (unknown) return false;
      unknown = count;
    }
    if (!unknown || unknown == law.total) return false;
    const Expression rest = difference(law, unknown);
    const auto values = at_probes(rest);
    if (!values || !possible(unknown, *values)) return false;
    Count found;
    found.expression = rest;
    found.origin = origin;
    if (origin != Origin::exact) found.advice = unknown->advice;
    *unknown = std::move(found);
    return true;
  }

  static std::vector<Expression> candidates(const Count& count) {
    std::vector<Expression> all{count.expression};
    all.insert(all.end(), count.alternatives.begin(), count.alternatives.end());
    return all;
  }

  static bool adds_up(const std::vector<const Values*>& parts, const Values& total) {
    for (std::size_t i = 0; i < total.size(); ++i) {
      double sum = 0;
      for (const Values* part : parts) sum += (*part)[i];
      if (std::abs(sum - total[i]) > 1e-6 * std::max(1.0, std::abs(total[i]))) return false;
    }
    return true;
  }

  void choose(Law& law) {
    const auto identified = [](const Count* c) { return c->origin <= Origin::ambiguous; };
    if (!identified(law.total) || !std::all_of(law.parts.begin(), law.parts.end(), identified)) return;
    const auto total = at_probes(law.total->expression);
    if (!total) return;
    std::vector<std::vector<Expression>> options;
    std::vector<std::vector<Values>> values;
    std::size_t choices = 1;
    for (const Count* part : law.parts) {
      options.push_back(kept_.contains(part) ? std::vector<Expression>{part->expression} : candidates(*part));
      values.emplace_back();
      for (const Expression& option : options.back()) {
        auto at = at_probes(option);
        values.back().push_back(at ? std::move(*at) : Values(probes_.size(), NAN));
      }
      choices *= options.back().size();
      if (choices > kMostChoices) return;
    }
    if (const auto chosen = first_that_adds_up(values, choices, *total)) {
      for (std::size_t i = 0; i < law.parts.size(); ++i) prefer(*law.parts[i], options[i][(*chosen)[i]]);
    } else {
      complete_by_difference(law);
    }
    kept_.insert(law.parts.begin(), law.parts.end());
  }

  static std::optional<std::vector<std::size_t>> first_that_adds_up(
      const std::vector<std::vector<Values>>& values, std::size_t choices, const Values& total) {
    std::optional<std::vector<std::size_t>> best;
    std::size_t least = SIZE_MAX;
    for (std::size_t c = 0; c < choices; ++c) {
      std::vector<std::size_t> choice;
      std::vector<const Values*> parts;
      std::size_t rest = c, sum = 0;
      for (const auto& of_part : values) {
        choice.push_back(rest % of_part.size());
        sum += choice.back();
        parts.push_back(&of_part[choice.back()]);
        rest /= of_part.size();
      }
      if (sum >= least || !adds_up(parts, total)) continue;
      least = sum;
      best = std::move(choice);
    }
    return best;
  }

  static void prefer(Count& count, const Expression& wanted) {
    if (count.expression == wanted) return;
    std::erase(count.alternatives, wanted);
    count.alternatives.insert(count.alternatives.begin(), count.expression);
    count.expression = wanted;
    count.settling.clear();
  }

  // If no alternatives add up, the count with the most of them becomes the difference, and its formula an
  // alternative.
  void complete_by_difference(Law& law) {
    std::vector<Count*> unsure;
    for (Count* part : law.parts)
      if (!established(*part) && !kept_.contains(part)) unsure.push_back(part);
    std::stable_sort(unsure.begin(), unsure.end(), [](const Count* a, const Count* b) {
      return a->alternatives.size() > b->alternatives.size();
    });
    for (Count* part : unsure) {
      const Expression rest = difference(law, part);
      const auto values = at_probes(rest);
      if (!values || !possible(part, *values)) continue;
      prefer(*part, rest);
      return;
    }
  }

  std::vector<Law> laws_;
  std::vector<Binding> probes_;
  std::map<const Count*, Values> limits_;
  std::set<const Count*> kept_;  // consistent with a law already
};

}  // namespace

void conserve(Model& model, const std::set<NodeId>& last) {
  Conservation(model, last).run();
}

}  // namespace parcast::program

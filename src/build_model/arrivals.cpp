// SPDX-License-Identifier: Apache-2.0
#include "build_model/arrivals.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <string>

#include "model/binding.h"
#include "model/place.h"

namespace parcast::program {
namespace {

using symbolic::conditional;
using symbolic::Expression;

constexpr std::size_t kMostSends = 12;  // of which every selection is tried
constexpr double kAlike = 0.1;  // largest root mean square difference of received and sent bytes, relative

/// Returns 1 where the expression is zero or more, else 0.
Expression unless_negative(const Expression& value) {
  return conditional(value, 1, 0);
}

/// Replaces this rank's place by its partner's.
struct Shift {
  symbolic::Substitution with;
  Expression exists = 1;                             // 1 where this rank has such a partner
  std::set<std::string> replaced;                    // symbols of the place that have a value at the partner
  std::map<Expression, Expression> true_everywhere;  // conditions on this rank's own place, each with 1
};

Shift shift_of_rank(const Expression& sender, const Expression& exists) {
  return {{{"r", sender}}, exists, {"r"}, {{unless_negative(processes_symbol() - 1 - rank_symbol()), 1}}};
}

/// The sender's coordinate is this one's less the shift; the rank follows in row-major order.
std::optional<Shift> shift_in_grid(const std::vector<std::int64_t>& amounts) {
  if (amounts.size() < 4) return std::nullopt;
  const auto axis = static_cast<int>(amounts[0]), dimensions = static_cast<int>(amounts[2]);
  const Expression distance(amounts[1]);
  if (dimensions < 1 || dimensions > kMostDimensions || axis < 0 || axis >= dimensions) return std::nullopt;
  const Expression extent = extent_symbol(dimensions, axis), here = coordinate_symbol(dimensions, axis);
  const Expression plain = here - distance;
  const Expression there = amounts[3] != 0 ? symbolic::modulo(plain, extent) : plain;
  Expression stride = 1;
  for (int k = axis + 1; k < dimensions; ++k) stride = stride * extent_symbol(dimensions, k);
  Shift out;
  out.with = {{here.name(), there}, {"r", rank_symbol() + (there - here) * stride}};
  if (amounts[3] == 0)
    out.exists = amounts[1] > 0 ? unless_negative(plain) : unless_negative(extent - 1 - plain);
  for (int k = 0; k < dimensions; ++k) out.replaced.insert(coordinate_symbol(dimensions, k).name());
  out.replaced.insert("r");
  out.true_everywhere.emplace(unless_negative(extent - 1 - here), 1);
  return out;
}

std::optional<Shift> shift_of(const Node& send) {
  const Expression rank = rank_symbol(), processes = processes_symbol();
  switch (send.relation) {
    case PeerRelation::offset: {
      const Expression sender = rank - Expression(send.amounts.at(0));
      return shift_of_rank(
          sender, send.amounts[0] > 0 ? unless_negative(sender) : unless_negative(processes - 1 - sender));
    }
    case PeerRelation::offset_ring:
      return shift_of_rank(symbolic::modulo(rank - Expression(send.amounts.at(0)), processes), 1);
    case PeerRelation::grid_shift:
      return shift_in_grid(send.amounts);
    default:
      return std::nullopt;
  }
}

bool is_identified(const Count& count) {
  return count.origin <= Origin::ambiguous;
}

struct Send {
  const Node* node = nullptr;
  Expression arrives;
  std::vector<double> values;  // one per trace
};

/// Returns the formula of a send's bytes at the partner's place.
std::optional<Expression> at_partner(const Node& send, const Expression& bytes) {
  const auto shift = shift_of(send);
  if (!shift) return std::nullopt;
  for (const Expression& used : symbolic::free_symbols(bytes))
    if (used.kind() == symbolic::SymbolKind::rank && !shift->replaced.contains(used.name()))
      return std::nullopt;
  return symbolic::replace_parts(symbolic::substitute(bytes, shift->with), shift->true_everywhere) *
         shift->exists;
}

class Arrivals {
 public:
  Arrivals(Model& model, const Inputs& inputs, const Traces& traces,
           const std::map<std::int32_t, NodeId>& node_of_key)
      : model_(model), inputs_(inputs), traces_(traces), node_of_key_(node_of_key) {}

  void run() {
    const bool needed = std::ranges::any_of(
        model_.nodes, [](const Node& node) { return !is_identified(node.received_bytes) && receives(node); });
    if (!needed) return;
    for (const Trace& trace : traces_.traces) {
      const Run& run = inputs_.runs[trace.run];
      bindings_.push_back(binding_of(place_at(run.parameters, run.processes, trace.rank, inputs_.grids),
                                     inputs_.parameters, run.parameters));
    }
    for (const Node& node : model_.nodes) add_send(node);
    for (const auto& [key, id] : node_of_key_) {
      Node& node = model_.nodes[static_cast<std::size_t>(id)];
      if (receives(node) && !is_identified(node.received_bytes)) identify(key, node);
      if (receives(node) && !is_identified(node.received_bytes)) follow_fitted(key, node);
    }
  }

 private:
  static bool receives(const Node& node) {
    return node.kind == NodeKind::call && !node.received_bytes.expression.is_zero() &&
           node.call_class != recording::CallClass::one_sided &&
           node.call_class != recording::CallClass::input_output;
  }

  std::optional<std::vector<double>> values_of(const Expression& expression) const {
    std::vector<double> out;
    for (const symbolic::Binding& binding : bindings_) {
      const auto value = symbolic::evaluate(expression, binding);
      if (!value) return std::nullopt;
      out.push_back(*value);
    }
    return out;
  }

  void add_send(const Node& node) {
    if (node.kind != NodeKind::call || node.bytes.expression.is_zero() || !is_identified(node.bytes)) return;
    auto arrives = arriving(node);
    if (!arrives) return;
    if (auto values = values_of(*arrives)) sends_.push_back({&node, *std::move(arrives), *std::move(values)});
  }

  /// Returns the sends around the receiving call: those of the same loop or region, or of the nearest one
  /// that has any.
  std::vector<const Send*> near(const Node& node) const {
    for (NodeId around = node.parent; around != kNone;
         around = model_.nodes[static_cast<std::size_t>(around)].parent) {
      std::vector<const Send*> out;
      for (const Send& send : sends_)
        if (is_below(*send.node, around)) out.push_back(&send);
      if (!out.empty()) return out;
    }
    return {};
  }
  bool is_below(const Node& node, NodeId around) const {
    for (NodeId id = node.id; id != kNone; id = model_.nodes[static_cast<std::size_t>(id)].parent)
      if (id == around) return true;
    return false;
  }

  std::vector<double> received(std::int32_t key) const {
    std::vector<double> out;
    for (const Trace& trace : traces_.traces) {
      const auto at = trace.calls.find(key);
      out.push_back(at == trace.calls.end() ? 0 : static_cast<double>(at->second.received_bytes));
    }
    return out;
  }

  /// Returns whether `value(t)` is that of every complete trace t, of which there is one at least.
  template <class Value>
  bool agrees(const Value& value, const std::vector<double>& values) const {
    bool any = false;
    for (std::size_t t = 0; t < values.size(); ++t) {
      if (!traces_.traces[t].complete) continue;
      if (std::abs(value(t) - values[t]) > 0.5) return false;
      any = true;
    }
    return any;
  }

  bool delivers(std::span<const Send* const> chosen, const std::vector<double>& values) const {
    const auto sum = [&](std::size_t t) {
      double out = 0;
      for (const Send* send : chosen) out += send->values[t];
      return out;
    };
    return agrees(sum, values);
  }

  /// Takes the selection with the most sends that delivers the values.
  void identify(std::int32_t key, Node& node) {
    const std::vector<const Send*> all = near(node);
    if (all.empty() || all.size() > kMostSends) return;
    const std::vector<double> values = received(key);
    std::vector<const Send*> best;
    for (std::size_t selection = (std::size_t{1} << all.size()) - 1; selection > 0; --selection) {
      std::vector<const Send*> chosen;
      for (std::size_t i = 0; i < all.size(); ++i)
        if (selection >> i & 1) chosen.push_back(all[i]);
      if (chosen.size() > best.size() && delivers(chosen, values)) best = std::move(chosen);
    }
    if (best.empty()) return;
    node.received_bytes = sum_of(best);
    add_alternatives(best, values, node.received_bytes);
  }

  /// Returns the key of the only fitted send of the same loop or region, or of the nearest one that has any.
  std::optional<std::int32_t> fitted_send_near(const Node& node) const {
    for (NodeId around = node.parent; around != kNone;
         around = model_.nodes[static_cast<std::size_t>(around)].parent) {
      std::vector<std::int32_t> found;
      for (const auto& [key, id] : node_of_key_) {
        const Node& send = model_.nodes[static_cast<std::size_t>(id)];
        if (send.kind == NodeKind::call && !send.bytes.expression.is_zero() && !is_identified(send.bytes) &&
            is_below(send, around))
          found.push_back(key);
      }
      if (!found.empty()) return found.size() == 1 ? std::optional(found.front()) : std::nullopt;
    }
    return std::nullopt;
  }

  /// Returns the root mean square of the relative differences between what processes receive and send;
  /// nothing unless the processes of every complete run together receive what they send.
  std::optional<double> difference(std::int32_t sends, std::int32_t receives) const {
    std::map<std::size_t, std::pair<double, double>> sums;  // by run
    std::set<std::size_t> cut;
    double squares = 0;
    std::size_t count = 0;
    for (const Trace& trace : traces_.traces) {
      const auto send = trace.calls.find(sends), receive = trace.calls.find(receives);
      const double sent = send == trace.calls.end() ? 0 : static_cast<double>(send->second.bytes);
      const double received =
          receive == trace.calls.end() ? 0 : static_cast<double>(receive->second.received_bytes);
      sums[trace.run].first += sent, sums[trace.run].second += received;
      if (!trace.complete) cut.insert(trace.run);
      if (trace.complete && (sent > 0) != (received > 0)) return std::nullopt;
      if (trace.complete && sent > 0) squares += std::pow(received / sent - 1, 2), ++count;
    }
    for (const auto& [run, sum] : sums)
      if (!cut.contains(run) && sum.first != sum.second) return std::nullopt;
    return count > 0 && cut.size() < sums.size()
               ? std::optional(std::sqrt(squares / static_cast<double>(count)))
               : std::nullopt;
  }

  void follow_fitted(std::int32_t key, Node& node) {
    const auto send = fitted_send_near(node);
    const auto apart = send ? difference(*send, key) : std::nullopt;
    if (!apart || *apart > kAlike) return;
    Count law = model_.nodes[static_cast<std::size_t>(node_of_key_.at(*send))].bytes;
    law.relative_error = std::hypot(law.relative_error, *apart);
    if (law.relative_error < node.received_bytes.relative_error) node.received_bytes = std::move(law);
  }

  /// Adds the sums of the sends' alternatives, the first of each send together, that equal the values too.
  void add_alternatives(std::span<const Send* const> sends, const std::vector<double>& values,
                        Count& count) const {
    std::size_t most = 0;
    for (const Send* send : sends) most = std::max(most, send->node->bytes.alternatives.size());
    for (std::size_t k = 0; k < most; ++k) {
      Expression sum;
      bool known = true;
      for (const Send* send : sends) {
        const auto& others = send->node->bytes.alternatives;
        const auto arrives =
            k < others.size() ? at_partner(*send->node, others[k]) : std::optional(send->arrives);
        known = known && arrives;
        if (known) sum = sum + *arrives;
      }
      if (known && sum != count.expression && equals(sum, values)) count.alternatives.push_back(sum);
    }
  }

  bool equals(const Expression& formula, const std::vector<double>& values) const {
    const auto found = values_of(formula);
    if (!found) return false;
    return agrees([&](std::size_t t) { return (*found)[t]; }, values);
  }

  static Count sum_of(std::span<const Send* const> sends) {
    Count out;
    out.origin = Origin::exact;
    for (const Send* send : sends) {
      const Count& bytes = send->node->bytes;
      out.expression = out.expression + send->arrives;
      out.origin = weaker(out.origin, bytes.origin);
      if (out.advice.empty()) out.advice = bytes.advice;
      for (const std::string& variable : bytes.open)
        if (std::ranges::find(out.open, variable) == out.open.end()) out.open.push_back(variable);
    }
    const Count& first = sends.front()->node->bytes;
    const bool alike = std::ranges::all_of(sends, [&](const Send* send) {
      return send->node->bytes.open == first.open && send->node->bytes.settling == first.settling;
    });
    if (alike) out.settling = first.settling;
    return out;
  }

  Model& model_;
  const Inputs& inputs_;
  const Traces& traces_;
  const std::map<std::int32_t, NodeId>& node_of_key_;
  std::vector<symbolic::Binding> bindings_;  // one per trace
  std::vector<Send> sends_;
};

}  // namespace

std::optional<Expression> arriving(const Node& send) {
  return at_partner(send, send.bytes.expression);
}

void identify_arrivals(Model& model, const Inputs& inputs, const Traces& traces,
                       const std::map<std::int32_t, NodeId>& node_of_key) {
  Arrivals(model, inputs, traces, node_of_key).run();
}

}  // namespace parcast::program

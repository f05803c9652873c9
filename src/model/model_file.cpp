// SPDX-License-Identifier: Apache-2.0
#include "model/model_file.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>

#include "base/files.h"
#include "base/json_nesting.h"
#include "base/text.h"
#include "model/binding.h"
#include "model/checks_json.h"
#include "model/model_names.h"
#include "model/structure_json.h"
#include "model/value_json.h"

namespace parcast::program {
namespace {

using symbolic::Expression;

constexpr int kMostDepth = 1000;  // nested regions and loops: the code recurses over trees
constexpr std::int64_t kMost32 = std::numeric_limits<std::int32_t>::max();

class Reader {
 public:
  explicit Reader(Model& model) : model_(model) {}

  Result<void> read(const Value& top) {
    PARCAST_TRY(read_head(top));
    kinds_ = symbol_kinds(model_.parameters);
    PARCAST_ASSIGN(const Value nodes, top.at("nodes"));
    PARCAST_ASSIGN(model_.nodes, nodes.list_of<Node>([&](const Value& v) { return node(v); }));
    PARCAST_TRY(check_tree(nodes));
    PARCAST_ASSIGN(const Value segments, top.at("segments"));
    PARCAST_ASSIGN(model_.segments, segments.list_of<Segment>([&](const Value& v) { return segment(v); }));
    PARCAST_ASSIGN(const Value unfollowed, top.at("unfollowed"));
    PARCAST_ASSIGN(const auto calls, unfollowed.entries());
    for (const auto& [name, value] : calls) {
      PARCAST_ASSIGN(Count c, count(value));
      model_.unfollowed.emplace(name, std::move(c));
    }
    return read_tail(top);
  }

 private:
  Result<void> read_head(const Value& top) {
    for (const auto& [key, text] :
         {std::pair{"program", &model_.program}, std::pair{"executable_digest", &model_.executable_digest},
          std::pair{"recorded_on", &model_.recorded_on}}) {
      PARCAST_ASSIGN(const Value value, top.at(key));
      PARCAST_ASSIGN(*text, value.text());
    }
    if (top.has("written_in")) {
      PARCAST_ASSIGN(model_.written_in, text(top, "written_in"));
    }
    PARCAST_ASSIGN(const Value parameters, top.at("parameters"));
    PARCAST_ASSIGN(model_.parameters,
                   parameters.list_of<Parameter>([&](const Value& v) { return parameter(v); }));
    std::set<std::string> names;
    for (const Parameter& p : model_.parameters)
      if (symbol_kinds({}).contains(p.name) || p.name.empty() || !names.insert(p.name).second)
        return parameters.error("names \"" + p.name + "\", which is reserved or named twice");
    PARCAST_ASSIGN(const Value processes, top.at("processes"));
    PARCAST_ASSIGN(model_.processes,
                   processes.list_of<std::int32_t>([](const Value& v) { return process_count(v); }));
    if (model_.processes.empty() || !ascends(model_.processes))
      return processes.error("is empty or does not ascend");
    PARCAST_ASSIGN(const Value grids, top.at("grids"));
    PARCAST_ASSIGN(model_.grids, grids.list_of<ProcessGrid>([&](const Value& v) { return grid(v); }));
    return {};
  }

  Result<void> read_tail(const Value& top) {
    PARCAST_ASSIGN(const Value shares, top.at("share_by_origin"));
    PARCAST_ASSIGN(const auto entries, shares.entries());
    for (const auto& [name, value] : entries) {
      if (!origin_from(name)) return value.error("is not the name of an origin");
      PARCAST_ASSIGN(model_.share_by_origin[name], value.not_negative());
    }
    if (top.has("between_runs")) {
      PARCAST_ASSIGN(const Value runs, top.at("between_runs"));
      PARCAST_ASSIGN(const Value deviation, runs.at("deviation"));
      PARCAST_ASSIGN(const Value related, runs.at("related"));
      PARCAST_ASSIGN(model_.between_runs.deviation, deviation.not_negative());
      PARCAST_ASSIGN(model_.between_runs.related, related.not_negative());
      if (model_.between_runs.related > 1) return related.error("is not a number from 0 to 1");
      if (runs.has("degrees")) {
        PARCAST_ASSIGN(const Value degrees, runs.at("degrees"));
        PARCAST_ASSIGN(model_.between_runs.degrees, degrees.not_negative());
      }
      if (runs.has("unseen")) {
        PARCAST_ASSIGN(const Value unseen, runs.at("unseen"));
        PARCAST_ASSIGN(model_.between_runs.unseen, unseen.not_negative());
      }
    }
    if (top.has("forecasts")) {
      PARCAST_ASSIGN(const Value forecasts, top.at("forecasts"));
      PARCAST_ASSIGN(model_.forecasts,
                     forecasts.list_of<Forecast>([&](const Value& v) { return forecast(v); }));
    }
    for (const auto& [key, bytes] : {std::pair("residence", &model_.residence), {"grown", &model_.grown}}) {
      if (!top.has(key)) continue;
      PARCAST_ASSIGN(const Value value, top.at(key));
      PARCAST_ASSIGN(*bytes, residence(value));
    }
    if (top.has("footprint")) {
      PARCAST_ASSIGN(const Value footprint, top.at("footprint"));
      PARCAST_ASSIGN(model_.footprint, expression(footprint));
    }
    if (top.has("work_by_tier")) {
      PARCAST_ASSIGN(const Value tiers, top.at("work_by_tier"));
      PARCAST_ASSIGN(const auto of_tiers, tiers.entries());
      for (const auto& [name, value] : of_tiers) {
        const auto tier = count_tier_named(name);
        if (!tier) return value.error("is not the name of a tier");
        PARCAST_ASSIGN(model_.work_by_tier[*tier], value.not_negative());
      }
    }
    if (top.has("blocks")) {
      PARCAST_ASSIGN(const Value blocks, top.at("blocks"));
      PARCAST_ASSIGN(model_.blocks, blocks.list_of<Block>([](const Value& v) { return block(v); }));
    }
    if (top.has("work")) {
      PARCAST_ASSIGN(const Value behind, top.at("work"));
      PARCAST_ASSIGN(model_.work, behind.list_of<Work>([&](const Value& v) { return work(v); }));
    }
    if (top.has("quantities")) {
      PARCAST_ASSIGN(const Value quantities, top.at("quantities"));
      PARCAST_ASSIGN(model_.quantities,
                     quantities.list_of<Quantity>([&](const Value& v) { return quantity(v); }));
    }
    if (top.has("structure")) {
      PARCAST_ASSIGN(const Value structure, top.at("structure"));
      PARCAST_ASSIGN(model_.structure, read_structure(structure, kinds_));
    }
    PARCAST_ASSIGN(const Value sources, top.at("sources"));
    PARCAST_ASSIGN(model_.sources, sources.list_of<Source>([&](const Value& v) { return source(v); }));
    PARCAST_ASSIGN(const Value notices, top.at("notices"));
    PARCAST_ASSIGN(model_.notices, notices.list_of<Notice>([&](const Value& v) { return notice(v); }));
    if (top.has("checks")) {
      PARCAST_ASSIGN(const Value checks, top.at("checks"));
      PARCAST_ASSIGN(model_.checks, read_checks(checks, model_.nodes.size(), model_.segments.size()));
    }
    return {};
  }

  template <class T>
  static bool ascends(const std::vector<T>& values) {
    return std::adjacent_find(values.begin(), values.end(), std::greater_equal<>()) == values.end();
  }

  static Result<std::int32_t> process_count(const Value& value) {
    PARCAST_ASSIGN(const std::int64_t p, value.integer(1, kMost32));
    return static_cast<std::int32_t>(p);
  }

  static Result<std::string> text(const Value& value, const char* key) {
    PARCAST_ASSIGN(const Value entry, value.at(key));
    return entry.text();
  }
  static Result<double> number(const Value& value, const char* key) {
    PARCAST_ASSIGN(const Value entry, value.at(key));
    return entry.number();
  }
  static Result<double> not_negative(const Value& value, const char* key) {
    PARCAST_ASSIGN(const Value entry, value.at(key));
    return entry.not_negative();
  }
  static Result<bool> truth(const Value& value, const char* key) {
    PARCAST_ASSIGN(const Value entry, value.at(key));
    return entry.truth();
  }
  static Result<std::vector<double>> numbers(const Value& value) {
    return value.list_of<double>([](const Value& v) { return v.number(); });
  }
  static Result<std::vector<std::int64_t>> integers(const Value& value) {
    return value.list_of<std::int64_t>([](const Value& v) {
      return v.integer(std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max());
    });
  }

  static Result<Parameter> parameter(const Value& value) {
    Parameter p;
    PARCAST_ASSIGN(p.name, text(value, "name"));
    PARCAST_ASSIGN(const Value values, value.at("values"));
    PARCAST_ASSIGN(p.values, numbers(values));
    if (p.values.empty() || !ascends(p.values)) return values.error("is empty or does not ascend");
    return p;
  }

  Result<std::size_t> parameter_index(const Value& value) const {
    PARCAST_ASSIGN(const std::string name, value.text());
    const auto at = std::ranges::find(model_.parameters, name, &Parameter::name);
    if (at == model_.parameters.end()) return value.error("\"" + name + "\" is no parameter of the model");
    return static_cast<std::size_t>(at - model_.parameters.begin());
  }

  Result<ProcessGrid> grid(const Value& value) const {
    ProcessGrid grid;
    PARCAST_ASSIGN(const Value dimensions, value.at("dimensions"));
    PARCAST_ASSIGN(const std::int64_t d, dimensions.integer(1, 3));
    grid.dimensions = static_cast<int>(d);
    PARCAST_ASSIGN(grid.from_dims_create, truth(value, "from_dims_create"));
    PARCAST_ASSIGN(const Value recorded, value.at("recorded"));
    PARCAST_ASSIGN(const auto entries, recorded.list());
    for (const Value& entry : entries) {
      PARCAST_ASSIGN(const Value p, entry.at("p"));
      PARCAST_ASSIGN(const std::int32_t processes, process_count(p));
      PARCAST_ASSIGN(const Value extents, entry.at("extents"));
      PARCAST_ASSIGN(auto list,
                     extents.list_of<std::int32_t>([](const Value& v) { return process_count(v); }));
      std::int64_t product = 1;
      for (const std::int32_t e : list) product = std::min<std::int64_t>(product * e, kMost32 + 1);
      if (static_cast<int>(list.size()) != grid.dimensions || product != processes)
        return extents.error("do not multiply to p");
      grid.recorded.emplace(processes, std::move(list));
    }
    if (value.has("ascending")) {
      PARCAST_ASSIGN(grid.ascending, truth(value, "ascending"));
    }
    if (value.has("parameters")) {
      PARCAST_ASSIGN(const Value parameters, value.at("parameters"));
      PARCAST_ASSIGN(grid.parameters,
                     parameters.list_of<std::size_t>([&](const Value& v) { return parameter_index(v); }));
      if (static_cast<int>(grid.parameters.size()) != grid.dimensions)
        return parameters.error("does not have one entry per dimension");
    }
    PARCAST_ASSIGN(const Value periodic, value.at("periodic"));
    PARCAST_ASSIGN(grid.periodic, periodic.list_of<bool>([](const Value& v) { return v.truth(); }));
    if (!grid.periodic.empty() && static_cast<int>(grid.periodic.size()) != grid.dimensions)
      return periodic.error("does not have one entry per dimension");
    return grid;
  }

  Result<Expression> expression(const Value& value) const { return read_expression(value, kinds_); }

  static Result<Origin> origin(const Value& value) { return read_origin(value); }

  Result<Count> count(const Value& value) const { return read_count(value, kinds_); }
  Result<Count> count_or_zero(const Value& value, const char* key) const {
    if (value.has(key)) {
      PARCAST_ASSIGN(const Value entry, value.at(key));
      return count(entry);
    }
    Count zero;
    zero.origin = Origin::exact;
    return zero;
  }

  // Returns one word of a list, or the list's first one if the key may be absent.
  template <class T>
  static Result<T> word(const Value& value, const char* key, bool needed) {
    if (!needed && !value.has(key)) return T{};
    PARCAST_ASSIGN(const Value entry, value.at(key));
    PARCAST_ASSIGN(const std::string name, entry.text());
    const auto known = from_name<T>(name);
    if (!known) return entry.error("\"" + name + "\" is not known");
    return *known;
  }

  static Result<NodeId> node_id(const Value& value, const char* key) {
    PARCAST_ASSIGN(const Value entry, value.at(key));
    PARCAST_ASSIGN(const std::int64_t id, entry.integer(kNone, kMost32));
    return static_cast<NodeId>(id);
  }

  Result<Node> node(const Value& value) const {
    Node node;
    PARCAST_ASSIGN(node.id, node_id(value, "id"));
    PARCAST_ASSIGN(node.parent, node_id(value, "parent"));
    PARCAST_ASSIGN(node.kind, word<NodeKind>(value, "kind", true));
    PARCAST_ASSIGN(node.label, text(value, "label"));
    if (value.has("where")) {
      PARCAST_ASSIGN(node.where, text(value, "where"));
    }
    if (value.has("children")) {
      PARCAST_ASSIGN(const Value children, value.at("children"));
      PARCAST_ASSIGN(node.children, children.list_of<NodeId>([](const Value& v) -> Result<NodeId> {
        PARCAST_ASSIGN(const std::int64_t id, v.integer(0, kMost32));
        return static_cast<NodeId>(id);
      }));
    }
    PARCAST_ASSIGN(const Value executions, value.at("executions"));
    PARCAST_ASSIGN(node.executions, count(executions));
    if (node.kind == NodeKind::call) PARCAST_TRY(read_call(value, node));
    return node;
  }

  Result<void> read_call(const Value& value, Node& node) const {
    PARCAST_ASSIGN(node.call_class, word<recording::CallClass>(value, "call_class", true));
    PARCAST_ASSIGN(node.pattern, word<recording::Pattern>(value, "pattern", false));
    PARCAST_ASSIGN(node.synchronisation, word<Synchronisation>(value, "synchronisation", false));
    PARCAST_ASSIGN(node.relation, word<PeerRelation>(value, "relation", false));
    if (value.has("amounts")) {
      PARCAST_ASSIGN(const Value amounts, value.at("amounts"));
      PARCAST_ASSIGN(node.amounts, integers(amounts));
    }
    if (!fits(node)) return value.error("has amounts that do not fit its relation");
    PARCAST_ASSIGN(node.messages, count_or_zero(value, "messages"));
    PARCAST_ASSIGN(node.bytes, count_or_zero(value, "bytes"));
    PARCAST_ASSIGN(node.received_bytes, count_or_zero(value, "received_bytes"));
    PARCAST_ASSIGN(node.collective_bytes, count_or_zero(value, "collective_bytes"));
    if (value.has("members")) {
      PARCAST_ASSIGN(const Value members, value.at("members"));
      PARCAST_ASSIGN(node.members, count(members));
    }
    PARCAST_ASSIGN(node.measured_seconds, not_negative(value, "measured_seconds"));
    return {};
  }

  static bool fits(const Node& node) {
    switch (node.relation) {
      case PeerRelation::none:
        return node.amounts.empty();
      case PeerRelation::several:
        return true;
      case PeerRelation::grid_shift:
        return node.amounts.size() == 4 && node.amounts[2] >= 1 && node.amounts[2] <= 3 &&
               node.amounts[0] >= 0 && node.amounts[0] < node.amounts[2] && node.amounts[1] >= -kMost32 &&
               node.amounts[1] <= kMost32;
      default:
        return node.amounts.size() == 1 && node.amounts[0] >= -kMost32 && node.amounts[0] <= kMost32;
    }
  }

  Result<void> check_tree(const Value& nodes) const {
    const auto size = static_cast<NodeId>(model_.nodes.size());
    if (size == 0 || model_.nodes[0].kind != NodeKind::program || model_.nodes[0].parent != kNone)
      return nodes.error("does not begin with the program");
    std::vector<bool> held(static_cast<std::size_t>(size), false);
    std::vector<int> depths(static_cast<std::size_t>(size), 0);
    for (NodeId id = 0; id < size; ++id) {
      const Node& node = model_.nodes[static_cast<std::size_t>(id)];
      const std::string name = "node " + std::to_string(id);
      if (node.id != id) return nodes.error("has " + name + " at the wrong place");
      if (id > 0 && (node.parent < 0 || node.parent >= id || node.kind == NodeKind::program))
        return nodes.error("has no valid parent for " + name);
      int& depth = depths[static_cast<std::size_t>(id)];
      depth = id > 0 ? depths[static_cast<std::size_t>(node.parent)] + 1 : 0;
      if (depth > kMostDepth)
        return nodes.error("nests " + name + " more than " + std::to_string(kMostDepth) + " deep");
      if (node.kind == NodeKind::call && !node.children.empty())
        return nodes.error("gives children to the call " + name);
      for (const NodeId child : node.children) {
        if (child <= id || child >= size || model_.nodes[static_cast<std::size_t>(child)].parent != id ||
            held[static_cast<std::size_t>(child)])
          return nodes.error("has a child of " + name +
                             " that does not exist, is not its own, or is listed twice");
        held[static_cast<std::size_t>(child)] = true;
      }
    }
    for (NodeId id = 1; id < size; ++id)
      if (!held[static_cast<std::size_t>(id)])
        return nodes.error("has node " + std::to_string(id) + ", which is no one's child");
    return {};
  }

  bool is_call(NodeId id) const {
    return id >= 0 && id < static_cast<NodeId>(model_.nodes.size()) &&
           model_.nodes[static_cast<std::size_t>(id)].kind == NodeKind::call;
  }

  Result<Segment> segment(const Value& value) const {
    Segment segment;
    PARCAST_ASSIGN(segment.from, node_id(value, "from"));
    PARCAST_ASSIGN(segment.to, node_id(value, "to"));
    PARCAST_ASSIGN(segment.owner, node_id(value, "owner"));
    for (const NodeId end : {segment.from, segment.to})
      if (end != kNone && !is_call(end)) return value.error("does not lie between two calls");
    if (segment.owner < 0 || segment.owner >= static_cast<NodeId>(model_.nodes.size()) ||
        is_call(segment.owner))
      return value.error("has no owner");
    PARCAST_ASSIGN(const Value executions, value.at("executions"));
    PARCAST_ASSIGN(segment.executions, count(executions));
    PARCAST_ASSIGN(const Value costs, value.at("cost"));
    PARCAST_ASSIGN(segment.cost, cost(costs));
    PARCAST_ASSIGN(segment.share, not_negative(value, "share"));
    return segment;
  }

  Result<Cost> cost(const Value& value) const {
    Cost cost;
    PARCAST_ASSIGN(cost.origin, origin(value));
    PARCAST_ASSIGN(cost.imbalance, number(value, "imbalance"));
    PARCAST_ASSIGN(cost.iteration_noise.noise, not_negative(value, "iteration_noise"));
    if (value.has("noise_falls")) {
      PARCAST_ASSIGN(const Value falls, value.at("noise_falls"));
      PARCAST_ASSIGN(cost.iteration_noise.seconds, not_negative(falls, "seconds"));
      PARCAST_ASSIGN(cost.iteration_noise.falls, not_negative(falls, "power"));
      PARCAST_ASSIGN(cost.iteration_noise.most, not_negative(falls, "most"));
      const NoiseLaw& noise = cost.iteration_noise;
      if (noise.falls > 1 || noise.falls * 4 != std::floor(noise.falls * 4))
        return falls.error("has a power that is no multiple of 1/4 from 0 to 1");
      if (!(noise.seconds > 0) || noise.most < noise.noise)
        return falls.error("has no duration, or less noise at most than at that duration");
    }
    PARCAST_ASSIGN(cost.slow_phase_noise, not_negative(value, "spell_noise"));
    PARCAST_ASSIGN(cost.first_excess, number(value, "first_excess"));
    if (value.has("streamed")) {
      PARCAST_ASSIGN(const Value streamed, value.at("streamed"));
      PARCAST_ASSIGN(cost.streamed, expression(streamed));
    }
    if (value.has("unsure")) {
      PARCAST_ASSIGN(cost.unsure, not_negative(value, "unsure"));
    }
    if (value.has("rivals")) {
      PARCAST_ASSIGN(const Value alternatives, value.at("rivals"));
      PARCAST_ASSIGN(cost.alternatives,
                     alternatives.list_of<Expression>([&](const Value& v) { return expression(v); }));
    }
    if (value.has("advice")) {
      PARCAST_ASSIGN(const Value advice, value.at("advice"));
      PARCAST_ASSIGN(cost.advice, advice.text());
    }
    PARCAST_ASSIGN(const Value arguments, value.at("arguments"));
    PARCAST_ASSIGN(cost.arguments,
                   arguments.list_of<Expression>([&](const Value& v) { return expression(v); }));
    PARCAST_ASSIGN(const Value growth_value, value.at("growth"));
    PARCAST_ASSIGN(cost.growth, growth(growth_value, cost.arguments.size()));
    return cost;
  }

  Result<Residence> residence(const Value& value) const {
    Residence residence;
    PARCAST_ASSIGN(const Value arguments, value.at("arguments"));
    PARCAST_ASSIGN(residence.arguments,
                   arguments.list_of<Expression>([&](const Value& v) { return expression(v); }));
    PARCAST_ASSIGN(const Value fit, value.at("growth"));
    PARCAST_ASSIGN(residence.growth, growth(fit, residence.arguments.size()));
    return residence;
  }

  Result<Forecast> forecast(const Value& value) const {
    Forecast forecast;
    PARCAST_ASSIGN(forecast.node, node_id(value, "node"));
    if (forecast.node < 0 || forecast.node >= static_cast<NodeId>(model_.nodes.size()) ||
        is_call(forecast.node))
      return value.error("is not of the program, a region or a loop");
    PARCAST_ASSIGN(const Value arguments, value.at("arguments"));
    PARCAST_ASSIGN(forecast.arguments,
                   arguments.list_of<Expression>([&](const Value& v) { return expression(v); }));
    PARCAST_ASSIGN(const Value fit, value.at("growth"));
    PARCAST_ASSIGN(forecast.growth, growth(fit, forecast.arguments.size()));
    if (value.has("error")) {
      PARCAST_ASSIGN(forecast.error, not_negative(value, "error"));
    }
    if (value.has("error_of_parts")) {
      PARCAST_ASSIGN(forecast.error_of_parts, not_negative(value, "error_of_parts"));
    }
    return forecast;
  }

  static Result<statistics::GrowthModel> growth(const Value& value, std::size_t arguments) {
    statistics::GrowthModel model;
    PARCAST_ASSIGN(const Value names, value.at("arguments"));
    PARCAST_ASSIGN(model.arguments, names.list_of<std::string>([](const Value& v) { return v.text(); }));
    PARCAST_ASSIGN(model.residual_relative_error, not_negative(value, "residual_relative_error"));
    PARCAST_ASSIGN(model.relative_error_per_doubling, not_negative(value, "relative_error_per_doubling"));
    PARCAST_ASSIGN(const Value ranges, value.at("ranges"));
    PARCAST_ASSIGN(model.ranges,
                   ranges.list_of<statistics::ArgumentRange>([](const Value& v) { return range(v); }));
    if (model.arguments.size() != arguments || model.ranges.size() != arguments)
      return value.error("has other arguments than its cost");
    PARCAST_ASSIGN(const Value list, value.at("hypotheses"));
    PARCAST_ASSIGN(model.hypotheses, list.list_of<statistics::GrowthHypothesis>(
                                         [&](const Value& v) { return hypothesis(v, arguments); }));
    if (model.hypotheses.empty()) return list.error("is empty");
    return model;
  }

  static Result<statistics::ArgumentRange> range(const Value& value) {
    statistics::ArgumentRange range;
    PARCAST_ASSIGN(range.lowest, number(value, "lowest"));
    PARCAST_ASSIGN(range.highest, number(value, "highest"));
    PARCAST_ASSIGN(const Value distinct, value.at("distinct"));
    PARCAST_ASSIGN(const std::int64_t count, distinct.integer(1, kMost32));
    range.distinct = static_cast<std::size_t>(count);
    if (value.has("given")) {
      PARCAST_ASSIGN(range.given, truth(value, "given"));
    }
    return range;
  }

  static Result<statistics::GrowthHypothesis> hypothesis(const Value& value, std::size_t arguments) {
    statistics::GrowthHypothesis h;
    PARCAST_ASSIGN(h.weight, not_negative(value, "weight"));
    PARCAST_ASSIGN(h.validation_error, not_negative(value, "validation_error"));
    PARCAST_ASSIGN(h.fitted_exponents, truth(value, "fitted_exponents"));
    PARCAST_ASSIGN(h.relative_noise, not_negative(value, "relative_noise"));
    PARCAST_ASSIGN(h.degrees_of_freedom, not_negative(value, "degrees_of_freedom"));
    if (h.degrees_of_freedom == 0) return value.error("has no degrees of freedom");
    PARCAST_ASSIGN(const Value terms, value.at("terms"));
    PARCAST_ASSIGN(h.terms,
                   terms.list_of<statistics::GrowthTerm>([&](const Value& v) { return term(v, arguments); }));
    if (h.terms.empty() || (h.fitted_exponents && h.terms.size() != 1))
      return terms.error("has a wrong number of terms");
    const std::size_t parameters = h.fitted_exponents ? arguments + 1 : h.terms.size();
    PARCAST_ASSIGN(const Value factor, value.at("factor"));
    PARCAST_ASSIGN(h.factor, matrix(factor));
    if (h.factor.rows != parameters) return factor.error("does not have one row per parameter");
    return h;
  }

  static Result<statistics::GrowthTerm> term(const Value& value, std::size_t arguments) {
    statistics::GrowthTerm term;
    PARCAST_ASSIGN(term.coefficient, number(value, "coefficient"));
    PARCAST_ASSIGN(const Value exponents, value.at("exponents"));
    PARCAST_ASSIGN(term.exponents, numbers(exponents));
    PARCAST_ASSIGN(const Value logs, value.at("log_powers"));
    PARCAST_ASSIGN(term.log_powers, logs.list_of<int>([](const Value& v) -> Result<int> {
      PARCAST_ASSIGN(const std::int64_t power, v.integer(0, 9));
      return static_cast<int>(power);
    }));
    if (term.exponents.size() != arguments || term.log_powers.size() != arguments)
      return value.error("does not have one exponent per argument");
    return term;
  }

  static Result<statistics::Matrix> matrix(const Value& value) {
    PARCAST_ASSIGN(const auto rows,
                   value.list_of<std::vector<double>>([](const Value& v) { return numbers(v); }));
    statistics::Matrix matrix(rows.size(), rows.empty() ? 0 : rows[0].size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].size() != matrix.columns) return value.error("has rows of different lengths");
      for (std::size_t j = 0; j < rows[i].size(); ++j) matrix(i, j) = rows[i][j];
    }
    return matrix;
  }

  static Result<Block> block(const Value& value) {
    Block block;
    PARCAST_ASSIGN(block.source, text(value, "source"));
    PARCAST_ASSIGN(block.function, text(value, "function"));
    PARCAST_ASSIGN(const Value number, value.at("number"));
    PARCAST_ASSIGN(const std::int64_t in_function, number.integer(0, kMost32));
    block.number = static_cast<int>(in_function);
    PARCAST_ASSIGN(block.where, text(value, "where"));
    PARCAST_ASSIGN(const Value operations, value.at("operations"));
    PARCAST_ASSIGN(const auto entries, operations.entries());
    for (const auto& [name, entry] : entries) {
      PARCAST_ASSIGN(block.operations[name], entry.integer(0, std::numeric_limits<std::int64_t>::max()));
    }
    if (!value.has("packed")) return block;
    PARCAST_ASSIGN(const Value packed, value.at("packed"));
    PARCAST_ASSIGN(const auto classes, packed.entries());
    for (const auto& [name, entry] : classes) {
      PARCAST_ASSIGN(const auto pair, entry.list());
      if (pair.size() != 2) return entry.error("is not a pair");
      PARCAST_ASSIGN(block.packed[name].operations, pair[0].integer(1, facts::kMostPacked));
      PARCAST_ASSIGN(block.packed[name].instructions, pair[1].integer(0, facts::kMostPacked));
    }
    return block;
  }

  Result<Work> work(const Value& value) const {
    Work work;
    PARCAST_ASSIGN(work.from, node_id(value, "from"));
    if (work.from != kNone && !is_call(work.from)) return value.error("does not follow a call");
    PARCAST_ASSIGN(const Value blocks, value.at("blocks"));
    PARCAST_ASSIGN(work.blocks,
                   blocks.list_of<Work::Executions>([&](const Value& v) -> Result<Work::Executions> {
                     Work::Executions each;
                     PARCAST_ASSIGN(const Value number, v.at("block"));
                     PARCAST_ASSIGN(const std::int64_t index,
                                    number.integer(0, static_cast<std::int64_t>(model_.blocks.size()) - 1));
                     each.block = static_cast<std::int32_t>(index);
                     PARCAST_ASSIGN(const Value executions, v.at("count"));
                     PARCAST_ASSIGN(each.count, expression(executions));
                     PARCAST_ASSIGN(const std::string name, text(v, "tier"));
                     const auto tier = count_tier_named(name);
                     if (!tier) return v.error("has a tier \"" + name + "\" that is not known");
                     each.tier = *tier;
                     return each;
                   }));
    return work;
  }

  static Result<Source> source(const Value& value) {
    Source s;
    PARCAST_ASSIGN(s.digest, text(value, "digest"));
    PARCAST_ASSIGN(const Value parameters, value.at("parameters"));
    PARCAST_ASSIGN(const auto entries, parameters.entries());
    for (const auto& [name, entry] : entries) {
      PARCAST_ASSIGN(s.parameters[name], entry.number());
    }
    PARCAST_ASSIGN(const Value p, value.at("p"));
    PARCAST_ASSIGN(s.processes, process_count(p));
    PARCAST_ASSIGN(s.seconds, not_negative(value, "seconds"));
    PARCAST_ASSIGN(s.oversubscribed, truth(value, "oversubscribed"));
    PARCAST_ASSIGN(s.reserved, truth(value, "reserved"));
    PARCAST_ASSIGN(s.damaged, truth(value, "damaged"));
    if (value.has("slowed")) {
      PARCAST_ASSIGN(s.slowed, truth(value, "slowed"));
    }
    if (value.has("mpi_library")) {
      PARCAST_ASSIGN(s.mpi_library, text(value, "mpi_library"));
    }
    return s;
  }

  Result<Quantity> quantity(const Value& value) const {
    Quantity out;
    PARCAST_ASSIGN(out.name, text(value, "name"));
    PARCAST_ASSIGN(const Value of, value.at("expression"));
    PARCAST_ASSIGN(out.expression, expression(of));
    PARCAST_ASSIGN(const Value counts, value.at("counts"));
    PARCAST_ASSIGN(out.counts, counts.integer(0, std::int64_t{1} << 53));
    PARCAST_ASSIGN(const Value share, value.at("share"));
    PARCAST_ASSIGN(out.share, share.not_negative());
    return out;
  }

  static Result<Notice> notice(const Value& value) {
    Notice n;
    PARCAST_ASSIGN(n.code, text(value, "code"));
    PARCAST_ASSIGN(n.text, text(value, "text"));
    PARCAST_ASSIGN(n.hint, text(value, "hint"));
    return n;
  }

  Model& model_;
  Kinds kinds_;
};

}  // namespace

Result<Model> model_from_json(std::string_view text, const std::string& where) {
  PARCAST_TRY(check_json_nesting(text, where));
  Json json;
  try {
    json = Json::parse(text);
  } catch (const nlohmann::json::parse_error& problem) {
    return Error{"the model is not JSON at byte " + std::to_string(problem.byte), where,
                 "make the model again from its recordings"};
  } catch (const nlohmann::json::out_of_range&) {
    return Error{"the model has a number beyond the range of a double", where,
                 "make the model again from its recordings"};
  }
  const Value top(json, "", where);
  PARCAST_ASSIGN(const Value schema_value, top.at("schema"));
  PARCAST_ASSIGN(const std::string schema, schema_value.text());
  if (schema != kModelSchema)
    return Error{"the schema is \"" + schema + "\", not \"" + kModelSchema + "\"", where,
                 "it may be from a newer Parcast, or no program model"};
  Model model;
  PARCAST_TRY(Reader(model).read(top));
  return model;
}

Result<Model> read_model(const std::filesystem::path& path) {
  PARCAST_ASSIGN(const std::string text, read_file(path));
  return model_from_json(text, path.string());
}

}  // namespace parcast::program

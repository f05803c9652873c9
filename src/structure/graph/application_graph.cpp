// SPDX-License-Identifier: Apache-2.0
#include "structure/graph/application_graph.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "model/formula_text.h"
#include "structure/generate.h"
#include "structure/graph/graph_builder.h"
#include "structure/rules.h"

namespace parcast::program {
namespace {

using Region = std::vector<std::string>;  // the parts of its path

Region region_of(const std::string& path) {
  return path.empty() ? Region{} : split(path, '/');
}

/// Converts a structure's steps to units; each step gets the place of its unit.
class OfStructure {
 public:
  explicit OfStructure(const Structure& structure, const std::string& program)
      : structure_(structure), builder_(program), calls_(structure.step_count + 1) {
    note_calls(structure.steps, 0);
  }

  /// `alone`: for one process, whose computing follows no call.
  GraphTrace build(bool alone = false) {
    out_.steps = structure_.steps;
    add(out_.steps, 0, 0, false);
    const bool computes = alone || !structure_.tail.empty();
    GraphTrace graph;
    graph.tail = builder_.finish(computes);
    graph.graph = std::move(builder_.graph());
    return graph;
  }

  /// Returns the structure with places that identify units.
  Structure structure() {
    Structure given = structure_;
    given.steps = out_.steps;
    given.places = out_.places;
    return given;
  }
  /// Returns the units of a place of structure().
  std::pair<UnitId, UnitId> units_of(const trace::Place& place) const {
    const auto at = std::ranges::find(out_.places, place);
    return units_[static_cast<std::size_t>(at - out_.places.begin())];
  }

 private:
  Region region_of_step(const Step& step) const {
    if (step.kind == Step::Kind::operation)
      return step.place == trace::kNowhere ? Region{} : region_of(structure_.places[step.place].region);
    std::optional<Region> common;
    for (const Step& inner : step.body) {
      const Region own = region_of_step(inner);
      if (!common) common = own;
      std::size_t same = 0;
      while (same < std::min(common->size(), own.size()) && (*common)[same] == own[same]) ++same;
      common->resize(same);
    }
    return common.value_or(Region{});
  }

  /// Adds steps. Consecutive steps of one region or one condition become one unit.
  void add(std::vector<Step>& steps, UnitId parent, std::size_t depth, bool guarded) {
    for (std::size_t i = 0; i < steps.size();) {
      const Region region = region_of_step(steps[i]);
      std::size_t end = i + 1;
      if (region.size() > depth) {
        while (end < steps.size() && goes_on(region, region_of_step(steps[end]), depth)) ++end;
        add_part(steps, i, end, builder_.add(parent, UnitClass::call, region[depth]), depth + 1, guarded);
      } else if (!guarded && steps[i].guard.kind != Guard::Kind::all && !is_written_condition(steps[i])) {
        while (end < steps.size() && steps[end].guard == steps[i].guard &&
               region_of_step(steps[end]).size() <= depth)
          ++end;
        add_part(steps, i, end,
                 builder_.add(parent, UnitClass::condition_synchronised, to_text(steps[i].guard)), depth,
                 true);
      } else {
        add_step(steps[i], parent, depth);
      }
      i = end;
    }
  }

  static bool goes_on(const Region& region, const Region& next, std::size_t depth) {
    return next.size() > depth && next[depth] == region[depth];
  }

  void add_part(std::vector<Step>& steps, std::size_t begin, std::size_t end, UnitId parent,
                std::size_t depth, bool guarded) {
    std::vector<Step> part(std::make_move_iterator(steps.begin() + static_cast<std::ptrdiff_t>(begin)),
                           std::make_move_iterator(steps.begin() + static_cast<std::ptrdiff_t>(end)));
    add(part, parent, depth, guarded);
    std::ranges::move(part, steps.begin() + static_cast<std::ptrdiff_t>(begin));
  }

  void add_step(Step& step, UnitId parent, std::size_t depth) {
    if (step.kind == Step::Kind::operation) return add_operation(step, parent);
    const std::string where = step.place == trace::kNowhere ? "" : where_of(structure_.places[step.place]);
    if (is_written_condition(step)) {
      const UnitId id =
          builder_.add(parent, UnitClass::condition_synchronised, structure_.places[step.place].call, where);
      builder_.unit(id).origin = step.rounds.origin;
      builder_.unit(id).detail = step.guard.kind == Guard::Kind::all
                                     ? program::formula_text(step.rounds.expression) + " times"
                                     : to_text(step.guard);
      return add(step.body, id, depth, true);
    }
    if (step.kind == Step::Kind::every) {
      const UnitId id = builder_.add(parent, UnitClass::condition_synchronised, text_of_every(step), where);
      builder_.unit(id).origin = Origin::exact;
      return add(step.body, id, depth, false);
    }
    const bool known = step.rounds.origin != Origin::fitted && step.rounds.origin != Origin::unknown;
    const std::string rounds = program::formula_text(step.rounds.expression);
    const UnitId id =
        builder_.add(parent, known ? UnitClass::iteration_synchronised : UnitClass::iteration_undetermined,
                     "repeat " + rounds, where);
    builder_.unit(id).origin = step.rounds.origin;
    if (step.kind == Step::Kind::rounds) builder_.unit(id).detail = "k = 0 .. " + rounds + " - 1";
    add(step.body, id, depth, false);
  }

  /// Returns "every 10 iterations, from number 10 on".
  static std::string text_of_every(const Step& step) {
    if (step.every_of.empty())
      return "every " + std::to_string(step.every) + " iterations, from number " +
             std::to_string(step.offset + 1) + " on";
    const std::int64_t number = step.offset + 1;  // <= 0: of the period's end
    return "every " + step.every_of + " iterations, from number " +
           (number > 0    ? std::to_string(number)
            : number == 0 ? step.every_of
                          : step.every_of + " - " + std::to_string(-number)) +
           " on";
  }

  /// Returns whether the step is a block of a written program that some ranks execute once: a loop of zero or
  /// one rounds.
  bool is_written_condition(const Step& step) const {
    if (step.kind != Step::Kind::loop || step.place == trace::kNowhere) return false;
    const std::string& word = structure_.places[step.place].call;
    return word == "if" || word == "host" || word == "nodes";
  }

  /// Returns the statements of the computing: "for: 1 + exp; product".
  static std::string statements_of(const std::vector<ComputingPart>& parts) {
    std::string text;
    for (const ComputingPart& part : parts) {
      const std::string inner = statements_of(part.parts);
      text += (text.empty() ? "" : "; ") + part.label + (inner.empty() ? "" : ": " + inner);
    }
    return text;
  }

  void add_operation(Step& step, UnitId parent) {
    trace::Place place = step.place == trace::kNowhere ? trace::Place{} : structure_.places[step.place];
    const UnitId leaf = builder_.leaf(parent, place, step.operation, step.pattern);
    describe(step, builder_.unit(leaf));
    const UnitId computing = step.computing.empty() ? leaf : builder_.computing_before(leaf);
    if (computing != leaf) locate(builder_.unit(computing), step);
    if (computing != leaf && builder_.unit(computing).detail.empty())
      for (const Computing& each : step.computing)
        if (builder_.unit(computing).detail.empty())
          builder_.unit(computing).detail = statements_of(each.parts);
    place.region = builder_.unit(parent).path;
    const auto known = std::ranges::find(out_.places, place);
    step.place = static_cast<std::uint32_t>(known - out_.places.begin());
    if (known == out_.places.end())
      out_.places.push_back(place), units_.emplace_back(leaf, computing);
    else if (computing != leaf)
      units_[step.place].second = computing;
  }

  void note_calls(const std::vector<Step>& steps, int depth) {
    for (const Step& step : steps) {
      const int conditions = step.guard.kind != Guard::Kind::all || step.kind == Step::Kind::every ? 1 : 0;
      if (step.kind == Step::Kind::operation && step.id < calls_.size())
        calls_[step.id] = {step.place, depth + conditions};
      note_calls(step.body, depth + conditions);
    }
  }

  /// Sets the lines of computing before a step: from the call before it. Of several calls the one under the
  /// fewest conditions is taken, and of these rather one of the iteration before. Statements of a written
  /// program have lines of their own.
  void locate(ApplicationUnit& computing, const Step& step) const {
    std::optional<std::pair<int, bool>> best;
    std::uint32_t from = trace::kNowhere;
    for (const Computing& each : step.computing) {
      if (!each.parts.empty()) return;
      if (each.after >= calls_.size() || calls_[each.after].place == trace::kNowhere) continue;
      const std::pair rank(calls_[each.after].conditions, each.after < step.id);
      if (best && *best < rank) continue;
      best = rank, from = calls_[each.after].place;
    }
    if (from == trace::kNowhere || step.place == trace::kNowhere) return;
    computing.where = where_between(structure_.places[from], structure_.places[step.place]);
  }

  static void describe(const Step& step, ApplicationUnit& unit) {
    std::string detail;
    const bool sends = step.operation == trace::Kind::send || step.operation == trace::Kind::start_send;
    if (step.partner.kind != Partner::Kind::none)
      detail = (sends ? "to " : trace::is_access(step.operation) ? "of " : "from ") + to_text(step.partner);
    if (step.operation != trace::Kind::wait && step.operation != trace::Kind::probe &&
        step.pattern != recording::Pattern::barrier) {
      detail += (detail.empty() ? "" : ", ") + program::formula_text(step.bytes.count.expression) + " B";
      unit.origin = weaker(unit.origin, step.bytes.count.origin);
    }
    if (detail.empty() || unit.detail.find(detail) != std::string::npos) return;
    unit.detail += (unit.detail.empty() ? "" : "; ") + detail;
  }

  const Structure& structure_;
  GraphBuilder builder_;
  struct Call {
    std::uint32_t place = trace::kNowhere;  // kNowhere: no call, or one without a place
    int conditions = 0;                     // that enclose it
  };
  std::vector<Call> calls_;  // by step
  struct {
    std::vector<Step> steps;
    std::vector<trace::Place> places;
  } out_;
  // By place: of the call, and of the computing before it.
  std::vector<std::pair<UnitId, UnitId>> units_;
};

Result<void> check_structure(const Model& model) {
  if (!model.structure)
    return Error{"the model does not hold what the ranks do in order", model.program,
                 "make it again from its recordings: parcast model R.recording..."};
  if (!model.structure->found()) return model.structure->refusal();
  return {};
}

/// Returns whether the model has a structure. One process needs none: it has no partner to wait for.
bool is_known(const Model& model) {
  return model.structure && model.structure->found();
}

/// Sets the unit of each operation of a trace.
template <class UnitsOf>
void label(GraphTrace& out, UnitsOf units_of) {
  for (const trace::Operation& operation : out.trace.operations) {
    const auto [leaf, computing] = units_of(operation);
    out.unit_of.push_back(leaf), out.computing_of.push_back(computing);
  }
  std::vector<bool> waits(out.graph.units.size());
  for (std::size_t i = 0; i < out.trace.operations.size(); ++i) {
    const trace::Kind kind = out.trace.operations[i].kind;
    if (kind == trace::Kind::wait) waits[out.unit_of[i]] = true;
  }
  for (std::size_t i = 0; i < out.trace.operations.size(); ++i)
    out.part_of_call.push_back(trace::begins_request(out.trace.operations[i].kind) && waits[out.unit_of[i]]);
}

}  // namespace

Result<ApplicationGraph> application_graph(const Model& model) {
  PARCAST_TRY(check_structure(model));
  return OfStructure(*model.structure, model.program).build().graph;
}

Result<GraphTrace> graph_trace(const Model& model, const Point& point) {
  if (model.structure && model.structure->copied > 0) {  // a condition for each rank would hide the program
    PARCAST_ASSIGN(trace::Trace trace, generate(model, point));
    return graph_trace(std::move(trace));
  }
  if (point.processes > 1) PARCAST_TRY(check_structure(model));
  const Structure none;
  OfStructure graph(is_known(model) ? *model.structure : none, model.program);
  GraphTrace out = graph.build(point.processes == 1);
  Model given = model;
  if (is_known(model)) given.structure = graph.structure();
  PARCAST_ASSIGN(out.trace, generate(given, point));
  std::vector<std::pair<UnitId, UnitId>> units;
  for (const trace::Place& place : out.trace.places) units.push_back(graph.units_of(place));
  label(out, [&](const trace::Operation& operation) { return units[operation.place]; });
  return out;
}

GraphTrace graph_trace(trace::Trace trace) {
  GraphTrace out;
  GraphBuilder builder(trace.program);
  std::map<std::string, UnitId> regions{{"", 0}};
  const auto region = [&](const std::string& path) {
    UnitId parent = 0;
    std::string so_far;
    for (const std::string& part : region_of(path)) {
      so_far += (so_far.empty() ? "" : "/") + part;
      const auto [known, is_new] = regions.try_emplace(so_far, kNoUnit);
      if (is_new) known->second = builder.add(parent, UnitClass::call, part);
      parent = known->second;
    }
    return parent;
  };
  out.trace = std::move(trace);
  const auto units_of = [&](const trace::Operation& operation) {
    const trace::Place place =
        operation.place == trace::kNowhere ? trace::Place{} : out.trace.places[operation.place];
    const UnitId leaf = builder.leaf(region(place.region), place, operation.kind, operation.pattern);
    return std::pair(leaf, builder.computing_before(leaf));
  };
  std::vector<std::pair<UnitId, UnitId>> units;
  for (const trace::Operation& operation : out.trace.operations) units.push_back(units_of(operation));
  out.tail = builder.finish(true);
  out.graph = std::move(builder.graph());
  label(out, [&](const trace::Operation& operation) {
    return units[static_cast<std::size_t>(&operation - out.trace.operations.data())];
  });
  return out;
}

}  // namespace parcast::program

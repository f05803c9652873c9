// SPDX-License-Identifier: Apache-2.0
#include "build_model/ordered_counts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "base/text.h"
#include "build_model/call_place.h"
#include "model/binding.h"
#include "model/lattice.h"
#include "model/run_options.h"
#include "structure/each_step.h"
#include "structure/generate.h"
#include "structure/word_totals.h"
#include "symbolic/factor.h"

namespace parcast::program {
namespace {

constexpr std::size_t kFewestProcessCounts = 3;  // that a rule for partners and guards must have held for
constexpr std::size_t kFewestValues = 3;         // of a parameter that is a trip count
constexpr std::size_t kFewestPoints = 4;         // at which a trip count is the same number
constexpr std::int64_t kFewestPeriods = 3;       // that a rule "in every k-th iteration" must have held for
constexpr std::size_t kMostCallsOnAWay = 32;     // between two calls of the structure
constexpr std::size_t kMostSteps = 20000;        // of the search for ways

using WholeValues = std::vector<std::int64_t>;

/// Whether every rank has such a partner, so that all execute the step.
bool is_always_there(const Partner& partner) {
  switch (partner.kind) {
    case Partner::Kind::offset:
    case Partner::Kind::exclusive_or:
    case Partner::Kind::others:
      return false;
    case Partner::Kind::grid:
      for (int k = 0; k < partner.dimensions; ++k)
        if (partner.shift[static_cast<std::size_t>(k)] != 0 && (partner.periodic >> k & 1) == 0) return false;
      return true;
    default:
      return true;
  }
}

/// Whether rules that let some ranks execute a step held for enough process counts, and whether other rules
/// that hold for a partner let the same ranks execute it.
bool has_certain_rules(const Structure& structure) {
  bool certain = true;
  for_each_step(structure.steps, [&](const Step& step) {
    const bool by_all = step.guard.kind == Guard::Kind::all && is_always_there(step.partner);
    const bool alternatives_by_all = std::ranges::all_of(step.alternatives, [](const auto& alternative) {
      return alternative.first.kind == Guard::Kind::all && is_always_there(alternative.second);
    });
    certain =
        certain && (by_all ? alternatives_by_all
                           : step.alternatives.empty() && structure.processes.size() >= kFewestProcessCounts);
  });
  return certain;
}

/// Points that separate formulas: lines of each parameter and of p, and points where all differ.
std::vector<Point> make_points(const std::vector<std::string>& parameters,
                               const std::vector<std::vector<double>>& recorded,
                               const std::vector<bool>& varies) {
  constexpr std::array<std::int32_t, 9> kProcesses{2, 3, 4, 5, 6, 7, 8, 9, 12};
  constexpr int kMixed = 12;
  std::vector<Point> points;
  const auto base = [&](std::int32_t p) {
    Point point{{}, p};
    for (std::size_t v = 0; v < parameters.size(); ++v) point.parameters[parameters[v]] = recorded[v].front();
    return point;
  };
  const auto values_of = [&](std::size_t v) {
    const double least = recorded[v].front(), most = recorded[v].back();
    const double middle = std::floor((least + most) / 2);
    return std::set<double>{least,  least + 1, least + 2, least + 3, least + 5, least + 8,    least + 13,
                            middle, most,      most + 1,  most + 2,  most + 7,  2 * most + 7, 2 * most + 10};
  };
  for (const std::int32_t p : kProcesses) points.push_back(base(p));
  for (const std::int32_t p : {2, 4, 6})
    for (std::size_t v = 0; v < parameters.size(); ++v) {
      if (!varies[v]) continue;
      for (const double value : values_of(v)) {
        points.push_back(base(p));
        points.back().parameters[parameters[v]] = value;
      }
    }
  std::uint64_t state = 88172645463325252ULL;
  const auto pick = [&state](std::uint64_t below) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % below;
  };
  for (int k = 0; k < kMixed; ++k) {
    points.push_back(base(kProcesses[static_cast<std::size_t>(k) % kProcesses.size()]));
    for (std::size_t v = 0; v < parameters.size(); ++v)
      if (varies[v])
        points.back().parameters[parameters[v]] =
            recorded[v].front() +
            static_cast<double>(
                pick(static_cast<std::uint64_t>(recorded[v].back() - recorded[v].front()) + 1));
  }
  return points;
}

/// The ways between two calls of the structure through calls that it does not have.
class CountWays {
 public:
  /// `marked`: by key, whether the structure has the call.
  CountWays(const Traces& traces, const std::vector<bool>& marked) : traces_(traces), marked_(marked) {
    for (std::size_t id = 0; id < traces.transitions.size(); ++id)
      begin_[traces.transitions[id].from].push_back(static_cast<std::int32_t>(id));
    for (const auto& [from, transitions] : begin_)
      if (from == kOutside || marked[static_cast<std::size_t>(from)]) {
        Way way;
        follow(from, from, way);
      }
  }

  using Way = std::vector<std::int32_t>;  // transitions, in order

  /// Returns all ways between two calls that recordings show.
  const std::vector<Way>& between(std::int32_t from, std::int32_t to) const {
    static const std::vector<Way> none;
    const auto at = ways_.find({from, to});
    return at == ways_.end() ? none : at->second;
  }
  /// Returns the transitions on one of several ways between the same calls.
  std::set<std::int32_t> unsure() const {
    std::set<std::int32_t> out;
    for (const auto& [ends, ways] : ways_)
      if (ways.size() > 1)
        for (const Way& way : ways) out.insert(way.begin(), way.end());
    return out;
  }
  /// Returns whether the search ended before it had found all ways.
  bool gave_up() const { return steps_ > kMostSteps; }

 private:
  void follow(std::int32_t first, std::int32_t here, Way& way) {
    const auto next = begin_.find(here);
    if (next == begin_.end()) return;
    for (const std::int32_t id : next->second) {
      if (++steps_ > kMostSteps) return;
      const bool again = std::ranges::find(way, id) != way.end();
      way.push_back(id);
      const std::int32_t to = traces_.transitions[static_cast<std::size_t>(id)].to;
      // A way that comes to a transition twice goes around a loop: several ways for all calls that it leads
      // to.
      if (to == kOutside || marked_[static_cast<std::size_t>(to)]) {
        auto& ways = ways_[{first, to}];
        ways.push_back(way);
        if (again) ways.push_back(way);
      } else if (way.size() < kMostCallsOnAWay && std::ranges::count(way, id) <= 2) {
        follow(first, to, way);
      }
      way.pop_back();
    }
  }

  const Traces& traces_;
  const std::vector<bool>& marked_;
  std::map<std::int32_t, std::vector<std::int32_t>> begin_;
  std::map<std::pair<std::int32_t, std::int32_t>, std::vector<Way>> ways_;
  std::size_t steps_ = 0;
};

}  // namespace

/// Generated runs, with totals of the calls that operations could be assigned to.
class OrderedCounts::Runs {
 public:
  static std::unique_ptr<Runs> make(const Structure& structure, const std::vector<std::string>& parameters,
                                    const std::vector<Run>& runs, const std::vector<ProcessGrid>& grids,
                                    const Traces& traces) {
    std::unique_ptr<Runs> out(new Runs(structure, parameters, runs, grids, traces));
    if (!out->prepare()) return nullptr;
    return out;
  }

  /// Returns a call's executions, one for each generated trace.
  std::optional<WholeValues> executions(std::int32_t key) const { return select(executions_, key); }
  std::optional<WholeValues> traversals(std::int32_t transition) const {
    return select(traversals_, transition);
  }
  CountBuilder& counts() { return *counts_; }
  /// Returns whether a rule limits the recorded points (all sizes are even), and generated ones are off it.
  bool is_on_lattice() const { return is_on_lattice_; }

  /// Returns whether all alternatives are the preferred formula on several processes.
  bool differs_nowhere(const Count& count) const {
    return std::ranges::all_of(count.alternatives, [&](const symbolic::Expression& alternative) {
      return is_same(count.expression, alternative);
    });
  }

 private:
  using Totals = std::map<std::int32_t, WholeValues>;  // by key or transition, one value per trace

  Runs(const Structure& structure, const std::vector<std::string>& parameters, const std::vector<Run>& runs,
       const std::vector<ProcessGrid>& grids, const Traces& traces)
      : parameters_(parameters), recorded_runs_(runs), grids_(grids), recorded_(traces) {
    for (const std::string& name : parameters) model_.parameters.push_back({name, {}});
    model_.grids = grids;
    model_.structure = structure;
  }

  static std::optional<WholeValues> select(const Totals& totals, std::int32_t id) {
    const auto at = totals.find(id);
    return at == totals.end() ? std::nullopt : std::optional(at->second);
  }

  bool prepare() {
    if (!take_points() || !has_certain_rounds()) return false;
    assign_sites();
    if (!check_recorded()) return false;
    generate_runs();
    if (generated_.traces.empty()) return false;
    counts_ = std::make_unique<CountBuilder>(parameters_, runs_, grids_, generated_);
    return true;
  }

  /// Returns false where parameters are the extents of a process grid, so that points of lines would be off
  /// it.
  bool take_points() {
    std::vector<Point> recorded;
    std::vector<std::set<double>> values(parameters_.size());
    for (const Trace& trace : recorded_.traces) {
      const Run& run = recorded_runs_[trace.run];
      recorded.push_back({{}, run.processes});
      for (std::size_t v = 0; v < parameters_.size(); ++v)
        recorded.back().parameters[parameters_[v]] = run.parameters[v], values[v].insert(run.parameters[v]);
    }
    if (recorded.empty()) return false;
    Lattice lattice = lattice_of(recorded);
    std::erase_if(lattice.residues, [](const Lattice::Residue& residue) { return residue.modulus == 0; });
    const std::vector<bool> sides = process_grid(parameters_, recorded);
    if (std::ranges::find(sides, true) != sides.end()) return false;
    is_on_lattice_ = !lattice.everywhere();
    std::vector<std::vector<double>> known;
    std::vector<bool> varies;
    for (std::size_t v = 0; v < parameters_.size(); ++v) {
      known.emplace_back(values[v].begin(), values[v].end());
      varies.push_back(known[v].size() > 1 &&
                       std::ranges::find(lattice.whole, parameters_[v]) != lattice.whole.end());
    }
    points_ = make_points(parameters_, known, varies);
    return true;
  }

  /// Whether the formula of each trip count is the only one: a parameter with three values or a multiple of
  /// it, a number that was the same in runs that varied everything, or a formula without alternatives.
  /// Structures are found in runs of several processes, so formulas that differ from it on one process alone
  /// are no alternatives.
  bool has_certain_rounds() const {
    bool certain = true;
    for_each_step(model_.structure->steps, [&](const Step& step) {
      if (!certain || (step.kind != Step::Kind::loop && step.kind != Step::Kind::rounds)) return;
      const Count& rounds = step.rounds;
      certain = is_multiple_of_a_parameter(rounds.expression) || is_a_certain_number(rounds) ||
                (rounds.origin <= Origin::ambiguous && rounds.open.empty() && differs_nowhere(rounds));
    });
    return certain;
  }

  /// Whether the count is a number in all runs of several processes, of four points at least, in which every
  /// parameter and p took several values.
  bool is_a_certain_number(const Count& rounds) const {
    if (!rounds.expression.is_number() || rounds.origin > Origin::ambiguous || !rounds.alternatives.empty())
      return false;
    std::set<std::vector<double>> points;
    std::vector<std::set<double>> values(parameters_.size() + 1);
    for (const Trace& trace : recorded_.traces) {
      const Run& run = recorded_runs_[trace.run];
      if (run.processes < 2) continue;
      std::vector<double> point = run.parameters;
      point.push_back(run.processes);
      for (std::size_t v = 0; v < point.size(); ++v) values[v].insert(point[v]);
      points.insert(std::move(point));
    }
    return points.size() >= kFewestPoints &&
           std::ranges::all_of(values, [](const std::set<double>& of) { return of.size() > 1; });
  }

  bool is_multiple_of_a_parameter(const symbolic::Expression& expression) const {
    for (std::size_t v = 0; v < parameters_.size(); ++v) {
      std::set<double> values;
      for (const Trace& trace : recorded_.traces) values.insert(recorded_runs_[trace.run].parameters[v]);
      const auto times = symbolic::quotient(expression, parameter_symbol(parameters_[v]));
      if (times && times->is_number()) return values.size() >= kFewestValues;
    }
    return false;
  }

  bool is_same(const symbolic::Expression& a, const symbolic::Expression& b) const {
    return std::ranges::all_of(points_, [&](const Point& point) {
      const std::vector<double> values = ordered(point);
      return std::ranges::all_of(sampled_ranks(point.processes), [&](std::int32_t rank) {
        const auto at = binding_of(place_at(values, point.processes, rank, grids_), parameters_, values);
        const auto one = symbolic::evaluate(a, at), other = symbolic::evaluate(b, at);
        return one && other && std::abs(*one - *other) < 0.5;
      });
    });
  }

  /// Assigns each recorded call the operations of its site. Two calls at one site cannot be distinguished.
  void assign_sites() {
    std::map<CallPlace, int> keys_at;
    for (const CallKey& key : recorded_.keys) ++keys_at[place_of(key)];
    for (std::size_t k = 0; k < recorded_.keys.size(); ++k)
      if (const CallPlace site = place_of(recorded_.keys[k]); keys_at.at(site) == 1)
        key_at_[site] = static_cast<std::int32_t>(k);
  }

  /// By kind and key: how often operations of that kind are executed. A call may be several operations
  /// (MPI_Sendrecv), of which the one that is executed as often as the call represents it.
  std::vector<Mark> marks_of(const trace::Trace& trace) const {
    std::vector<std::int32_t> key_of_place;
    for (const trace::Place& place : trace.places) {
      const auto key = key_at_.find(place_of(place));
      key_of_place.push_back(key == key_at_.end() ? kNotCounted : key->second);
    }
    std::vector<Mark> marks;
    for (const trace::Operation& operation : trace.operations) {
      const std::int32_t key =
          operation.place == trace::kNowhere ? kNotCounted : key_of_place[operation.place];
      marks.push_back(key == kNotCounted ? kNotCounted : mark(key, operation.kind));
    }
    return marks;
  }
  static constexpr Mark kKinds = 32;
  static Mark mark(std::int32_t key, trace::Kind kind) { return key * kKinds + static_cast<Mark>(kind); }

  /// Finds the operation that represents each call in generated runs of the recorded points, and checks
  /// that the generated runs have the recorded executions and traversals.
  bool check_recorded() {
    std::map<std::size_t, std::vector<WordTotals>> seen;  // by run, then rank
    std::map<std::int32_t, std::set<Mark>> marks_of_key;
    for (std::size_t t = 0; t < recorded_.traces.size(); ++t) {
      const Trace& trace = recorded_.traces[t];
      const Run& run = recorded_runs_[trace.run];
      if (!trace.complete || run.processes < 2) continue;
      if (!seen.contains(trace.run)) {
        const auto made = generate(model_, point_of(run));
        if (!made) return false;
        const std::vector<Mark> marks = marks_of(*made);
        for (const Mark each : marks)
          if (each != kNotCounted) marks_of_key[each / kKinds].insert(each);
        seen[trace.run] = totals_by_rank(*made, marks);
      }
    }
    if (seen.empty()) return false;
    for (const auto& [key, marks] : marks_of_key)
      for (const Mark each : marks)
        if (!represents_.contains(key) && equals_recorded(each, key, seen)) represents_[key] = each;
    if (represents_.empty()) return false;
    return has_periods();
  }

  bool equals_recorded(Mark mark, std::int32_t key,
                       const std::map<std::size_t, std::vector<WordTotals>>& seen) const {
    return std::ranges::all_of(recorded_.traces, [&](const Trace& trace) {
      const auto run = seen.find(trace.run);
      if (!trace.complete || run == seen.end()) return true;
      const auto call = trace.calls.find(key);
      const std::int64_t recorded = call == trace.calls.end() ? 0 : call->second.executions;
      const WordTotals& totals = run->second[static_cast<std::size_t>(trace.rank)];
      const auto made = totals.executions.find(mark);
      return recorded == (made == totals.executions.end() ? 0 : made->second);
    });
  }

  /// Whether recordings show each operation that is executed in some iterations only in several periods, and
  /// in different numbers of them.
  bool has_periods() const {
    bool enough = true;
    const auto check = [&](const std::vector<Step>& body) {
      for_each_step(body, [&](const Step& step) {
        if (step.kind != Step::Kind::operation || step.place == trace::kNowhere) return;
        const auto key = key_at_.find(place_of(model_.structure->places[step.place]));
        std::set<std::int64_t> times;
        if (key != key_at_.end())
          for (const Trace& trace : recorded_.traces)
            if (const auto call = trace.calls.find(key->second); call != trace.calls.end())
              times.insert(call->second.executions);
        enough = enough && times.size() >= 2 && *times.rbegin() >= kFewestPeriods;
      });
    };
    for_each_step(model_.structure->steps, [&](const Step& step) {
      if (step.kind == Step::Kind::every) check(step.body);
    });
    return enough;
  }

  Point point_of(const Run& run) const {
    Point point{{}, run.processes};
    for (std::size_t v = 0; v < parameters_.size(); ++v) point.parameters[parameters_[v]] = run.parameters[v];
    return point;
  }

  static std::vector<WordTotals> totals_by_rank(const trace::Trace& trace, const std::vector<Mark>& marks) {
    std::vector<std::optional<WordTotals>> of_sequence(trace.sequences.size());
    std::vector<WordTotals> out;
    for (const std::uint32_t sequence : trace.sequence_of) {
      auto& totals = of_sequence[sequence];
      if (!totals) totals = totals_of_words(trace.sequences[sequence], marks);
      out.push_back(*totals);
    }
    return out;
  }

  void generate_runs() {
    std::vector<bool> marked(recorded_.keys.size(), false);
    for (const auto& [key, mark] : represents_) marked[static_cast<std::size_t>(key)] = true;
    const CountWays ways(recorded_, marked);
    strays_ = ways.gave_up();
    for (const Point& point : points_) {
      const auto made = generate(model_, point);
      if (!made) continue;
      std::vector<Mark> marks = marks_of(*made);
      for (Mark& each : marks)
        if (each != kNotCounted) {
          const auto represented = represents_.find(each / kKinds);
          each =
              represented != represents_.end() && represented->second == each ? each / kKinds : kNotCounted;
        }
      const std::size_t run = runs_.size();
      runs_.push_back({ordered(point), point.processes});
      const std::vector<WordTotals> totals = totals_by_rank(*made, marks);
      for (std::int32_t rank = 0; rank < point.processes; ++rank) {
        generated_.traces.push_back({.run = run, .rank = rank, .complete = true});
        add(totals[static_cast<std::size_t>(rank)], ways);
      }
    }
    for (const auto& [key, mark] : represents_) executions_[key].resize(generated_.traces.size());
    if (strays_) return traversals_.clear();
    for (std::size_t id = 0; id < recorded_.transitions.size(); ++id)
      traversals_[static_cast<std::int32_t>(id)].resize(generated_.traces.size());
    for (const std::int32_t transition : ways.unsure()) traversals_.erase(transition);
  }

  /// Adds a rank's totals to those of calls and transitions.
  void add(const WordTotals& totals, const CountWays& ways) {
    const std::size_t at = generated_.traces.size() - 1;
    const auto put = [&](Totals& to, std::int32_t id, std::int64_t times) {
      WholeValues& values = to[id];
      values.resize(at + 1);
      values[at] += times;
    };
    for (const auto& [key, times] : totals.executions) put(executions_, key, times);
    const auto pass = [&](std::int32_t from, std::int32_t to, std::int64_t times) {
      const std::vector<CountWays::Way>& all = ways.between(from, to);
      strays_ = strays_ || all.empty();
      if (all.size() == 1)
        for (const std::int32_t transition : all.front()) put(traversals_, transition, times);
    };
    for (const auto& [pair, times] : totals.followed) pass(pair.first, pair.second, times);
    if (totals.first == kNotCounted) return;
    pass(kOutside, totals.first, 1);
    pass(totals.last, kOutside, 1);
  }

  std::vector<double> ordered(const Point& point) const {
    std::vector<double> values;
    for (const std::string& name : parameters_) values.push_back(point.parameters.at(name));
    return values;
  }

  const std::vector<std::string>& parameters_;
  const std::vector<Run>& recorded_runs_;
  const std::vector<ProcessGrid>& grids_;
  const Traces& recorded_;
  Model model_;
  std::vector<Point> points_;
  std::map<CallPlace, std::int32_t> key_at_;
  std::map<std::int32_t, Mark> represents_;
  std::vector<Run> runs_;
  Traces generated_;
  Totals executions_, traversals_;
  bool is_on_lattice_ = false;
  bool strays_ = false;  // calls follow each other in an order that no recording shows
  std::unique_ptr<CountBuilder> counts_;
};

OrderedCounts::OrderedCounts(const Structure& structure, const std::vector<std::string>& parameters,
                             const std::vector<Run>& runs, const std::vector<ProcessGrid>& grids,
                             const Traces& traces)
    : parameters_(parameters), runs_(runs), grids_(grids), traces_(traces) {
  if (!structure.found() || structure.processes.size() < 2) return;
  generated_ = Runs::make(structure, parameters, runs, grids, traces);
  certain_ = generated_ && !generated_->is_on_lattice() && has_certain_rules(structure);
}

OrderedCounts::~OrderedCounts() = default;

std::optional<Count> OrderedCounts::executions(std::int32_t key, const std::vector<std::int64_t>& recorded) {
  const auto values = generated_ ? generated_->executions(key) : std::nullopt;
  return values ? identified(*values, recorded) : std::nullopt;
}

std::optional<Count> OrderedCounts::traversals(std::int32_t transition,
                                               const std::vector<std::int64_t>& recorded) {
  const auto values = generated_ ? generated_->traversals(transition) : std::nullopt;
  return values ? identified(*values, recorded) : std::nullopt;
}

// The formula holds at all generated points, which are more than a user would record. They have several
// processes, so formulas that differ on one process are alternatives: a recording on one process decides.
std::optional<Count> OrderedCounts::identified(const std::vector<std::int64_t>& values,
                                               const std::vector<std::int64_t>& recorded) {
  const Count found = generated_->counts().build(values, true);
  if (found.origin > Origin::ambiguous || !generated_->differs_nowhere(found)) return std::nullopt;
  std::vector<symbolic::Expression> candidates{found.expression};
  candidates.insert(candidates.end(), found.alternatives.begin(), found.alternatives.end());
  candidates.push_back(
      symbolic::conditional(processes_symbol() - 2, found.expression, 0));  // nothing on one process
  for (const symbolic::Expression& candidate : candidates)
    if (equals(candidate, recorded)) {
      Count count;
      count.expression = candidate;
      count.origin = certain_ ? Origin::exact : Origin::ambiguous;
      return count;
    }
  return std::nullopt;
}

bool OrderedCounts::equals(const symbolic::Expression& formula,
                           const std::vector<std::int64_t>& recorded) const {
  for (std::size_t t = 0; t < recorded.size(); ++t) {
    const Trace& trace = traces_.traces[t];
    if (!trace.complete) continue;
    const Run& run = runs_[trace.run];
    const auto value = symbolic::evaluate(
        formula,
        binding_of(place_at(run.parameters, run.processes, trace.rank, grids_), parameters_, run.parameters));
    if (!value || std::llround(*value) != recorded[t]) return false;
  }
  return true;
}

Count before_others(Count ordered, Count of_totals) {
  if (ordered.origin <= Origin::exact || of_totals.origin > Origin::ambiguous) return ordered;
  std::vector<symbolic::Expression> others{of_totals.expression};
  others.insert(others.end(), of_totals.alternatives.begin(), of_totals.alternatives.end());
  std::erase(others, ordered.expression);
  of_totals.expression = ordered.expression, of_totals.origin = Origin::ambiguous;
  of_totals.alternatives = std::move(others);
  return of_totals;
}

}  // namespace parcast::program

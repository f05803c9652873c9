// SPDX-License-Identifier: Apache-2.0
#include "source/counts/counted_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "base/text.h"
#include "model/binding.h"
#include "model/work.h"
#include "source/counts/alternatives.h"
#include "source/counts/has_values.h"
#include "source/counts/mispredicted.h"
#include "source/facts/allocators.h"

namespace parcast::program {
namespace {

using recording::Counted;
using recording::CountedSet;
using recording::Recording;
using symbolic::Expression;

}  // namespace

CountedProgram::CountedProgram(const std::vector<Recording>& recordings, const Inputs& inputs,
                               const Traces& traces)
    : inputs_(inputs), traces_(traces) {
  const bool counted = std::ranges::any_of(recordings, [](const Recording& recording) {
    return std::ranges::any_of(recording.ranks, [](const auto& rank) { return rank.counted.kept; });
  });
  if (!counted) return;
  read_facts(recordings);
  if (modules_.empty()) return;
  words_ = CommandWords(recordings, inputs);
  add_totals(recordings);
  counts_ = std::make_unique<BlockCounts>(
      modules_, all_, [this](const facts::Input& input) { return symbol_of(input); }, inputs_.parameters);
}

CountedProgram::~CountedProgram() = default;

// Reads each module once, if its facts match its counters.
void CountedProgram::read_facts(const std::vector<Recording>& recordings) {
  std::map<std::uint64_t, std::pair<std::uint64_t, std::uint64_t>> counted;  // counters and probes by module
  for (const Recording& recording : recordings)
    for (const auto& rank : recording.ranks)
      for (const auto& module : rank.counted.modules) counted[module.id] = {module.counters, module.probes};
  std::set<std::string> read;
  for (const Recording& recording : recordings) {
    if (recording.facts.empty() || !read.insert(recording.facts).second) continue;
    auto modules = facts::read_facts(recording.facts, recording.program + ".recording/facts");
    if (!modules) {
      notices_.push_back({"facts-unreadable",
                          "the compiler's facts of the program cannot be read: " + to_string(modules.error()),
                          "record again"});
      continue;
    }
    for (facts::Module& module : *modules) {
      const auto at = counted.find(module.id);
      const bool known = std::ranges::find(modules_, module.id, &facts::Module::id) != modules_.end();
      if (at == counted.end() || known) continue;
      if (at->second != std::pair(module.counters, module.probes)) {
        notices_.push_back(
            {"facts-misfit",
             fmt::format("{} counted {} places, and the compiler's facts name {}: it is left out",
                         module.source, at->second.first, module.counters),
             "compile all objects again and record again"});
        continue;
      }
      modules_.push_back(std::move(module));
    }
  }
  const auto counts = [](const Recording& recording) {
    return std::ranges::any_of(recording.ranks,
                               [](const auto& rank) { return !rank.counted.modules.empty(); });
  };
  if (const auto some = std::ranges::count_if(recordings, counts); some > 0 && some < std::ssize(recordings))
    notices_.push_back({"partly-counted",
                        fmt::format("{} of {} recordings counted no blocks: their program was not compiled "
                                    "by parcast cc, cxx or fc, or without optimisation",
                                    std::ssize(recordings) - some, recordings.size()),
                        "compile it with -O1 or more and record it again"});
  std::ranges::sort(modules_, {}, &facts::Module::id);
  for (const facts::Module& module : modules_) by_id_[module.id] = &module;
  if (by_id_.size() < counted.size())
    notices_.push_back({"without-facts",
                        fmt::format("{} of {} compiled modules have counts without the compiler's facts",
                                    counted.size() - by_id_.size(), counted.size()),
                        "record a program that is still the file that was run"});
}

std::optional<Expression> CountedProgram::symbol_of(const facts::Input& input) const {
  using Kind = facts::InputKind;
  switch (input.kind) {
    case Kind::word:
      return words_.number(input.index, input.part);
    case Kind::words:
      return words_.count();
    case Kind::rank:
      return rank_symbol();
    case Kind::processes:
      return processes_symbol();
    case Kind::grid_extent:
      return extent_symbol(input.dimensions, input.index);
    case Kind::grid_coordinate:
      return coordinate_symbol(input.dimensions, input.index);
    case Kind::recognised:
      break;
  }
  return std::nullopt;
}

std::map<std::uint64_t, ModuleCounts> CountedProgram::joined(
    const Counted& counted, const std::vector<const CountedSet*>& sets) const {
  std::map<std::uint64_t, ModuleCounts> dense;
  std::map<std::uint64_t, std::map<std::uint32_t, recording::ProbeValues>> probes;
  for (const recording::CountedModule& module : counted.modules)  // modules without activity count 0
    if (const auto known = by_id_.find(module.id); known != by_id_.end())
      dense[module.id] = {std::vector<std::uint64_t>(known->second->counters),
                          std::vector<std::array<std::uint64_t, 4>>(known->second->probes)};
  for (const CountedSet* set : sets)
    for (const recording::ModuleCounts& counts : set->modules) {
      const std::uint64_t id = counted.modules[counts.module].id;
      if (!by_id_.contains(id)) continue;
      ModuleCounts& module = dense[id];
      for (const auto& [number, count] : counts.counters)
        if (number < module.counters.size()) module.counters[number] += count;
      for (const auto& [number, values] : counts.probes) {
        if (number >= module.probes.size()) continue;
        const auto [at, fresh] = probes[id].try_emplace(number, values);
        if (!fresh) at->second = at->second + values;
      }
    }
  // A probe recorded a single value if its least and most are equal.
  for (const auto& [id, of] : probes)
    for (const auto& [number, values] : of)
      dense[id].probes[number] = {
          static_cast<std::uint64_t>(values.first),
          values.least == values.most ? 1u : std::max<std::uint64_t>(2, values.noticed),
          static_cast<std::uint64_t>(values.least), static_cast<std::uint64_t>(values.most)};
  return dense;
}

void CountedProgram::add_totals(const std::vector<Recording>& recordings) {
  processes_.resize(traces_.traces.size());
  std::int64_t unfinished = 0, counting = 0;
  for (std::size_t t = 0; t < traces_.traces.size(); ++t) {
    const Trace& trace = traces_.traces[t];
    for (const auto& rank : recordings[trace.run].ranks)
      if (rank.rank == trace.rank && rank.counted.kept) {
        ++counting;
        if (trace.complete)
          processes_[t].counted = &rank.counted;
        else
          ++unfinished;
      }
    Process& process = processes_[t];
    if (!process.counted) continue;
    const Run& run = inputs_.runs[trace.run];
    process.values = binding_of(place_at(run.parameters, run.processes, trace.rank, inputs_.grids),
                                inputs_.parameters, run.parameters);
    std::vector<const CountedSet*> sets;
    for (const CountedSet& set : process.counted->sets) sets.push_back(&set);
    process.totals = joined(*process.counted, sets);
  }
  finished_ = counting > unfinished;
  if (unfinished > 0)
    notices_.push_back({"unfinished-counts",
                        fmt::format("{} of {} processes that counted ended without MPI_Finalize, or lost "
                                    "events: what they counted is left out, since they did not do all of it",
                                    unfinished, counting),
                        "leave their recordings out, or record a run that ends well"});
  for (const Process& process : processes_) {
    if (!process.counted) continue;
    Sighting sighting{1, process.values, {}};
    for (const auto& [id, counts] : process.totals) sighting.modules[id] = &counts;
    all_.push_back(std::move(sighting));
  }
}

Block CountedProgram::described(facts::FunctionPlace place, int number) const {
  const facts::Module& module = modules_[static_cast<std::size_t>(place.module)];
  const facts::Function& function = module.functions[static_cast<std::size_t>(place.function)];
  const facts::Block& block = function.blocks[static_cast<std::size_t>(number)];
  return {module.source,    function.name, number, facts::place_of(block.at, module.source),
          block.operations, block.packed};
}

double CountedProgram::seen(facts::FunctionPlace function, int block) const {
  const facts::Module& module = modules_[static_cast<std::size_t>(function.module)];
  double sum = 0;
  for (const Sighting& sighting : all_)
    if (const auto counts = sighting.modules.find(module.id); counts != sighting.modules.end())
      sum += static_cast<double>(
          facts::block_executions(module.functions[static_cast<std::size_t>(function.function)],
                                  counts->second->counters)[static_cast<std::size_t>(block)]);
  return sum;
}

double CountedProgram::mispredicted(facts::FunctionPlace place, int block) const {
  const facts::Module& module = modules_[static_cast<std::size_t>(place.module)];
  const facts::Function& function = module.functions[static_cast<std::size_t>(place.function)];
  auto [flows, fresh] = flows_.try_emplace(place);
  if (fresh)
    for (const Sighting& sighting : all_)
      if (const auto counts = sighting.modules.find(module.id); counts != sighting.modules.end())
        flows->second.push_back(facts::arc_executions(function, counts->second->counters));
  return mispredicted_part(function, block, flows->second);
}

const PlaceCounts& CountedProgram::whole() const {
  if (!whole_) whole_ = counts_->at(all_);
  return *whole_;
}

namespace {

// Returns whether a called function is the routine with the name given by the recorder.
bool is_called(const std::string& name, const std::string& function) {
  return function == name || function == "P" + name;
}

/// Returns the index of the argument with the number of contributed elements, or -1 if there is none.
int count_argument(const std::string& name) {
  static const std::map<std::string, int> kArguments{
      {"MPI_Send", 1},      {"MPI_Isend", 1},      {"MPI_Ssend", 1},     {"MPI_Issend", 1},
      {"MPI_Bsend", 1},     {"MPI_Rsend", 1},      {"MPI_Sendrecv", 1},  {"MPI_Send_init", 1},
      {"MPI_Bcast", 1},     {"MPI_Ibcast", 1},     {"MPI_Reduce", 2},    {"MPI_Ireduce", 2},
      {"MPI_Allreduce", 2}, {"MPI_Iallreduce", 2}, {"MPI_Scan", 2},      {"MPI_Exscan", 2},
      {"MPI_Gather", 1},    {"MPI_Gatherv", 1},    {"MPI_Allgather", 1}, {"MPI_Allgatherv", 1}};
  const auto found = kArguments.find(name);
  return found == kArguments.end() ? -1 : found->second;
}

}  // namespace

bool CountedProgram::gives(const Expression& expression, double factor,
                           const std::vector<std::int64_t>& values) const {
  for (std::size_t t = 0; t < values.size(); ++t) {
    if (!processes_[t].counted) return false;
    const auto value = symbolic::evaluate(expression, processes_[t].values);
    if (!value || std::abs(*value * factor - static_cast<double>(values[t])) >
                      1e-9 * static_cast<double>(values[t]) + 1e-6)
      return false;
  }
  return true;
}

bool CountedProgram::same_as_seen(const Expression& a, const Expression& b) const {
  return std::ranges::all_of(processes_, [&](const Process& process) {
    const auto x = symbolic::evaluate(a, process.values), y = symbolic::evaluate(b, process.values);
    return x && y && std::abs(*x - *y) <= 1e-9 * std::abs(*y);
  });
}

std::optional<Expression> CountedProgram::part_of(const Expression& whole,
                                                  const std::vector<std::int64_t>& values) const {
  constexpr std::int64_t kMostParts = 16;
  std::optional<symbolic::Rational> part;
  for (std::size_t t = 0; t < values.size(); ++t) {
    if (!processes_[t].counted) return std::nullopt;
    const auto all = symbolic::evaluate(whole, processes_[t].values);
    if (!all || std::abs(*all) > 1e15) return std::nullopt;
    if (*all <= 0) {
      if (values[t] != 0) return std::nullopt;
      continue;
    }
    const auto here = symbolic::Rational::of(values[t], std::llround(*all));
    if (part && !(*part == here)) return std::nullopt;
    part = here;
  }
  if (!part || part->sign() == 0 || part->denominator() > kMostParts) return std::nullopt;
  return Expression(*part);
}

// Returns the recorded sizes and larger ones, on process counts that leave each process some of every size.
const std::vector<symbolic::Binding>& CountedProgram::usual_points() const {
  if (!usual_points_.empty()) return usual_points_;
  constexpr double kLeastPart = 4;
  for (const std::size_t run : inputs_.order)
    for (const double factor : {1.0, 2.0, 5.0, 17.0, 64.0})
      for (const std::int32_t p : {1, 2, 3, 4, 6, 8, 16, 31, 64, 256}) {
        std::vector<double> parameters = inputs_.runs[run].parameters;
        for (double& value : parameters) value *= factor;
        const bool recorded = factor == 1 && p == inputs_.runs[run].processes;
        if (!recorded &&
            std::ranges::any_of(parameters, [&](double value) { return value < kLeastPart * p; }))
          continue;
        for (const std::int32_t r : {0, 1, p / 2, p - 1})
          if (r < p)
            usual_points_.push_back(
                binding_of(place_at(parameters, p, r, inputs_.grids), inputs_.parameters, parameters));
      }
  return usual_points_;
}

Expression CountedProgram::decided(const Expression& expression) const {
  return symbolic::decide(expression, usual_points());
}

Expression CountedProgram::shortened(const Expression& expression) const {
  Expression shorter = decided(expression);
  return same_elsewhere(shorter, expression) ? shorter : expression;
}

bool CountedProgram::same_elsewhere(const Expression& a, const Expression& b) const {
  constexpr std::int32_t kProcesses[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  constexpr double kFactors[] = {1, 1.37, 3.01, 7.9};  // for the recorded sizes
  for (const std::size_t run : inputs_.order)
    for (const std::int32_t p : kProcesses)
      for (const double factor : kFactors) {
        std::vector<double> parameters = inputs_.runs[run].parameters;
        for (double& value : parameters)
          value = value == std::floor(value) ? std::floor(value * factor) : value * factor;
        for (const std::int32_t r : {0, 1, p / 2, p - 1}) {
          if (r >= p) continue;
          const symbolic::Binding at =
              binding_of(place_at(parameters, p, r, inputs_.grids), inputs_.parameters, parameters);
          const auto x = symbolic::evaluate(a, at), y = symbolic::evaluate(b, at);
          if (!x || !y || std::abs(*x - *y) > 1e-9 * std::abs(*y) + 1e-9) return false;
        }
      }
  return true;
}

std::optional<Count> CountedProgram::count_of(const CallKey& key, const std::vector<std::int64_t>& values,
                                              Amount amount, const Count* of_key) const {
  for (const bool by_line : {true, false})
    for (const CallSum& sum : whole().calls) {
      const facts::Function& function = modules_[static_cast<std::size_t>(sum.function.module)]
                                            .functions[static_cast<std::size_t>(sum.function.function)];
      const facts::Call& call = function.calls[static_cast<std::size_t>(sum.call)];
      if (!is_called(key.name, *call.to)) continue;
      const std::string line = call.at.empty() ? ""
                                               : std::filesystem::path(call.at[0].file).filename().string() +
                                                     ":" + std::to_string(call.at[0].line);
      if (by_line && line != key.where) continue;
      const auto taken = [&](const Expression& expression, CountTier tier) {
        Count count;
        count.expression = expression;
        count.origin = tier == CountTier::symbolic ? Origin::symbolic : Origin::run_constant;
        return count;
      };
      if (amount == Amount::executions) {
        if (sum.tier >= CountTier::constant) continue;
        if (gives(sum.executions, 1, values)) return taken(sum.executions, sum.tier);
        // The routine may be called from several places of the program. Then the count is a simple fraction
        // of its executions.
        if (const auto part = by_line ? part_of(sum.executions, values) : std::nullopt)
          return taken(*part * sum.executions, CountTier::as_seen);
        continue;
      }
      const bool all_of_it = !of_key || same_as_seen(of_key->expression, sum.executions);
      for (const CallSum::Passed& passed : sum.passed) {
        if (!all_of_it || passed.argument != count_argument(key.name) || passed.tier >= CountTier::constant)
          continue;
        for (const int size : {1, 2, 4, 8, 16})  // bytes of MPI's predefined types
          if (gives(passed.sum, size, values)) return taken(Expression(size) * passed.sum, passed.tier);
      }
      // The routine may be called from several places of the program. Then the executions of the key are
      // used.
      for (const CallSum::Passed& passed : sum.passed) {
        if (!of_key || of_key->origin > Origin::exact || !passed.each ||
            passed.argument != count_argument(key.name) || passed.tier >= CountTier::constant)
          continue;
        const Expression all = of_key->expression * *passed.each;
        for (const int size : {1, 2, 4, 8, 16})
          if (gives(all, size, values)) {
            Count count = taken(Expression(size) * all, passed.tier);
            count.origin = weaker(count.origin, of_key->origin);
            return count;
          }
      }
    }
  return std::nullopt;
}

// Returns the blocks that each process executes only after this key. Their counts per visit follow from the
// counts of entire runs, wherever the enclosing loops begin and end.
std::vector<BlockCount> CountedProgram::only_here(const std::vector<Sighting>& sightings,
                                                  const Expression& executions) const {
  std::map<facts::FunctionPlace, std::vector<bool>> here;
  for (int m = 0; m < static_cast<int>(modules_.size()); ++m)
    for (int f = 0; f < static_cast<int>(modules_[static_cast<std::size_t>(m)].functions.size()); ++f) {
      const facts::Module& module = modules_[static_cast<std::size_t>(m)];
      const facts::Function& function = module.functions[static_cast<std::size_t>(f)];
      std::vector<std::int64_t> rest(function.blocks.size());  // executions elsewhere, over all processes
      const auto add = [&](const ModuleCounts& counts, std::int64_t sign) {
        const auto blocks = facts::block_executions(function, counts.counters);
        for (std::size_t b = 0; b < rest.size(); ++b) rest[b] += sign * static_cast<std::int64_t>(blocks[b]);
      };
      for (const Process& process : processes_)
        if (const auto counts = process.totals.find(module.id); counts != process.totals.end())
          add(counts->second, 1);
      for (const Sighting& sighting : sightings)
        if (const auto counts = sighting.modules.find(module.id); counts != sighting.modules.end())
          add(*counts->second, -1);
      std::vector<bool>& all = here[{m, f}];
      for (const std::int64_t elsewhere : rest) all.push_back(elsewhere == 0);
    }
  std::vector<BlockCount> blocks;
  for (const BlockCount& block : whole().blocks)
    if (here[block.function][static_cast<std::size_t>(block.block)]) {
      blocks.push_back(block);
      blocks.back().per_visit = block.per_visit / executions;
      for (Expression& alternative : blocks.back().alternatives) alternative = alternative / executions;
    }
  return blocks;
}

namespace {

Origin origin_of(CountTier tier) {
  switch (tier) {
    case CountTier::symbolic:
      return Origin::symbolic;
    case CountTier::recognised:
    case CountTier::as_seen:
      return Origin::run_constant;
    case CountTier::constant:
      return Origin::constant;
    case CountTier::measured:
      return Origin::measured;
  }
  return Origin::unknown;
}

/// Multiplies the bytes by the argument: its value, or its mean over the executions. An argument that
/// several formulas give is ambiguous, one without any makes the size unknown.
void multiply(Array& array, const CallSum& sum, int argument) {
  const CallSum::Passed* first = nullptr;
  for (const CallSum::Passed& passed : sum.passed) {
    if (passed.argument != argument) continue;
    if (!first)
      first = &passed;
    else if (passed.sum != first->sum)
      array.origin = weaker(array.origin, Origin::ambiguous);
  }
  if (!first || sum.executions.is_zero()) {
    array.origin = Origin::unknown;
    return;
  }
  array.bytes = array.bytes * (first->each ? *first->each : first->sum / sum.executions);
  array.origin = weaker(array.origin, origin_of(first->tier));
}

void put_largest(std::map<std::string, Expression>& portions, const std::string& array,
                 const Expression& portion, const symbolic::Binding& at) {
  const auto [known, fresh] = portions.emplace(array, portion);
  if (fresh) return;
  const auto before = symbolic::evaluate(known->second, at), now = symbolic::evaluate(portion, at);
  if (before && now && *before < *now) known->second = portion;
}

}  // namespace

std::optional<Expression> CountedProgram::footprint(const std::vector<CountedWork>& all) const {
  if (all_.empty()) return std::nullopt;
  std::map<std::string, Expression> portions;
  for (const CountedWork& work : all)
    for (const auto& [array, portion] : work.touched)
      put_largest(portions, array, portion, all_.back().values);
  std::vector<Expression> terms;
  for (const auto& [array, portion] : portions) terms.push_back(portion);
  if (terms.empty()) return std::nullopt;
  return symbolic::sum_of(terms);
}

std::vector<Array> CountedProgram::arrays() const {
  std::vector<Array> out;
  for (const CallSum& sum : whole().calls) {
    const facts::Module& module = modules_[static_cast<std::size_t>(sum.function.module)];
    const facts::Function& function = module.functions[static_cast<std::size_t>(sum.function.function)];
    const facts::Call& call = function.calls[static_cast<std::size_t>(sum.call)];
    const std::vector<int> sizes = facts::size_arguments(*call.to);
    if (sizes.empty()) continue;
    Array array{facts::place_of(call.at, module.source), function.name, decided(sum.executions), 1,
                origin_of(sum.tier)};
    for (const int argument : sizes) multiply(array, sum, argument);
    array.bytes = array.origin == Origin::unknown ? Expression() : shortened(array.bytes);
    out.push_back(std::move(array));
  }
  return out;
}

std::optional<CountedWork> CountedProgram::behind(std::int32_t key,
                                                  const std::optional<Expression>& executions) const {
  std::vector<std::map<std::uint64_t, ModuleCounts>> dense;
  std::vector<Sighting> sightings;
  dense.reserve(traces_.traces.size());  // the sightings point into it
  for (std::size_t t = 0; t < traces_.traces.size(); ++t) {
    const Trace& trace = traces_.traces[t];
    const auto sets = trace.counted.find(key);
    if (!processes_[t].counted || sets == trace.counted.end()) continue;
    std::uint64_t visits = 1;
    if (key != kOutside) {
      const auto calls = trace.calls.find(key);
      if (calls == trace.calls.end() || calls->second.executions < 1) continue;
      visits = static_cast<std::uint64_t>(calls->second.executions);
    }
    dense.push_back(joined(*processes_[t].counted, sets->second));
    Sighting sighting{visits, processes_[t].values, {}};
    for (const auto& [id, counts] : dense.back()) sighting.modules[id] = &counts;
    sightings.push_back(std::move(sighting));
  }
  if (sightings.empty()) return std::nullopt;
  PlaceCounts counts = counts_->at(sightings, executions);
  std::vector<BlockCount>& blocks = counts.blocks;
  if (blocks.empty()) return std::nullopt;
  std::set<std::pair<facts::FunctionPlace, int>> here;  // blocks that are executed nowhere else
  if (executions || key == kOutside)
    for (const BlockCount& block : only_here(sightings, executions.value_or(Expression(1)))) {
      here.emplace(block.function, block.block);
      const auto same = std::ranges::find_if(blocks, [&](const BlockCount& b) {
        return b.function == block.function && b.block == block.block;
      });
      if (same != blocks.end() && block.tier <= same->tier) *same = block;
    }
  CountedWork work;
  work.operations = operations_per_visit(modules_, blocks);
  // Per execution of the call. For other inputs the call may never be executed; then divide by
  // max(executions, 1) instead of by zero.
  const auto per_execution = [&](const Expression& each, const auto& in_all) -> std::optional<Expression> {
    if (const Expression given = decided(each); has_values(given, inputs_)) return given;
    if (!executions) return std::nullopt;
    const Expression given = decided(in_all()) / symbolic::max(*executions, Expression(1));
    return has_values(given, inputs_) ? std::optional(given) : std::nullopt;
  };
  work.weighted = per_execution(weighted_work(work.operations), [&] {
    std::vector<BlockCount> all = blocks;
    for (BlockCount& block : all) block.per_visit = block.per_visit * *executions;
    return weighted_work(operations_per_visit(modules_, all));
  });
  std::vector<Expression> streamed;
  bool streams = true;
  for (Sweep& sweep : counts.sweeps) {
    if (!sweep.outermost) continue;
    // As for blocks: a loop that is entered nowhere else has the counts of entire runs.
    const facts::Function& function = modules_[static_cast<std::size_t>(sweep.function.module)]
                                          .functions[static_cast<std::size_t>(sweep.function.function)];
    const int head = function.loops[static_cast<std::size_t>(sweep.loop)].head;
    const auto same = [&](const Sweep& other) {
      return other.function == sweep.function && other.loop == sweep.loop && other.arrays == sweep.arrays;
    };
    if (here.contains({sweep.function, head}))
      if (const auto known = std::ranges::find_if(whole().sweeps, same);
          known != whole().sweeps.end() && known->tier <= sweep.tier) {
        sweep.portion = known->portion;
        sweep.bytes = known->bytes / executions.value_or(Expression(1));
      }
    const auto bytes = per_execution(sweep.bytes, [&] { return sweep.bytes * *executions; });
    streams = streams && bytes;
    if (bytes) streamed.push_back(*bytes);
    for (const std::string& array : sweep.arrays)
      put_largest(work.touched, array, decided(sweep.portion), sightings.front().values);
  }
  if (streams && !streamed.empty()) work.streamed = symbolic::sum_of(streamed);
  double all = 0;
  for (const BlockCount& block : blocks) {
    const double of_block = [&] {
      const Expression each = weighted_work(operations_per_visit(modules_, {block}));
      double sum = 0;
      for (const Sighting& sighting : sightings)
        if (const auto value = symbolic::evaluate(each, sighting.values))
          sum += *value * static_cast<double>(sighting.visits);
      return sum;
    }();
    work.shares[block.tier] += of_block;
    all += of_block;
    work.ambiguous = work.ambiguous || block.ambiguous;
  }
  if (!(all > 0)) return std::nullopt;
  for (auto& [tier, share] : work.shares) share /= all;
  work.alternatives = alternatives_of(modules_, blocks, inputs_);
  for (Expression& alternative : work.alternatives) alternative = decided(alternative);
  work.advice = deciding_run(work.alternatives, inputs_);
  work.blocks = std::move(blocks);
  return work;
}

}  // namespace parcast::program

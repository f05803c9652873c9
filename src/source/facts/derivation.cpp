// SPDX-License-Identifier: Apache-2.0
#include "source/facts/derivation.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace parcast::facts {
namespace {

constexpr int kDeepest = 16;            // largest number of calls and stores on one path
constexpr std::size_t kCandidates = 8;  // largest number of candidates per value
constexpr int kOfWholeNumbers = 4;      // bytes of the integers that MPI functions take

std::string without_profiling(const std::string& name) {
  return name.starts_with("PMPI_") ? name.substr(1) : name;
}

// Library functions that a program may replace; libraries then call the program's function by its name.
bool is_called_by_libraries(const std::string& name) {
  static constexpr std::array kNames{"malloc",   "calloc",        "realloc",        "free",
                                     "memalign", "aligned_alloc", "posix_memalign", "memcpy",
                                     "memmove",  "memset",        "strlen"};
  static constexpr std::array kOperators{"_Znw", "_Zna", "_Zdl", "_Zda"};
  return std::ranges::find(kNames, name) != kNames.end() ||
         std::ranges::any_of(kOperators, [&](const char* begin) { return name.starts_with(begin); });
}

}  // namespace

LinkedProgram::LinkedProgram(const std::vector<Module>& modules,
                             std::function<bool(FunctionPlace, int)> executed, Recognise recognised,
                             std::function<bool(FunctionPlace, int)> by_all)
    : modules_(modules),
      executed_(std::move(executed)),
      recognised_(std::move(recognised)),
      by_all_(std::move(by_all)) {
  for (int m = 0; m < static_cast<int>(modules_.size()); ++m)
    for (int f = 0; f < static_cast<int>(modules_[m].functions.size()); ++f)
      by_name_[modules_[m].functions[f].name].push_back({m, f});
  for (int m = 0; m < static_cast<int>(modules_.size()); ++m)
    for (const auto& [alias, name] : modules_[m].aliases)
      for (const FunctionPlace place : called(m, name)) aliases_[alias].push_back(place);
  for (int m = 0; m < static_cast<int>(modules_.size()); ++m)
    for (const std::string& name : modules_[m].taken)
      for (const FunctionPlace place : called(m, name)) taken_.insert(place);
  for (const auto& [name, places] : by_name_)
    if (is_called_by_libraries(name)) taken_.insert(places.begin(), places.end());
  for (const auto& [name, places] : by_name_)
    for (const FunctionPlace place : places) {
      const Function& function = at(place);
      for (int c = 0; c < static_cast<int>(function.calls.size()); ++c)
        if (const Call& call = function.calls[c]; call.to && this->executed(place, call.block)) {
          for (const FunctionPlace callee : called(place.module, *call.to))
            callers_[callee].push_back({place, c, std::nullopt});
          if (const auto forked = forked_by(function, call))
            for (const FunctionPlace callee : called(place.module, forked->to))
              callers_[callee].push_back({place, c, forked->third});
        }
    }
  note_habits();
  const auto calls_main = [](const Call& call) { return call.to == "main"; };
  for (const Module& module : modules_)
    for (const Function& function : module.functions)
      main_again_ = main_again_ || std::ranges::any_of(function.calls, calls_main);
  for (const FunctionPlace place : taken_) main_again_ = main_again_ || at(place).name == "main";
  // The target of a store may depend on stored pointers, so repeat until no store is added.
  for (std::size_t before = 0, now = find_stores(); now != before; now = find_stores()) before = now;
  find_throwing();
  find_endings();
  note_what_was_never_executed();
  note_escapes();
  note_unknown_writes();
  note_texts();
  note_writing_calls();
  find_jumping();
}

void LinkedProgram::note_what_was_never_executed() {
  for (const Module& module : modules_)
    for (const Function& function : module.functions) {
      for (const Call& call : function.calls)
        if (call.to && *call.to != function.name) named_.insert(*call.to);
      for (const Node& node : function.nodes)
        if (node.operation == Operation::global) named_.insert(node.name);
    }
  for (const Module& module : modules_)
    for (const auto& [alias, name] : module.aliases)
      if (named_.contains(alias)) named_.insert(name);
  also_called_ = taken_;
  // largest number of arguments of calls through pointers; they may lead to any function that uses no more
  std::optional<std::size_t> most;
  for (const auto& [name, places] : by_name_)
    for (const FunctionPlace place : places)
      for (const Call& call : at(place).calls)
        if (!call.to && !only_fails(place, call.block))
          most = std::max(most.value_or(0), call.arguments.size());
  for (const auto& [name, places] : by_name_)
    for (const FunctionPlace place : places)
      if (most && name != "main" && name != "_QQmain" && arguments_of(at(place)) <= *most)
        also_called_.insert(place);
  for (const auto& [name, places] : by_name_)
    for (const FunctionPlace place : places) {
      const Function& function = at(place);
      if (!may_be_entered(place)) continue;  // inlined at all its calls
      const auto counts = [&](int block) { return !executed(place, block) && !only_fails(place, block); };
      for (const Call& call : function.calls) {
        if (!call.to || !counts(call.block)) continue;
        for (const FunctionPlace callee : called(place.module, *call.to)) also_called_.insert(callee);
        if (const auto forked = forked_by(function, call))
          for (const FunctionPlace callee : called(place.module, forked->to)) also_called_.insert(callee);
      }
      for (const Store& store : function.stores)
        if (counts(store.block))
          also_store(memory_of(place, store.place), bytes_of(function.nodes[store.value]));
    }
}

bool LinkedProgram::may_be_entered(FunctionPlace place) const {
  const std::string& name = at(place).name;
  return name == "main" || name == "_QQmain" || executed(place, 0) || named_.contains(name) ||
         also_called_.contains(place);
}

std::size_t LinkedProgram::find_stores() {
  std::map<Memory, std::vector<StorePlace>> found;
  std::size_t count = 0;
  for (const auto& [name, places] : by_name_)
    for (const FunctionPlace place : places)
      for (const Store& store : at(place).stores)
        if (executed(place, store.block))
          for (const Memory& memory : memory_of(place, store.place)) {
            found[memory].push_back({place, store.value});
            ++count;
          }
  stores_ = std::move(found);
  places_.clear();
  return count;
}

void LinkedProgram::also_store(const std::set<Memory>& places, int bytes) {
  for (const Memory& memory : places) {
    int& most = also_stored_[memory];
    most = std::max(most, bytes);
  }
}

// If several functions have the name, the caller's own module has the right one, unless the linker takes one
// for all modules. Otherwise each of them is possible.
std::vector<FunctionPlace> LinkedProgram::called(int from_module, const std::string& name) const {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) {
    const auto alias = aliases_.find(name);
    return alias == aliases_.end() ? std::vector<FunctionPlace>{} : chosen(from_module, alias->second);
  }
  return chosen(from_module, found->second);
}

std::vector<FunctionPlace> LinkedProgram::chosen(int from_module,
                                                 const std::vector<FunctionPlace>& all) const {
  for (const FunctionPlace place : all)
    if (place.module == from_module && !at(place).merged) return {place};
  const auto is_live = [&](FunctionPlace place) { return at(place).merged && executed(place, 0); };
  if (std::ranges::none_of(all, is_live)) return all;
  std::vector<FunctionPlace> live;
  std::ranges::copy_if(all, std::back_inserter(live), is_live);
  return live;
}

std::optional<NodeNumber> LinkedProgram::passed(const CallPlace& caller, std::int64_t number) const {
  constexpr std::int64_t kOfThread = 2;  // number of the thread, and number of the thread in the team
  if (number < 0 || (caller.third && number < kOfThread)) return std::nullopt;
  const std::size_t at_caller = caller.third ? *caller.third + static_cast<std::size_t>(number - kOfThread)
                                             : static_cast<std::size_t>(number);
  const auto& arguments = at(caller.function).calls[static_cast<std::size_t>(caller.call)].arguments;
  return at_caller < arguments.size() ? arguments[at_caller] : std::nullopt;
}

std::set<std::string> LinkedProgram::arrays(FunctionPlace function, const Reference& reference) const {
  const auto text = [](const Memory& memory) {
    return std::to_string(static_cast<int>(memory.kind)) + ' ' + memory.name + ' ' +
           std::to_string(memory.function.module) + '.' + std::to_string(memory.function.function) + '.' +
           std::to_string(memory.local) + '+' + std::to_string(memory.offset);
  };
  std::set<std::string> names;
  if (reference.array) {
    const Node& node = at(function).nodes[*reference.array];
    if (node.operation == Operation::pointed) {
      for (const Memory& holder : memory_of(function, node.operands[0])) names.insert('*' + text(holder));
    } else if (node.operation == Operation::behind) {  // the callers' arrays
      const auto callers = callers_.find(function);
      for (const CallPlace& caller : callers == callers_.end() ? std::vector<CallPlace>{} : callers->second) {
        const auto number = passed(caller, node.bits);
        if (!number) continue;
        const Node& given = at(caller.function).nodes[*number];
        const std::optional<NodeNumber> behind =
            given.operation == Operation::pointed ? std::optional(given.operands[0]) : std::nullopt;
        for (const Memory& memory : memory_of(caller.function, behind.value_or(*number)))
          names.insert((behind ? "*" : "") + text(memory));
      }
    } else {
      for (Memory memory : memory_of(function, *reference.array)) {
        memory.offset = 0;
        names.insert(text(memory));
      }
    }
  }
  if (names.empty())
    names.insert("base " + std::to_string(function.module) + '.' + std::to_string(function.function) + '.' +
                 std::to_string(reference.base));
  return names;
}

class LinkedProgram::Walk {
 public:
  explicit Walk(const LinkedProgram& program) : program_(program) {}

  Candidates of(FunctionPlace function, NodeNumber number) {
    const auto known = known_.find({function, number});
    if (known != known_.end()) return known->second;
    // the value depends on itself
    if (!open_.insert({function, number}).second || depth_ > kDeepest) return {};
    ++depth_;
    const Node& node = program_.at(function).nodes[number];
    Candidates found = derive(function, node);
    const bool source = node.operation == Operation::argument || node.operation == Operation::load ||
                        node.operation == Operation::call || node.operation == Operation::unknown;
    // A constant of the program may be only the initial value, before another one is read from somewhere.
    const auto is_number = [](const Formula& formula) { return inputs_of(formula).empty(); };
    if (source && program_.recognised_ && std::ranges::all_of(found.formulas, is_number))
      if (auto seen = program_.recognised_(function, number, found.formulas); !seen.empty())
        found = in_turn({{std::move(seen), false}}, false);
    --depth_;
    open_.erase({function, number});
    return known_[{function, number}] = std::move(found);
  }

  Candidates from_places(const std::set<Memory>& places, int bytes, std::optional<FunctionPlace> reader) {
    std::vector<Candidates> all;
    bool known = places.size() == 1;
    for (const Memory& memory : places) {
      bool divided = false;  // MPI_Dims_create writes to extents that are 0 before
      if (const auto writings = program_.written_.find(memory); writings != program_.written_.end())
        for (const Writing& writing : writings->second) {
          all.push_back({{writing.value}, writing.sole});
          divided = divided || writing.value->input.kind == InputKind::grid_extent;
        }
      bool stored = false;
      if (const auto stores = program_.stores_.find(memory); stores != program_.stores_.end())
        for (const StorePlace& store : stores->second) {
          if (divided && program_.is_zero(store)) continue;
          stored = true;
          all.push_back(of(store.function, store.value));
          if (store.function != reader) drop_rounds(all.back());
        }
      // A global has an initial value, unless a library writes to it in every run. An object of a type may be
      // copied as a whole, or be another object of that type.
      const bool begins_with_it =
          memory.kind == Memory::Kind::local || memory.kind == Memory::Kind::word ||
          (memory.kind == Memory::Kind::global && !stored && is_always_written(memory));
      known = known && begins_with_it && !program_.also_stored_.contains(memory) &&
              !program_.may_be_overwritten(memory) && !program_.overlaps(memory, bytes, divided);
    }
    return in_turn(all, known);
  }

 private:
  bool is_always_written(const Memory& memory) const {
    const auto writings = program_.written_.find(memory);
    return writings != program_.written_.end() &&
           std::ranges::any_of(writings->second, [&](const Writing& writing) {
             return program_.is_unavoidable(writing.in, writing.by->block);
           });
  }

  Candidates derive(FunctionPlace function, const Node& node) {
    switch (node.operation) {
      case Operation::integer:
      case Operation::real:
        return {{operation(node, {})}, true};
      case Operation::argument:
        return from_callers(function, node);
      case Operation::load:
        return from_memory(function, node);
      case Operation::call:
        return from_callee(function, node);
      case Operation::unknown:
        return {};
      default:
        break;
    }
    if (node.operation >= Operation::global) return {};
    std::vector<std::vector<Formula>> of_operands;
    std::size_t farthest = 0;
    Candidates all{{}, true};
    for (const NodeNumber operand : node.operands) {
      Candidates given = of(function, operand);
      if (given.formulas.empty()) return {};
      all.sole = all.sole && given.sole;
      of_operands.push_back(std::move(given.formulas));
      farthest += of_operands.back().size() - 1;
    }
    // Combinations that are likely together come first.
    for (std::size_t rank = 0; rank <= farthest && all.formulas.size() < kCandidates; ++rank)
      add_choices(node, of_operands, rank, {}, all.formulas);
    all.sole = all.sole &&
               std::ranges::none_of(all.formulas, [](const Formula& formula) { return formula->off_by_one; });
    return all;
  }

  // Adds the operation on one candidate of each operand, for candidates whose positions sum up to `rank`.
  static void add_choices(const Node& node, const std::vector<std::vector<Formula>>& of_operands,
                          std::size_t rank, std::vector<Formula> chosen, std::vector<Formula>& all) {
    if (all.size() >= kCandidates) return;
    if (chosen.size() == of_operands.size()) {
      if (rank == 0) all.push_back(operation(node, std::move(chosen)));
      return;
    }
    const std::vector<Formula>& formulas = of_operands[chosen.size()];
    for (std::size_t k = 0; k <= rank && k < formulas.size(); ++k) {
      std::vector<Formula> more = chosen;
      more.push_back(formulas[k]);
      add_choices(node, of_operands, rank - k, std::move(more), all);
    }
  }

  Candidates from_callers(FunctionPlace function, const Node& node) {
    if (program_.at(function).name == "main" && node.number == 0)
      return {{input({InputKind::words}, node.bits)}, !program_.main_again_};
    const auto callers = program_.callers_.find(function);
    if (callers == program_.callers_.end()) return {};
    std::vector<Candidates> all;
    for (const CallPlace& caller : callers->second) {
      const auto given = program_.passed(caller, node.number);
      if (!given) return {};
      all.push_back(of(caller.function, *given));
      drop_rounds(all.back());
    }
    return in_turn(all, !program_.may_be_called_elsewhere(function));
  }

  Candidates from_memory(FunctionPlace function, const Node& node) {
    Candidates found = from_places(program_.memory_of(function, node.operands[0]), bytes_of(node), function);
    found.sole = found.sole && program_.leads_nowhere_else(function, node.operands[0]);
    for (Formula& formula : found.formulas) {
      // A round may load what an earlier round stored.
      found.sole = found.sole && !formula->in_rounds && formula->bits >= node.bits;
      if (formula->bits > node.bits && node.bits > 0) formula = part_of(formula, node.bits);
    }
    return found;
  }

  // Returns the low bits of a number, which are in its first bytes.
  static Formula part_of(const Formula& formula, unsigned bits) {
    Node node;
    node.operation = Operation::trunc;
    node.bits = bits;
    return operation(node, {formula});
  }

  // Drops formulas that depend on rounds, since loop numbers are valid only in their function.
  static void drop_rounds(Candidates& candidates) {
    std::erase_if(candidates.formulas, [](const Formula& formula) { return formula->in_rounds; });
  }

  Candidates from_callee(FunctionPlace function, const Node& node) {
    if (parses_a_word(function, node)) {
      const auto word = program_.word_at(function, node.operands[0]);
      const Rounding rounding = node.name == "strtof"                          ? Rounding::more
                                : node.name == "atof" || node.name == "strtod" ? Rounding::once
                                                                               : Rounding::exact;
      return word ? Candidates{{input({InputKind::word, word->number}, node.bits, rounding)}, word->sole}
                  : Candidates{};
    }
    // By default MPI ends the process if a function fails, so MPI functions return 0.
    if (const std::string name = without_profiling(node.name);
        node.bits == 32 && name.starts_with("MPI_") && !name.starts_with("MPI_T_") &&
        !name.ends_with("_c2f") && !name.ends_with("_f2c") &&
        program_.called(function.module, node.name).empty())
      return {{integer(0, node.bits)}, !program_.habits_.returns_errors && !name.starts_with("MPI_File_")};
    std::vector<Candidates> all;
    const std::vector<FunctionPlace> callees = program_.called(function.module, node.name);
    for (const FunctionPlace callee : callees)
      for (const NodeNumber returned : program_.at(callee).returns) {
        all.push_back(of(callee, returned));
        drop_rounds(all.back());
      }
    return in_turn(all, callees.size() == 1);
  }

  // Returns whether the call converts a word to a number in base 10.
  bool parses_a_word(FunctionPlace function, const Node& node) const {
    static constexpr std::array kDecimal{"atoi", "atol", "atoll", "atof", "strtod", "strtof"};
    static constexpr std::array kToABase{"strtol",           "strtoll",          "strtoul",
                                         "strtoull",         "__isoc23_strtol",  "__isoc23_strtoul",
                                         "__isoc23_strtoll", "__isoc23_strtoull"};
    constexpr std::size_t kBase = 2;
    if (node.operands.empty()) return false;
    if (std::ranges::find(kDecimal, node.name) != kDecimal.end()) return true;
    if (std::ranges::find(kToABase, node.name) == kToABase.end() || node.operands.size() <= kBase)
      return false;
    const Node& base = program_.at(function).nodes[node.operands[kBase]];
    return base.operation == Operation::integer && (base.number == 10 || base.number == 0);
  }

  // Merges the candidates of several origins: first the first one of each, then the second one of each. So no
  // origin crowds out another. `all_known`: there are no further origins.
  static Candidates in_turn(const std::vector<Candidates>& origins, bool all_known) {
    Candidates all{{}, all_known};
    std::size_t longest = 0;
    for (const Candidates& origin : origins) {
      longest = std::max(longest, origin.formulas.size());
      all.sole = all.sole && origin.sole && !origin.formulas.empty() &&
                 same(origin.formulas.front(), origins.front().formulas.front());
    }
    for (std::size_t k = 0; k < longest; ++k)
      for (const Candidates& origin : origins)
        if (k < origin.formulas.size() && all.formulas.size() < kCandidates)
          all.formulas.push_back(origin.formulas[k]);
    return all;
  }

  const LinkedProgram& program_;
  std::map<std::pair<FunctionPlace, NodeNumber>, Candidates> known_;
  std::set<std::pair<FunctionPlace, NodeNumber>> open_;
  int depth_ = 0;
};

std::vector<std::pair<FunctionPlace, int>> LinkedProgram::callers(FunctionPlace function) const {
  std::vector<std::pair<FunctionPlace, int>> blocks;
  if (const auto found = callers_.find(function); found != callers_.end())
    for (const CallPlace& caller : found->second)
      blocks.emplace_back(caller.function, at(caller.function).calls[caller.call].block);
  return blocks;
}

bool LinkedProgram::is_of_teams(FunctionPlace function) const {
  const auto found = callers_.find(function);
  return found != callers_.end() &&
         std::ranges::all_of(found->second, [](const CallPlace& caller) { return caller.third.has_value(); });
}

LinkedProgram::Candidates LinkedProgram::candidates(FunctionPlace function, NodeNumber node) const {
  return Walk(*this).of(function, node);
}

LinkedProgram::Candidates LinkedProgram::stored(const std::set<Memory>& places) const {
  return Walk(*this).from_places(places, kOfWholeNumbers, std::nullopt);
}

bool LinkedProgram::may_be_overwritten(const Memory& memory) const {
  const auto behind = overwritten_from_.upper_bound(memory);
  if (behind == overwritten_from_.begin()) return false;
  Memory from = *std::prev(behind);
  from.offset = memory.offset;
  return from == memory;
}

bool LinkedProgram::is_zero(const StorePlace& store) const {
  const Node& value = at(store.function).nodes[store.value];
  return value.operation == Operation::integer && value.number == 0;
}

}  // namespace parcast::facts

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where a value of a function comes from: its arithmetic is followed through arguments to the callers,
// through memory to the stores and through calls to what they return, down to what the run was given.
// docs/models/source_counts.md.
//
// This finds candidates, it proves nothing: other stores may reach the same memory. A candidate counts only
// where it gives the value that was seen in the program, in every process of every run (the caller's part). Where all origins of a
// value that the program names, those that were never executed among them, give the same formula, it follows from them whatever was
// seen: a sole candidate.

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "source/facts/formula.h"
#include "source/facts/habits.h"

namespace parcast::facts {

struct FunctionPlace {
  int module = 0, function = 0;
  friend auto operator<=>(const FunctionPlace&, const FunctionPlace&) = default;
};

class LinkedProgram {
 public:
  /// What a value that comes from nowhere else may be, or one of which only `numbers` that stand in the program are known to
  /// have been stored, by what it was seen to be while the program ran; nothing where it was one of these.
  using Recognise = std::function<std::vector<Formula>(FunctionPlace, NodeNumber, const std::vector<Formula>& numbers)>;
  /// `executed`: whether a block of a function was executed in any run; without it all were. `by_all`: whether in each run all processes executed
  /// it, or none did.
  explicit LinkedProgram(const std::vector<Module>& modules,
                         std::function<bool(FunctionPlace, int block)> executed = {},
                         Recognise recognised = {},
                         std::function<bool(FunctionPlace, int block)> by_all = {});

  /// Formulas that may be the value of a node, simplest way first, at most eight; none where a way ends in
  /// something unknown.
  struct Candidates {
    std::vector<Formula> formulas;
    bool sole = false;
  };
  Candidates candidates(FunctionPlace function, NodeNumber node) const;

  /// Whether a process that enters the block can only fail: by exit with a code, abort, a failed assertion,
  /// MPI_Abort, or running out of memory. No run that ends well gets there.
  bool only_fails(FunctionPlace function, int block) const { return ending_.at(function)[block]; }

  /// The blocks that call a function by its name, or start a team of threads that do; with what calls it otherwise, they are all.
  std::vector<std::pair<FunctionPlace, int>> callers(FunctionPlace function) const;

  /// Whether some call of it by its name was never executed, or one through a pointer may lead there, and is not in a block that only fails.
  bool may_be_called_elsewhere(FunctionPlace function) const { return also_called_.contains(function); }

  /// Whether the process may go on, or end well, by none of the graph's ways from a call: it throws where no handler is, jumps or ends the process, itself or by what it calls.
  bool may_leave(FunctionPlace function, const Call& call) const;
  /// Whether an arc may be taken; those to handlers of calls that throw nothing are not.
  bool may_unwind(FunctionPlace function, std::size_t arc) const;

  /// Whether all that call it by its name start teams of threads that do.
  bool is_of_teams(FunctionPlace function) const;

  /// Names of the arrays that a reference may mean, the same in all functions as far as it is known where the pointer comes from.
  std::set<std::string> arrays(FunctionPlace function, const Reference& reference) const;

  const Function& at(FunctionPlace place) const { return modules_[place.module].functions[place.function]; }

 private:
  /// A place in memory as the whole program knows it.
  struct Memory {
    enum class Kind { global, local, field, words, word } kind = Kind::global;
    std::string name;  // of a global (with its module, if others have one of that name), of a field's type
    FunctionPlace function;  // of a local
    std::int64_t local = 0;
    std::int64_t offset = 0;  // bytes; of `word`: its number
    friend auto operator<=>(const Memory&, const Memory&) = default;
  };
  struct CallPlace {
    FunctionPlace function;
    int call = 0;
    std::optional<std::size_t> third;  // of a call that starts a team of threads: the argument that the function gets as its third
  };
  struct StorePlace {
    FunctionPlace function;
    NodeNumber value = 0;
  };
  struct Writing {  // by a function of a library
    Formula value;
    bool sole = false;
    const Call* by = nullptr;
    FunctionPlace in;
  };
  struct Word {  // of the command line
    int number = 0;
    bool sole = false;
  };
  class Walk;
  class Places;
  class Escapes;
  class WritingCalls;
  class Texts;

  std::vector<FunctionPlace> called(int from_module, const std::string& name) const;
  /// What a caller passes as the argument of that number.
  std::optional<NodeNumber> passed(const CallPlace& caller, std::int64_t number) const;
  bool executed(FunctionPlace function, int block) const { return !executed_ || executed_(function, block); }
  bool by_all(FunctionPlace function, int block) const { return !by_all_ || by_all_(function, block); }
  std::vector<FunctionPlace> chosen(int from_module, const std::vector<FunctionPlace>& all) const;
  std::set<Memory> memory_of(FunctionPlace function, NodeNumber place) const;
  /// Whether the places that memory_of() finds are all.
  bool leads_nowhere_else(FunctionPlace function, NodeNumber place) const;
  bool leads_nowhere_else(FunctionPlace function, NodeNumber place, std::set<std::pair<FunctionPlace, NodeNumber>>& asked) const;
  void cut(std::set<Memory>& places) const;
  static int bytes_of(const Node& value);
  bool overlaps(const Memory& memory, int bytes, bool but_zeros) const;
  void also_store(const std::set<Memory>& places, int bytes);
  std::size_t find_stores();
  /// What may stand at any of these places.
  Candidates stored(const std::set<Memory>& places) const;
  bool is_zero(const StorePlace& store) const;
  /// The word of the command line that a pointer leads to.
  std::optional<Word> word_at(FunctionPlace function, NodeNumber place) const;
  bool changes_words() const;
  bool may_be_overwritten(const Memory& memory) const;
  void note_texts();
  void note_unknown_writes();
  void note_writing_calls();
  void note_escapes();
  /// "MPI_Comm_rank" of "PMPI_Comm_rank", and of Fortran's "mpi_comm_rank_" and "mpi_comm_rank_f08_".
  static std::string name_in_c(std::string name);
  /// Of a function without facts: whether it may call a function of the program that it got the address of.
  bool may_call_back(const std::string& name) const;
  /// Of such a function: whether it does nothing but compute, or move memory.
  static bool is_quiet(const std::string& name);
  /// Whether a function of a library writes where that argument points to, and it is told what.
  static bool writes_what_is_told(const std::string& name, std::size_t argument);
  void note_what_was_never_executed();
  /// Whether anything may call it. What was put in line wherever it was called, nothing does.
  bool may_be_entered(FunctionPlace function) const;
  /// Whether a call does not come back because the process ends in failure.
  bool fails_for_good(FunctionPlace function, const Call& call) const;
  bool fails_by_name(FunctionPlace function, const Call& call) const;
  bool is_never_zero(FunctionPlace function, NodeNumber node, int depth = 0) const;
  bool is_name_of(const std::string& name, const Function& function) const;
  bool is_passed_never_zero(const Function& function, std::size_t argument, int depth) const;
  void find_jumping();
  void find_throwing();
  void forget_uncaught();
  void note_habits();
  std::vector<bool> reached_from(FunctionPlace function, int start, int stop, bool& leaves) const;
  /// Whether a way leads from one block to the other; a block may come before itself.
  bool may_precede(FunctionPlace function, int block, int other) const;
  /// Whether every run that ends well gets there.
  bool is_unavoidable(FunctionPlace function, int block, int depth = 0) const;
  bool may_jump(FunctionPlace function, const Call& call) const;
  bool may_throw(FunctionPlace function, const Call& call) const;
  std::optional<std::vector<FunctionPlace>> told_callees(FunctionPlace function, const Call& call) const;
  std::set<Types> thrown(FunctionPlace function, const Call& call) const;
  /// Of the call alone.
  const Types* handler(FunctionPlace function, const Call& call) const;
  static const Types* handler_behind(const Function& function, std::size_t arc);
  std::optional<Types> thrown_itself(FunctionPlace function, const Call& call) const;
  static bool only_throws(const Call& call);
  void note_what_pointers_throw();
  Types caught_anywhere() const;
  static std::vector<bool> leading_on(const Function& function, const std::vector<bool>& ends);
  void find_endings();
  bool find_endings(FunctionPlace function);

  const std::vector<Module>& modules_;
  std::function<bool(FunctionPlace, int)> executed_;
  Recognise recognised_;
  std::function<bool(FunctionPlace, int)> by_all_;
  std::map<std::string, std::vector<FunctionPlace>> by_name_;
  std::map<FunctionPlace, std::vector<CallPlace>> callers_;
  std::map<Memory, std::vector<StorePlace>> stores_;
  std::map<Memory, std::vector<Writing>> written_;
  mutable std::set<Memory> overwritten_from_;  // from there on in the same object something may be written that nobody tells
  std::map<Memory, Word> strings_;     // objects std::string that hold a word
  std::set<std::string> named_;  // what calls and places name
  std::set<FunctionPlace> taken_;        // their addresses go to where they may be called from
  std::set<FunctionPlace> also_called_;  // by what was never executed, or through a pointer
  std::map<Memory, int> also_stored_;    // the same of stores: bytes
  std::map<std::string, std::vector<FunctionPlace>> aliases_;
  mutable std::map<std::pair<FunctionPlace, NodeNumber>, bool> never_zero_;
  Habits habits_;
  bool main_again_ = false;              // the program calls main itself
  bool stores_letters_ = false;          // into words of the command line, at a computed distance
  mutable std::map<std::pair<FunctionPlace, NodeNumber>, std::set<Memory>> places_;  // that are known already
  std::map<FunctionPlace, std::vector<bool>> ending_;  // by block
  std::set<FunctionPlace> jumping_;              // out of the function
  std::map<FunctionPlace, std::set<Types>> thrown_;  // the same
  std::set<Types> thrown_anywhere_, thrown_back_;  // thrown_back_: by functions whose addresses go to where they may be called from
  std::set<Types> uncaught_;             // by anything: what throws it ends the process
  bool jumps_back_ = false;              // functions of libraries may call back one that jumps, or leave themselves by an address that they got
};

}  // namespace parcast::facts

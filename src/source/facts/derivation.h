// SPDX-License-Identifier: Apache-2.0
#pragma once
// Finds the origin of a value of a function. Its arithmetic is followed through arguments to the callers,
// through memory to the stores, and through calls to the returned values, down to the inputs of the run.
// docs/models/source_counts.md.
//
// The formulas found are candidates, not proofs: other stores may reach the same memory. The caller of this
// class accepts a candidate only if it gives the value observed in the program, in every process of every
// run. A candidate is the sole one if all origins of the value in the program give the same formula, origins
// that were never executed included. A sole candidate holds whatever was observed.

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
  /// Returns formulas for a value from the values observed while the program ran. It is used for a value
  /// without a known origin, and for a value whose only known stores are the constants `numbers` of the
  /// program. The result is empty if the value was one of these constants.
  using Recognise =
      std::function<std::vector<Formula>(FunctionPlace, NodeNumber, const std::vector<Formula>& numbers)>;
  /// `executed`: whether a block of a function was executed in any run; without it all blocks count as
  /// executed. `by_all`: whether in each run either all processes executed the block or none did.
  explicit LinkedProgram(const std::vector<Module>& modules,
                         std::function<bool(FunctionPlace, int block)> executed = {},
                         Recognise recognised = {},
                         std::function<bool(FunctionPlace, int block)> by_all = {});

  /// Candidate formulas for the value of a node, the simplest origin first, at most eight. Empty if a path
  /// ends in an unknown value. `sole`: the first formula is the only possible one.
  struct Candidates {
    std::vector<Formula> formulas;
    bool sole = false;
  };
  Candidates candidates(FunctionPlace function, NodeNumber node) const;

  /// Returns whether a process that enters the block always fails: by exit with a code, abort, a failed
  /// assertion, MPI_Abort, or running out of memory. Runs that end successfully never reach such a block.
  bool only_fails(FunctionPlace function, int block) const { return ending_.at(function)[block]; }

  /// Returns the blocks that call a function by its name, or start a team of threads that calls it. Calls in
  /// other ways are not included; see may_be_called_elsewhere().
  std::vector<std::pair<FunctionPlace, int>> callers(FunctionPlace function) const;

  /// Returns whether the function may have callers other than callers(): a call by its name that was never
  /// executed, or a call through a pointer that may reach it. Calls in blocks that only fail do not count.
  bool may_be_called_elsewhere(FunctionPlace function) const { return also_called_.contains(function); }

  /// Returns whether control may leave a call by a path that is not in the graph: the call, or a function
  /// that it calls, throws without a handler, jumps, or ends the process successfully.
  bool may_leave(FunctionPlace function, const Call& call) const;
  /// Returns whether an arc may be taken. Arcs to handlers of calls that throw nothing may not.
  bool may_unwind(FunctionPlace function, std::size_t arc) const;

  /// Returns whether all calls of the function by its name start teams of threads that call it.
  bool is_of_teams(FunctionPlace function) const;

  /// Returns names of the arrays that a reference may access. A name is the same in all functions, as far as
  /// the origin of the pointer is known.
  std::set<std::string> arrays(FunctionPlace function, const Reference& reference) const;

  const Function& at(FunctionPlace place) const { return modules_[place.module].functions[place.function]; }

 private:
  /// A place in memory, identified across all functions of the program.
  struct Memory {
    enum class Kind { global, local, field, words, word } kind = Kind::global;
    // of a global (with its module if other modules have a global of that name), or of the type of a field
    std::string name;
    FunctionPlace function;  // of a local variable
    std::int64_t local = 0;
    std::int64_t offset = 0;  // in bytes; for `word` the number of the word
    friend auto operator<=>(const Memory&, const Memory&) = default;
  };
  struct CallPlace {
    FunctionPlace function;
    int call = 0;
    // for a call that starts a team of threads: index of the argument that the function receives as its third
    std::optional<std::size_t> third;
  };
  struct StorePlace {
    FunctionPlace function;
    NodeNumber value = 0;
  };
  struct Writing {  // a write by a library function
    Formula value;
    bool sole = false;
    const Call* by = nullptr;
    FunctionPlace in;
  };
  struct Word {  // a word of the command line
    int number = 0;
    bool sole = false;
  };
  class Walk;
  class Places;
  class Escapes;
  class WritingCalls;
  class Texts;

  std::vector<FunctionPlace> called(int from_module, const std::string& name) const;
  /// Returns the node that the caller passes as argument `number`.
  std::optional<NodeNumber> passed(const CallPlace& caller, std::int64_t number) const;
  bool executed(FunctionPlace function, int block) const { return !executed_ || executed_(function, block); }
  bool by_all(FunctionPlace function, int block) const { return !by_all_ || by_all_(function, block); }
  std::vector<FunctionPlace> chosen(int from_module, const std::vector<FunctionPlace>& all) const;
  std::set<Memory> memory_of(FunctionPlace function, NodeNumber place) const;
  /// Returns whether memory_of() finds all possible places.
  bool leads_nowhere_else(FunctionPlace function, NodeNumber place) const;
  bool leads_nowhere_else(FunctionPlace function, NodeNumber place,
                          std::set<std::pair<FunctionPlace, NodeNumber>>& asked) const;
  void cut(std::set<Memory>& places) const;
  static int bytes_of(const Node& value);
  bool overlaps(const Memory& memory, int bytes, bool but_zeros) const;
  void also_store(const std::set<Memory>& places, int bytes);
  std::size_t find_stores();
  /// Returns the values that may be stored at any of these places.
  Candidates stored(const std::set<Memory>& places) const;
  bool is_zero(const StorePlace& store) const;
  /// Returns the word of the command line that a pointer leads to.
  std::optional<Word> word_at(FunctionPlace function, NodeNumber place) const;
  bool changes_words() const;
  bool may_be_overwritten(const Memory& memory) const;
  void note_texts();
  void note_unknown_writes();
  void note_writing_calls();
  void note_escapes();
  /// Returns the C name: "MPI_Comm_rank" for "PMPI_Comm_rank" and for Fortran's "mpi_comm_rank_" and
  /// "mpi_comm_rank_f08_".
  static std::string name_in_c(std::string name);
  /// Returns whether a function without facts may call a function of the program whose address it received.
  bool may_call_back(const std::string& name) const;
  /// Returns whether a function without facts only computes or moves memory.
  static bool is_quiet(const std::string& name);
  /// Returns whether a library function writes to where that argument points, and the written value is known.
  static bool writes_what_is_given(const std::string& name, std::size_t argument);
  void note_what_was_never_executed();
  /// Returns whether anything may call the function. Nothing calls a function that was inlined at all its
  /// calls.
  bool may_be_entered(FunctionPlace function) const;
  /// Returns whether a call does not return because the process ends in failure.
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
  /// Returns whether a path leads from `block` to `other`. A block may precede itself.
  bool may_precede(FunctionPlace function, int block, int other) const;
  /// Returns whether every run that ends successfully executes the block.
  bool is_unavoidable(FunctionPlace function, int block, int depth = 0) const;
  bool may_jump(FunctionPlace function, const Call& call) const;
  bool may_throw(FunctionPlace function, const Call& call) const;
  std::optional<std::vector<FunctionPlace>> given_callees(FunctionPlace function, const Call& call) const;
  std::set<Types> thrown(FunctionPlace function, const Call& call) const;
  /// Returns the handler of this call alone.
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
  // unknown writes may reach these places and all later ones in the same object
  mutable std::set<Memory> overwritten_from_;
  std::map<Memory, Word> strings_;       // std::string objects that hold a word
  std::set<std::string> named_;          // names used in calls and places
  std::set<FunctionPlace> taken_;        // functions whose addresses are passed to where they may be called
  std::set<FunctionPlace> also_called_;  // called by code that was never executed, or through a pointer
  // bytes of stores by code that was never executed, and of other stores with unknown values
  std::map<Memory, int> also_stored_;
  std::map<std::string, std::vector<FunctionPlace>> aliases_;
  mutable std::map<std::pair<FunctionPlace, NodeNumber>, bool> never_zero_;
  Habits habits_;
  bool main_again_ = false;      // the program calls main itself
  bool stores_letters_ = false;  // letters are stored into words of the command line at a computed distance
  // results already computed
  mutable std::map<std::pair<FunctionPlace, NodeNumber>, std::set<Memory>> places_;
  std::map<FunctionPlace, std::vector<bool>> ending_;  // by block
  std::set<FunctionPlace> jumping_;                    // functions that control may leave by a jump
  std::map<FunctionPlace, std::set<Types>> thrown_;    // types that may leave the function
  std::set<Types> thrown_anywhere_, thrown_back_;      // thrown_back_: by functions in taken_
  std::set<Types> uncaught_;  // types that no handler takes: throwing them ends the process
  // library functions may call back a function that jumps, or may themselves jump through an address they
  // received
  bool jumps_back_ = false;
};

}  // namespace parcast::facts

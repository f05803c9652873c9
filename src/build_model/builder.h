// SPDX-License-Identifier: Apache-2.0
#pragma once
// The steps from recordings to a model, and what they share. build.cpp calls the steps; nodes.cpp makes the
// tree with its counts, segments.cpp the computing between the calls.

#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "build_model/next_recording.h"
#include "build_model/ordered_counts.h"
#include "build_model/relative_counts.h"
#include "build_model/tree.h"
#include "fit_counts/costs.h"
#include "fit_counts/counts.h"
#include "observations/inputs.h"
#include "observations/sessions.h"
#include "observations/traces.h"
#include "source/counts/counted_program.h"

namespace parcast::program {

class Builder {
 public:
  /// `structure`: of the recordings; nullptr if it is not known.
  Builder(const std::vector<recording::Recording>& recordings, Inputs inputs, Traces traces,
          const Structure* structure = nullptr);

  Model build();

 private:
  using Around = std::vector<const Basis*>;  // innermost first
  using ReadTotals = std::int64_t (*)(const CallTotals&);

  struct ToCost {
    std::int32_t transition = 0;
    bool major = false;
    std::optional<CostBuilder::KnownWork> work;
    std::vector<bool> repeats;  // by parameter: it only repeats the segment
    RunsOf of = RunsOf::all;
  };

  void describe_inputs();

  // nodes.cpp
  std::vector<std::int64_t> values_of(std::int32_t key, ReadTotals get) const;
  Count count_of(std::int32_t key, ReadTotals get, const Around& around);
  /// Returns regions and loops from `id` outwards, without the program.
  Around around(NodeId id) const;
  // Whether the runs show the effect of everything that a count may depend on.
  bool all_varied() const;
  // Returns the same count. If the runs leave it open, the program's own arithmetic determines it.
  Count count_of(std::int32_t key, ReadTotals get, const Around& around, CountedProgram::Amount amount,
                 const Count* executions = nullptr);
  // A call that cannot send, such as a barrier, has no messages unless some were recorded.
  Count moved(bool possible, std::int32_t key, ReadTotals get, const Around& around,
              std::optional<CountedProgram::Amount> amount = {}, const Count* executions = nullptr);
  /// Returns how often a region is entered, or a loop's body executed. In a compiled program this is the
  /// count of the first call in it that is executed equally often.
  Basis traversals(const Branch& branch, const Around& around);
  /// Returns the iterations of a loop. If an inner loop begins the loop, as with a single process, the
  /// transitions into it belong to both. In that case, a call of the loop itself counts the iterations. It
  /// must be executed equally often in some traces, never more often, and wherever the loop is executed. Of
  /// several such calls, the most frequent one is used.
  std::vector<std::int64_t> iterations_of(const Branch& loop, std::vector<std::int64_t> traversed) const;
  bool deterministic_transition(std::int32_t id) const;
  /// The members of MPI_COMM_WORLD.
  static Count all_processes();
  static Count once();
  NodeId add_branch(const Branch& branch, NodeId parent);
  void describe_call(std::int32_t index, Around around, Node& node);
  // Returns the size of the communicator. For a process that does not take part, it is that of other
  // processes of its run.
  Count members_of(std::int32_t key);
  // Returns seconds per execution, from recordings with a core for every process if there are any.
  double seconds_inside(std::int32_t key) const;

  // segments.cpp
  void add_segments();
  /// Returns the parts of a transition that are segments of their own. Where one process leaves out the calls
  /// in between, it computes something else from call to call than several processes.
  std::vector<RunsOf> parts_of(std::int32_t id) const;
  /// By parameter: whether the number of executions depends on it, and the size of no message does.
  std::vector<bool> repeating_parameters(const Count& executions) const;
  /// Finds the parameters on which the size of a message, or a block of a distribution, depends, and the
  /// usual degree of computing in them: messages between two processes are sides of the data, which have one
  /// degree more.
  void find_sized();
  /// Returns whether a size changes with a parameter by more than a fitted law does for noise.
  bool changes_with(const symbolic::Expression& size, const std::string& parameter) const;
  double degree_of(const symbolic::Expression& size) const;
  /// Sets the costs of the model's segments; `to_cost` has one entry per segment.
  std::vector<FittedSegment> add_costs(const CostBuilder& costs, const std::vector<ToCost>& to_cost);
  std::vector<std::vector<double>> points() const;
  void note_slowed(const std::vector<std::size_t>& slowed, const std::vector<FittedSegment>& fitted);
  static std::optional<CostBuilder::KnownWork> known(const CountedWork* work);
  // Returns the work of the program's own code after a call, if the program was compiled to count.
  const CountedWork* work_behind(std::int32_t key);
  // The bytes streamed after a call are known per execution of the call. They are divided among the segments
  // that follow it in proportion to their times.
  void share_streamed();
  void add_work();
  // Returns the number of a separate block for mispredicted branches at the end of a block.
  std::int32_t turn_of(const BlockCount& block,
                       std::map<std::pair<facts::FunctionPlace, int>, std::int32_t>& numbers);
  std::optional<symbolic::Expression> footprint() const;
  using BytesOf = double (*)(const recording::RankRecording&);
  std::vector<double> resident_bytes(BytesOf of) const;
  /// Returns the executions of a part of a transition. `part_count` looks at the runs of that part alone.
  Count transition_count(std::int32_t id, Effort effort, RunsOf of);
  Count part_count(std::int32_t id, Effort effort, RunsOf of);
  std::vector<std::int64_t> traversals_of(std::int32_t id, RunsOf of = RunsOf::all) const;
  Count transition_by_values(std::int32_t id, Effort effort, RunsOf of);

  // build.cpp
  std::set<NodeId> last_calls() const;
  void add_unfollowed();
  void share_by_origin();

  const std::vector<recording::Recording>& recordings_;
  Inputs inputs_;
  const Sessions sessions_ = sessions(recordings_, inputs_.runs);
  Traces traces_;
  Tree tree_;
  CountedProgram counted_;
  struct Streamed {
    std::size_t segment = 0;
    std::int32_t from = kOutside;
    symbolic::Expression bytes;  // per execution of the call
    double seconds = 0;
  };
  std::vector<Streamed> streamed_;
  std::map<std::int32_t, std::optional<CountedWork>> work_;  // by key of the call before
  CountBuilder counts_;
  RelativeCounts relative_;
  std::optional<OrderedCounts> ordered_;
  std::map<NodeId, Basis> bases_;  // executions of nodes
  Model model_;
  std::map<std::int32_t, NodeId> node_of_key_;
  std::vector<double> segment_seconds_;
  std::set<std::string> sized_;  // see find_sized()
  double usual_degree_ = std::numeric_limits<double>::infinity();
  RecordedShares recorded_shares_;
  double disturbed_share_ = 0, missed_share_ = 0, missed_ = 0;
  std::map<double, double> crowded_ratios_;  // NoticeInputs::crowded_ratios
};

}  // namespace parcast::program

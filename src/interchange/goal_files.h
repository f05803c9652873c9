// SPDX-License-Identifier: Apache-2.0
#pragma once
// Connects the two forms of GOAL files with the trace. Readers pass on one rank after the other. Writers
// receive the operations and dependencies of each rank in order.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "interchange/goal.h"
#include "interchange/goal_graph.h"
#include "interchange/unfinished_file.h"
#include "trace/builder.h"
#include "trace/operation_graph.h"

namespace parcast::interchange {

inline constexpr std::uint64_t kGoalMagic = 4223;  // first 8 bytes of a binary file, lowest byte first
// LogGOPSim --save-mem overwrites the first bytes with this
inline constexpr std::uint64_t kGoalUsedUp = 2342;
inline constexpr std::uint32_t kMostGoalRanks = std::numeric_limits<std::int32_t>::max();

/// Receives the ranks that a reader finds.
class GoalRanks {
 public:
  virtual ~GoalRanks() = default;
  /// Makes room for this number of ranks. The reader has checked that the file can hold them.
  void begin(std::uint32_t ranks) {
    has_.assign(ranks, false);
    make_room(ranks);
  }
  std::uint32_t ranks() const { return static_cast<std::uint32_t>(has_.size()); }
  bool has(std::uint32_t rank) const { return has_[rank]; }
  /// Adds the graph of a rank. `where` returns the place of an operation in the file, for errors.
  Result<void> add(std::uint32_t rank, const GoalGraph& graph,
                   const std::function<std::string(std::uint32_t)>& where) {
    has_[rank] = true;
    return take(rank, graph, where);
  }
  /// Fails, with the place `where`, if a rank is missing.
  Result<void> check_all_there(const std::string& where) const;

 private:
  virtual void make_room(std::uint32_t ranks) = 0;
  virtual Result<void> take(std::uint32_t rank, const GoalGraph& graph,
                            const std::function<std::string(std::uint32_t)>& where) = 0;

  std::vector<bool> has_;  // whether each rank was added
};

/// Imports ranks as lists.
class GoalImport final : public GoalRanks {
 public:
  explicit GoalImport(std::string program) : program_(std::move(program)) {}
  /// Returns the import. The caller must have added all ranks.
  ImportedGoal finish();

 private:
  void make_room(std::uint32_t ranks) override {
    builder_.emplace(program_, static_cast<std::int32_t>(ranks));
  }
  Result<void> take(std::uint32_t rank, const GoalGraph& graph,
                    const std::function<std::string(std::uint32_t)>& where) override;
  void note_processors(const GoalGraph& graph);
  void note_assumptions();

  std::string program_;
  ImportedGoal goal_;
  std::optional<trace::Builder> builder_;
  std::uint64_t delaying_ranks_ = 0, most_delayed_ = 0;
  std::uint32_t most_delaying_ = 0;
  bool several_processors_ = false, several_interfaces_ = false;
};

/// Imports ranks as graphs.
class GoalGraphImport final : public GoalRanks {
 public:
  trace::OperationGraph finish() { return std::move(graph_); }

 private:
  void make_room(std::uint32_t ranks) override { graph_.ranks.resize(ranks); }
  Result<void> take(std::uint32_t rank, const GoalGraph& graph,
                    const std::function<std::string(std::uint32_t)>& where) override;

  trace::OperationGraph graph_;
};

Result<void> read_goal_text(const std::filesystem::path& path, GoalRanks& import, const Progress& progress);
Result<void> read_goal_binary(const std::filesystem::path& path, GoalRanks& import, const Progress& progress);

class GoalWriter {
 public:
  virtual ~GoalWriter() = default;
  virtual void begin_rank(std::uint32_t rank) = 0;
  virtual void operation(const GoalOperation& operation) = 0;
  /// Adds a dependency of the last operation on an earlier one. Operations of a rank are numbered from 0.
  virtual void depends(std::uint64_t earlier, bool on_start) = 0;
  virtual Result<void> end_rank() = 0;
  virtual void finish() = 0;
};

std::unique_ptr<GoalWriter> goal_text_writer(UnfinishedFile& file, std::uint32_t ranks);
std::unique_ptr<GoalWriter> goal_binary_writer(UnfinishedFile& file, std::uint32_t ranks);

}  // namespace parcast::interchange

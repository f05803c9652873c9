// SPDX-License-Identifier: Apache-2.0
#pragma once
// The control-flow graph of a function with its measured flows at some sightings (block_counts.h).

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "source/facts/derivation.h"

namespace parcast::program {

/// By sighting.
using PerSighting = std::function<std::uint64_t(std::size_t)>;
/// By arc; empty if unknown.
using Flows = std::vector<std::optional<std::uint64_t>>;

constexpr int kTop = -1;  // outside of all loops

std::uint64_t entries_of(const facts::Function& function, const Flows& flows);

class FunctionFlows {
 public:
  /// `measured`: by sighting. `program` is needed to find the blocks that only fail.
  FunctionFlows(const facts::LinkedProgram& program, facts::FunctionPlace place, std::vector<Flows> measured);

  const facts::Function& function() const { return function_; }
  std::size_t sightings() const { return measured_.size(); }

  /// Returns the arcs between blocks, and arcs by which a block resumes after a call in its middle.
  const std::vector<std::size_t>& edges() const { return edges_; }
  std::optional<std::size_t> resumption(int block) const { return resumption_[block]; }
  /// Returns the blocks at the ends of an edge; -1 means that the function is entered or left.
  std::pair<int, int> ends(std::size_t arc) const { return ends_[arc]; }
  /// Returns whether no run that ends successfully takes the edge. It was never taken, and it leads to a
  /// block that only fails or to the handler of a call that throws nothing.
  bool fatal(std::size_t edge) const { return fatal_[edge]; }

  /// Return the innermost enclosing loop that is entered and left at each sighting. A loop that continues
  /// from one sighting to the next does not count as a loop here.
  int context(int block) const;
  int around(int loop) const;
  bool inside(int block, int loop) const;
  bool heads(int block) const;
  /// Returns whether the loop has exactly one exit.
  bool single_exit(int loop) const;

  /// Return whether data decide the next block after a block, the exit of a loop, and any branch in a loop
  /// (kTop: in the function).
  bool by_data(int block) const { return function_.by_data.contains(block); }
  bool left_by_data(int loop) const;
  bool data_within(int loop) const;

  /// Returns the first block of the same loop that is executed as often as this one, whatever ways are taken
  /// between them: all ways that successful runs can take, or only those that were taken. Returns `block` if
  /// there is none before.
  enum class Ways { possible, taken };
  int as_often_as(int block, Ways ways) const {
    return (ways == Ways::possible ? possible_ : taken_)[static_cast<std::size_t>(block)];
  }

  /// Returns the blocks that can be reached from any of these.
  std::vector<bool> behind(const std::vector<bool>& blocks) const;

  bool seen(int block) const;
  bool used(std::size_t arc) const { return used_[arc]; }
  std::uint64_t executions(std::size_t sighting, int block) const {
    return measured_[sighting][static_cast<std::size_t>(block)].value_or(0);
  }
  std::uint64_t flow(std::size_t sighting, std::size_t arc) const {
    return measured_[sighting][arc].value_or(0);
  }
  std::uint64_t entries_of_function(std::size_t sighting) const;
  std::uint64_t entries(std::size_t sighting, int loop) const;

 private:
  void find_ends();
  bool active(std::size_t sighting, int loop) const;
  std::uint64_t leaves(std::size_t sighting, int loop) const;
  int closed(int loop) const;
  bool in_open_loop(int block) const;
  std::vector<int> find_equal(Ways ways) const;

  const facts::LinkedProgram& program_;
  const facts::FunctionPlace place_;
  const facts::Function& function_;
  std::vector<Flows> measured_;
  std::vector<std::pair<int, int>> ends_;  // by arc
  std::vector<bool> used_, fatal_;         // by arc
  std::vector<std::size_t> edges_;
  std::vector<std::optional<std::size_t>> resumption_;  // by block
  std::vector<bool> open_;                              // by loop
  std::vector<int> possible_, taken_;                   // by block
};

}  // namespace parcast::program

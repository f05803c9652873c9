// SPDX-License-Identifier: Apache-2.0
#pragma once
// The control-flow graph of a function with what flowed along it at some sightings (block_counts.h).

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "source/facts/derivation.h"

namespace parcast::program {

/// By sighting.
using PerSighting = std::function<std::uint64_t(std::size_t)>;
/// By arc; nothing where it is not known.
using Flows = std::vector<std::optional<std::uint64_t>>;

constexpr int kTop = -1;  // in no loop

std::uint64_t entries_of(const facts::Function& function, const Flows& flows);

class FunctionFlows {
 public:
  /// `measured`: by sighting. `program` tells which blocks can only fail.
  FunctionFlows(const facts::LinkedProgram& program, facts::FunctionPlace place, std::vector<Flows> measured);

  const facts::Function& function() const { return function_; }
  std::size_t sightings() const { return measured_.size(); }

  /// Arcs between blocks, and a block's arc that comes back from a call in its middle.
  const std::vector<std::size_t>& edges() const { return edges_; }
  std::optional<std::size_t> resumption(int block) const { return resumption_[block]; }
  /// Blocks at an edge's ends; -1 where the function is entered or left.
  std::pair<int, int> ends(std::size_t arc) const { return ends_[arc]; }
  /// The edge leads to where the process can only fail, or to the handler of a call that throws nothing, and was never taken: no run that ends well takes it.
  bool fatal(std::size_t edge) const { return fatal_[edge]; }

  /// Innermost loop around a block or a loop that is entered and left at each sighting; else it goes on from
  /// one sighting to another, and is no loop of this one.
  int context(int block) const;
  int around(int loop) const;
  bool inside(int block, int loop) const;
  bool heads(int block) const;
  /// Whether there is but one way out of the loop.
  bool single_exit(int loop) const;

  /// Whether data decide which way is taken from a block, when a loop is left, and anything in it (kTop: in the function).
  bool by_data(int block) const { return function_.by_data.contains(block); }
  bool left_by_data(int loop) const;
  bool data_within(int loop) const;

  /// The first block of the same loop that is executed as often as this one whatever ways are taken between them: all that can
  /// be taken by runs that end well, or only those that were. Itself if there is none before.
  enum class Ways { possible, taken };
  int as_often_as(int block, Ways ways) const { return (ways == Ways::possible ? possible_ : taken_)[static_cast<std::size_t>(block)]; }

  /// The blocks that ways lead to from any of these.
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
  std::vector<std::pair<int, int>> ends_;               // by arc
  std::vector<bool> used_, fatal_;                      // by arc
  std::vector<std::size_t> edges_;
  std::vector<std::optional<std::size_t>> resumption_;  // by block
  std::vector<bool> open_;                              // by loop
  std::vector<int> possible_, taken_;                   // by block
};

}  // namespace parcast::program

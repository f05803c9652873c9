// SPDX-License-Identifier: Apache-2.0
#pragma once
// Costs of a program's units on an abstract system, for the interpreter. They come from a machine's links,
// tables and processors along the routes of a mapping. docs/models/interpretation.md, "Costs".

#include <bit>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "machine/cost.h"
#include "machine/machine.h"
#include "machine/routes.h"
#include "predict/interpret/interpretation.h"
#include "symbolic/program.h"

namespace parcast::predict {

class SystemCosts final : public interpret::Costs {
 public:
  /// `compute_ratio`: factor applied to the given computing times, on the machine's own cores.
  SystemCosts(const machine::Machine& machine, const trace::Trace& trace, machine::Routes& routes,
              double compute_ratio);

  /// Multiplies computing times by `computing`, and times of collectives priced by `table` by `factor`.
  void vary(double computing, const std::string& table, double factor) {
    varied_ = computing, table_ = table, factor_ = factor;
  }

  Result<interpret::MessageTimes> message(std::int32_t from, std::int32_t to, std::uint64_t bytes,
                                          trace::Mode mode) const override;
  Result<interpret::CollectiveTimes> collective(const trace::Operation& operation,
                                                std::int32_t members) const override;
  interpret::Time computing(std::int32_t rank, interpret::Time recorded) const override;
  dependence::CoreShare core_share() const override { return share_; }
  /// True when processes have only a share of a core: a rank that waits inside a collective saves its share.
  /// Also true on a hand-written system: each message of a collective takes the route between its two ranks.
  bool sends_collectives() const override { return !share_.whole() || is_by_hand(); }
  std::optional<std::int32_t> steps(const trace::Operation& operation, std::int32_t members,
                                    std::int32_t place) const override;
  interpret::CollectiveStep step(const trace::Operation& operation, std::int32_t members, std::int32_t place,
                                 std::int32_t number) const override;
  std::uint64_t way(std::int32_t from, std::int32_t to) const override {
    return routes_.between(from, to).link_index;
  }
  std::uint64_t processor(std::int32_t rank) const override {
    return std::bit_cast<std::uint64_t>(
        ratio_of_[ratio_of_.size() == 1 ? 0 : static_cast<std::size_t>(rank)]);
  }

  /// Returns the names of the tables that have priced collectives so far.
  const std::set<std::string>& tables() const { return tables_; }
  std::vector<std::string> assumptions() const;

 private:
  struct Priced {
    double startup = 0, transfer = 0;  // seconds
    std::string table;
  };
  struct CompiledPrice {
    machine::CommunicationCost cost;               // as a function of `bytes`
    std::optional<symbolic::FlatProgram> seconds;  // startup and transfer
    std::vector<double> inputs;                    // the bytes, and the machine's parameters in the cost
  };
  Result<CompiledPrice> compile_price(const trace::Operation& operation, std::int32_t members) const;
  Result<Priced> price(const trace::Operation& operation, std::int32_t members) const;
  bool is_by_hand() const { return routes_.mapping().system.derived_cores_per_node == 0; }
  const machine::Machine& pricing(std::uint32_t communicator) const;
  /// Returns a number that is equal for collectives that the same machine prices.
  std::uint32_t place_of(const trace::Operation& operation) const;
  bool spans_nodes(std::uint32_t communicator) const;

  const machine::Machine& machine_;
  const trace::Trace& trace_;
  machine::Routes& routes_;
  interpret::Time least_ = 0;  // smallest latency of a message
  dependence::CoreShare share_;
  std::vector<double> ratio_of_;  // of each rank; a single value holds for all ranks
  double varied_ = 1, factor_ = 1;
  std::string table_;
  mutable std::map<std::tuple<recording::Pattern, std::uint64_t, std::int32_t, bool, std::uint32_t>, Priced>
      priced_;
  mutable std::map<std::tuple<recording::Pattern, std::int32_t, bool, std::uint32_t>, CompiledPrice>
      compiled_;
  // For a hand-written system, by communicator: a machine whose only link is the costliest route.
  mutable std::map<std::uint32_t, machine::Machine> pricing_;
  machine::Machine near_, far_;  // for derived systems: members on one node, and on several nodes
  mutable std::map<std::uint32_t, symbolic::Binding> bindings_;  // by place_of()
  mutable std::set<std::string> tables_, said_;
};

}  // namespace parcast::predict

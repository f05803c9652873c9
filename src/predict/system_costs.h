// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a program's units cost on an abstract system: the interpretation function's numbers, from a machine's links, tables and processors
// along the routes of a mapping. docs/models/interpretation.md, "Costs".

#include <bit>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "machine/machine.h"
#include "machine/routes.h"
#include "predict/interpret/interpretation.h"

namespace parcast::predict {

class SystemCosts final : public interpret::Costs {
 public:
  /// `compute_ratio`: computing takes so many times as long as told where it is on the machine's own cores.
  SystemCosts(const machine::Machine& machine, const trace::Trace& trace, machine::Routes& routes, double compute_ratio);

  /// Computing takes so many times as long, and collectives that a table prices too.
  void vary(double computing, const std::string& table, double factor) { varied_ = computing, table_ = table, factor_ = factor; }

  Result<interpret::MessageTimes> message(std::int32_t from, std::int32_t to, std::uint64_t bytes, trace::Mode mode) const override;
  Result<interpret::CollectiveTimes> collective(const trace::Operation& operation, std::int32_t members) const override;
  interpret::Time computing(std::int32_t rank, interpret::Time recorded) const override;
  dependence::CoreShare core_share() const override { return share_; }
  /// Where processes have a share of a core only: what waits inside of a collective saves its own. On a system written by hand:
  /// each message of a collective takes the route between its two ranks.
  bool sends_collectives() const override { return !share_.whole() || is_by_hand(); }
  std::optional<std::int32_t> steps(const trace::Operation& operation, std::int32_t members, std::int32_t place) const override;
  interpret::CollectiveStep step(const trace::Operation& operation, std::int32_t members, std::int32_t place, std::int32_t number) const override;
  std::uint64_t way(std::int32_t from, std::int32_t to) const override { return routes_.between(from, to).link_index; }
  std::uint64_t processor(std::int32_t rank) const override { return std::bit_cast<std::uint64_t>(ratio_of_[ratio_of_.size() == 1 ? 0 : static_cast<std::size_t>(rank)]); }

  /// Names of the tables that priced collectives so far, and what had to be assumed, a sentence each.
  const std::set<std::string>& tables() const { return tables_; }
  std::vector<std::string> assumptions() const;

 private:
  struct Priced {
    double startup = 0, transfer = 0;  // seconds
    std::string table;
  };
  Result<Priced> price(const trace::Operation& operation, std::int32_t members) const;
  bool is_by_hand() const { return routes_.mapping().system.derived_cores_per_node == 0; }
  const machine::Machine& pricing(std::uint32_t communicator) const;
  bool spans_nodes(std::uint32_t communicator) const;

  const machine::Machine& machine_;
  const trace::Trace& trace_;
  machine::Routes& routes_;
  interpret::Time least_ = 0;                   // latency of a message
  dependence::CoreShare share_;
  std::vector<double> ratio_of_;                // of each rank; one: of all
  double varied_ = 1, factor_ = 1;
  std::string table_;
  mutable std::map<std::tuple<recording::Pattern, std::uint64_t, std::int32_t, bool, std::uint32_t>, Priced> priced_;
  mutable std::map<std::uint32_t, machine::Machine> pricing_;  // of a system written by hand, by communicator: the costliest route as the only link
  machine::Machine near_, far_;                 // of derived systems: for members on one node, and on several
  mutable std::set<std::string> tables_, said_;
};

}  // namespace parcast::predict

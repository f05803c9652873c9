// SPDX-License-Identifier: Apache-2.0
#pragma once
// Implements application_graph.h: adds units to the tree and makes their paths unique.

#include <map>
#include <string>
#include <utility>

#include "structure/graph/application_graph.h"

namespace parcast::program {

class GraphBuilder {
 public:
  explicit GraphBuilder(std::string program);

  UnitId add(UnitId parent, UnitClass kind, const std::string& label, const std::string& where = "");
  /// Returns the leaf for a call at a place below a unit.
  UnitId leaf(UnitId parent, const trace::Place& place, trace::Kind kind, recording::Pattern pattern);
  UnitId computing_before(UnitId leaf);
  /// Completes the graph, with computing after the last operation if `computes`.
  UnitId finish(bool computes);
  ApplicationUnit& unit(UnitId id) { return graph_.units[id]; }
  ApplicationGraph& graph() { return graph_; }

 private:
  ApplicationGraph graph_;
  std::map<std::string, int> paths_;
  std::map<std::tuple<UnitId, std::string, std::string, std::int32_t, std::string>, UnitId> leaves_;
  std::map<UnitId, UnitId> computing_;  // by leaf
};

/// Returns "swe.c:120"; empty if the file is unknown.
std::string where_of(const trace::Place& place);
/// Returns the lines from one place to another: "swe.c:120-131", or "swe.c:120 - halo.c:7".
std::string where_between(const trace::Place& from, const trace::Place& to);

}  // namespace parcast::program

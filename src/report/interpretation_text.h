// SPDX-License-Identifier: Apache-2.0
#pragma once
// The results of an interpretation: statistics of every unit of the application graph at every level, routes,
// the graph, and time lines. Sums over units and levels are exact, in integer picoseconds. A rank that ends
// early waits in the last unit.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "predict/by_interpretation.h"
#include "recording/event_classes.h"
#include "report/style.h"

namespace parcast::report {

enum class UnitStatistic { all, time, compute, communication, idle, executions, messages, bytes };
/// Returns the statistic of that name, e.g. "idle"; nothing if there is none.
std::optional<UnitStatistic> unit_statistic_from(const std::string& name);
const std::vector<std::string>& unit_statistic_names();

/// Selects the part of the graph to show.
struct UnitsShown {
  std::string pattern;  // of paths, with * and ?; empty: the complete graph
  int depth = -1;       // number of levels below the matching units; -1: all
  UnitStatistic statistic = UnitStatistic::all;
  bool by_rank = false;  // a row for each rank
};

/// The statistics of a unit, including all units inside it.
struct UnitRow {
  program::UnitId unit = 0;
  int level = 0;
  std::int32_t rank = -1;  // -1: all ranks together
  interpret::Statistics sum;
};
/// Returns the rows in order of the graph. A pattern that matches no path gives none.
std::vector<UnitRow> unit_rows(const predict::Interpreted& of, const UnitsShown& shown);

struct InterpretationShown {
  const predict::Interpreted& of;
  std::map<std::string, double> parameters;
  bool has_ended = false;  // the trace is of a recorded run: a replay that deadlocks has a fault
};
std::string interpretation_text(const InterpretationShown& shown, const UnitsShown& units,
                                const Style& style);
/// Returns the results as parcast.interpretation/1.
std::string interpretation_to_json(const InterpretationShown& shown, const UnitsShown& units);
std::string interpretation_csv(const predict::Interpreted& of, const UnitsShown& units);

/// Returns a table of several mappings of one program, the fastest first.
std::string mappings_text(const std::vector<predict::Interpreted>& all, const Style& style);
std::string mappings_to_json(const std::vector<predict::Interpreted>& all);

/// Returns a table of the routes between ranks that exchange messages, with their hops; equal routes share a
/// row.
std::string routes_text(const predict::Interpreted& of, const Style& style);

/// Returns the graph for Graphviz (solid: order, dashed: messages), and as parcast.application-graph/1.
std::string graph_to_dot(const program::ApplicationGraph& graph);
std::string graph_to_json(const program::ApplicationGraph& graph);

/// Returns a line for each rank: # computes, = communicates, . waits. Each character shows the activity with
/// most of its time.
std::string timeline_text(const predict::Interpreted& of, const std::vector<interpret::Evaluated>& evaluated,
                          const Style& style);
/// Returns parcast.animation/1: the times when a unit of a rank becomes active and when it becomes red, in
/// order of time.
std::string animation_to_json(const predict::Interpreted& of,
                              const std::vector<interpret::Evaluated>& evaluated);

/// Returns the event classes, in the form of recording::event_classes().
std::vector<recording::EventClass> interpreted_classes(const predict::Interpreted& of);

}  // namespace parcast::report

// SPDX-License-Identifier: Apache-2.0
#pragma once
// What an interpretation gave: statistics of every unit of the application graph at every level, routes, the graph itself, and how the
// chains went on. Sums over units and levels are exact: they are in whole picoseconds, and who ends early waits in the last unit.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "predict/by_interpretation.h"
#include "recording/event_classes.h"
#include "report/style.h"

namespace parcast::report {

enum class UnitStatistic { all, time, compute, communication, idle, executions, messages, bytes };
/// "idle"; nothing for another word.
std::optional<UnitStatistic> unit_statistic_from(const std::string& name);
const std::vector<std::string>& unit_statistic_names();

/// What of the graph is shown.
struct UnitsShown {
  std::string pattern;             // of paths, with * and ?; empty: the whole graph
  int depth = -1;                  // levels below those; -1: all
  UnitStatistic statistic = UnitStatistic::all;
  bool by_rank = false;            // a row for each rank
};

/// A unit with all inside it.
struct UnitRow {
  program::UnitId unit = 0;
  int level = 0;
  std::int32_t rank = -1;          // -1: of all ranks together
  interpret::Statistics sum;
};
/// In order of the graph. A pattern that no path fits gives none.
std::vector<UnitRow> unit_rows(const predict::Interpreted& of, const UnitsShown& shown);

struct InterpretationShown {
  const predict::Interpreted& of;
  std::map<std::string, double> parameters;
  bool has_ended = false;          // the trace is of a recorded run: a replay that hangs has a fault
};
std::string interpretation_text(const InterpretationShown& shown, const UnitsShown& units, const Style& style);
/// parcast.interpretation/1
std::string interpretation_to_json(const InterpretationShown& shown, const UnitsShown& units);
std::string interpretation_csv(const predict::Interpreted& of, const UnitsShown& units);

/// Several mappings of one program, the fastest first.
std::string mappings_text(const std::vector<predict::Interpreted>& all, const Style& style);
std::string mappings_to_json(const std::vector<predict::Interpreted>& all);

/// Hops of the routes between ranks that exchange messages, routes alike in one row.
std::string routes_text(const predict::Interpreted& of, const Style& style);

/// The graph for Graphviz (solid: order, dashed: messages), and as parcast.application-graph/1.
std::string graph_to_dot(const program::ApplicationGraph& graph);
std::string graph_to_json(const program::ApplicationGraph& graph);

/// A line for each rank: # computes, = communicates, . waits, most of the time of each character.
std::string timeline_text(const predict::Interpreted& of, const std::vector<interpret::Evaluated>& evaluated, const Style& style);
/// parcast.animation/1: when a unit of a rank becomes active and when red, in order of time.
std::string animation_to_json(const predict::Interpreted& of, const std::vector<interpret::Evaluated>& evaluated);

/// As recording::event_classes() has them of a recording.
std::vector<recording::EventClass> interpreted_classes(const predict::Interpreted& of);

}  // namespace parcast::report

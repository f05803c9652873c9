// SPDX-License-Identifier: Apache-2.0
#pragma once
// Explains the time of a measured run: the chain from its speedup over the overheads to work and causes. In
// sentences, as JSON and as pictures.
//
//   n = 7000, p = 4: 22.1 s, speedup 5.38 over 119 s on one process (measured, 1 run), efficiency 134 %
//
//   overhead        ratio  seconds
//   computation      0.72     85.9
//   communication    0.01     1.57
//   sum              0.74     88.4  = 1 / efficiency
//
//   > computation takes 85.9 s: operations at 250 ps each 85.8 s, swapped 0 s, else 0.1 s
//   > time of computation breaks at 5.5e10 operations; swapped explains it (270 us each): with it no break
//     is left

#include <string>
#include <vector>

#include "causes/graph.h"
#include "report/style.h"

namespace parcast::report {

struct Reasons {
  causes::Runs runs;
  causes::Analysis analysis;
  causes::Graph graph;
  std::vector<causes::HeldOut> held_out;
  std::size_t run = 0;  // index of the run to explain
};

std::string reasons_text(const Reasons& reasons, const Style& style);
/// Returns what was found of causes, a sentence each.
std::vector<std::string> findings_of(const Reasons& reasons);
/// Returns the reasons as parcast.causes/1.
std::string reasons_to_json(const Reasons& reasons);

/// The four views of Lemeire and Dirkx 2004, section 4, of one run or of all: the time of each process by
/// activity, the overheads of all runs, times against work with their relations, and the graph.
enum class View { time, overhead, functional, causal };
std::string reasons_svg(const Reasons& reasons, View view);

/// Returns e.g. "the relation breaks with it as well (p = 0.002)".
std::string verdict_text(const causes::Tried& tried);

}  // namespace parcast::report

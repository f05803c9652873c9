// SPDX-License-Identifier: Apache-2.0
#pragma once
// A program's classes and its call graph, from its debug data: as text, for Graphviz, as JSON
// (docs/formats/report.md, parcast.calls/1).
//
//     class     bases  methods                          where
//     Solver           transform, reduce, rows          poisson.cpp:60
//
//     main                                              poisson.cpp:155
//       collections::run                                poisson.cpp:157

#include <string>

#include "recording/program_calls.h"
#include "report/style.h"

namespace parcast::report {

/// Functions that nobody calls begin a tree; what a function calls is listed where it is first seen.
std::string calls_text(const recording::ProgramCalls& calls, const Style& style);
std::string calls_dot(const recording::ProgramCalls& calls);
std::string calls_to_json(const recording::ProgramCalls& calls);

}  // namespace parcast::report

// SPDX-License-Identifier: Apache-2.0
#pragma once
// A program on several machines, the fastest first:
//
//   lmp, 16 processes, steps = 2000, on 3 machines                            equation
//
//     machine  seconds          90 %  best  slower  nodes      node time  node memory
//     cluster     31.2  28.0 .. 35.1   93%              1   8.3 node-min      9.60 GB
//     here        41.3  38.1 .. 45.2    7%   x1.32      8     92 node-min      1.20 GB
//
//     best: probability of being the fastest; errors of the program's model are shared by all machines
//     ! here: 16 processes are more than its 2 cores

#include <string>
#include <vector>

#include "explain/selection.h"
#include "report/style.h"

namespace parcast::report {

/// Returns a sentence that defines "best"; `shared` as in explain::Selection.
std::string meaning_of_best(bool shared);
std::string selection_text(const std::vector<predict::Prediction>& predictions,
                           const explain::Selection& selection, const Style& style);
/// Returns the selection as parcast.selection/1.
std::string selection_to_json(const std::vector<predict::Prediction>& predictions,
                              const explain::Selection& selection);

}  // namespace parcast::report

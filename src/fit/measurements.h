// SPDX-License-Identifier: Apache-2.0
#pragma once
// Measured values alone, without a program behind them that Parcast knows: of each metric in each place of a program, at many
// points of the parameters. What `parcast fit` is given by CSV, by Extra-P's files or by the store.

#include <string>
#include <vector>

namespace parcast::fit {

/// One metric of one place. Rows of `points` follow Measurements::parameters; each point stands once.
struct Kernel {
  std::string callpath;                      // "main->solve->MPI_Allreduce"; empty: the whole program
  std::string metric;                        // "time"
  std::string unit;                          // "s"; empty: not told
  std::vector<std::vector<double>> points;   // a row per point, a column per parameter
  std::vector<std::vector<double>> values;   // a row per point: its repetitions, as read
  std::string largest_of = {};               // the metric of which this is the largest of any rank, run by run; empty: of none
};

struct Measurements {
  std::vector<std::string> parameters;
  std::vector<Kernel> kernels;
  std::vector<std::string> warnings;         // what was mended or left out while reading, a sentence each
};

}  // namespace parcast::fit

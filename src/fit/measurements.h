// SPDX-License-Identifier: Apache-2.0
#pragma once
// Measured values without a model of the program: values of each metric at each place of a program, at many
// points of the parameters. CSV, Extra-P's files and the store provide them to `parcast fit`.

#include <map>
#include <string>
#include <vector>

namespace parcast::fit {

/// One metric at one place. The columns of `points` follow Measurements::parameters; each point occurs once.
struct Kernel {
  std::string callpath;                     // "main->solve->MPI_Allreduce"; empty: the entire program
  std::string metric;                       // e.g. "time"
  std::string unit;                         // e.g. "s"; empty: unknown
  std::vector<std::vector<double>> points;  // a row per point, a column per parameter
  std::vector<std::vector<double>> values;  // a row per point: its repetitions, as read
  // the metric of which this is the largest of any rank, run by run; empty: of none
  std::string largest_of = {};
};

struct Measurements {
  std::vector<std::string> parameters;
  std::vector<Kernel> kernels;
  std::vector<std::string> warnings;  // what was repaired or left out while reading, a sentence each
  std::map<std::string, double> constants = {};  // columns with one number in all rows
};

}  // namespace parcast::fit

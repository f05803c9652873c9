// SPDX-License-Identifier: Apache-2.0
#pragma once
// Measuring a machine: the training program is run through the user's launcher at several process counts, and
// the machine model is fitted from what it measured.
//
//   calibrate::Options options;
//   options.budget_seconds = 20;
//   const auto machine = calibrate::calibrate(options);

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "calibrate/measurements.h"
#include "machine/machine.h"

namespace parcast::calibrate {

struct Options {
  std::string name = "here";
  double budget_seconds = 60;
  std::string launcher =
      "mpirun -n {p}";         // {p}: the number of processes; the program and its arguments follow
  std::vector<int> processes;  // empty: 1, 2, 3, 4, 6, 8, 12 ... up to the cores of this host
  std::optional<int> nodes, cores_per_node;  // of the machine, where it is larger than what was measured
  std::filesystem::path program;             // empty: parcast-calibrate as installed
  std::filesystem::path folder;              // for the results, seen by rank 0's host; empty: the current one
  /// Part done (0 to 1), what is being measured, seconds left.
  std::function<void(double fraction, const std::string& text, double seconds_left)> progress;
};

/// Takes the budget, to within about a tenth. An error when the launcher, or the program through it, fails at
/// the smallest process counts; failures at larger ones become notes of the machine.
Result<machine::Machine> calibrate(const Options& options);

/// 1, 2, 3, 4, 6, 8, 12, ... up to `cores`.
std::vector<int> usual_process_counts(int cores);

/// The machine that fits the measurements of several launches.
Result<machine::Machine> assemble(const std::vector<Measurements>& launches, const Options& options);

/// The training program of this installation: beside the running program, in ../libexec/parcast or the
/// build's.
Result<std::filesystem::path> find_training_program();

}  // namespace parcast::calibrate

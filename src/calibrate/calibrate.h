// SPDX-License-Identifier: Apache-2.0
#pragma once
// Measures a machine: runs the training program through the user's launcher at several process counts, and
// fits the machine model to its measurements.
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
  // {p}: the number of processes; the program and its arguments are appended; empty: from allocation()
  std::string launcher;
  std::vector<int> processes;  // empty: 1, 2, 3, 4, 6, 8, 12 ... up to the number from allocation()
  std::optional<int> nodes, cores_per_node;  // size of the machine, if it is larger than the measured part
  std::filesystem::path program;             // empty: the installed parcast-calibrate
  // folder for results, visible to the host of rank 0; empty: the current one
  std::filesystem::path folder;
  // folder used instead; it is kept until the calibration is complete, and an interrupted calibration resumes
  // from it (partial.h)
  std::filesystem::path partial;
  bool fresh = false;  // ignore the content of `partial`
  // seconds that a launch may take beyond twice its time; once a launch exceeds this, also the seconds that
  // all launches may take beyond the budget
  double patience = 60;
  /// Receives the fraction done (0 to 1), the current measurement, and the seconds left.
  std::function<void(double fraction, const std::string& text, double seconds_left)> progress;
  /// Called with the machine and its measurements before `partial` is removed. A failure to write a file
  /// therefore loses no measurements.
  std::function<Result<void>(const machine::Machine&, const std::vector<Measurements>&)> written;
  /// Receives what the user should read at once: that a calibration is resumed, or a failure, as a sentence
  /// with a hint.
  std::function<void(const Error& sentence)> say;
};

/// Calibrates the machine. It ends within the budget, unless launches take much longer to start than earlier
/// ones. If a launch does not end, it takes at most `patience` and some ten seconds more. Each process count
/// is launched several times, spread over the time, if the budget gives each launch some seconds. Fails if no
/// launch gave a result; other failed launches become notes of the machine.
Result<machine::Machine> calibrate(const Options& options);

/// Returns how often each of `counts` process counts is launched.
int passes_within(double budget_seconds, std::size_t counts);
/// Returns whether more than a quarter of the points of launches with several processes got few samples or
/// were left out.
bool short_of_time(const std::vector<Measurements>& pass);

/// Returns 1, 2, 3, 4, 6, 8, 12, ... up to `cores`.
std::vector<int> usual_process_counts(int cores);

/// Returns the machine fitted to the measurements of several launches. Launches of one process count are
/// combined first (combine.h).
Result<machine::Machine> assemble(const std::vector<Measurements>& launches, const Options& options);

/// Returns the training program of this installation: in the folder of the running program, or in
/// libexec/parcast of the installation or build.
Result<std::filesystem::path> find_training_program();

}  // namespace parcast::calibrate

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
  std::string launcher;        // {p}: the number of processes; the program and its arguments follow; empty: as allocation() says
  std::vector<int> processes;  // empty: 1, 2, 3, 4, 6, 8, 12 ... up to what allocation() says
  std::optional<int> nodes, cores_per_node;  // of the machine, where it is larger than what was measured
  std::filesystem::path program;             // empty: parcast-calibrate as installed
  std::filesystem::path folder;              // for the results, seen by rank 0's host; empty: the current one
  std::filesystem::path partial;             // instead: kept until all is done, and gone on with (partial.h)
  bool fresh = false;                        // what is in `partial` does not count
  double patience = 60;                      // seconds beyond twice its time that a launch may take; where one takes more, those that all may beyond the budget
  /// Part done (0 to 1), what is being measured, seconds left.
  std::function<void(double fraction, const std::string& text, double seconds_left)> progress;
  /// Called with the machine, and what it was fitted from, before `partial` is removed: a file that cannot be written costs no measurements.
  std::function<Result<void>(const machine::Machine&, const std::vector<Measurements>&)> written;
  /// What a person should know at once: what is gone on with, or what failed, in a sentence with what to try.
  std::function<void(const Error& sentence)> say;
};

/// Ends within the budget, unless launches take much longer to start than they told; where one does not end, within `patience` and some ten seconds more. Each process count is launched several times, spread
/// over the time, as far as the budget gives each launch some seconds. An error when no launch gave anything; others that failed become
/// notes of the machine.
Result<machine::Machine> calibrate(const Options& options);

/// How often each of so many process counts is launched.
int passes_within(double budget_seconds, std::size_t counts);
/// Whether a quarter of what the launches of a pass measured between processes got hardly any samples, or was left out.
bool short_of_time(const std::vector<Measurements>& pass);

/// 1, 2, 3, 4, 6, 8, 12, ... up to `cores`.
std::vector<int> usual_process_counts(int cores);

/// The machine that fits the measurements of several launches; those of one process count are joined first (combine.h).
Result<machine::Machine> assemble(const std::vector<Measurements>& launches, const Options& options);

/// The training program of this installation: beside the running program, in ../libexec/parcast or the
/// build's.
Result<std::filesystem::path> find_training_program();

}  // namespace parcast::calibrate

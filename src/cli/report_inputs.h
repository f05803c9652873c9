// SPDX-License-Identifier: Apache-2.0
#pragma once
// What `parcast report` adds to a prediction: process counts of the scaling charts, measured times, lines of
// source files, and the program's functions.

#include <string>
#include <vector>

#include "cli/verb.h"
#include "report/html/report.h"

namespace parcast::cli {

/// Returns powers of two up to four times the larger of the asked and recorded process counts, with both of
/// these.
std::vector<std::int32_t> usual_processes(const program::Model& model, std::int32_t asked);

/// Returns the process counts of the charts: those of --vary p=LIST; else the usual ones.
Result<std::vector<std::int32_t>> charted_processes(const Invocation& invocation, const program::Model& model,
                                                    std::int32_t asked);

/// Returns the times of undisturbed recordings at the parameters of a point.
std::vector<report::html::MeasuredRun> recorded_runs(const program::Model& model,
                                                     const program::Point& point);

struct MeasuredRuns {
  std::vector<report::html::MeasuredRun> runs;
  std::size_t elsewhere = 0;  // runs in --against with other parameters
};

/// Returns the times of recordings, and of the runs in --against, at the parameters of the question.
Result<MeasuredRuns> measured_runs(const Invocation& invocation, const program::Model& model,
                                   const program::Point& point);

/// Returns the lines around a place such as "swe.c:120-131", from a source file in one of the folders;
/// nothing without one. A model may come from anybody, so a file outside the folders, or one without the
/// ending of a source file, is never read.
std::optional<report::html::Excerpt> excerpt(const std::string& place,
                                             const std::vector<std::string>& folders);

/// Returns the files in which a program may be: of that name in the folders, in the current one, and of
/// $PATH.
std::vector<std::string> files_of_program(const std::string& name, std::vector<std::string> folders);

/// Returns the first of the files that is the build with this identity (Recording::executable_digest), and
/// what its debug data describe; nothing without such a file, or without debug data.
std::optional<report::html::ProgramFile> program_file(const std::string& build,
                                                      const std::vector<std::string>& files);

}  // namespace parcast::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once
// The file of `parcast report`, and what it was made from.

#include <string>
#include <vector>

#include "cli/verb.h"
#include "report/html/document.h"
#include "report/html/report.h"

namespace parcast::cli {

/// Returns the command that makes this page again.
std::string report_command(const Invocation& invocation);

/// Adds the file NAME + ending, for the first ending with which it exists, with its digest. A machine that
/// the package ships has no such file.
void add_input_file(const std::string& role, const std::string& name, const std::vector<std::string>& endings,
                    std::vector<report::html::InputFile>& files);

/// Returns the folders of --source, else the current one.
std::vector<std::string> source_folders(const Invocation& invocation);

/// Writes the page to --output, or to a file named after the program, and prints its name. There it
/// overwrites only an older report. Returns `code`, or kFailed with a message.
int write_report(const Invocation& invocation, const std::string& program, const std::string& page, int code);

}  // namespace parcast::cli

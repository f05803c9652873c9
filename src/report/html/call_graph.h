// SPDX-License-Identifier: Apache-2.0
#pragma once
// Who calls whom in the program, its classes and its files, from its debug data.

#include <optional>
#include <string>

#include "recording/program_calls.h"

namespace parcast::report::html {

/// The program as it was found, and what its debug data describe, without functions of the system.
struct ProgramFile {
  std::string path;
  recording::ProgramCalls calls;
};

/// Returns trees that are closed until the reader opens them; empty without functions.
std::string call_graph(const std::optional<ProgramFile>& program);

}  // namespace parcast::report::html

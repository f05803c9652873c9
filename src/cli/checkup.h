// SPDX-License-Identifier: Apache-2.0
#pragma once
// Checks whether recording will work on this host and for a given program: the MPI library, the recorder,
// clocks, debug information.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace parcast::cli {

struct Finding {
  std::string subject;  // "recorder"
  bool good = true;
  std::string text;  // what the check found
  std::string hint;  // what the user can do about it
};

std::vector<Finding> check_host();
std::vector<Finding> check_program(const std::filesystem::path& program);
/// Returns the first problem that prevents recording the program of a launch line (program_in); nothing if
/// there is none.
std::optional<Finding> what_hinders(const std::vector<std::string>& launch);
std::string checkup_text(const std::vector<Finding>& findings);

}  // namespace parcast::cli

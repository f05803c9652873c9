// SPDX-License-Identifier: Apache-2.0
#pragma once
// Whether recording will work here, and for a given program: the MPI found, the recorder, clocks, debug lines.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace parcast::cli {

struct Finding {
  std::string subject;   // "recorder"
  bool good = true;
  std::string text;      // what was found
  std::string hint;      // what to do about it
};

std::vector<Finding> check_host();
std::vector<Finding> check_program(const std::filesystem::path& program);
/// The first thing that keeps the program of a launch line (program_in) from being recorded.
std::optional<Finding> what_hinders(const std::vector<std::string>& launch);
std::string checkup_text(const std::vector<Finding>& findings);

}  // namespace parcast::cli

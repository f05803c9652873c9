// SPDX-License-Identifier: Apache-2.0
#pragma once
// Whether recording will work here, and for a given program: the MPI found, the recorder, clocks, debug lines.

#include <filesystem>
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
std::string checkup_text(const std::vector<Finding>& findings);

}  // namespace parcast::cli

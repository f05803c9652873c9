// SPDX-License-Identifier: Apache-2.0
#include "regress/runs.h"

#include <set>

#include "base/text.h"

namespace parcast::regress {

std::vector<std::string> programs_of(const Runs& runs) {
  std::set<std::string> names;
  for (const Run& run : runs.runs) names.insert(run.program);
  return {names.begin(), names.end()};
}

std::string name_of(const Run& run) {
  std::string out = run.program;
  for (const auto& [name, value] : run.parameters)
    out += (out.empty() ? "" : ", ") + name + " = " + format_exact(value);
  return out;
}

}  // namespace parcast::regress

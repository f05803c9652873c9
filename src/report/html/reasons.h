// SPDX-License-Identifier: Apache-2.0
#pragma once
// The page of measured runs: overheads and efficiencies of one, times of all against their work, and causes.
// The numbers and pictures are those of `parcast explain --why`.

#include <string>
#include <vector>

#include "report/causes_text.h"
#include "report/html/document.h"
#include "report/html/report.h"

namespace parcast::report::html {

struct ReasonsReport {
  std::string program;
  Reasons reasons;
  std::vector<InputFile> files;
  std::string command, version;
};

Document document_of(const ReasonsReport& report);

// Its sections; empty without anything to show.
std::string reasons_answer(const Reasons& reasons);
std::string reasons_overheads(const Reasons& reasons);
std::string reasons_efficiencies(const Reasons& reasons);
std::string reasons_runs(const Reasons& reasons);

}  // namespace parcast::report::html

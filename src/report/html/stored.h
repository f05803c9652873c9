// SPDX-License-Identifier: Apache-2.0
#pragma once
// The page of a query to a store: measured runs and the predictions of the same points.

#include <string>
#include <vector>

#include "report/html/document.h"
#include "report/html/report.h"
#include "store/paired_runs.h"

namespace parcast::report::html {

struct StoredReport {
  std::string store, query;  // the store's name, and what was asked of it in words
  store::PairedRuns paired;
  std::vector<std::string> warnings;
  std::string command, version;
};

Document document_of(const StoredReport& report);

// Its sections; empty without anything to show.
std::string stored_answer(const StoredReport& report);
std::string stored_points(const StoredReport& report);
std::string stored_unanswered(const StoredReport& report);

}  // namespace parcast::report::html

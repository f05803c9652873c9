// SPDX-License-Identifier: Apache-2.0
#pragma once
// The page of a query to a store: runs measured beside predicted.

#include <string>
#include <vector>

#include "report/html/document.h"
#include "report/html/report.h"
#include "store/beside.h"

namespace parcast::report::html {

struct StoredReport {
  std::string store, query;  // the store's name, and what was asked of it in words
  store::Beside beside;
  std::vector<std::string> warnings;
  std::string command, version;
};

Document document_of(const StoredReport& report);

// Its sections; empty without anything to show.
std::string stored_answer(const StoredReport& report);
std::string stored_points(const StoredReport& report);
std::string stored_unanswered(const StoredReport& report);

}  // namespace parcast::report::html

// SPDX-License-Identifier: Apache-2.0
#pragma once
// The sections of a page, one file each. A section is hidden when it has nothing to show: its text is empty.

#include <string>
#include <vector>

#include "report/html/report.h"

namespace parcast::report::html {

std::string answer(const Report& report);
std::string scaling(const Report& report);
std::string parts_by_processes(const Report& report);
std::string regions(const Report& report);
std::string functions(const Report& report);
std::string call_graph_of(const Report& report);
std::string field(const Report& report);
std::string sensitivities(const Report& report);
std::string overheads(const Report& report);
std::string communication(const Report& report);
std::string timeline_of(const Report& report);
std::string checks(const Report& report);
std::string machine_costs(const Report& report);
std::string warnings(const Report& report);
std::string provenance(const Report& report);

struct Section {
  std::string id, title;
  std::string (*body)(const Report&) = nullptr;
};

/// Returns all sections in the order of the page.
const std::vector<Section>& sections();

}  // namespace parcast::report::html

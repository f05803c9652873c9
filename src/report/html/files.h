// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a page was made from.

#include <string>
#include <vector>

#include "report/html/report.h"

namespace parcast::report::html {

/// Returns the version, the engine if there is one, the command that makes the page again, and the files.
std::string provenance_html(const std::string& version, const std::string& engine, const std::string& command,
                            const std::vector<InputFile>& files);

}  // namespace parcast::report::html

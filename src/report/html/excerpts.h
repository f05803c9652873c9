// SPDX-License-Identifier: Apache-2.0
#pragma once
// Lines of source files in a page, and links to them.

#include <map>
#include <string>

#include "report/html/markup.h"
#include "report/html/report.h"

namespace parcast::report::html {

using Excerpts = std::map<std::string, Excerpt>;  // by place, "swe.c:120"

/// Returns the place as a link to its lines, or as text if they were not found.
Cell place_cell(const std::string& where, const Excerpts& excerpts);
/// Returns the lines at all places, closed until the reader opens them; empty without excerpts.
std::string excerpts_html(const Excerpts& excerpts);

}  // namespace parcast::report::html

// SPDX-License-Identifier: Apache-2.0
#pragma once
// One HTML file that needs nothing else: no request leaves it, and it is readable without JavaScript.
//
// The page's Content-Security-Policy allows no connection, and only the scripts that the page itself
// contains, named by their digests. So text of a foreign model cannot run even if it got past the escaping.

#include <string>
#include <string_view>

#include "report/html/report.h"

namespace parcast::report::html {

/// Returns the complete page.
std::string page(const Report& report);

/// Returns whether a file is such a page.
bool is_page(std::string_view content);

/// Returns JSON that may be the content of a script element: "</script>" cannot occur in it.
std::string inside_script(std::string json);

/// Returns the policy's name of an inline script: 'sha256-...' in base 64.
std::string source_of_script(const std::string& script);

}  // namespace parcast::report::html

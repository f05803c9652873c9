// SPDX-License-Identifier: Apache-2.0
#pragma once
// Opens a page in the user's browser.

#include <filesystem>
#include <string>

namespace parcast::cli {

/// Returns whether this host has a screen of the user's: a display, and no ssh in between.
bool has_screen();

/// Opens an address in the browser, if there is one; does not wait. The address has a token, and every user
/// of this host can read the words of a command: so the browser gets a private file in `folder` that leads
/// there.
void open_in_browser(const std::string& url, const std::filesystem::path& folder);

}  // namespace parcast::cli

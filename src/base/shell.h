// SPDX-License-Identifier: Apache-2.0
#pragma once
// Quotes words of a command line that the user copies into a shell.

#include <string>
#include <string_view>

namespace parcast {

/// Returns the word quoted so that a shell reads it as one word with the same bytes: "a b" becomes 'a b'. A
/// word without special characters is unchanged. Control characters are escaped, as $'\n', so that they do
/// not reach the terminal.
std::string shell_quoted(std::string_view word);

}  // namespace parcast

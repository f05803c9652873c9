// SPDX-License-Identifier: Apache-2.0
#pragma once
// Words of a command line that somebody copies into a shell.

#include <string>
#include <string_view>

namespace parcast {

/// The word as a shell takes it for one word with these bytes: "a b" becomes 'a b', a word without special characters stays.
/// Control characters are escaped, as $'\n', so that they do not reach the terminal.
std::string shell_quoted(std::string_view word);

}  // namespace parcast

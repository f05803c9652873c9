// SPDX-License-Identifier: Apache-2.0
#pragma once
// Quotes words of a command line that the user copies into a shell, and splits a line into words.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parcast {

/// Returns the word quoted so that a shell reads it as one word with the same bytes: "a b" becomes 'a b'. A
/// word without special characters is unchanged. Control characters are escaped, as $'\n', so that they do
/// not reach the terminal.
std::string shell_quoted(std::string_view word);
/// Returns all words quoted, with blanks between them.
std::string shell_line(const std::vector<std::string>& words);

/// Splits a line into words as a shell does (only quotes and backslashes); nothing if a quote is open.
std::optional<std::vector<std::string>> shell_words(std::string_view line);

}  // namespace parcast

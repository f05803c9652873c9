// SPDX-License-Identifier: Apache-2.0
#pragma once
// Makes text from files, programs and the command line safe to print. A terminal obeys control characters,
// and invisible characters can make one name look like another. Each of them is replaced by a visible escape:
//
//   \x1b      a control character, or a byte that is not UTF-8
//   \u202e    a character without a visible shape: controls above ASCII, direction marks, zero-width
//             blanks, line ends
//
// Within JSON, \uXXXX is JSON's own escape, so a complete JSON text keeps its meaning.

#include <cstddef>
#include <string>
#include <string_view>

namespace parcast {

constexpr std::size_t kMostVisible = 2000;  // bytes; a longer text is shortened in the middle

/// Returns one line. A text of more than `most` bytes loses its middle: "aaaa ... [1000000 bytes left out]
/// ... aaaa".
std::string visible(std::string_view text, std::size_t most = kMostVisible);

/// Same, but keeps line ends and tabs.
std::string visible_lines(std::string_view text, std::size_t most = kMostVisible);

/// Returns the text that the program will print: as visible_lines without a limit, but keeps the program's
/// own changes of weight and colour.
std::string printable(std::string_view text);

/// Returns the line of a file with its number, a caret under `column` (bytes, from 1), and the hint after the
/// caret:
///
///     9 |     brodcast 32 B from host
///       |     ^ did you mean broadcast?
///
/// A long line is shown only around the column.
std::string line_with_caret(std::string_view line, std::size_t number, std::size_t column,
                            std::string_view hint);

struct Error;
/// Returns "where: warning: what" and the hint, for the kind "warning"; to_string(error) uses the kind
/// "error". All parts are made visible and bounded in length.
std::string to_string(const Error& error, std::string_view kind);

}  // namespace parcast

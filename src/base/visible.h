// SPDX-License-Identifier: Apache-2.0
#pragma once
// Text that comes from files, programs and the command line, made safe to print. A terminal obeys control characters, and invisible
// characters make a name look like another one; here each of them becomes an escape that a person can see:
//
//   \x1b      a control character, or a byte that is not UTF-8
//   \u202e    a character without a shape of its own: controls above ASCII, marks of direction, blanks of width 0, ends of lines
//
// Within JSON the escapes \uXXXX are JSON's own, so a whole JSON text keeps its meaning.

#include <cstddef>
#include <string>
#include <string_view>

namespace parcast {

constexpr std::size_t kMostVisible = 2000;  // bytes; of a longer text the beginning and the end are shown

/// One line. A text of more than `most` bytes loses its middle: "aaaa ... [1000000 bytes left out] ... aaaa".
std::string visible(std::string_view text, std::size_t most = kMostVisible);

/// The same, but line ends and tabs stay.
std::string visible_lines(std::string_view text, std::size_t most = kMostVisible);

/// What the program is about to print: as visible_lines without a limit, and the program's own changes of weight and colour stay.
std::string printable(std::string_view text);

/// The line of a file above a caret under `column` (bytes, from 1), with its number, and the hint behind the caret:
///
///     9 |     brodcast 32 B from host
///       |     ^ did you mean broadcast?
///
/// Of a long line only the part around the column is shown.
std::string line_with_caret(std::string_view line, std::size_t number, std::size_t column, std::string_view hint);

struct Error;
/// "where: warning: what" and the hint, of the kind "warning"; to_string(error) is of the kind "error". All of it visible, and of bounded length.
std::string to_string(const Error& error, std::string_view kind);

}  // namespace parcast

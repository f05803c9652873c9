// SPDX-License-Identifier: Apache-2.0
#pragma once
// Placeholders in a launch line or an input file: {p} and {NAME} are replaced by the values of a run.
//
//   mpirun -n {p} ./app {N}      p = 2, N = 96      mpirun -n 2 ./app 96
//
// A name is a letter or _ and then letters, digits and _. Other braces are text: {"a": 1}, {}, {1..4}. So are
// ${NAME}, a variable of a shell or of an input file, and {{NAME}}, which becomes {NAME}.

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace parcast::study {

using Values = std::map<std::string, double>;

inline constexpr std::size_t kLongestName = 64;
/// Returns whether the text can be the name of a placeholder: at most kLongestName characters.
bool is_name(std::string_view text);

/// Returns the names of all placeholders in a text, in their order, each once.
std::vector<std::string> placeholders_in(std::string_view text);

/// Replaces the placeholders. Fails on a name without a value; the error names line and column in `where` if
/// the text has several lines.
Result<std::string> filled(std::string_view text, const Values& values, const std::string& where);

/// Returns whether `content` is the text with a number for each placeholder, of which it has one at least.
bool is_filled_from(std::string_view text, std::string_view content);

/// Returns "p = 2, N = 96", p first.
std::string point_text(const Values& values);

}  // namespace parcast::study

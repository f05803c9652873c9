// SPDX-License-Identifier: Apache-2.0
#pragma once
// The default names of the files that verbs write. A name is built from text in recordings, models and
// programs, which anybody may have written: "../../x" in a recording must not select another folder.

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace parcast::cli {

// bytes: leaves room for endings, numbers and suffixes of unfinished files
constexpr std::size_t kLongestStem = 128;

/// Returns the text as one component of a path: the part after its last /, without leading dots and dashes,
/// truncated to kLongestStem. Control characters, invisible characters and bytes that are not UTF-8 become _.
/// "unnamed" if nothing is left.
std::string file_stem(std::string_view text);

/// Returns the default name of a verb's file: file_stem(text) followed by the ending.
inline std::string default_name(std::string_view text, std::string_view ending) {
  return file_stem(text) + std::string(ending);
}

/// Fails unless `parcast model` may write its default file there: the path is free, or holds a model of this
/// program.
Result<void> check_free_for_model(const std::string& path, const std::string& program);

/// Fails unless `parcast calibrate` may write its default file there: the path is free, or holds a machine
/// measured on this host.
Result<void> check_free_for_machine(const std::string& path, const std::string& host);

}  // namespace parcast::cli

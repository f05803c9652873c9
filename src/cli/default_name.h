// SPDX-License-Identifier: Apache-2.0
#pragma once
// The names that verbs give their files where the user names none. What such a name is made of comes from recordings, models and
// programs, which anybody may have written: "../../x" of a recording must not choose another folder.

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace parcast::cli {

constexpr std::size_t kLongestStem = 128;  // bytes: room for endings, numbers and marks of unfinished files

/// The text as one component of a path: what follows its last /, without leading dots and dashes, cut to kLongestStem. Control
/// characters, invisible characters and bytes that are not UTF-8 become _. "unnamed" where nothing is left.
std::string file_stem(std::string_view text);

/// Every default name of a verb's file: file_stem(text) and the ending.
inline std::string default_name(std::string_view text, std::string_view ending) { return file_stem(text) + std::string(ending); }

/// Whether `parcast model` may write its default file there: nothing lies there, or a model of this program.
Result<void> check_free_for_model(const std::string& path, const std::string& program);

/// Whether `parcast calibrate` may write its default file there: nothing lies there, or a machine measured on this host.
Result<void> check_free_for_machine(const std::string& path, const std::string& host);

}  // namespace parcast::cli

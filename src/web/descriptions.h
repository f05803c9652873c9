// SPDX-License-Identifier: Apache-2.0
#pragma once
// Descriptions of experiments (docs/formats/study.md): the page loads and saves them, `parcast study` runs
// them.

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace parcast::web {

/// Returns a description as JSON: launch (a line), machine, recorded_on, engine, level, vary, ask, set,
/// graph.
Result<std::string> description_json(const std::filesystem::path& file);

/// Writes a description from such JSON, with the member `name`, into the folder, and returns the file's name.
/// Fails if it exists, unless `replace` is true; never writes outside the folder.
Result<std::string> save_description(const std::filesystem::path& folder, std::string_view json);

}  // namespace parcast::web

// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a folder has for predictions: models, programs written by hand, machines, recordings, studies and
// their descriptions. Only what is listed here can be opened by a page.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace parcast::web {

enum class Kind { model, machine, recording, study, description };
std::string_view to_string(Kind kind);

struct Entry {
  Kind kind = Kind::model;
  std::string path;            // relative to the folder, or absolute if only the store names it
  std::int64_t changed = 0;    // seconds since 1970
  std::string model, machine;  // of a study: those in its folder; empty: none
};

/// Returns what lies in a folder and in two levels below, by path. Names that begin with a dot are left out,
/// and so are symbolic links to folders.
std::vector<Entry> entries_in(const std::filesystem::path& folder);

/// Returns the entries of `parcast store list --json` whose files are there.
Result<std::vector<Entry>> entries_of_store(std::string_view json);

/// {"folder": ..., "entries": [{"kind", "path", "changed", "model", "machine"}]}
std::string library_to_json(const std::string& folder, const std::vector<Entry>& entries);

}  // namespace parcast::web

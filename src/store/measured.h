// SPDX-License-Identifier: Apache-2.0
#pragma once
// Measured runs as entries.

#include <filesystem>
#include <string>

#include "store/entry.h"
#include "store/store.h"

namespace parcast::store {

/// An entry of this version that holds nothing yet.
Entry entry_for(Kind kind);
/// A relative path is worth nothing from another folder.
std::string absolute_path(const std::filesystem::path& path);

/// Its digest holds all but the file it was read from.
Entry entry_of(const Measurement& measurement);

/// The digest of a measurement's entry as the `repeat`-th of equal ones.
std::string measurement_digest(const Entry& entry, int repeat);
/// Whether the entry's digest is that of the entry, as one of the first thousands of equal ones.
bool is_measurement_digest(const Entry& entry);

}  // namespace parcast::store

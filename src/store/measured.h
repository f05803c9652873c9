// SPDX-License-Identifier: Apache-2.0
#pragma once
// Converts measured runs to entries.

#include <filesystem>
#include <string>

#include "store/entry.h"
#include "store/store.h"

namespace parcast::store {

/// Returns an empty entry of this version of the tool.
Entry entry_for(Kind kind);
/// Returns the absolute path: a relative one would be meaningless from another folder.
std::string absolute_path(const std::filesystem::path& path);

/// Returns the entry of a measurement. Its digest covers everything except the file that it was read from.
Entry entry_of(const Measurement& measurement);

/// Returns the digest for a measurement that is the `repeat`-th of equal ones.
std::string measurement_digest(const Entry& entry, int repeat);
/// Returns whether the entry's digest matches its content, as one of the first thousands of equal
/// measurements.
bool is_measurement_digest(const Entry& entry);

}  // namespace parcast::store

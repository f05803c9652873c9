// SPDX-License-Identifier: Apache-2.0
#pragma once
// Entries as a JSON file, whole: what one store writes another one takes in unchanged.
//
//   {"schema": "parcast.store-export/1", "tool_version": "0.1.0",
//    "entries": [{"kind": "recording", "digest": "3fa9c1...", "stored_at": "2026-11-21T08:35:47.123456Z", ...}, ...]}

#include <string>
#include <vector>

#include "base/result.h"
#include "store/entry.h"

namespace parcast::store {

/// Members without a value are left out. An error where a name holds bytes that are not UTF-8, which JSON cannot carry.
Result<std::string> entries_to_json(const std::vector<Entry>& entries);

/// The error says which entry and member is wrong, and names the nearest known one.
Result<std::vector<Entry>> entries_from_json(const std::string& text, const std::string& where);

}  // namespace parcast::store

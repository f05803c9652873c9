// SPDX-License-Identifier: Apache-2.0
#pragma once
// Entries as a JSON file, with all their members: a store reads unchanged what another one wrote.
//
//   {"schema": "parcast.store-export/1", "tool_version": "0.1.0",
//    "entries": [{"kind": "recording", "digest": "3fa9c1...",
//                 "stored_at": "2026-11-21T08:35:47.123456Z", ...}, ...]}

#include <string>
#include <vector>

#include "base/result.h"
#include "store/entry.h"

namespace parcast::store {

/// Leaves out members without a value. Fails if a name is not UTF-8, which JSON requires.
Result<std::string> entries_to_json(const std::vector<Entry>& entries);

/// Errors name the entry and the member, and suggest the nearest known member.
Result<std::vector<Entry>> entries_from_json(const std::string& text, const std::string& where);

}  // namespace parcast::store

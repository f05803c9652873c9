// SPDX-License-Identifier: Apache-2.0
#pragma once
// The output of `parcast store`.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "report/style.h"
#include "store/entry.h"
#include "store/store.h"

namespace parcast::report {

std::string store_list_text(const std::vector<store::Entry>& entries, const Style& style);
/// Returns all metadata of one entry, and its content.
std::string store_entry_text(const store::Entry& entry, const Style& style);
/// Returns a table with a row per run and a column per parameter.
std::string store_runs_text(const std::vector<store::Entry>& entries, const Style& style);

/// Returns e.g. "1 entry", "12 entries".
std::string entries_counted(std::size_t count);
std::string tags_text(const std::map<std::string, std::int64_t>& tags, const Style& style);
/// Returns e.g. "12 entries of b.db, 3 of them new to a.db".
std::string taken_text(const store::Taken& taken, const std::string& from, const std::string& into);

/// The outcome of adding recordings.
struct AddedRecording {
  std::string path, digest;
  bool fresh = true, whole = true;  // new to the store; complete
};
struct AddedRecordings {
  struct Refused {
    std::string path, why;
  };
  std::vector<AddedRecording> kept;
  std::vector<Refused> refused;
};
/// Returns e.g. "3fa9c1d2e0b4  kept   runs/wave-1.recording".
std::string added_text(const AddedRecording& added);
/// Returns e.g. "12 recordings kept, 3 of them known before; 1 not kept".
std::string added_summary(const AddedRecordings& added);

/// The check of an intact store: the number of entries of each kind, and the missing files of recordings.
struct StoreChecked {
  std::map<std::string, std::int64_t> entries;  // by kind
  std::vector<std::string> missing_files;
};
std::string checked_text(const StoreChecked& checked, const std::string& store, const Style& style);

/// Return parcast.store-tags/1, parcast.store-taken/1, parcast.store-added/1, parcast.store-removed/1,
/// parcast.store-check/1.
std::string tags_to_json(const std::map<std::string, std::int64_t>& tags);
std::string taken_to_json(const store::Taken& taken);
std::string added_to_json(const AddedRecordings& added);
std::string removed_to_json(const std::vector<store::Entry>& removed);
std::string checked_to_json(const StoreChecked& checked);

}  // namespace parcast::report

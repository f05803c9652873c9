// SPDX-License-Identifier: Apache-2.0
#pragma once
// The steps of a study that are done: journal.json in its folder. It is replaced after each step, so that a
// kill at any moment loses at most the step that was running.

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "study/placeholders.h"

namespace parcast::study {

enum class RunKind {
  design,    // of the values that the description gives
  advised,   // chosen to narrow the answer
  check,     // measured to be compared with its prediction; no model is made from it
  replayed,  // to answer by itself; no model is made from it
};
std::string_view to_string(RunKind kind);
/// Whether models are made of such runs.
constexpr bool counts(RunKind kind) {
  return kind == RunKind::design || kind == RunKind::advised;
}

/// A run that ended.
struct Run {
  std::string name;  // of its recording: "p2-N96.1f0c3a9b"
  std::string key;   // commands.h
  RunKind kind = RunKind::design;
  Values values;
  int repeat = 1;
  bool is_done = false;  // else it failed
  int exit_code = 0;
  double seconds = 0;         // from MPI_Init's return to MPI_Finalize's entry, slowest process
  double launch_seconds = 0;  // of the whole launch line
  int processes = 0;          // as recorded
  bool is_crowded = false;    // processes shared cores
  bool is_damaged = false;    // a part of the recording is missing
  std::string digest;         // of the recording
  std::string fault;          // why it failed, one sentence
  std::string hint;

  bool operator==(const Run&) const = default;
};

/// Returns the name of a run's recording without ending: values, repetition, and the first digits of its key.
std::string run_name(RunKind kind, const Values& values, int repeat, const std::string& key);

/// Why no further run was made, and for which model, question and limits.
struct Stopped {
  std::string key, code, reason;
  bool operator==(const Stopped&) const = default;
};

struct Journal {
  std::vector<Run> runs;                    // in the order in which they ended
  std::map<std::string, std::string> made;  // file of the folder -> digest of all that it was made from
  Stopped stopped;

  /// Returns the run with this key that counts, or that does not; null if there is none.
  const Run* find(const std::string& key, bool does_count) const;
  /// Adds a run; replaces one of the same key that counts as well.
  void add(Run run);

  bool operator==(const Journal&) const = default;
};

std::string to_json(const Journal& journal);
Result<Journal> journal_from_json(std::string_view text, const std::string& where);

/// Reads the journal of a folder; an empty one if there is none.
Result<Journal> read_journal(const std::filesystem::path& folder);
Result<void> write_journal(const std::filesystem::path& folder, const Journal& journal);

}  // namespace parcast::study

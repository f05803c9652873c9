// SPDX-License-Identifier: Apache-2.0
#pragma once
// JSON without a file of its own here: counts, events, the store's lists, validations, differences of
// machines, the check of a host. Each text ends with a newline (docs/formats/report.md).

#include <string>
#include <vector>

#include "machine/tools.h"
#include "model/binding.h"
#include "model/model.h"
#include "recording/recording.h"
#include "report/machine_text.h"
#include "report/sink.h"
#include "store/entry.h"
#include "store/validate.h"

namespace parcast::report {

/// Returns parcast.counts/1. In recorded counts, numbers are plain. In predicted ones, every number is an
/// object with its interval and origin.
std::string counts_to_json(const recording::Recording& recording);
std::string counts_to_json(const program::Model& model, const program::Point& point,
                           const std::vector<program::PredictedCounts>& counts);

/// Writes parcast.events/1, a line per event. Returns the number of events that cannot be listed.
std::uint64_t write_events_json(const recording::Recording& recording, const Sink& out);

/// Return parcast.store/1 and parcast.store-entry/1.
std::string store_list_to_json(const std::vector<store::Entry>& entries);
std::string store_entry_to_json(const store::Entry& entry);

/// Returns parcast.validation/1.
std::string validation_to_json(const store::Validation& validation);

/// Returns parcast.machines/1.
std::string machine_list_to_json(const std::vector<ListedMachine>& machines);
/// Returns parcast.machine-diff/1; `a` and `b` name the two machines.
std::string machine_diff_to_json(const std::string& a, const std::string& b,
                                 const machine::Comparison& comparison);

/// A row of parcast.checkup/1.
struct Checked {
  std::string subject;
  bool good = true;
  std::string text, hint;
};
std::string checkup_to_json(const std::vector<Checked>& rows);

}  // namespace parcast::report

// SPDX-License-Identifier: Apache-2.0
#pragma once
// What `parcast report` makes pages of besides predictions, one file each. Each function returns the exit
// code.

#include "cli/verb.h"

namespace parcast::cli {

/// A recorded run alone: where its time went, who sent to whom, imbalance, its timeline.
int report_recorded_run(const Invocation& invocation);
/// Measured runs, by recordings or a table of phases: overheads and their causes.
int report_measured_runs(const Invocation& invocation);
/// The runs of a store, with their predictions.
int report_stored_runs(const Invocation& invocation);
/// One machine, or two over each other.
int report_machines(const Invocation& invocation);

/// Fails on flags of `parcast report` other than those named: they would have no effect.
Result<void> check_report_flags(const Invocation& invocation, const std::vector<std::string_view>& allowed,
                                const std::string& subject);

}  // namespace parcast::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Text about a recording: the three lines after `parcast record`, and the output of `parcast show`.
//
//   parcast: 4 processes, 12.4 s, recorded in lmp-1.recording (1.20 MB, 418,112 events, 0.3 % overhead)
//   parcast:   compute 10.9 s 88 % · point to point 710 ms 6 % · collectives 780 ms 6 % (rank 3 waits most)
//   parcast:   next: parcast model lmp-1.recording, or record another size first: --param N=...

#include <string>
#include <vector>

#include "recording/recording.h"
#include "report/sink.h"
#include "report/style.h"

namespace parcast::report {

/// Returns the summary. `path` is the recording's folder, whose size is printed. With objections against
/// making a model of it, no next step is printed.
std::string record_summary(const recording::Recording& recording, const std::string& path,
                           const std::vector<std::string>& objections = {});
/// Returns the run's program, host and size; a table of ranks, one of phases, one of calls; and what is
/// missing.
std::string recording_text(const recording::Recording& recording, const Style& style);
/// Returns a text with the number of events without a path although one was requested (`parcast record
/// --stack`); empty if there are none.
std::string without_path_text(const recording::Recording& recording);
/// Returns calls, messages, bytes and times of every rank.
std::string counts_text(const recording::Recording& recording, const Style& style);
/// Writes one line per event, in order of rank, for other programs and for searching. Returns the number of
/// events that cannot be listed because the recorder no longer kept their order.
std::uint64_t write_events(const recording::Recording& recording, const Sink& out);

}  // namespace parcast::report

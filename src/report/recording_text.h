// SPDX-License-Identifier: Apache-2.0
#pragma once
// A recording for people: the three lines after `parcast record`, and what `parcast show` prints.
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

/// `path` is the recording's folder: its size is looked up there. With objections against making a model of it no next step
/// is named.
std::string record_summary(const recording::Recording& recording, const std::string& path,
                           const std::vector<std::string>& objections = {});
/// Who ran what, where; a table of ranks, one of phases, one of calls, what is missing.
std::string recording_text(const recording::Recording& recording, const Style& style);
/// How many events have no path although one was asked for (`parcast record --stack`); empty: none.
std::string without_path_text(const recording::Recording& recording);
/// Calls, messages, bytes and times of every rank.
std::string counts_text(const recording::Recording& recording, const Style& style);
/// One line per event, in order of rank: for other programs and for searching. How many cannot be listed, their order having
/// been given up.
std::uint64_t write_events(const recording::Recording& recording, const Sink& out);

}  // namespace parcast::report

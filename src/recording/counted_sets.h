// SPDX-License-Identifier: Apache-2.0
#pragma once
// The counts of a program compiled with the pass during recording (docs/formats/recording.md, rank-N.counts):
// for each set, the counters and probes of its modules (recording/counted.h) that are not blank. The sum over
// all sets equals the counts of a run without a recorder.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace parcast::recording {

/// An object file compiled with the pass. The same object file in several libraries is one module.
struct CountedModule {
  std::uint64_t id = 0;                    // of the module's facts
  std::uint64_t counters = 0, probes = 0;  // number of counters and probes
};

/// The values that a probe saw, as signed 64-bit integers.
struct ProbeValues {
  std::int64_t first = 0, least = 0, most = 0;
  // number of times that the value was the first one or differed from it; at most 256, after which the probe
  // stops
  std::uint64_t noticed = 0;
};
/// Combines two probes; the first value is that of `a`.
ProbeValues operator+(const ProbeValues& a, const ProbeValues& b);

struct ModuleCounts {
  std::uint32_t module = 0;  // index into Counted::modules
  // index in the module, count modulo 2^64; ascending, without zeros
  std::vector<std::pair<std::uint32_t, std::uint64_t>> counters;
  std::vector<std::pair<std::uint32_t, ProbeValues>> probes;  // probes that saw a value
};

enum class SetKind : std::uint8_t {
  // before the first event, and in threads whose begin the recorder did not see
  start,
  // after events without a set of their own, and where the file does not show which event preceded
  others,
  // after events of one call, region and site, up to the next event, on the thread that began the recording
  event,
  threads,  // on all other threads
};

struct CountedSet {
  SetKind kind = SetKind::start;
  std::uint16_t call = 0;             // of events: index into Recording::calls
  std::uint32_t region = 0;           // of events: index into RankRecording::regions
  std::uint32_t site = 0;             // of events: index into RankRecording::sites
  std::vector<ModuleCounts> modules;  // modules with counts, ascending
};

struct Counted {
  bool kept = false;  // whether a file of this rank's counts exists
  std::vector<CountedModule> modules;
  // start, others, threads (each if something was counted), then events by first occurrence
  std::vector<CountedSet> sets;
  // kinds of events counted in `others` for lack of room
  std::uint64_t events_together = 0;
  // threads counted together for lack of room; they may have lost counts to each other
  std::uint64_t threads_together = 0;
  std::string together_because;
  // libraries with counters that were loaded after the program's start; their counts are unknown
  std::uint64_t left_out = 0;
};

/// Returns the sums over all sets: the counters of each module, in the order of Counted::modules.
std::vector<std::vector<std::uint64_t>> total_counts(const Counted& counted);

class Definitions;
struct Loss;

/// Reads a rank-N.counts file that belongs to the rank file which began at `started` (nanoseconds since
/// 1970). Damaged or truncated parts are appended to `losses`; the rest is still read.
Counted read_counted(std::string_view bytes, const std::string& where, std::int32_t rank,
                     std::uint64_t started, const Definitions& definitions, std::vector<Loss>& losses);

}  // namespace parcast::recording

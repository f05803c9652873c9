// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a program compiled with the pass counted while it was recorded (docs/formats/recording.md, rank-N.counts): per set the
// counters and probes of its modules (recording/counted.h) that are not blank. The sum over all sets is what the program
// would have counted by itself.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace parcast::recording {

/// An object file that was compiled with the pass; the same one in several libraries is one.
struct CountedModule {
  std::uint64_t id = 0;                     // of its facts
  std::uint64_t counters = 0, probes = 0;   // how many it has
};

/// What a probe saw, each as a whole number of 64 bits with a sign.
struct ProbeValues {
  std::int64_t first = 0, least = 0, most = 0;
  std::uint64_t noticed = 0;  // how often it was the first value, or another than that; at most 256, then nothing new is told
};
/// Of both; the first one of `a`.
ProbeValues operator+(const ProbeValues& a, const ProbeValues& b);

struct ModuleCounts {
  std::uint32_t module = 0;                                      // index into Counted::modules
  std::vector<std::pair<std::uint32_t, std::uint64_t>> counters; // number in the module, count modulo 2^64; ascending, without zeros
  std::vector<std::pair<std::uint32_t, ProbeValues>> probes;     // those that saw something
};

enum class SetKind : std::uint8_t {
  start,    // before the first event, and in threads that the recorder did not see begin
  others,   // behind events that found no set of their own; and where the file no longer tells behind which
  event,    // behind events of one call, region and site, on the thread that began the recording, up to the next event
  threads,  // on all other threads
};

struct CountedSet {
  SetKind kind = SetKind::start;
  std::uint16_t call = 0;    // of events: index into Recording::calls,
  std::uint32_t region = 0;  // RankRecording::regions
  std::uint32_t site = 0;    // and RankRecording::sites
  std::vector<ModuleCounts> modules;  // those that counted, ascending
};

struct Counted {
  bool kept = false;         // there is a file of this rank's counts
  std::vector<CountedModule> modules;
  std::vector<CountedSet> sets;  // start, others, threads (each where something was counted), then events in order of their first
  std::uint64_t events_together = 0;  // kinds of events whose executions are among the others, for want of room
  std::uint64_t threads_together = 0; // threads whose executions are: they may have lost some to each other
  std::string together_because;
  std::uint64_t left_out = 0;         // libraries that count and were loaded after the program's start: nothing is known of them
};

/// All sets in one: counters of each module, in the order of Counted::modules.
std::vector<std::vector<std::uint64_t>> total_counts(const Counted& counted);

class Definitions;
struct Loss;

/// The bytes of a rank-N.counts that goes with the rank file which began at `started` (nanoseconds since 1970). What is damaged or cut
/// off is appended to `losses`, and lost alone.
Counted read_counted(std::string_view bytes, const std::string& where, std::int32_t rank, std::uint64_t started, const Definitions& definitions,
                     std::vector<Loss>& losses);

}  // namespace parcast::recording

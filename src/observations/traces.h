// SPDX-License-Identifier: Apache-2.0
#pragma once
// Recordings reduced to what a model needs: which calls a program makes (by region path, site and name), which call
// follows which, and per process how often, with what bytes, partners and computing times. Events are looked at once.
//
// Calls and transitions are numbered over all recordings together, in order of first occurrence, so a call that one run
// does not make simply has the count 0 there: nothing has to be aligned between runs.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/model.h"
#include "observations/sampling.h"
#include "recording/recording.h"

namespace parcast::program {

/// A place in the program from which MPI is called, in its region.
struct CallKey {
  std::vector<std::string> path;  // names of the open regions, outermost first
  std::string name;
  std::string where;              // swe.c:120
  recording::CallClass call_class = recording::CallClass::none;
  recording::Pattern pattern = recording::Pattern::none;
};

constexpr std::int32_t kOutside = -1;  // before the first call, and after the last

struct Transition {
  std::int32_t from = kOutside, to = kOutside;  // indices of CallKeys
};

/// What one process did at one key.
struct CallTotals {
  std::int64_t executions = 0, messages = 0, bytes = 0, received_bytes = 0, collective_bytes = 0;
  double seconds = 0;                       // inside the call
  std::int64_t least_members = 0, most_members = 0;
  std::map<std::int32_t, std::int64_t> peers;  // partner's or root's world rank -> times; kNoPeer where there was none
  bool roots_advance = true;                // the k-th root is (k + first_root) mod p
  std::int32_t first_root = recording::kNoPeer;
};

struct TransitionTotals {
  std::int64_t traversals = 0;
  TimeSummary time;
};

/// One process of one run. Vectors are indexed by key and transition; those not met are absent.
struct Trace {
  std::size_t run = 0;
  std::int32_t rank = 0;
  bool complete = false;                       // reached MPI_Finalize, and no event was lost
  std::map<std::int32_t, CallTotals> calls;
  std::map<std::int32_t, TransitionTotals> transitions;
  std::vector<std::int32_t> visits;            // keys in order of their first visit
  std::map<std::string, std::int64_t> unfollowed;
  /// What the program counted behind each key, and before the first call (kOutside); points into the recording.
  std::map<std::int32_t, std::vector<const recording::CountedSet*>> counted;
};

struct Traces {
  std::vector<CallKey> keys;
  std::vector<Transition> transitions;
  std::vector<Trace> traces;                   // by run, then rank
};

/// One recording, whose keys and transitions have numbers of their own.
struct RunTotals {
  std::vector<CallKey> keys;
  std::vector<std::string> sites;  // of keys: what tells those of one path and name apart
  std::vector<Transition> transitions;
  std::vector<Trace> traces;  // by rank; `run` is to be filled in
};

/// The recording must stay: traces point to what its programs counted.
RunTotals totals_of(const recording::Recording& recording);

/// The runs that `order` lists, in the order in which first occurrences count.
Traces joined(std::vector<RunTotals> runs, const std::vector<std::size_t>& order);

/// `order` lists the recordings to take, in the order in which first occurrences count.
Traces reduce(const std::vector<recording::Recording>& recordings, const std::vector<std::size_t>& order);

}  // namespace parcast::program

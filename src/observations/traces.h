// SPDX-License-Identifier: Apache-2.0
#pragma once
// Recordings reduced to the data of a model: the calls of a program (by region path, site and name), the call
// that follows each, and per process the number of executions, bytes, partners and computing times. Events
// are read once.
//
// Calls and transitions are numbered over all recordings together, in order of first occurrence. A call that
// a run does not make has the count 0 there, so no alignment between runs is needed.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/model.h"
#include "observations/sampling.h"
#include "recording/recording.h"

namespace parcast::program {

/// A place in the program that calls MPI, with its region.
struct CallKey {
  std::vector<std::string> path;  // names of the open regions, outermost first
  std::string name;
  std::string where;  // swe.c:120
  recording::CallClass call_class = recording::CallClass::none;
  recording::Pattern pattern = recording::Pattern::none;
};

constexpr std::int32_t kOutside = -1;  // before the first call, and after the last

struct Transition {
  std::int32_t from = kOutside, to = kOutside;  // indices of CallKeys
};

/// Totals of one process at one key.
struct CallTotals {
  std::int64_t executions = 0, messages = 0, bytes = 0, received_bytes = 0, collective_bytes = 0;
  double seconds = 0;  // inside the call
  std::int64_t least_members = 0, most_members = 0;
  bool in_world = true;  // only on MPI_COMM_WORLD, so that its members are all processes
  // World rank of the partner or root -> times; kNoPeer if there was none.
  std::map<std::int32_t, std::int64_t> peers;
  bool roots_advance = true;  // the k-th root is (k + first_root) mod p
  std::int32_t first_root = recording::kNoPeer;
};

struct TransitionTotals {
  std::int64_t traversals = 0;
  TimeSummary time;
};

/// One process of one run. Maps are indexed by key and transition; entries without occurrences are absent.
struct Trace {
  std::size_t run = 0;
  std::int32_t rank = 0;
  bool complete = false;  // reached MPI_Finalize, and no event was lost
  std::map<std::int32_t, CallTotals> calls;
  std::map<std::int32_t, TransitionTotals> transitions;
  std::vector<std::int32_t> visits;  // keys in order of their first visit
  std::map<std::string, std::int64_t> unfollowed;
  /// The program's counters after each key, and before the first call (kOutside); points into the recording.
  std::map<std::int32_t, std::vector<const recording::CountedSet*>> counted;
};

struct Traces {
  std::vector<CallKey> keys;
  std::vector<Transition> transitions;
  std::vector<Trace> traces;  // by run, then rank
};

/// One recording, with its own numbers of keys and transitions.
struct RunTotals {
  std::vector<CallKey> keys;
  std::vector<std::string> sites;  // of keys: distinguishes keys with equal path and name
  std::vector<Transition> transitions;
  std::vector<Trace> traces;  // by rank; the caller sets `run`
};

/// Reduces one recording. It must outlive the result, whose traces point to its counters.
RunTotals totals_of(const recording::Recording& recording);

/// Joins the runs listed in `order`, which is also the order of first occurrences.
Traces joined(std::vector<RunTotals> runs, const std::vector<std::size_t>& order);

/// Reduces the recordings listed in `order`, which is also the order of first occurrences.
Traces reduce(const std::vector<recording::Recording>& recordings, const std::vector<std::size_t>& order);

}  // namespace parcast::program

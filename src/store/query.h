// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which entries are asked for. What is not set does not narrow the answer.

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "store/entry.h"

namespace parcast::store {

/// Both ends included.
struct Bounds {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
};

struct Query {
  std::vector<Kind> kinds;                   // empty: every kind that has what is asked for
  std::string program;
  std::string machine;                       // of recordings also the beginning of what the processor is called
  std::string tag;
  std::optional<Bounds> processes;
  std::map<std::string, Bounds> parameters;  // a run without such a parameter is not meant
  std::string since, until;                  // instants (instant.h): when the run began, both included
};

/// Recordings and measurements: what was run.
inline const std::vector<Kind> kRuns{Kind::recording, Kind::measurement};

enum class Content { with, without };
enum class Stamp { now, kept };  // whether a row's time is that of its storing here, or what the entry says

struct Found {
  std::vector<Entry> entries;  // per kind, oldest first
  std::int64_t undated = 0;    // that answer the rest of the query, but do not say when they began
};

}  // namespace parcast::store

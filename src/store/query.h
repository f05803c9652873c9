// SPDX-License-Identifier: Apache-2.0
#pragma once
// A query for entries. Members that are not set do not restrict the result.

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "store/entry.h"

namespace parcast::store {

/// An interval that includes both ends.
struct Bounds {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
};

struct Query {
  std::vector<Kind> kinds;  // empty: every kind that has all members of the query
  std::string program;
  std::string machine;  // for recordings also a prefix of the processor's name
  std::string tag;
  std::optional<Bounds> processes;
  std::map<std::string, Bounds> parameters;  // runs without such a parameter do not match
  // instants (instant.h): bounds for the start of the run, both included
  std::string since, until;
};

/// The kinds that are runs.
inline const std::vector<Kind> kRuns{Kind::recording, Kind::measurement};

enum class Content { with, without };
enum class Stamp { now, kept };  // stamp rows with the time of storing, or keep the time of the entry

struct Found {
  std::vector<Entry> entries;  // by kind, oldest first
  std::int64_t undated = 0;    // number of entries without a start time that match the rest of the query
};

}  // namespace parcast::store

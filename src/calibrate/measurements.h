// SPDX-License-Identifier: Apache-2.0
#pragma once
// What one launch of the training program measured, and the text in which it comes back: lines of words, so
// that the program that runs under other people's launchers needs nothing but a file to write.
//
//   parcast-measurements 3
//   processes 2
//   bound 2 2                                                        processes of a node, processors they may use
//   table message-core 2 1024 7.1e-07 2e-09 640 7e-07 7.3e-07 3      table, processes, bytes, seconds, standard error, samples, quartiles, outliers
//   repeats 7.1e-07 7.3e-07 ...                                      all of them, of the point or value in the line before, in the order in which they were measured
//   kept_out allreduce 2 1352 2.1e-06 1e-08 400 2e-06 2.2e-06 0      the same of sizes that a fit is checked at
//   end

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace parcast::calibrate {

/// Where a process ran. Numbers count from 0 in order of first appearance.
struct Place {
  std::int32_t node = 0;
  std::int32_t socket = -1;  // -1: not bound to one
  std::int32_t kernel = 0;   // processes of one running system share a clock
};

/// The median of repeats.
struct TablePoint {
  std::string table;
  std::int32_t processes = 0;
  double bytes = 0;
  double seconds = 0, standard_error = 0;
  std::int64_t samples = 0;
  double low = 0, high = 0;   // quartiles of the repeats
  std::int64_t outliers = 0;  // repeats farther than three interquartile ranges from the quartiles: counted, and kept
  double drift = 0;           // relative standard error that all points of the table share (combine.h); not in the text
  std::vector<double> repeats{};  // seconds; empty once points of several launches are joined
};

/// In the order in which they were measured; a name may come again at the end of a launch.
struct Value {
  std::string name;  // "core_speed"
  double value = 0, standard_error = 0;
  std::int64_t samples = 0;
  std::vector<double> repeats{};  // in the unit of the value
};

/// From that size on (0: all of it) a table was left out for want of time.
struct Omission {
  std::string table;
  std::int32_t processes = 0;
  double bytes = 0;
};

struct Cache {
  std::string name;  // L1, L2, L3
  double bytes = 0;
  std::int32_t shared_by = 0;  // cores; 0: not known
};

struct SweepPoint {
  std::int32_t cores = 1;
  double bytes = 0, seconds_per_load = 0, bytes_per_second = 0;
  std::int32_t pass = 0;  // which launch of its process count; not in the text
};

/// The node whose processes have the fewest processors each.
struct Bound {
  std::int32_t processes = 0, processors = 0;  // 0: not known
};

struct Measurements {
  std::int32_t processes = 0;
  std::string processor, mpi_library;
  std::map<std::string, std::string> environment;  // of the node of rank 0 (environment.h)
  std::int32_t cores = 1, sockets = 1, threads_per_core = 1, memories = 1;  // of the node of rank 0
  double memory = 0, page = 4096, cache_line = 64;
  Bound bound;
  std::vector<Place> places;  // by rank
  std::vector<Cache> caches;
  std::vector<TablePoint> points;
  std::int32_t sizes_kept_out = 0;   // that each table is to be measured at for checks; not in the text
  std::vector<TablePoint> kept_out;  // these, which no fit sees
  std::vector<Value> values;
  std::vector<SweepPoint> sweep;
  std::vector<Omission> left_out;
  std::vector<std::string> rough;  // tables with points whose processes could hardly ever begin at the same moment (late.h)
  std::vector<std::string> notes;
};

/// Where the program says that it has begun, beside its result.
inline std::filesystem::path begun_file(const std::filesystem::path& result) { return result.string() + ".begun"; }

/// Begins the note of what several processes write before they come to one-sided calls, which end some libraries' programs. It stays where they did not come back.
inline constexpr std::string_view kWithoutOneSided = "one-sided calls were not measured on ";

/// In the note of a launch that left only that.
inline constexpr std::string_view kEndedEarly = " ended early: ";
/// Whether a launch wrote all that it measures, or will never write more.
bool is_final(const Measurements& measurements);

std::string to_text(const Measurements& measurements);
/// An error for a text that is not complete: the program did not come to its end.
Result<Measurements> measurements_from(const std::string& text, const std::string& where);

}  // namespace parcast::calibrate

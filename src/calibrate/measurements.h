// SPDX-License-Identifier: Apache-2.0
#pragma once
// The measurements of one launch of the training program, and their text form of lines of words. Because of
// this form, the program only has to write a file, whatever launcher runs it.
//
//   parcast-measurements 3
//   processes 2
//   bound 2 2                                                    processes of a node, their processors
//   table message-core 2 1024 7.1e-07 2e-09 640 7e-07 7.3e-07 3  table, processes, bytes, seconds, standard
//                                                                error, samples, quartiles, outliers
//   repeats 7.1e-07 7.3e-07 ...                                  all repeats of the previous line's point
//                                                                or value, in the order of measurement
//   kept_out allreduce 2 1352 2.1e-06 1e-08 400 2e-06 2.2e-06 0  as table, at a size that only checks a fit
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
  std::int32_t socket = -1;  // -1: not bound to one socket
  std::int32_t kernel = 0;   // number of the running system; its processes share a clock
};

/// A point of a table: the median of repeats.
struct TablePoint {
  std::string table;
  std::int32_t processes = 0;
  double bytes = 0;
  double seconds = 0, standard_error = 0;
  std::int64_t samples = 0;
  double low = 0, high = 0;  // quartiles of the repeats
  // number of repeats more than three interquartile ranges outside the quartiles; they are kept
  std::int64_t outliers = 0;
  // relative standard error that all points of the table share (combine.h); not in the text
  double drift = 0;
  std::vector<double> repeats{};  // seconds; empty once points of several launches are combined
};

/// A measured value. Values are in the order of measurement; a name may occur again at the end of a launch.
struct Value {
  std::string name;  // "core_speed"
  double value = 0, standard_error = 0;
  std::int64_t samples = 0;
  std::vector<double> repeats{};  // in the unit of the value
};

/// A table that was left out from this size on, for lack of time. 0: the entire table.
struct Omission {
  std::string table;
  std::int32_t processes = 0;
  double bytes = 0;
};

struct Cache {
  std::string name;  // L1, L2, L3
  double bytes = 0;
  std::int32_t shared_by = 0;  // cores; 0: unknown
};

struct SweepPoint {
  std::int32_t cores = 1;
  double bytes = 0, seconds_per_load = 0, bytes_per_second = 0;
  std::int32_t pass = 0;  // number of the launch among those of its process count; not in the text
};

/// The node with the fewest processors per process.
struct Bound {
  std::int32_t processes = 0, processors = 0;  // 0: unknown
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
  // number of further sizes of each table that are measured for checks; not in the text
  std::int32_t sizes_kept_out = 0;
  std::vector<TablePoint> kept_out;  // the points at these sizes; no fit uses them
  std::vector<Value> values;
  std::vector<SweepPoint> sweep;
  std::vector<Omission> left_out;
  // tables with points whose processes could hardly ever start at the same moment (late.h)
  std::vector<std::string> rough;
  std::vector<std::string> notes;
};

/// Returns the file, in the folder of the result, in which the program reports that it has begun.
inline std::filesystem::path begun_file(const std::filesystem::path& result) {
  return result.string() + ".begun";
}

/// Start of the note that several processes write before one-sided calls, because these end the programs of
/// some libraries. The note remains if the processes did not return from them.
inline constexpr std::string_view kWithoutOneSided = "one-sided calls were not measured on ";

/// Part of the note of a launch that left only this note.
inline constexpr std::string_view kEndedEarly = " ended early: ";
/// Returns whether a launch wrote all its measurements, or will never write more.
bool is_final(const Measurements& measurements);

std::string to_text(const Measurements& measurements);
/// Parses the text. Fails if it is incomplete, because the program then did not finish.
Result<Measurements> measurements_from(const std::string& text, const std::string& where);

}  // namespace parcast::calibrate

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reads and writes time-independent traces (TI) of SimGrid: `smpirun -trace-ti` records them and `smpirun
// -replay` simulates them. A line is an action of a rank. All lines are in one file, or in one file per rank;
// then an index file lists the names, one per line.
//
//   0 init                   // sizes without a type are bytes; with any argument: doubles
//   0 compute 2e9            // floating-point operations
//   0 isend 1 7 4096 6       // to, tag, elements, type (6: bytes)
//   0 allreduce 10 500 0     // elements, floating-point operations, type (0: doubles)
//   0 wait 0 1 7             // from, to, tag of the request
//   0 finalize
//
// A trace of Parcast holds times, so both directions convert between operations and times at a given rate.
// SimGrid's replay supports only MPI_COMM_WORLD; so do these functions.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "interchange/otf2.h"
#include "trace/trace.h"

namespace parcast::interchange {

/// Finds the file that a line of an index names, in this order: relative to the index's folder, relative to
/// the working folder, and for an absolute name that does not exist, its last part in the index's folder.
/// Returns nothing if there is no such file.
std::optional<std::filesystem::path> file_in_index(const std::filesystem::path& index, std::string_view line);

struct ImportedTi {
  trace::Trace trace;
  std::uint64_t files = 0, actions = 0;
  std::vector<std::string> warnings;  // assumptions made, a sentence each
};

/// Reads an index file, a file with all ranks, or a folder that write_time_independent() made. Errors name
/// file:line.
Result<ImportedTi> read_time_independent(const std::filesystem::path& path, double flops_per_second,
                                         const Progress& progress = {});

struct ExportedTi {
  std::int32_t ranks = 0;
  std::uint64_t actions = 0;
  std::vector<std::string> warnings;  // what could not be expressed, a sentence each
};

/// Writes the folder `to`, which must not exist, with index.txt and rank-0.txt, ...; it appears under this
/// name when it is complete. The index lists absolute names, so that replay works in any folder: smpirun
/// -replay X.ti/index.txt. Fails if the trace has collectives over a part of the ranks, collectives with
/// neighbours, or negative tags.
Result<ExportedTi> write_time_independent(const trace::Trace& trace, const std::filesystem::path& to,
                                          double flops_per_second, const Progress& progress = {});

}  // namespace parcast::interchange

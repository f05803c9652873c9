// SPDX-License-Identifier: Apache-2.0
#pragma once
// Time-independent traces (TI) of SimGrid and back: what `smpirun -trace-ti` records and `smpirun -replay` simulates. A line
// is an action of a rank; the lines stand in one file, or in one for each rank that an index file lists, a name per line.
//
//   0 init                   // sizes without a type are bytes; with any argument: doubles
//   0 compute 2e9            // floating-point operations
//   0 isend 1 7 4096 6       // to, tag, elements, type (6: bytes)
//   0 allreduce 10 500 0     // elements, floating-point operations, type (0: doubles)
//   0 wait 0 1 7             // from, to, tag of the request
//   0 finalize
//
// A trace holds times, so both ways a rate makes them of operations. SimGrid's replay knows MPI_COMM_WORLD alone; so do
// these.

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

/// The file that a line of an index names: beside the index, else in the working folder, else, of an absolute name that is not
/// there, the one of its last part beside the index. Nothing where there is none.
std::optional<std::filesystem::path> file_in_index(const std::filesystem::path& index, std::string_view line);

struct ImportedTi {
  trace::Trace trace;
  std::uint64_t files = 0, actions = 0;
  std::vector<std::string> warnings;  // what was assumed, a sentence each
};

/// Reads an index file, a file with all ranks, or a folder that write_time_independent() made. Errors name file:line.
Result<ImportedTi> read_time_independent(const std::filesystem::path& path, double flops_per_second, const Progress& progress = {});

struct ExportedTi {
  std::int32_t ranks = 0;
  std::uint64_t actions = 0;
  std::vector<std::string> warnings;  // what could not be expressed, a sentence each
};

/// Writes the folder `to`, which must not exist, with index.txt and rank-0.txt, ...; it appears when it is whole. The
/// index lists absolute names, so that replay runs in any folder: smpirun -replay X.ti/index.txt. An error when the trace has collectives of a part of the ranks, collectives with
/// neighbours, or negative tags.
Result<ExportedTi> write_time_independent(const trace::Trace& trace, const std::filesystem::path& to, double flops_per_second,
                                          const Progress& progress = {});

}  // namespace parcast::interchange

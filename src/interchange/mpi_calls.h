// SPDX-License-Identifier: Apache-2.0
#pragma once
// The functions of MPI by name, with the class that the recorder gives them. An importer needs the class to
// distinguish a send from a region of the user. Generated from the recorder's table
// (src/record/mpi/calls.table).

#include <span>
#include <string_view>

#include "recording/recording.h"

namespace parcast::interchange {

/// What a recording keeps of a call.
enum class Treatment {
  event,
  counted,    // counted by name; its time is not computing
  silent,     // nothing is kept; its time is not computing
  computing,  // nothing is kept; its time is computing, since the call does not communicate
};

struct MpiCall {
  std::string_view name;
  recording::CallClass kind;
  recording::Pattern pattern;
  Treatment treatment;
};

/// All functions, sorted by name.
std::span<const MpiCall> mpi_calls();

/// Finds a function under the names that tools give it: "MPI_Send", "MPI_Send()", "mpi_send_", "MPI_Send_c".
/// Null if there is none.
const MpiCall* find_mpi_call(std::string_view name);

/// Returns MPI_Start and MPI_Startall with the class for requests that receive; returns any other call
/// unchanged.
const MpiCall& receiving(const MpiCall& call);

}  // namespace parcast::interchange

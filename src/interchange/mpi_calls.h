// SPDX-License-Identifier: Apache-2.0
#pragma once
// The functions of MPI by name, with the class that a recorder gives them: what an importer needs to tell a send from a
// region of the user. Made from the recorder's table (src/record/mpi/calls.table).

#include <span>
#include <string_view>

#include "recording/recording.h"

namespace parcast::interchange {

/// What a recording keeps of a call.
enum class Treatment {
  event,
  counted,    // by name; the time in it is no computing
  silent,     // nothing; the time in it is no computing
  computing,  // nothing: it does not communicate
};

struct MpiCall {
  std::string_view name;
  recording::CallClass kind;
  recording::Pattern pattern;
  Treatment treatment;
};

/// Sorted by name.
std::span<const MpiCall> mpi_calls();

/// By name, whatever a tool made of it: "MPI_Send", "MPI_Send()", "mpi_send_", "MPI_Send_c". Null when there is none.
const MpiCall* find_mpi_call(std::string_view name);

/// MPI_Start and MPI_Startall as they are where the request receives; others as they are.
const MpiCall& receiving(const MpiCall& call);

}  // namespace parcast::interchange

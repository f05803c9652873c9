// SPDX-License-Identifier: Apache-2.0
#pragma once
// Gathers the files of ranks that wrote on their own nodes (record --local): on this node, then once on every
// node by the launcher of the run. If that fails, the files stay, and the commands that fetch them are
// printed:
//
//   parcast:   ! 2 of 4 processes are not here: they left no file, or it lies on their node in /scratch; once
//     per node, by any launcher: parcast record --gather app-1.recording, or, without an installation,
//     LD_PRELOAD=... PARCAST_GATHER=... /bin/true

#include <filesystem>
#include <optional>

#include "cli/launch.h"
#include "cli/verb.h"
#include "model/model.h"

namespace parcast::cli {

/// Puts a link into the folder of a recording to where its ranks write; a later gathering finds the files by
/// it.
Result<void> mark_local(const Launch& launch);

struct GatherOutcome {
  int present = 0, processes = 0;  // ranks that are here, of all; processes 0: none is here
  int not_local = 0;               // number of those present that wrote to the recording itself
  bool saw_nodes = false;          // the launcher of the run ran once on each node
  bool is_all = false;             // every rank is here
  std::string failure;             // what could not be gathered here, and why
  /// Returns whether nothing is here, but files may exist on other nodes.
  bool may_be_elsewhere() const { return !is_all && present == 0 && (!saw_nodes || !failure.empty()); }
};

/// Gathers the files after the launch line of `launch` has ended.
GatherOutcome gather_run(const Launch& launch);

/// Returns messages about an incomplete outcome, with the commands to run; nothing if it is complete.
std::optional<program::Notice> gather_notice(const GatherOutcome& outcome, const Launch& launch,
                                             const std::filesystem::path& recording);

/// Runs parcast record --gather.
int run_gather(const Invocation& invocation);

}  // namespace parcast::cli

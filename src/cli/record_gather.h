// SPDX-License-Identifier: Apache-2.0
#pragma once
// Ranks that wrote on their own nodes (record --local), brought together: here, then once on every node by the launcher of
// the run. Where that is not possible the files stay where they are, and the commands that fetch them are said:
//
//   parcast:   ! 2 of 4 processes are not here: they left no file, or it lies on their node in /scratch; once per node, by any
//     launcher: parcast record --gather app-1.recording, or, without an installation, LD_PRELOAD=... PARCAST_GATHER=... /bin/true

#include <filesystem>
#include <optional>

#include "cli/launch.h"
#include "cli/verb.h"
#include "model/model.h"

namespace parcast::cli {

/// The folder of a recording tells, by a link, where its ranks write: a later gathering finds them by it.
Result<void> mark_local(const Launch& launch);

struct GatherOutcome {
  int present = 0, processes = 0;  // of the ranks; processes 0: none is here
  int not_local = 0;               // of those present: that wrote to the recording itself
  bool saw_nodes = false;          // the launcher of the run ran once on each
  bool is_all = false;             // every rank is here
  std::string failure;             // what could not be gathered here, and why
  /// Nothing is here, and it is not known that there is nothing anywhere.
  bool may_be_elsewhere() const { return !is_all && present == 0 && (!saw_nodes || !failure.empty()); }
};

/// After the launch line of `launch` has ended.
GatherOutcome gather_run(const Launch& launch);

/// What a user must know of it, with the commands to run; nothing when it is complete.
std::optional<program::Notice> gather_notice(const GatherOutcome& outcome, const Launch& launch, const std::filesystem::path& recording);

/// parcast record --gather.
int run_gather(const Invocation& invocation);

}  // namespace parcast::cli

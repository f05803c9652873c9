// SPDX-License-Identifier: Apache-2.0
#pragma once
// Whether the system limits the processor time of this process: a quota of a control group (versions 1 and 2)
// or a reservation of the kernel (SCHED_DEADLINE).

#include <filesystem>
#include <string>

namespace parcast::calibrate {

/// Returns whether one of the control groups has a quota, those around it included. `groups`: the content of
/// /proc/PID/cgroup; `mounted`: the folder where control groups are mounted, /sys/fs/cgroup.
bool has_quota(const std::string& groups, const std::filesystem::path& mounted);

/// Returns whether this process is limited in that way.
bool is_limited();

}  // namespace parcast::calibrate

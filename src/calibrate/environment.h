// SPDX-License-Identifier: Apache-2.0
#pragma once
// Properties of a host that its measurements depend on and that may change. A machine file keeps them. A user
// of the file on that host is warned of changes (docs/formats/machine.md, [environment]).

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace parcast::calibrate {

using Environment = std::map<std::string, std::string>;

/// Returns "host", "processor", "cores" (online), "kernel" and, if the system provides them, "governor" and
/// "boost" of the frequency. Without a governor it returns "frequency": the processors' steady_frequency
/// (base/host.h) or "not known".
Environment host_environment();

/// Returns the loaded library that defines `symbol`, with links resolved: "/usr/lib/libmpi.so.40.30.4,
/// 1064904 B"; empty if there is none.
std::string library_of(const char* symbol);

/// Returns the MPI library that a program would load here, in the format of library_of(); empty if the loader
/// finds none.
std::string library_used_by(const std::filesystem::path& program);

/// Returns the changes, a sentence each. Returns nothing if `then` is from another host or does not name its
/// host.
std::vector<std::string> changes_since(const Environment& then, const Environment& now);

}  // namespace parcast::calibrate

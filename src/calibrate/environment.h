// SPDX-License-Identifier: Apache-2.0
#pragma once
// What measurements of a host rest on and may change under them: a machine file keeps it, and whoever uses the file on that host is told
// what is no longer so (docs/formats/machine.md, [environment]).

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace parcast::calibrate {

using Environment = std::map<std::string, std::string>;

/// "host", "processor", "cores" (online), "kernel", and as far as the system tells "governor" and "boost" (of the frequency); without a
/// governor "frequency", as the processors' steady_frequency (base/host.h) or "not known".
Environment host_environment();

/// The loaded library that defines `symbol`: "/usr/lib/libmpi.so.40.30.4, 1064904 B", links followed; empty where none does.
std::string library_of(const char* symbol);

/// The MPI library that a program would load here, as library_of() tells it; empty where the loader does not find one.
std::string library_used_by(const std::filesystem::path& program);

/// What is not as it was, a sentence each. Nothing where `then` is of another host, or says nothing of its host.
std::vector<std::string> changes_since(const Environment& then, const Environment& now);

}  // namespace parcast::calibrate

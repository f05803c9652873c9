// SPDX-License-Identifier: Apache-2.0
#pragma once
// MPI modules for flang. Only the compiler that wrote an installed mpi.mod, mostly gfortran, can read it.
// Every compiler can read mpif.h. So the module `mpi` is compiled from mpif.h once and cached.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace parcast::cli {

/// Returns the folder with the module `mpi` that these words need; nothing if they need none. The folder that
/// the words name holds another compiler's module. The module is compiled on first use and cached below
/// PARCAST_MODULES, XDG_CACHE_HOME/parcast or HOME/.cache/parcast. Fails if it cannot be compiled, and if a
/// source uses `mpi_f08`, which exists only for another compiler.
Result<std::optional<std::filesystem::path>> mpi_modules(const std::string& compiler,
                                                         const std::vector<std::string>& words);

/// Returns whether a source contains `use NAME` outside of any `#if`.
bool uses_module(const std::string& source, const std::string& name);

}  // namespace parcast::cli

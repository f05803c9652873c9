// SPDX-License-Identifier: Apache-2.0
#pragma once
// Modules of MPI for flang. An installed mpi.mod can be read by the compiler that wrote it alone, mostly gfortran; mpif.h can be
// read by all. So the module `mpi` is compiled from that, once, and kept.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace parcast::cli {

/// The folder with the module `mpi` that these words need: the one that they name holds another compiler's. Compiled where it is
/// not there yet, below PARCAST_MODULES, XDG_CACHE_HOME/parcast or HOME/.cache/parcast. An error where that cannot be done,
/// and where a source uses `mpi_f08`, of which there is none but another compiler's.
Result<std::optional<std::filesystem::path>> mpi_modules(const std::string& compiler, const std::vector<std::string>& words);

/// Whether a source says `use NAME`, where no `#if` decides about it.
bool uses_module(const std::string& source, const std::string& name);

}  // namespace parcast::cli

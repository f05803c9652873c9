// SPDX-License-Identifier: Apache-2.0
#pragma once
// Families of MPI libraries. The recorder is built for each one whose mpi.h was there, and leaves programs of the other alone.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/checkup.h"
#include "cli/launcher.h"

namespace parcast::cli {

enum class MpiFamily { open_mpi, mpich };

/// Those that the recorder in this folder was built for: parcast-record-FAMILY.link lies beside it. Both where none of these files is
/// there, since then nobody can tell.
std::vector<MpiFamily> families_recorded_by(const std::filesystem::path& folder);
/// Those of this installation; both where it has no recorder, which is a finding of its own.
std::vector<MpiFamily> families_recorded();

/// Which families are recorded, and how to record the other one.
Finding check_families(const std::vector<MpiFamily>& recorded);
/// Whether programs of this launcher are recorded; `found`: what it says of itself.
Finding check_launcher(Launcher launcher, const std::string& found, const std::vector<MpiFamily>& recorded);
/// The finding that programs of this launcher are not recorded; nothing where they are, or nobody knows its family.
std::optional<Finding> missing_family(Launcher launcher, const std::vector<MpiFamily>& recorded);
/// Which MPI a program uses and whether that is recorded. `libraries`: those that the loader finds, a line each.
Finding check_libraries(const std::string& libraries, const std::vector<MpiFamily>& recorded);

}  // namespace parcast::cli

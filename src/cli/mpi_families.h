// SPDX-License-Identifier: Apache-2.0
#pragma once
// Families of MPI libraries. The recorder is built for each family whose mpi.h was found, and does not touch
// programs of the other family.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/checkup.h"
#include "cli/launcher.h"

namespace parcast::cli {

enum class MpiFamily { open_mpi, mpich };

/// Returns the families for which the recorder in this folder was built: parcast-record-FAMILY.link lies in
/// the folder. Returns both if neither file exists, because the families are then unknown.
std::vector<MpiFamily> families_recorded_by(const std::filesystem::path& folder);
/// Returns the families of this installation; both if it has no recorder, which another finding reports.
std::vector<MpiFamily> families_recorded();

/// Reports which families are recorded, and how to record the other one.
Finding check_families(const std::vector<MpiFamily>& recorded);
/// Reports whether programs of this launcher are recorded; `found`: description of the launcher.
Finding check_launcher(Launcher launcher, const std::string& found, const std::vector<MpiFamily>& recorded);
/// Reports that programs of this launcher are not recorded; nothing if they are, or if the family is unknown.
std::optional<Finding> missing_family(Launcher launcher, const std::vector<MpiFamily>& recorded);
/// Reports which MPI a program uses and whether it is recorded. `libraries`: the libraries that the loader
/// finds, one per line.
Finding check_libraries(const std::string& libraries, const std::vector<MpiFamily>& recorded);

}  // namespace parcast::cli

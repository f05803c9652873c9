// SPDX-License-Identifier: Apache-2.0
#include "cli/mpi_families.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "cli/launch.h"

namespace parcast::cli {
namespace {

struct FamilyWords {
  MpiFamily family;
  const char* file;  // in the recorder's folder
  const char* name;
  const char* headers;  // packages that a build needs
};
constexpr std::array kFamilies{
    FamilyWords{MpiFamily::open_mpi, "parcast-record-open_mpi.link", "Open MPI 4",
                "Open MPI 4 with its headers (Debian: libopenmpi-dev)"},
    FamilyWords{MpiFamily::mpich, "parcast-record-mpich.link", "MPICH and its relatives",
                "MPICH with its headers (Debian: libmpich-dev)"}};

const FamilyWords& words_of(MpiFamily family) {
  return kFamilies[family == MpiFamily::open_mpi ? 0 : 1];
}

bool holds(const std::vector<MpiFamily>& recorded, MpiFamily family) {
  return std::ranges::find(recorded, family) != recorded.end();
}

std::string names_of(const std::vector<MpiFamily>& families) {
  std::vector<std::string> names;
  for (const MpiFamily family : families) names.emplace_back(words_of(family).name);
  return join(names, "; ");
}

std::string how_to_record(MpiFamily family) {
  return std::string("to record programs of ") + words_of(family).name + ": install " +
         words_of(family).headers + ", then build and install Parcast again";
}

/// Returns a finding about that family; not good if this installation does not record it.
Finding of_family(const std::string& subject, const std::string& text, MpiFamily family,
                  const std::vector<MpiFamily>& recorded) {
  if (holds(recorded, family)) return {subject, true, text, ""};
  return {subject, false, text + ": this installation records programs of " + names_of(recorded) + " alone",
          how_to_record(family)};
}

}  // namespace

std::vector<MpiFamily> families_recorded_by(const std::filesystem::path& folder) {
  std::vector<MpiFamily> recorded;
  std::error_code problem;
  for (const FamilyWords& each : kFamilies)
    if (std::filesystem::exists(folder / each.file, problem)) recorded.push_back(each.family);
  if (recorded.empty()) return {MpiFamily::open_mpi, MpiFamily::mpich};
  return recorded;
}

std::vector<MpiFamily> families_recorded() {
  const auto recorder = find_recorder();
  return families_recorded_by(recorder ? recorder->parent_path() : std::filesystem::path());
}

Finding check_families(const std::vector<MpiFamily>& recorded) {
  std::vector<std::string> hints;
  for (const FamilyWords& each : kFamilies)
    if (!holds(recorded, each.family)) hints.push_back(how_to_record(each.family));
  return {"records", true, "programs of " + names_of(recorded) + (hints.empty() ? "" : " alone"),
          join(hints, "; ")};
}

Finding check_launcher(Launcher launcher, const std::string& found, const std::vector<MpiFamily>& recorded) {
  switch (launcher) {
    case Launcher::open_mpi:
      if (found.find(" 4.") == std::string::npos)
        return {"mpirun", false, found, "of Open MPI this version records programs of release 4"};
      return of_family("mpirun", found, MpiFamily::open_mpi, recorded);
    case Launcher::hydra:
      return of_family("mpirun", "Hydra (MPICH or a relative)", MpiFamily::mpich, recorded);
    default:
      return {"mpirun", false, found,
              "this version records programs of Open MPI 4 and of MPICH and its relatives"};
  }
}

std::optional<Finding> missing_family(Launcher launcher, const std::vector<MpiFamily>& recorded) {
  if (launcher != Launcher::open_mpi && launcher != Launcher::hydra) return std::nullopt;
  const MpiFamily family = launcher == Launcher::open_mpi ? MpiFamily::open_mpi : MpiFamily::mpich;
  const Finding finding = of_family(
      "launcher", std::string("the launcher starts programs of ") + words_of(family).name, family, recorded);
  return finding.good ? std::nullopt : std::optional(finding);
}

Finding check_libraries(const std::string& libraries, const std::vector<MpiFamily>& recorded) {
  const std::string unknown =
      "the recorder stays passive; build the program with Open MPI 4, MPICH, or an MPI of the MPICH ABI";
  for (const std::string& line : split(libraries, '\n')) {
    const std::string found(trim(line));
    const auto has = [&](const char* name) { return line.find(name) != std::string::npos; };
    if (has("libmpi.so.40")) return of_family("MPI", "Open MPI 4: " + found, MpiFamily::open_mpi, recorded);
    const bool kin = has("libmpich.so.") || has("libmpi.so.12") || has("libmpi_");
    if (kin && has(".so.12"))
      return of_family("MPI", "MPICH or a relative: " + found, MpiFamily::mpich, recorded);
    if (has("libmpich.so.") || has("libmpi.so")) return {"MPI", false, "another MPI: " + found, unknown};
  }
  if (libraries.find("libparcast.so") != std::string::npos)
    return {"MPI", true, "none: the program's regions and phases are recorded, as a run of one process", ""};
  return {"MPI", false, "the program needs no MPI library",
          "nothing would be recorded, unless it loads MPI while running"};
}

}  // namespace parcast::cli

// SPDX-License-Identifier: Apache-2.0
#include "cli/machine_catalogue.h"

#include <algorithm>

#include "base/shell.h"
#include "machine/machine_file.h"

namespace parcast::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMachineEnding = ".machine.toml";

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code problem;
  for (fs::directory_iterator at(folder, problem), end; !problem && at != end; at.increment(problem))
    if (at->path().filename().string().ends_with(kMachineEnding))
      names.push_back(machine::name_of_file(at->path()));
  std::sort(names.begin(), names.end());
  return names;
}

/// Returns ../share of an installation or a build; the program of a test lies two folders deeper.
fs::path published_folder() {
  std::error_code problem;
  const fs::path self = fs::read_symlink("/proc/self/exe", problem).parent_path();
  for (const fs::path& up : {self / "..", self / ".." / ".."})
    if (const fs::path folder = up / PARCAST_DATADIR / "parcast" / "machines";
        fs::is_directory(folder, problem))
      return folder;
  return {};
}

}  // namespace

std::vector<machine::Machine> built_in_machines() {
  return {machine::ideal_machine(), machine::extrap_machine()};
}

std::vector<std::string> machines_here() {
  return names_in(".");
}

std::vector<std::string> published_machines() {
  const fs::path folder = published_folder();
  return folder.empty() ? std::vector<std::string>() : names_in(folder);
}

std::string show_command(const std::string& machine) {
  const bool is_here = machine.find('/') == std::string::npos && machine.ends_with(kMachineEnding);
  return "parcast machine show " + shell_quoted(is_here ? machine::name_of_file(machine) : machine);
}

std::optional<fs::path> published_machine(const std::string& name) {
  const std::vector<std::string> names = published_machines();
  if (std::find(names.begin(), names.end(), name) == names.end()) return std::nullopt;
  return fs::weakly_canonical(published_folder() / (name + std::string(kMachineEnding)));
}

}  // namespace parcast::cli

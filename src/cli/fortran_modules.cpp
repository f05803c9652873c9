// SPDX-License-Identifier: Apache-2.0
#include "cli/fortran_modules.h"

#include <unistd.h>

#include <cctype>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "base/files.h"
#include "base/text.h"
#include "base/umask.h"
#include "cli/launcher.h"
#include "interchange/mpi_calls.h"

namespace parcast::cli {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> include_folders(const std::vector<std::string>& words) {
  std::vector<fs::path> folders;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "-I" && i + 1 < words.size())
      folders.emplace_back(words[++i]);
    else if (words[i].starts_with("-I"))
      folders.emplace_back(words[i].substr(2));
  }
  return folders;
}

std::optional<fs::path> first_with(const std::vector<fs::path>& folders, const std::string& name) {
  std::error_code problem;
  for (const fs::path& folder : folders)
    if (fs::is_regular_file(folder / name, problem)) return folder / name;
  return std::nullopt;
}

/// Returns whether flang wrote the module. Modules of other compilers are compressed, or begin otherwise.
bool is_flangs(const fs::path& module) {
  std::ifstream file(module);
  std::string line;
  std::getline(file, line);
  return line.find("!mod$") != std::string::npos;
}

bool is_fortran_source(const std::string& word) {
  const std::string ending = fs::path(word).extension();
  return !word.starts_with("-") && (ending.starts_with(".f") || ending.starts_with(".F"));
}

Result<fs::path> cache() {
  const auto set = [](const char* name) {
    const char* value = std::getenv(name);
    return fs::path(value ? value : "");
  };
  if (const fs::path folder = set("PARCAST_MODULES"); !folder.empty()) return folder;
  if (const fs::path folder = set("XDG_CACHE_HOME"); !folder.empty()) return folder / "parcast";
  if (const fs::path folder = set("HOME"); !folder.empty()) return folder / ".cache" / "parcast";
  return Error{"there is no folder to keep the module mpi in", "", "name one in PARCAST_MODULES"};
}

/// Functions and predefined callbacks, which mpif.h declares.
bool is_declared(std::string_view name) {
  return name == "MPI_Wtime" || name == "MPI_Wtick" || name.starts_with("MPI_Aint_") ||
         name.find("_FN") != name.npos;
}

/// mpif.h does not declare the routines. They are named here, so that `use mpi, only: MPI_Send` finds them.
std::string module_source() {
  std::string text =
      "! What `use mpi` means to flang, by the mpif.h of the MPI library.\nmodule mpi\n  include 'mpif.h'\n";
  for (const interchange::MpiCall& call : interchange::mpi_calls())
    if (call.name.starts_with("MPI_") && !is_declared(call.name))
      text += "  external :: " + std::string(call.name) + "\n";
  return text + "end module mpi\n";
}

/// Compiles the modules in a temporary folder and renames it when complete: other processes may do the same
/// at this time.
Result<void> make_modules(const std::string& compiler, const fs::path& folder, const fs::path& header,
                          const std::vector<fs::path>& folders) {
  const Error unwritable{"the module mpi could not be kept", folder.string(),
                         "name a folder that can be written to in PARCAST_MODULES"};
  std::error_code problem;
  fs::create_directories(folder.parent_path(), problem);
  std::string unfinished = folder.string() + ".XXXXXX";
  if (!::mkdtemp(unfinished.data())) return unwritable;
  const fs::path source = fs::path(unfinished) / "mpi.f90";
  Result<void> done = write_file(source, module_source());
  if (done) {
    std::vector<std::string> command{compiler, "-fsyntax-only", "-w", "-J" + unfinished,
                                     "-I" + header.parent_path().string()};
    for (const fs::path& each : folders) command.push_back("-I" + each.string());
    command.push_back(source.string());
    output_of(command);
    if (!fs::exists(fs::path(unfinished) / "mpi.mod", problem))
      done = Error{"the module mpi could not be made for " + compiler, header.string(),
                   "does the compiler accept this file by `include`?"};
  } else {
    done = unwritable;
  }
  if (done) {
    fs::permissions(unfinished, folder_permissions(), problem);
    fs::rename(unfinished, folder, problem);
    if (problem && !fs::exists(folder / "mpi.mod")) done = unwritable;
  }
  fs::remove_all(unfinished, problem);
  return done;
}

}  // namespace

bool uses_module(const std::string& source, const std::string& name) {
  int conditions = 0;
  std::istringstream lines(source);
  for (std::string line; std::getline(lines, line);) {
    std::string text;
    for (const char letter : line)
      if (!std::isspace(static_cast<unsigned char>(letter)))
        text += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    if (text.starts_with("#if")) ++conditions;
    if (text.starts_with("#endif")) --conditions;
    if (conditions > 0 || !text.starts_with("use")) continue;
    text = text.substr(text.starts_with("use,") ? std::min(text.find("::"), text.size()) : 3);
    if (text.starts_with("::")) text = text.substr(2);
    if (text.substr(0, text.find_first_of(",!;")) == name) return true;
  }
  return false;
}

Result<std::optional<fs::path>> mpi_modules(const std::string& compiler,
                                            const std::vector<std::string>& words) {
  const std::optional<fs::path> none;
  const std::vector<fs::path> folders = include_folders(words);
  if (const auto theirs = first_with(folders, "mpi_f08.mod"); theirs && !is_flangs(*theirs))
    for (const std::string& word : words)
      if (const auto source = is_fortran_source(word) ? read_file(word) : Result<std::string>(std::string());
          source && uses_module(*source, "mpi_f08"))
        return Error{"the module mpi_f08 of this MPI library is another compiler's, and cannot be made anew",
                     word, "`use mpi` or mpif.h work; or an MPI library that was built with flang"};
  const auto theirs = first_with(folders, "mpi.mod"), header = first_with(folders, "mpif.h");
  if (!theirs || is_flangs(*theirs) || !header) return none;
  PARCAST_ASSIGN(const std::string text, read_file(*header));
  PARCAST_ASSIGN(const fs::path kept, cache());
  std::error_code problem;
  const fs::path folder =
      kept / ("flang-" + digest(compiler + "\n" + fs::canonical(*header, problem).string() + "\n" + text +
                                module_source())
                             .substr(0, 16));
  if (!fs::exists(folder / "mpi.mod", problem)) PARCAST_TRY(make_modules(compiler, folder, *header, folders));
  return std::optional(folder);
}

}  // namespace parcast::cli

// SPDX-License-Identifier: Apache-2.0
#include "cli/opening_command.h"

#include <filesystem>

#include "base/shell.h"

namespace parcast::cli {
namespace {

/// Prevents that a name with a leading dash is taken for a flag.
std::string argument(const std::string& path) {
  return shell_quoted(path.starts_with('-') ? "./" + path : path);
}

/// smpirun splits lines of the index at blanks, so the command changes to a folder where no path is needed.
std::string replay(const std::string& folder, std::int32_t ranks) {
  const std::string smpirun = "smpirun -np " + std::to_string(ranks) + " -platform PLATFORM.xml -replay ";
  const std::string index = (std::filesystem::path(folder) / "index.txt").string();
  if (shell_quoted(index) == index && !index.starts_with('-')) return smpirun + index;
  return "cd " + argument(folder) + " && " + smpirun + "index.txt";
}

std::string binary_of(const std::string& goal) {
  return std::filesystem::path(goal).replace_extension(".bgoal").string();
}

}  // namespace

std::string opening_command(std::string_view format, const std::string& path, std::int32_t ranks) {
  const std::string file = argument(path);
  if (format == "otf2")
    return "otf2-print " + argument((std::filesystem::path(path) / "traces.otf2").string());
  if (format == "goal")
    return "txt2bin -i " + file + " -o " + argument(binary_of(path)) + " && LogGOPSim -f " +
           argument(binary_of(path));
  if (format == "goal-binary") return "LogGOPSim -f " + file;
  if (format == "ti") return replay(path, ranks);
  if (format == "trace") return "parcast show " + file;
  if (format == "perfetto") return "trace_processor_shell " + file;
  if (format == "csv") return "parcast fit " + file;
  if (format == "extrap-text") return "extrap --text " + file;
  if (format == "extrap-json" || format == "extrap-jsonl") return "extrap --json " + file;
  return "";
}

std::string opening_line(std::string_view format, const std::string& path, std::int32_t ranks) {
  const char* other = format == "otf2"       ? " (or in Vampir)"
                      : format == "perfetto" ? " (or at ui.perfetto.dev)"
                                             : "";
  return std::string("  open it") + other + ": " + opening_command(format, path, ranks) + "\n";
}

}  // namespace parcast::cli

// SPDX-License-Identifier: Apache-2.0
#include "build_model/record_line.h"

#include <algorithm>
#include <optional>

#include "base/plain_number.h"
#include "base/shell.h"
#include "base/text.h"

namespace parcast::program {
namespace {

using recording::Recording;

/// Returns the command of a program with collections (include/parcast/collections.h), whose own words choose
/// the number of processors: --collections cooperative:32. Nothing for programs that a launcher starts.
std::optional<std::vector<std::string>> with_virtual_processors(const NextRecording& next,
                                                                const Recording& like) {
  if (like.mpi_library != "Parcast collections, cooperative" &&
      like.mpi_library != "Parcast collections, threads")
    return std::nullopt;
  std::vector<std::string> words = next.command;
  for (std::string& word : words)
    for (const char* runtime : {"cooperative:", "threads:"})
      if (const auto at = word.find(runtime); at != std::string::npos) {
        const auto begin = at + std::string_view(runtime).size(),
                   end = std::min(word.find_first_not_of("0123456789", begin), word.size());
        word.replace(begin, end - begin, std::to_string(next.point.processes));
      }
  return words;
}

}  // namespace

std::string record_line(const NextRecording& next, const std::vector<std::string>& parameters,
                        const Recording& like) {
  std::string out = "parcast record";
  for (const std::string& name : parameters)
    out += " --param " + shell_quoted(name + "=" + format_plain(next.point.parameters.at(name)));
  // By default Open MPI does not start more processes than cores. Counts are right on fewer cores too.
  if (const auto words = with_virtual_processors(next, like)) {
    out += " --";
    for (const std::string& word : *words) out += " " + shell_quoted(word);
    return out;
  }
  const bool crowded = like.cores_per_host > 0 && next.point.processes > like.cores_per_host &&
                       like.mpi_library.starts_with("Open MPI");
  out += std::string(" -- mpirun") + (crowded ? " --oversubscribe" : "") + " -n " +
         std::to_string(next.point.processes);
  for (const std::string& word : next.command) out += " " + shell_quoted(word);
  return out;
}

}  // namespace parcast::program

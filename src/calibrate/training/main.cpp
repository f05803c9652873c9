// SPDX-License-Identifier: Apache-2.0
// parcast-calibrate: the training program. It runs as the processes of one launch, measures for the given
// time and writes its results to one file. `parcast calibrate` starts it and fits the machine to the files of
// several launches.
//
//   mpirun -n 2 parcast-calibrate [--kept-out N] OUTPUT SECONDS [known link]...
//
// With --kept-out each table is also measured at about N sizes that no fit uses, to check the fit
// (bench/calibrate/held_out.cpp).
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "base/files.h"
#include "base/text.h"
#include "calibrate/environment.h"
#include "calibrate/training/core.h"
#include "calibrate/training/messages.h"
#include "calibrate/training/one_sided.h"
#include "calibrate/training/operations.h"
#include "calibrate/training/overlap.h"
#include "calibrate/training/patterns.h"
#include "calibrate/training/threads.h"
#include "recording/library_name.h"

#ifdef __SANITIZE_ADDRESS__
// Open MPI keeps memory until its processes end.
extern "C" int __lsan_is_turned_off() {
  return 1;
}
#endif

namespace parcast::training {
namespace {

calibrate::Measurements facts(const Team& team, const Host& host) {
  calibrate::Measurements out;
  out.processes = team.size();
  out.processor = host.processor;
  char version[MPI_MAX_LIBRARY_VERSION_STRING], name[128];
  int length = 0;
  MPI_Get_library_version(version, &length);
  parcast_library_name(name, version);
  out.mpi_library = name;
  out.environment = calibrate::host_environment();
  if (!out.mpi_library.empty()) out.environment["mpi"] = out.mpi_library;
  if (const std::string library = calibrate::library_of("MPI_Get_library_version"); !library.empty())
    out.environment["mpi_library"] = library;
  out.cores = host.cores, out.sockets = host.sockets;
  out.threads_per_core = host.threads_per_core, out.memories = host.memories;
  out.memory = host.memory, out.page = host.page, out.cache_line = host.cache_line;
  out.caches = host.caches;
  out.places = team.places();
  out.bound = team.bound();
  return out;
}

/// Divides the time of one launch.
void train(Team& team, const Host& host, double seconds, const std::set<std::string>& known,
           calibrate::Measurements& into) {
  if (team.size() == 1) {
    measure_core(team, 0.15 * seconds, into);
    measure_memory(team, host, 0.5 * seconds, into);
    measure_operations(0.12 * seconds, into);
    measure_pages(0.02 * seconds, into);
    measure_patterns(team, host.memory_allowed, 0.12 * seconds, into);
    measure_threads(host.cores, 0.04 * seconds, into);
    measure_core(team, 0.05 * seconds, into);
    return;
  }
  const Nanoseconds end = now() + static_cast<Nanoseconds>(seconds * 1e9);
  const bool new_links = [&] {
    for (const auto& place : team.places())
      if (&place != &team.places().front() &&
          !known.contains(link_between(team.places().front(), place, host.sockets)))
        return true;
    return false;
  }();
  if (team.share(new_links)) measure_messages(team, known, host, 0.4 * seconds, into);
  if (team.share(team.ranks_on_my_node()) > 1) {
    measure_core(team, 0.04 * seconds, into);
    measure_memory(team, host, 0.12 * seconds, into);
  }
  measure_allreduce_overlap(team, 0.02 * seconds, into);
  const bool beside = team.share(team.ranks_on_my_node()) > 1;
  // One-sided calls follow after everything else has been written.
  measure_patterns(team, host.memory_allowed,
                   0.85 * team.share(static_cast<double>(end - now()) * 1e-9) - (beside ? 0.03 * seconds : 0),
                   into);
  // Measured again, to detect a change during the launch.
  if (beside) measure_core(team, 0.03 * seconds, into);
}

bool leave(const Team& team, const calibrate::Measurements& measurements, const std::string& file) {
  if (!team.leads()) return true;
  const auto written = write_file(file, to_text(measurements));
  if (!written) std::fprintf(stderr, "parcast-calibrate: %s\n", to_string(written.error()).c_str());
  return bool(written);
}

int run(int count, char** arguments) {
  Team team(MPI_COMM_WORLD);
  std::vector<std::string> words(arguments + 1, arguments + count);
  const bool checked = words.size() >= 2 && words[0] == "--kept-out";
  const auto kept_out = checked ? parse_integer(words[1]) : 0;
  if (checked) words.erase(words.begin(), words.begin() + 2);
  const auto seconds = words.size() >= 2 ? parse_double(words[1]) : std::nullopt;
  if (!seconds || !(*seconds > 0) || !kept_out || *kept_out < 0 || *kept_out > 1000) {
    if (team.leads())
      std::fprintf(stderr, "usage: parcast-calibrate [--kept-out N] OUTPUT SECONDS [known link]...\n");
    return 2;
  }
  if (team.leads()) static_cast<void>(write_file(calibrate::begun_file(words[0]), ""));
  const std::set<std::string> known(words.begin() + 2, words.end());
  wake_on_time();
  const Host host = this_host();
  calibrate::Measurements measurements = facts(team, host);
  measurements.sizes_kept_out = static_cast<std::int32_t>(*kept_out);
  const Nanoseconds end = now() + static_cast<Nanoseconds>(*seconds * 1e9);
  train(team, host, *seconds, known, measurements);
  // Some libraries end the program or stop in one-sided calls that they do not support. The result written so
  // far then has this note.
  if (team.size() > 1)
    measurements.notes.push_back(std::string(calibrate::kWithoutOneSided) + std::to_string(team.size()) +
                                 " processes");
  if (!leave(team, measurements, words[0])) return 1;
  if (team.size() == 1) return 0;
  measurements.notes.pop_back();
  measure_one_sided(team, std::max(0.1, team.share(static_cast<double>(end - now()) * 1e-9)), measurements);
  return leave(team, measurements, words[0]) ? 0 : 1;
}

}  // namespace
}  // namespace parcast::training

int main(int count, char** arguments) {
  MPI_Init(&count, &arguments);
  const int code = parcast::training::run(count, arguments);
  MPI_Finalize();
  return code;
}

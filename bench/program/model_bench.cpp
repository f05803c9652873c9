// SPDX-License-Identifier: Apache-2.0
// Measures the speed from recordings to a model on one core, with all steps of `parcast model`: each
// recording is read, its call sites are resolved, its events are reduced to totals and a trace, and it is
// released. Then the model is built, the structure found, and both are written.
//   parcast_model_bench A.recording [B.recording ...]
//   3 recordings, 12.4 MB, 193,211 events: 0.31 s (0.62 M events/s)
//     reading 0.06 s, call sites 0.02 s, totals and traces 0.09 s, model 0.08 s, structure 0.05 s, writing
//     0.01 s; at most 58 MiB
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <filesystem>

#include "base/text.h"
#include "build_model/recorded_runs.h"
#include "model/model_file.h"
#include "observations/arguments.h"

using namespace parcast;

namespace {

std::uintmax_t size_of(const std::filesystem::path& folder) {
  std::uintmax_t bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    bytes += entry.is_regular_file() ? entry.file_size() : 0;
  return bytes;
}

double most_mebibytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

/// Seconds by stage.
class Stages {
 public:
  void end(double& stage) {
    const auto now = std::chrono::steady_clock::now();
    stage += std::chrono::duration<double>(now - begin_).count();
    begin_ = now;
  }
  double reading = 0, sites = 0, events = 0, model = 0, structure = 0, writing = 0;
  double all() const { return reading + sites + events + model + structure + writing; }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

struct Read {
  double megabytes = 0;
  std::uint64_t events = 0;
};

Result<Read> read_all(int count, char** paths, program::RecordedRuns& runs, Stages& stages) {
  Read read;
  for (int i = 0; i < count; ++i) {
    PARCAST_ASSIGN(auto recording, recording::read_recording(paths[i]));
    stages.end(stages.reading);
    recording::resolve_sites(recording);
    stages.end(stages.sites);
    read.megabytes += static_cast<double>(size_of(paths[i])) * 1e-6;
    for (const auto& rank : recording.ranks) read.events += recording::event_count(rank);
    runs.add(std::move(recording));
    stages.end(stages.events);
  }
  return read;
}

Result<void> write_away(const program::Model& model) {
  const auto path =
      std::filesystem::temp_directory_path() /
      ("parcast_model_bench_" + std::to_string(std::chrono::steady_clock::now().time_since_epoch().count()) +
       ".model.json");
  PARCAST_TRY(program::write_model(path, model));
  std::filesystem::remove(path);
  return {};
}

Result<Read> measure(int count, char** paths, Stages& stages) {
  program::RecordedRuns runs;
  PARCAST_ASSIGN(const Read read, read_all(count, paths, runs, stages));
  program::take_arguments(runs.recordings());
  PARCAST_ASSIGN(program::Model model, runs.make_model());
  stages.end(stages.model);
  model.structure = runs.find_structure();
  stages.end(stages.structure);
  PARCAST_TRY(write_away(model));
  stages.end(stages.writing);
  if (!model.structure->found()) std::printf("no structure: %s\n", model.structure->missing.what.c_str());
  return read;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::fputs("usage: parcast_model_bench R.recording...\n", stderr), 2;
  Stages stages;
  const auto read = measure(argc - 1, argv + 1, stages);
  if (!read) return std::fprintf(stderr, "%s\n", to_string(read.error()).c_str()), 1;
  std::printf("%d recordings, %.1f MB, %s events: %.2f s (%.2f M events/s)\n", argc - 1, read->megabytes,
              format_integer(static_cast<long long>(read->events)).c_str(), stages.all(),
              1e-6 * static_cast<double>(read->events) / stages.all());
  std::printf(
      "  reading %.2f s, call sites %.2f s, totals and traces %.2f s, model %.2f s, structure %.2f s, "
      "writing %.2f s; at most %.0f MiB\n",
      stages.reading, stages.sites, stages.events, stages.model, stages.structure, stages.writing,
      most_mebibytes());
  return 0;
}

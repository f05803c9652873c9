// SPDX-License-Identifier: Apache-2.0
// How fast recordings are read and turned into a model, on one core:
//   parcast_model_bench A.recording [B.recording ...]
//   3 recordings, 12.4 MB, 193,211 events: read 210 MB/s, model 55 MB/s (0.9 M events/s)
#include <chrono>
#include <cstdio>
#include <filesystem>

#include "program/model.h"
#include "recording/recording.h"

using namespace parcast;

namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

std::uintmax_t size_of(const std::filesystem::path& folder) {
  std::uintmax_t bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".rec") bytes += entry.file_size();
  return bytes;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::fputs("usage: parcast_model_bench R.recording...\n", stderr), 2;
  double megabytes = 0, events = 0;
  std::vector<recording::Recording> recordings;
  const double start = now();
  for (int i = 1; i < argc; ++i) {
    auto one = recording::read_recording(argv[i]);
    if (!one) return std::fprintf(stderr, "%s\n", to_string(one.error()).c_str()), 1;
    megabytes += static_cast<double>(size_of(argv[i])) * 1e-6;
    for (const auto& rank : one->ranks) events += static_cast<double>(parcast::recording::event_count(rank));
    recordings.push_back(std::move(*one));
  }
  const double read = now();
  const auto model = program::build_model(recordings);
  const double built = now();
  if (!model) return std::fprintf(stderr, "%s\n", to_string(model.error()).c_str()), 1;
  std::printf("%d recordings, %.1f MB, %.0f events: read %.0f MB/s, model %.0f MB/s (%.2f M events/s)\n", argc - 1, megabytes, events,
              megabytes / (read - start), megabytes / (built - read), 1e-6 * events / (built - read));
  return 0;
}

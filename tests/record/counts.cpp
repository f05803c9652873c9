// SPDX-License-Identifier: Apache-2.0
// Prints the counts of a recording in the format of the counting shim, for one rank: counts FOLDER RANK.
#include <cstdio>
#include <cstdlib>

#include "base/result.h"
#include "recording/recording.h"

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const auto recording = parcast::recording::read_recording(argv[1]);
  if (!recording) return std::fprintf(stderr, "%s\n", to_string(recording.error()).c_str()), 1;
  for (const auto& loss : recording->losses) std::fprintf(stderr, "%s\n", loss.what.c_str());
  const int wanted = std::atoi(argv[2]);
  for (const auto& rank : parcast::recording::count(*recording)) {
    if (rank.rank != wanted) continue;
    for (const auto& [name, count] : rank.calls)
      if (name.starts_with("MPI_") && name != "MPI_Init" && name != "MPI_Init_thread")
        std::printf("%s %llu\n", name.c_str(), static_cast<unsigned long long>(count));
    std::printf("messages %llu\nbytes %llu\ncollective %llu\n",
                static_cast<unsigned long long>(rank.messages_sent),
                static_cast<unsigned long long>(rank.bytes_sent),
                static_cast<unsigned long long>(rank.collective_bytes));
  }
  return recording->losses.empty() ? 0 : 3;
}

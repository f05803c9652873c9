// SPDX-License-Identifier: Apache-2.0
// Prints the counts of a recording's ranks, for the tests of the recorder: sets RECORDING prints per rank its
// sets, each with its counters in the format of print_counters.c, and the losses.
#include <cinttypes>
#include <cstdio>
#include <map>

#include "recording/recording.h"

using namespace parcast::recording;

namespace {

const char* name_of(SetKind kind) {
  switch (kind) {
    case SetKind::start: return "start";
    case SetKind::others: return "others";
    case SetKind::event: return "event";
    case SetKind::threads: return "threads";
  }
  return "?";
}

void print(const Recording& recording, const RankRecording& rank, const CountedSet& set) {
  std::printf("set %d %s", rank.rank, name_of(set.kind));
  if (set.kind == SetKind::event)
    std::printf(" %s %d /%s", recording.calls[set.call].name.c_str(), rank.sites[set.site].line, rank.regions[set.region].c_str());
  std::printf("\n");
  for (const ModuleCounts& counts : set.modules) {
    const CountedModule& module = rank.counted.modules[counts.module];
    std::printf("module %" PRIX64 " %" PRIu64 " %" PRIu64 "\n", module.id, module.counters, module.probes);
    const std::map<std::uint32_t, std::uint64_t> counters(counts.counters.begin(), counts.counters.end());
    for (std::uint32_t i = 0; i < module.counters; ++i) std::printf("%" PRIu64 "\n", counters.contains(i) ? counters.at(i) : 0);
    const std::map<std::uint32_t, ProbeValues> probes(counts.probes.begin(), counts.probes.end());
    for (std::uint32_t i = 0; i < module.probes; ++i) {
      const ProbeValues values = probes.contains(i) ? probes.at(i) : ProbeValues{};
      std::printf("%" PRId64 "\n%" PRIu64 "\n%" PRId64 "\n%" PRId64 "\n", values.first, values.noticed, values.least, values.most);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  auto recording = read_recording(argv[1]);
  if (!recording) return std::fprintf(stderr, "%s\n", to_string(recording.error()).c_str()), 1;
  resolve_sites(*recording);
  for (const RankRecording& rank : recording->ranks) {
    const Counted& counted = rank.counted;
    std::printf("rank %d %d %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", rank.rank, counted.kept, counted.events_together, counted.threads_together, counted.left_out);
    for (const CountedSet& set : counted.sets) print(*recording, rank, set);
  }
  for (const Loss& loss : recording->losses) std::printf("loss %s\n", loss.what.c_str());
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
#pragma once
// What threads used in regions, from the blocks of a rank's file that hold it (usage.h writes them).

#include <string_view>
#include <vector>

#include "recording/definitions.h"
#include "recording/records.h"
#include "recording/recording.h"

namespace parcast::recording {

class UsageReader {
 public:
  /// `counters`: PARCAST_LIVE_COUNTERS. `ended`: the file was closed, so that nothing in it is half written.
  UsageReader(std::uint64_t counters, bool ended, LossList& losses) : counters_(counters), ended_(ended), losses_(losses) {}
  /// All places of a block; those that contradict themselves are a loss.
  void take(std::string_view block);
  /// By thread and region; regions become indices of the rank's.
  void finish(const Definitions& definitions, RankRecording& rank);

 private:
  void take_place(const parcast_usage& place);

  std::uint64_t counters_;
  bool ended_;
  LossList& losses_;
  std::vector<Usage> usage_;
  std::uint64_t damaged_ = 0;
};

}  // namespace parcast::recording

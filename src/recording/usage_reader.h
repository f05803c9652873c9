// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reads what threads used in regions, from the usage blocks of a rank's file (written by usage.h).

#include <string_view>
#include <vector>

#include "recording/definitions.h"
#include "recording/recording.h"
#include "recording/records.h"

namespace parcast::recording {

class UsageReader {
 public:
  /// `counters`: PARCAST_LIVE_COUNTERS. `ended`: the file was closed, so that nothing in it is half written.
  UsageReader(std::uint64_t counters, bool ended, LossList& losses)
      : counters_(counters), ended_(ended), losses_(losses) {}
  /// Reads all places of a block; contradictory ones become a loss.
  void take(std::string_view block);
  /// Sorts the usage by thread and region, and converts regions to the rank's indices.
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

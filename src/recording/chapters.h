// SPDX-License-Identifier: Apache-2.0
#pragma once
// The folded events of a rank's file, brought from the file's numbers and ticks to indices and nanoseconds.

#include <optional>
#include <string_view>

#include "recording/definitions.h"
#include "recording/time_scale.h"

namespace parcast::recording {

class Chapters {
 public:
  Chapters(std::int32_t processes, LossList& losses) : processes_(processes), losses_(losses) {}

  struct End {
    std::uint64_t ticks;                  // exit of the last event
    std::vector<Completion> completions;  // of the event that follows
  };
  /// Takes the thread's next chapter, and says where it ends; nothing when it contradicts itself.
  std::optional<End> take(std::uint16_t thread, std::string_view description);
  /// Call, site and region of the last event taken of a thread, as the file numbers them.
  Event last_event(std::uint16_t thread) const;
  /// When all was seen: hands the chapters to the rank.
  void finish(Definitions& definitions, const TimeScale& scale, RankRecording& rank);
  /// Nanoseconds of computing in a rank's chapters.
  static std::int64_t computing(const RankRecording& rank);

 private:
  void refer(Chapter& chapter, Definitions& definitions);
  void refer_columns(FoldedKey& key, const Definitions& definitions);

  std::int32_t processes_;
  LossList& losses_;
  std::vector<Chapter> chapters_;
  std::uint64_t unknown_calls_ = 0, unknown_references_ = 0, bad_peers_ = 0;
};

}  // namespace parcast::recording

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Converts the folded events of a rank's file from the file's numbers and ticks to indices and nanoseconds.

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
    std::vector<Completion> completions;  // of the event that follows the chapter
  };
  /// Reads the thread's next chapter and returns its end; nothing when the chapter contradicts itself.
  std::optional<End> take(std::uint16_t thread, std::string_view description);
  /// Returns call, site and region of the thread's last event so far, numbered as in the file.
  Event last_event(std::uint16_t thread) const;
  /// Moves the chapters to the rank. Call it after all records were read.
  void finish(Definitions& definitions, const TimeScale& scale, RankRecording& rank);
  /// Returns the nanoseconds of computing in a rank's chapters.
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

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reads the phases of a rank's probe from their records. Each phase begins where the previous one ended;
// otherwise phases in between are missing, which is a Loss.

#include <map>

#include "recording/records.h"
#include "recording/time_scale.h"

namespace parcast::recording {

class PhaseReader {
 public:
  /// These take a record; they return false when its content is invalid.
  bool take_name(const RecordView& record);
  bool take_phase(const RecordView& record);
  /// Fills the rank's phases. Call it after all records were read. `refused`: calls that the recorder
  /// refused; `counters`: PARCAST_LIVE_COUNTERS.
  void finish(const TimeScale& scale, std::uint64_t refused, std::uint64_t counters, RankRecording& rank,
              LossList& losses);

 private:
  struct Raw {
    parcast_phase_span span;
    bool refused;
    // index into samples_; few phases have a sample
    std::optional<std::uint32_t> sample;
  };
  struct Sample {
    parcast_phase_used used;
    std::optional<parcast_phase_counts> counts;
  };

  static PhaseUsage usage_of(const Sample& sample, std::uint64_t counters);

  std::uint32_t index_of(std::uint32_t number, RankRecording& rank);

  std::map<std::uint32_t, std::string> names_;    // by number in the file
  std::map<std::string, std::uint32_t> indices_;  // name -> index into phase_names
  std::vector<Raw> phases_;
  std::vector<Sample> samples_;
  std::uint64_t nameless_ = 0;
};

/// Adds each finalised rank's last phase, "end" of kind idle. It lasts from the rank's last phase to the end
/// of the longest time line; each time line counts from its own beginning. Afterwards all are equally long.
/// Does nothing when phases were not recorded.
void end_time_lines(std::vector<RankRecording>& ranks);

}  // namespace parcast::recording

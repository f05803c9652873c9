// SPDX-License-Identifier: Apache-2.0
#pragma once
// Phases of a rank's probe, from their records. Each begins where the one before ended; where it does not, phases between them
// are missing, which is a Loss.

#include <map>

#include "recording/records.h"
#include "recording/time_scale.h"

namespace parcast::recording {

class PhaseReader {
 public:
  /// Take a record; false when it does not hold what it should.
  bool take_name(const RecordView& record);
  bool take_phase(const RecordView& record);
  /// When all records were seen: fills the rank's phases. `refused`: calls that the recorder left out; `counters`: PARCAST_LIVE_COUNTERS.
  void finish(const TimeScale& scale, std::uint64_t refused, std::uint64_t counters, RankRecording& rank, LossList& losses);

 private:
  struct Raw {
    parcast_phase_span span;
    bool refused;
    std::optional<std::uint32_t> sample;  // index into samples_: few phases have one
  };
  struct Sample {
    parcast_phase_used used;
    std::optional<parcast_phase_counts> counts;
  };

  static PhaseUsage usage_of(const Sample& sample, std::uint64_t counters);

  std::uint32_t index_of(std::uint32_t number, RankRecording& rank);

  std::map<std::uint32_t, std::string> names_;      // by number in the file
  std::map<std::string, std::uint32_t> indices_;    // of phase_names
  std::vector<Raw> phases_;
  std::vector<Sample> samples_;
  std::uint64_t nameless_ = 0;
};

/// Adds each finalised rank's last phase, "end" of kind idle: from its last phase to where the longest of all time lines ends,
/// each counted from its own beginning. Then all are equally long. None where phases were not kept.
void end_time_lines(std::vector<RankRecording>& ranks);

}  // namespace parcast::recording

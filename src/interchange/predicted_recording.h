// SPDX-License-Identifier: Apache-2.0
#pragma once
// Turns a simulated run into a recording, as if it had been recorded on the predicted machine; export_otf2
// writes it. Times are integer nanoseconds. Computing belongs to the region of the call that follows it.
// docs/formats/otf2.md, Predicted runs.

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "interchange/open_regions.h"
#include "interchange/predicted_calls.h"
#include "predict/simulate/platform.h"
#include "recording/recording.h"

namespace parcast::interchange {

class PredictedRecording : public PredictedCalls {
 public:
  PredictedRecording(const trace::Trace& trace, const simulate::Platform& platform);
  /// Valid after finish().
  const recording::Recording& recording() const { return recording_; }

  /// Fails if the recording would need more than `memory` bytes.
  static Result<void> check_size(const trace::Trace& trace, std::uint64_t memory);

 protected:
  void call(const PredictedCall& call) override;
  void rank_ended(std::int32_t rank, Time idle_from, Time at) override;

 private:
  struct Numbers {
    OpenRegions open;
    std::int64_t exit = 0;  // nanoseconds
    std::map<std::string, std::uint32_t> regions;
    std::map<std::uint32_t, std::uint32_t> sites;  // by place of the trace
    // the trace's communicators with this rank, ascending, in the order of the rank's own numbers
    std::vector<std::uint32_t> communicators;
  };
  std::uint16_t call_number(const MpiCall& call);
  std::uint32_t region_number(std::int32_t rank, const std::string& path);
  std::uint32_t site_number(std::int32_t rank, std::uint32_t place);
  std::uint32_t communicator_number(std::int32_t rank, std::uint32_t communicator) const;
  void go_to_region(std::int32_t rank, const std::string& path, std::int64_t at);
  recording::Event event_of(std::int32_t rank, const MpiCall& call, std::uint32_t operation,
                            std::int64_t enter, std::int64_t exit);
  void put(std::int32_t rank, recording::Event event);
  void fill_collective(const PredictedCall& call, recording::Event& event) const;
  void put_begun(const PredictedCall& call, std::int64_t enter, std::int64_t exit);
  recording::RankRecording& of(std::int32_t rank) { return recording_.ranks[static_cast<std::size_t>(rank)]; }

  recording::Recording recording_;
  std::map<const MpiCall*, std::uint16_t> calls_;
  std::vector<Numbers> numbers_;
};

}  // namespace parcast::interchange

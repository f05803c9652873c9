// SPDX-License-Identifier: Apache-2.0
#pragma once
// The output of `parcast simulate --to`, a predicted run. The ending of the name determines the format.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "predict/simulate/observer.h"
#include "predict/simulate/platform.h"
#include "trace/trace.h"

namespace parcast::cli {

/// Fails if the name's ending is not one of a known format.
Result<void> check_target(const std::optional<std::string>& name);

class PredictedOutput {
 public:
  virtual ~PredictedOutput() = default;
  virtual simulate::Observer& observer() = 0;
  /// Finishes the file after the simulation. Returns a sentence for each thing that the format could not
  /// express.
  virtual Result<std::vector<std::string>> finish(
      const std::function<void(double, const std::string&)>& progress) = 0;

  /// Returns null without a name. Fails if the name is taken, or if the run is too long for the format.
  static Result<std::unique_ptr<PredictedOutput>> create(const std::optional<std::string>& name,
                                                         const trace::Trace& trace,
                                                         const simulate::Platform& platform);
};

/// Reports, from time to time, the fraction of a run's operations and computing that is done.
class ProgressOfRun : public simulate::Observer {
 public:
  ProgressOfRun(const trace::Trace& trace, std::function<void(double)> tell);
  void stayed(const simulate::Stay&) override { step(); }
  void computed(std::int32_t, simulate::Time, simulate::Time) override { step(); }

 private:
  void step();
  std::uint64_t done_ = 0, all_ = 0;
  std::function<void(double)> tell_;
};

}  // namespace parcast::cli

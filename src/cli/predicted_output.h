// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where `parcast simulate --to` writes a predicted run: the name's ending says in which format.

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

/// Whether the name tells a format.
Result<void> check_target(const std::optional<std::string>& name);

class PredictedOutput {
 public:
  virtual ~PredictedOutput() = default;
  virtual simulate::Observer& observer() = 0;
  /// After the simulation. What could not be expressed, a sentence each.
  virtual Result<std::vector<std::string>> finish(const std::function<void(double, const std::string&)>& progress) = 0;

  /// Nothing without a name. An error when it is taken, or when the run is too long for the format.
  static Result<std::unique_ptr<PredictedOutput>> create(const std::optional<std::string>& name, const trace::Trace& trace, const simulate::Platform& platform);
};

/// Tells now and then how much of a run's operations and computing is done.
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

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Makes recorded runs. The local runner starts one at a time on this host, under `parcast record`.

#include <filesystem>
#include <functional>
#include <string>

#include "base/result.h"
#include "study/child_process.h"
#include "study/commands.h"

namespace parcast::study {

struct RunRequest {
  Command command;  // its inputs are written already
  Values values;
  std::filesystem::path recording;  // where to record; there is nothing yet
  std::filesystem::path log;        // what the run prints
};

class Runner {
 public:
  virtual ~Runner() = default;
  /// Makes one run; `wait` is called now and then. Fails only if nothing could be started.
  virtual Result<Ended> run(const RunRequest& request, const std::function<void()>& wait) = 0;
};

class LocalRunner : public Runner {
 public:
  /// `parcast`: this program.
  explicit LocalRunner(std::filesystem::path parcast) : parcast_(std::move(parcast)) {}
  Result<Ended> run(const RunRequest& request, const std::function<void()>& wait) override;

 private:
  std::filesystem::path parcast_;
};

}  // namespace parcast::study

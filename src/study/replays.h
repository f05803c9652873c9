// SPDX-License-Identifier: Apache-2.0
#pragma once
// Answers of a study of virtual processors: each replays runs with as many processors as are asked for.

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "machine/machine.h"
#include "predict/prediction.h"
#include "study/measure.h"

namespace parcast::study {

class Replays {
 public:
  /// Makes a run; nothing if a signal ended it.
  using Make = std::function<Result<std::optional<Run>>(const Wanted&)>;

  /// All references must outlive this.
  Replays(Measuring& measuring, const Folder& folder, Make make)
      : measuring_(measuring), folder_(folder), make_(std::move(make)) {}

  /// Returns the recordings of the run at these values, of which three are made unless they are there.
  Result<std::vector<std::filesystem::path>> recordings_at(const Values& values);
  /// Simulates the run at these values on the machine. The answer has no interval; `level` is of the study's
  /// other answers.
  Result<predict::Prediction> answer(const machine::Machine& machine, const Values& values,
                                     const std::shared_ptr<const machine::Machine>& recorded_on,
                                     double level);

  /// Returns how much faster the answers are than the runs that they are about; empty without answers.
  std::string comparison(const std::string& machine) const;

 private:
  Measuring& measuring_;
  const Folder& folder_;
  Make make_;
  std::map<std::string, double> here_;  // seconds of each launch
  double there_ = 0;                    // seconds, predicted
  int answers_ = 0;
};

}  // namespace parcast::study

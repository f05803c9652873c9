// SPDX-License-Identifier: Apache-2.0
#pragma once
// The part of a predicted time's error that the machine causes, by source. Times of several programs on one
// machine share this error, so they can be compared (docs/models/selection.md, "Which variant").

#include <map>
#include <string>

#include "predict/prediction.h"

namespace parcast::predict {

struct MachineErrors {
  std::map<std::string, double> slopes;  // by machine parameter: d ln(time) / d parameter, per base unit
  // By table of a collective: standard deviation of its relative error, as a fraction of the time.
  std::map<std::string, double> tables;
  // Of computing scaled to another processor: standard deviation as a fraction of the time.
  double processor = 0;
};

/// Returns the errors of the equation's answer; empty when the time is 0.
Result<MachineErrors> machine_errors(const program::Model& model, const machine::Machine& machine,
                                     const Question& question);

}  // namespace parcast::predict

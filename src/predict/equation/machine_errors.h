// SPDX-License-Identifier: Apache-2.0
#pragma once
// What of a predicted time's error is the machine's, source by source, so that times of several programs on one machine can be compared: they
// share it (docs/models/selection.md, "Which variant").

#include <map>
#include <string>

#include "predict/prediction.h"

namespace parcast::predict {

struct MachineErrors {
  std::map<std::string, double> slopes;  // by the machine's parameter: d ln(time) / d parameter, per base unit
  std::map<std::string, double> tables;  // by the table of a collective: its misfit's standard deviation, as a fraction of the time
  double processor = 0;                  // of computing carried to another processor: standard deviation as a fraction of the time
};

/// Of the equation's answer; nothing where the time is 0.
Result<MachineErrors> machine_errors(const program::Model& model, const machine::Machine& machine, const Question& question);

}  // namespace parcast::predict

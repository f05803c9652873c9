// SPDX-License-Identifier: Apache-2.0
#pragma once
// The model of the runs, and the answers from it.

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "explain/explain.h"
#include "machine/machine.h"
#include "model/model.h"
#include "predict/prediction.h"
#include "study/description.h"

namespace parcast::study {

struct Modelled {
  program::Model model;
  bool is_damaged = false;             // a recording has losses
  std::vector<std::string> unchecked;  // what the model was not compared with, a sentence each
};
/// Makes one model of the recordings, and checks it against them on `machine`.
Result<Modelled> model_of(const std::vector<std::filesystem::path>& recordings,
                          const machine::Machine& machine,
                          const std::function<void(double, std::string_view)>& show);

/// Returns the machine with these parameters changed: a value, or "*2" for twice the present one.
Result<machine::Machine> with_parameters(machine::Machine machine, const std::vector<Axis>& set);

/// Fails on parameters of ExtraP's machine for another engine than extrap, and on those of links for that
/// one. `names`: placeholders, which every engine has.
Result<void> check_engine_parameters(const Description& description, const std::vector<std::string>& names);

/// What every prediction of a study has in common.
struct Asking {
  const program::Model* model = nullptr;
  const machine::Machine* machine = nullptr;
  std::shared_ptr<const machine::Machine> recorded_on;
  const predict::Engine* engine = nullptr;
  double level = 0.9;
  std::int32_t processes = 1;  // where a point has no p
  /// Answers by a recorded run of the point itself; empty: the engine does.
  std::function<Result<predict::Prediction>(const machine::Machine&, const Values&)> replay;
};
/// Parameters that the program itself gave, and that are equal in all runs, keep their value.
Result<predict::Question> question_of(const Asking& asking, const Values& point);
Result<predict::Prediction> predict_at(const Asking& asking, const Values& point);
/// Returns half the width of the interval by the value, in per cent.
double precision_of(const predict::Estimate& estimate);

/// Returns the predictions over one or two axes, the last one fastest. An axis is p, a parameter of the runs
/// (values, or "*2" for multiples of the asked one), or a parameter of the machine.
Result<std::vector<predict::Prediction>> graph_of(const Asking& asking, const std::vector<Axis>& axes,
                                                  const Values& ask, const std::vector<std::string>& names);
/// Checks the axes without predicting.
Result<void> check_axes(const machine::Machine& machine, const std::vector<Axis>& axes, const Values& ask,
                        const std::vector<std::string>& names);

}  // namespace parcast::study

// SPDX-License-Identifier: Apache-2.0
#include "predict/each_point.h"

#include "predict/equation/equation.h"
#include "predict/equation/many_points.h"

namespace parcast::predict {

std::vector<Result<Prediction>> predict_each(const Engine& engine, const program::Model& model,
                                             const machine::Machine& machine,
                                             std::span<const Question> questions, const Progress& progress) {
  if (engine.name() == equation_engine().name()) return answer_each(model, machine, questions, progress);
  std::vector<Result<Prediction>> out;
  const auto show = [&](double of_this_one) {
    if (progress)
      progress((static_cast<double>(out.size()) + of_this_one) / static_cast<double>(questions.size()));
  };
  for (const Question& question : questions) {
    out.push_back(engine.predict(model, machine, question, show));
    show(0);
  }
  return out;
}

}  // namespace parcast::predict

// SPDX-License-Identifier: Apache-2.0
#include "predict/each_point.h"

#include <algorithm>
#include <optional>

#include "base/threads.h"
#include "predict/equation/equation.h"
#include "predict/equation/many_points.h"

namespace parcast::predict {
namespace {

constexpr std::int32_t kSmall = 4096;  // processes: points of more may need all memory, each

/// Answers one point after the other; each reports how far it is.
std::vector<Result<Prediction>> in_turn(const Engine& engine, const program::Model& model,
                                        const machine::Machine& machine, std::span<const Question> questions,
                                        const Progress& progress) {
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

std::vector<Result<Prediction>> side_by_side(const Engine& engine, const program::Model& model,
                                             const machine::Machine& machine,
                                             std::span<const Question> questions, const Progress& progress) {
  std::vector<std::optional<Result<Prediction>>> answers(questions.size());
  for_each_index(
      questions.size(), 0,
      [&](std::size_t i) { answers[i] = engine.predict(model, machine, questions[i], {}); },
      [&](std::size_t complete) {
        if (progress) progress(static_cast<double>(complete) / static_cast<double>(questions.size()));
      });
  std::vector<Result<Prediction>> out;
  out.reserve(answers.size());
  for (auto& each : answers) out.push_back(*std::move(each));
  return out;
}

}  // namespace

std::vector<Result<Prediction>> predict_each(const Engine& engine, const program::Model& model,
                                             const machine::Machine& machine,
                                             std::span<const Question> questions, const Progress& progress) {
  if (engine.name() == equation_engine().name()) return answer_each(model, machine, questions, progress);
  const bool all_small = std::ranges::all_of(
      questions, [](const Question& question) { return question.point.processes <= kSmall; });
  return questions.size() > 1 && all_small ? side_by_side(engine, model, machine, questions, progress)
                                           : in_turn(engine, model, machine, questions, progress);
}

}  // namespace parcast::predict

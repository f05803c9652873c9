// SPDX-License-Identifier: Apache-2.0
#include "predict/equation/many_points.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include "base/threads.h"
#include "predict/equation/answers.h"
#include "predict/equation/equation.h"
#include "predict/equation/resolved_models.h"
#include "predict/question.h"

namespace parcast::predict {
namespace {

using program::Model;

constexpr std::size_t kPointsAtOnce = 32;
constexpr unsigned kAllProcessors = 0;

/// Points that share a plan.
struct PointGroup {
  const Model* model = nullptr;
  std::vector<std::size_t> members;  // questions
  std::optional<Result<std::shared_ptr<const Plan>>> plan;
  std::unique_ptr<const Answers> answers;
};

/// Some members of a group, which one thread answers.
struct Batch {
  const PointGroup* group = nullptr;
  std::size_t first = 0, count = 0;
};

class ManyPoints {
 public:
  ManyPoints(const Model& as_built, const machine::Machine& machine, std::span<const Question> questions)
      : as_built_(as_built), machine_(machine), questions_(questions), out_(questions.size()) {}

  std::vector<Result<Prediction>> answer(const Progress& progress) {
    if (machine_.system)
      answer_alone(progress);
    else
      answer_together(progress);
    std::vector<Result<Prediction>> out;
    out.reserve(out_.size());
    for (auto& each : out_) out.push_back(*std::move(each));
    return out;
  }

 private:
  void answer_alone(const Progress& progress) {
    for_each_index(
        questions_.size(), kAllProcessors,
        [&](std::size_t i) { out_[i] = equation_engine().predict(as_built_, machine_, questions_[i]); },
        [&](std::size_t complete) { show(progress, complete, questions_.size()); });
    for (auto& each : out_)
      if (*each) (*each)->regions.clear();
  }

  void answer_together(const Progress& progress) {
    group(ResolvedModels(as_built_));
    std::vector<PointGroup*> groups;
    for (auto& [key, each] : groups_) groups.push_back(&each);
    for_each_index(groups.size(), kAllProcessors, [&](std::size_t i) { prepare(*groups[i]); });
    std::vector<Batch> batches;
    for (const PointGroup* each : groups)
      for (std::size_t first = 0; first < each->members.size(); first += kPointsAtOnce)
        batches.push_back({each, first, std::min(kPointsAtOnce, each->members.size() - first)});
    for_each_index(
        batches.size(), kAllProcessors, [&](std::size_t i) { answer(batches[i]); },
        [&](std::size_t complete) { show(progress, complete, batches.size()); });
  }

  static void show(const Progress& progress, std::size_t complete, std::size_t all) {
    if (progress) progress(static_cast<double>(complete) / static_cast<double>(all));
  }

  /// Assigns every question to its group. Questions that fail their check have their answer then.
  void group(const ResolvedModels& resolved) {
    std::vector<std::size_t> valid;
    for (std::size_t i = 0; i < questions_.size(); ++i) {
      Result<void> checked = check(as_built_, questions_[i]);
      if (checked) checked = check_not_empty(as_built_);
      if (checked)
        valid.push_back(i);
      else
        out_[i] = checked.error();
    }
    const std::vector<std::string> keys = keys_of(resolved, valid);
    std::vector<std::size_t> first;  // the first question of each model
    std::vector<std::vector<PointGroup*>> of_model;
    std::map<std::string, std::size_t> models;
    for (std::size_t v = 0; v < valid.size(); ++v) {
      const auto [model, is_new] = models.try_emplace(keys[v], first.size());
      if (is_new) first.push_back(valid[v]), of_model.emplace_back();
      const auto [at, starts] =
          groups_.try_emplace({model->second, plan_key(machine_, questions_[valid[v]])});
      if (starts) of_model[model->second].push_back(&at->second);
      at->second.members.push_back(valid[v]);
    }
    models_.resize(first.size());
    for_each_index(first.size(), kAllProcessors, [&](std::size_t i) {
      models_[i] = std::make_unique<const Model>(program::resolved(as_built_, questions_[first[i]].point));
    });
    for (std::size_t i = 0; i < first.size(); ++i)
      for (PointGroup* each : of_model[i]) each->model = models_[i].get();
  }

  std::vector<std::string> keys_of(const ResolvedModels& resolved,
                                   const std::vector<std::size_t>& valid) const {
    std::vector<std::string> keys(valid.size());
    for_each_index(
        (valid.size() + kPointsAtOnce - 1) / kPointsAtOnce, kAllProcessors, [&](std::size_t batch) {
          std::vector<const program::Point*> points;
          const std::size_t first = batch * kPointsAtOnce;
          for (std::size_t v = first; v < std::min(first + kPointsAtOnce, valid.size()); ++v)
            points.push_back(&questions_[valid[v]].point);
          std::ranges::move(resolved.keys(points), keys.begin() + static_cast<std::ptrdiff_t>(first));
        });
    return keys;
  }

  void prepare(PointGroup& group) const {
    const Question& question = questions_[group.members.front()];
    group.plan = make_plan(*group.model, machine_, question);
    if (*group.plan) group.answers = std::make_unique<const Answers>(**group.plan, machine_, question);
  }

  void answer(const Batch& batch) {
    const std::span<const std::size_t> members =
        std::span(batch.group->members).subspan(batch.first, batch.count);
    if (!*batch.group->plan) {
      for (const std::size_t i : members) out_[i] = batch.group->plan->error();
      return;
    }
    std::vector<const Question*> questions;
    for (const std::size_t i : members) questions.push_back(&questions_[i]);
    const std::vector<Result<Solution>> solved = solve(**batch.group->plan, questions);
    for (std::size_t k = 0; k < members.size(); ++k) {
      if (solved[k])
        out_[members[k]] = batch.group->answers->answer(*questions[k], *questions[k], *solved[k],
                                                        Answers::Regions::left_out);
      else
        out_[members[k]] = solved[k].error();
    }
  }

  const Model& as_built_;
  const machine::Machine& machine_;
  std::span<const Question> questions_;
  std::vector<std::unique_ptr<const Model>> models_;
  std::map<std::pair<std::size_t, PlanKey>, PointGroup> groups_;  // by model
  std::vector<std::optional<Result<Prediction>>> out_;
};

}  // namespace

std::vector<Result<Prediction>> answer_each(const Model& model, const machine::Machine& machine,
                                            std::span<const Question> questions, const Progress& progress) {
  return ManyPoints(model, machine, questions).answer(progress);
}

}  // namespace parcast::predict

// SPDX-License-Identifier: Apache-2.0
#include "build_model/whole_model.h"

#include <utility>

#include "build_model/known_costs.h"
#include "build_model/known_rounds.h"
#include "observations/arguments.h"

namespace parcast::program {
namespace {

constexpr double kOrdering = 0.25;  // fraction of the work, typical of most models

}  // namespace

Result<Model> whole_model(RecordedRuns& runs, bool take_words, const StepProgress& show) {
  std::vector<Notice> arguments;
  if (take_words) arguments = take_arguments(runs.recordings());
  show(0, "find the order of operations");
  Structure structure = runs.find_structure();
  show(kOrdering, "find counts and costs");
  PARCAST_ASSIGN(Model model, runs.make_model());
  model.notices.insert(model.notices.begin(), arguments.begin(), arguments.end());
  take_known_rounds(model, structure);
  take_known_costs(model, structure);
  model.structure = std::move(structure);
  if (auto notice = order_notice(*model.structure)) model.notices.push_back(*std::move(notice));
  return model;
}

}  // namespace parcast::program

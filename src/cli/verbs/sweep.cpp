// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <map>

#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/sweep_answer.h"
#include "cli/sweep_questions.h"
#include "cli/unanswered.h"
#include "cli/verbs.h"
#include "explain/outdone.h"
#include "predict/auto_engine.h"
#include "predict/each_point.h"
#include "predict/equation/equation.h"

namespace parcast::cli {
namespace {

/// Returns the questions. Checks every point before the first prediction.
Result<std::vector<predict::Question>> questions_from(const Invocation& invocation,
                                                      const program::Model& model) {
  PARCAST_ASSIGN(const SweepAsked asked, sweep_asked(invocation, model));
  if (asked.variations.empty()) return Error{"nothing varies", "", "add -p 1,2,4,...,64"};
  if (combinations(asked.variations) > kMostValues)
    return Error{"more than a million points are asked for", "--vary", "vary fewer values"};
  std::vector<predict::Question> questions;
  for (const auto& point : cross(asked.variations)) {
    PARCAST_ASSIGN(auto question, question_at(asked, point, model));
    questions.push_back(std::move(question));
  }
  return questions;
}

/// A machine, the model priced for it, and the engine that answers.
struct SweepPlace {
  machine::Machine machine;
  program::Model model;
  const predict::Engine* engine = nullptr;
  std::vector<predict::Warning> warnings = {};  // for all its points
};

/// Chooses the engine. For a long sweep without --engine, not every point is checked.
void choose_engine(const predict::Engine& asked, const std::vector<predict::Question>& questions,
                   SweepPlace& place) {
  place.engine = &asked;
  if (asked.name() == predict::equation_engine().name())
    if (auto warning = predict::closed_form_warning(place.model, place.machine, questions))
      place.warnings.push_back(*std::move(warning));
  if (asked.name() != predict::kDefaultEngine) return;
  const predict::ManyPointsChoice choice = predict::choose_for_many(place.model, place.machine, questions);
  if (choice.by_equation) place.engine = &predict::equation_engine();
  if (choice.warning) place.warnings.push_back(*choice.warning);
}

/// Points that have an answer on every machine, grouped by machine, and points that have none.
struct Answers {
  std::vector<predict::Prediction> points;
  std::vector<Error> refused;
  std::vector<predict::Prediction> hanging;
};

/// The answers of all questions on one place.
using OnePlace = std::vector<Result<predict::Prediction>>;

std::vector<OnePlace> predictions(const Invocation& invocation, const std::vector<SweepPlace>& places,
                                  const std::vector<predict::Question>& questions) {
  Progress progress(invocation);
  std::vector<OnePlace> out;
  const auto show = [&](double of_this_one) {
    progress.show((static_cast<double>(out.size()) + of_this_one) / static_cast<double>(places.size()),
                  "sweep");
  };
  for (const SweepPlace& place : places) {
    out.push_back(predict::predict_each(*place.engine, place.model, place.machine, questions, show));
    const std::vector<predict::Warning> changed =
        calibration_warnings(place.machine, questions.front().recorded_machine.get());
    for (auto& each : out.back())
      if (each && !each->hang)
        for (const std::vector<predict::Warning>* more : {&changed, &place.warnings})
          each->warnings.insert(each->warnings.end(), more->begin(), more->end());
  }
  return out;
}

/// Sorts the predictions of all places; a point counts if it has an answer on each.
Answers sorted(const std::vector<SweepPlace>& places, const std::vector<predict::Question>& questions,
               std::vector<OnePlace> predictions) {
  Answers out;
  for (std::size_t q = 0; q < questions.size(); ++q) {
    std::vector<predict::Prediction> here;
    for (std::size_t i = 0; i < places.size(); ++i) {
      Result<predict::Prediction>& prediction = predictions[i][q];
      if (!prediction) {
        const Error& error = prediction.error();
        out.refused.push_back(
            {places.size() > 1 ? "on " + places[i].machine.name + ": " + error.what : error.what,
             error.where.empty() ? point_text(questions[q]) : error.where, error.hint});
      } else if (prediction->hang) {
        out.hanging.push_back(*std::move(prediction));
      } else {
        here.push_back(*std::move(prediction));
      }
    }
    if (here.size() == places.size()) std::ranges::move(here, std::back_inserter(out.points));
  }
  return out;
}

/// Returns e.g. " (the first of 3 such points)"; empty if there is only one.
std::string more_points(std::size_t count) {
  return count > 1 ? " (the first of " + std::to_string(count) + " such points)" : "";
}

/// Warns of points that the answer lacks, and returns the exit code.
int say_what_is_missing(const Invocation& invocation, const Answers& answers) {
  if (!answers.hanging.empty())
    say_warning(invocation, {hang_sentence(answers.hanging.front()) + "; the point is left out" +
                                 more_points(answers.hanging.size()),
                             "", "parcast predict at this point shows what each rank waits for"});
  std::map<std::string, std::vector<const Error*>> by_reason;
  for (const Error& error : answers.refused) by_reason[error.what].push_back(&error);
  for (const auto& [what, errors] : by_reason)
    say_warning(invocation, {what + "; the point is left out" + more_points(errors.size()),
                             errors.front()->where, errors.front()->hint});
  return !answers.hanging.empty() ? kWouldHang : !answers.refused.empty() ? kPartial : kAnswered;
}

std::vector<bool> outdone(const std::vector<SweepPlace>& places) {
  std::vector<machine::Machine> machines;
  for (const SweepPlace& place : places) machines.push_back(place.machine);
  return explain::outdone(machines);
}

int run_sweep(const Invocation& given) {
  const Invocation invocation = with_lists_varied(given);
  const auto look = style(invocation);
  if (!look) return say_error(look.error()), kUsage;
  if (const auto fits = check_sweep_answer(invocation); !fits) return say_error(fits.error()), kUsage;
  const auto engine = engine_from(invocation);
  if (!engine) return say_error(engine.error()), kUsage;
  const auto model = load_model(invocation.inputs[0]);
  if (!model) return say_error(model.error()), kFailed;
  const auto questions = questions_from(invocation, *model);
  if (!questions) return say_error(questions.error()), kUsage;
  std::vector<std::string> names = invocation.values("--machine");
  if (names.size() < 2) {
    const auto named = machine_named(invocation);
    if (!named) return say_error(named.error()), kUsage;
    names = {*named};
  }
  std::vector<SweepPlace> places;
  for (const std::string& name : names) {
    auto machine = load_machine(name);
    if (!machine) return say_error(machine.error()), kFailed;
    if (std::any_of(places.begin(), places.end(),
                    [&](const SweepPlace& each) { return each.machine.name == machine->name; }))
      return say_error({machine->name + " is named twice", "", "name each machine once"}), kUsage;
    auto priced = with_costs(invocation, *model, *machine);
    if (!priced) return say_error(priced.error()), kFailed;
    places.push_back({*std::move(machine), *std::move(priced)});
    choose_engine(**engine, *questions, places.back());
  }
  const Answers answered = sorted(places, *questions, predictions(invocation, places, *questions));
  if (answered.points.empty() && !answered.hanging.empty())
    return deliver_hang(invocation, answered.hanging.front(), *look);
  if (answered.points.empty()) return say_error(answered.refused.front()), kFailed;
  const int missing = say_what_is_missing(invocation, answered);
  return std::max(missing,
                  deliver_sweep(invocation, answered.points, *look,
                                explain::standings_of(answered.points, places.size(), outdone(places))));
}

}  // namespace

const Verb& sweep_verb() {
  static const Verb verb = [] {
    Verb v{.name = "sweep",
           .summary = "predictions over ranges of processes and parameters",
           .inputs = "M.model.json",
           .fewest_inputs = 1,
           .most_inputs = 1,
           .flags = question_flags(),
           .examples = {"parcast sweep shallow_water -m here -p 1,2,4,...,64 -s N=4096 -s steps=100",
                        "parcast sweep lj -m here --vary p=1..16 --scale 'n=64*p^(1/3)' -o weak.svg",
                        "parcast sweep gauss -m here --vary N=500..8000*2 --vary p=1,4,16 -o table.csv",
                        "parcast sweep gauss -m here -m cluster --vary p=1..64*2 --vary N=500..8000*2 "
                        "--contour -o field.svg"},
           .notes = {"Lists vary: -p 1,2,4 is --vary p=1,2,4, and -s N=256,512 is --vary N=256,512."},
           .run = run_sweep};
    v.flags.insert(v.flags.end(), sweep_question_flags().begin(), sweep_question_flags().end());
    v.flags.insert(v.flags.end(), sweep_answer_flags().begin(), sweep_answer_flags().end());
    v.flags.push_back({"--regions", 0, "", "of JSON: with the regions of each point"});
    return v;
  }();
  return verb;
}

}  // namespace parcast::cli

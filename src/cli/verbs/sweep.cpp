// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <set>

#include "base/text.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/sweep_answer.h"
#include "cli/vary.h"
#include "cli/verbs.h"
#include "report/sweep_text.h"
#include "symbolic/expression.h"

namespace parcast::cli {
namespace {

/// "N=64*cbrt(p)": a parameter that follows from the others at every point (weak scaling).
struct Scale {
  std::string name;
  symbolic::Expression value;
};

Result<std::vector<Scale>> scales_from(const std::vector<std::string>& words, const program::Model& model) {
  std::map<std::string, symbolic::SymbolKind, std::less<>> kinds{{"p", symbolic::SymbolKind::processes}};
  for (const auto& parameter : model.parameters) kinds[parameter.name] = symbolic::SymbolKind::parameter;
  std::vector<std::string> names;
  for (const auto& [name, kind] : kinds) names.push_back(name);
  std::vector<Scale> scales;
  for (const std::string& word : words) {
    const auto equals = word.find('=');
    if (equals == std::string::npos || !kinds.contains(word.substr(0, equals))) {
      const std::string near = did_you_mean(word.substr(0, equals), names);
      return Error{"\"" + word + "\" does not scale a parameter of the model", "--scale",
                   near.empty() ? "write for example N=256*p^(1/2)" : near};
    }
    auto value = symbolic::parse(word.substr(equals + 1), kinds);
    if (!value) return Error{"\"" + word + "\": " + value.error().what, "--scale", value.error().hint};
    scales.push_back({word.substr(0, equals), *std::move(value)});
  }
  return scales;
}

Result<std::vector<Variation>> variations_from(const std::vector<std::string>& words) {
  if (words.empty()) return Error{"nothing varies", "", "add --vary p=1,2,4,...,64"};
  std::vector<Variation> variations;
  for (const std::string& word : words) {
    auto variation = parse_variation(word);
    if (!variation) return Error{variation.error().what, "--vary", variation.error().hint};
    variations.push_back(*std::move(variation));
  }
  return variations;
}

Result<void> check_given_once(const Asked& base, const std::vector<Variation>& variations, const std::vector<Scale>& scales) {
  std::set<std::string> seen;
  std::vector<std::string> names;
  for (const auto& [name, value] : base.parameters) names.push_back(name);
  if (base.processes > 0) names.push_back("p");
  for (const Variation& variation : variations) names.push_back(variation.name);
  for (const Scale& scale : scales) names.push_back(scale.name);
  for (const std::string& name : names)
    if (!seen.insert(name).second)
      return Error{name + " is given twice", "", "say it once, by -p, -s, --vary or --scale"};
  return {};
}

Result<void> set_value(Asked& asked, const std::string& name, double value) {
  if (name != "p") return asked.parameters[name] = value, Result<void>();
  PARCAST_ASSIGN(asked.processes, process_count(value));
  return {};
}

Result<Asked> asked_at(Asked asked, const std::map<std::string, double>& varied, const std::vector<Scale>& scales) {
  for (const auto& [name, value] : varied) PARCAST_TRY(set_value(asked, name, value));
  symbolic::Binding at(asked.parameters.begin(), asked.parameters.end());
  at["p"] = asked.processes > 0 ? asked.processes : asked.nodes * static_cast<double>(asked.ranks_per_node);
  for (const Scale& scale : scales) {
    PARCAST_ASSIGN(const double value, symbolic::evaluate(scale.value, at));
    PARCAST_TRY(set_value(asked, scale.name, std::round(value)));
  }
  return asked;
}

/// Every point is checked before the first is predicted.
Result<std::vector<predict::Question>> questions_from(const Invocation& invocation, const program::Model& model) {
  PARCAST_ASSIGN(const Asked base, asked_from(invocation));
  PARCAST_ASSIGN(const auto variations, variations_from(invocation.values("--vary")));
  PARCAST_ASSIGN(const auto scales, scales_from(invocation.values("--scale"), model));
  PARCAST_TRY(check_given_once(base, variations, scales));
  std::vector<predict::Question> questions;
  for (const auto& point : cross(variations)) {
    PARCAST_ASSIGN(const Asked asked, asked_at(base, point, scales));
    PARCAST_ASSIGN(auto question, question_from(asked, model));
    questions.push_back(std::move(question));
  }
  return questions;
}

Result<std::vector<predict::Prediction>> answers(const Invocation& invocation, const predict::Engine& engine, const program::Model& model,
                                                 const machine::Machine& machine, const std::vector<predict::Question>& questions) {
  Progress progress(invocation);
  std::vector<predict::Prediction> out;
  const std::vector<predict::Warning> changed = calibration_warnings(machine);
  const auto show = [&](double of_this_one) {
    progress.show((static_cast<double>(out.size()) + of_this_one) / static_cast<double>(questions.size()), "sweep");
  };
  for (const predict::Question& question : questions) {
    PARCAST_ASSIGN(auto prediction, engine.predict(model, machine, question, show));
    prediction.warnings.insert(prediction.warnings.end(), changed.begin(), changed.end());
    out.push_back(std::move(prediction));
    show(0);
  }
  return out;
}

int run_sweep(const Invocation& invocation) {
  const auto look = style(invocation);
  if (!look) return say_error(look.error()), kUsage;
  if (const auto fits = check_sweep_answer(invocation); !fits) return say_error(fits.error()), kUsage;
  const auto engine = predict::find_engine(invocation.value("--engine").value_or("equation"));
  if (!engine) return say_error(engine.error()), kUsage;
  const auto model = load_model(invocation.inputs[0]);
  if (!model) return say_error(model.error()), kFailed;
  const auto questions = questions_from(invocation, *model);
  if (!questions) return say_error(questions.error()), kUsage;
  const auto named = machine_named(invocation);
  if (!named) return say_error(named.error()), kUsage;
  const auto machine = load_machine(*named);
  if (!machine) return say_error(machine.error()), kFailed;
  const auto priced = with_costs(invocation, *model, *machine);
  if (!priced) return say_error(priced.error()), kFailed;
  const auto predictions = answers(invocation, **engine, *priced, *machine, *questions);
  if (!predictions) return say_error(predictions.error()), kFailed;
  return deliver_sweep(invocation, *predictions, *look);
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
           .examples = {"parcast sweep shallow_water -m here --vary p=1,2,4,...,64 -s N=4096 -s steps=100",
                        "parcast sweep lj -m here --vary p=1..16 --scale 'n=64*p^(1/3)' -o weak.svg",
                        "parcast sweep gauss -m here --vary N=500..8000*2 --vary p=1,4,16 -o table.csv"},
           .run = run_sweep};
    v.flags.push_back({"--vary", 0, "K=LIST", "what varies: 1,2,4,...,64 or 1..16 or 64..4096*2 or 0..1/11", true});
    v.flags.push_back({"--scale", 0, "K=EXPR", "a parameter that follows from the others, e.g. 'N=256*p^(1/2)'", true});
    v.flags.push_back({"--engine", 0, "NAME", "equation (default: the closed form), interpret (chain by chain on the system graph), or simulate (message by message)"});
    v.flags.insert(v.flags.end(), sweep_answer_flags().begin(), sweep_answer_flags().end());
    return v;
  }();
  return verb;
}

}  // namespace parcast::cli

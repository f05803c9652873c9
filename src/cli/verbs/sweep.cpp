// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cmath>
#include <filesystem>

#include "base/files.h"
#include "base/text.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/vary.h"
#include "cli/verbs.h"
#include "predict/prediction_file.h"
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
  std::vector<Scale> scales;
  for (const std::string& word : words) {
    const auto equals = word.find('=');
    if (equals == std::string::npos || !kinds.contains(word.substr(0, equals)))
      return Error{"\"" + word + "\" does not scale a parameter of the model", "", "write for example N=256*p^(1/2)"};
    PARCAST_ASSIGN(auto value, symbolic::parse(word.substr(equals + 1), kinds));
    scales.push_back({word.substr(0, equals), std::move(value)});
  }
  return scales;
}

Result<predict::Question> question_at(predict::Question base, const std::map<std::string, double>& varied,
                                      const std::vector<Scale>& scales) {
  for (const auto& [name, value] : varied) {
    if (name != "p") {
      base.point.parameters[name] = value;
      continue;
    }
    if (value < 1 || value != std::floor(value) || value > 1e9)
      return Error{"p = " + format_exact(value) + " is not a whole number of at least 1", "--vary", ""};
    base.point.processes = static_cast<std::int32_t>(value);
  }
  symbolic::Binding at(base.point.parameters.begin(), base.point.parameters.end());
  at["p"] = base.point.processes;
  for (const Scale& scale : scales) {
    PARCAST_ASSIGN(const double value, symbolic::evaluate(scale.value, at));
    base.point.parameters[scale.name] = std::round(value);
  }
  return base;
}

Result<std::vector<predict::Prediction>> answers(const Invocation& invocation) {
  PARCAST_ASSIGN(const auto model, load_model(invocation.inputs[0]));
  PARCAST_ASSIGN(const auto machine, machine_from(invocation));
  PARCAST_ASSIGN(const predict::Engine* engine, predict::find_engine(invocation.value("--engine").value_or("equation")));
  PARCAST_ASSIGN(const auto scales, scales_from(invocation.values("--scale"), model));
  std::vector<Variation> variations;
  for (const std::string& text : invocation.values("--vary")) {
    PARCAST_ASSIGN(auto variation, parse_variation(text));
    variations.push_back(std::move(variation));
  }
  if (variations.empty()) return Error{"nothing varies", "", "add --vary p=1,2,4,...,64"};
  std::vector<Invocation::Given> given;
  for (const char* flag : {"--set", "--nodes", "--ranks-per-node", "--threads", "--level", "--limit", "--processes"})
    for (const std::string& value : invocation.values(flag)) given.push_back({flag, value});
  if (!invocation.has("--processes") && !invocation.has("--nodes")) given.push_back({"--processes", "1"});
  PARCAST_ASSIGN(const auto base, question_from(Invocation(given, {}, {}), model));
  const auto points = cross(variations);
  Progress progress(invocation);
  const auto start = std::chrono::steady_clock::now();
  std::vector<predict::Prediction> out;
  for (const auto& point : points) {
    PARCAST_ASSIGN(const auto question, question_at(base, point, scales));
    PARCAST_ASSIGN(auto prediction, engine->predict(model, machine, question));
    out.push_back(std::move(prediction));
    const double spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const double done = static_cast<double>(out.size()) / static_cast<double>(points.size());
    progress.show(done, "sweep", spent / done - spent);
  }
  return out;
}

int run_sweep(const Invocation& invocation) {
  const auto look = style(invocation);
  if (!look) return say_error(look.error()), kUsage;
  const auto predictions = answers(invocation);
  if (!predictions) return say_error(predictions.error()), kFailed;
  const std::string file = invocation.value("--output").value_or("");
  const bool csv = file.ends_with(".csv") || (file.empty() && invocation.has("--csv"));
  const std::string text = file.ends_with(".svg")                            ? report::sweep_svg(*predictions)
                           : csv                                             ? report::sweep_csv(*predictions)
                           : invocation.json() || file.ends_with(".json") ? predict::sweep_to_json(*predictions) + "\n"
                                                                             : report::sweep_text(*predictions, *look);
  if (file.empty()) return print_result(text), kAnswered;
  if (const auto written = write_file(file, text); !written) return say_error(written.error()), kFailed;
  if (!invocation.quiet()) print_message("parcast: " + std::to_string(predictions->size()) + " points in " + file + "\n");
  return kAnswered;
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
    v.flags.push_back({"--engine", 0, "NAME", "equation (default)"});
    v.flags.push_back({"--output", 'o', "FILE", "table.csv, plot.svg or points.json"});
    v.flags.push_back({"--csv", 0, "", "print CSV"});
    return v;
  }();
  return verb;
}

}  // namespace parcast::cli

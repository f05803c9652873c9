// SPDX-License-Identifier: Apache-2.0
#include "cli/compare_variants.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>

#include "base/files.h"
#include "base/text.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/sweep_answer.h"
#include "cli/sweep_questions.h"
#include "cli/unanswered.h"
#include "explain/variants.h"
#include "predict/auto_engine.h"
#include "predict/equation/equation.h"
#include "report/variants_text.h"
#include "report/words.h"

namespace parcast::cli {
namespace {

using Clock = std::chrono::steady_clock;
using explain::VariantAnswer;
using explain::VariantPoint;

constexpr std::size_t kMostPoints = 100'000;

struct Variant {
  std::string name;
  program::Model model;
  const predict::Engine* engine = nullptr;      // answers for this variant
  std::vector<predict::Warning> warnings = {};  // for all its points
};

/// Returns e.g. "block" of "variants/block.program".
std::string name_of_variant(const std::string& input) {
  std::string name = std::filesystem::path(input).filename().string();
  for (const std::string_view ending : {".model.json", ".program"})
    if (name.ends_with(ending)) name.resize(name.size() - ending.size());
  return name;
}

/// Fails if a variant has a parameter that another lacks: no question would be valid for both.
Result<void> check_parameters(const std::vector<Variant>& variants) {
  const auto names = [](const program::Model& model) {
    std::vector<std::string> out;
    for (const auto& parameter : model.parameters) out.push_back(parameter.name);
    return out;
  };
  for (const Variant& one : variants)
    for (const Variant& other : variants) {
      const auto own = names(one.model), others = names(other.model);
      for (const std::string& name : own) {
        if (std::find(others.begin(), others.end(), name) != others.end()) continue;
        const std::string near = did_you_mean(name, others);
        return Error{
            one.name + " has the parameter " + name + ", and " + other.name + " does not", "",
            near.empty() ? "variants are compared at one question: give them the same parameters" : near};
      }
    }
  return {};
}

/// Suggests the nearest model in this folder, by the name of its file with or without the ending.
Error no_model(const std::string& name) {
  std::error_code problem;
  std::vector<std::string> present;
  for (std::filesystem::directory_iterator at(".", problem), end; !problem && at != end;
       at.increment(problem)) {
    const std::string file = at->path().filename().string();
    if (name_of_variant(file) == file) continue;
    present.push_back(file);
    present.push_back(name_of_variant(file));
  }
  std::sort(present.begin(), present.end());
  const std::string near = did_you_mean(name, present);
  return {"there is no model " + name, "",
          near.empty() ? "make one with: parcast model R.recording..., or write NAME.program" : near};
}

Result<std::vector<Variant>> variants_from(const Invocation& invocation) {
  std::vector<Variant> out;
  std::set<std::string> names;
  for (const std::string& input : invocation.inputs) {
    if (const std::string kind = kind_of(input); !names_model(input) && !kind.empty())
      return Error{input + " is " + kind + ", not a model as others here", "",
                   "compare models with models, or two runs"};
    if (!names_model(input)) return no_model(input);
    PARCAST_ASSIGN(program::Model model, load_model(input));
    std::string name = name_of_variant(input);
    if (!names.insert(name).second)
      return Error{name + " is named twice", "",
                   "name each variant once; two of one name need names of their own"};
    out.push_back({std::move(name), std::move(model)});
  }
  PARCAST_TRY(check_parameters(out));
  return out;
}

/// Predicts all variants at a point.
class Asking {
 public:
  Asking(const SweepAsked& asked, std::vector<Variant> variants, machine::Machine machine,
         const predict::Engine& engine)
      : asked_(asked),
        variants_(std::move(variants)),
        machine_(std::move(machine)),
        changed_(calibration_warnings(machine_, asked_.base.recorded_machine.get())) {
    for (Variant& variant : variants_) choose_engine(engine, variant);
  }

  /// Returns the predictions of all variants. If one deadlocks, returns the prediction of that one alone, and
  /// no selection.
  Result<VariantPoint> at(const std::map<std::string, double>& varied, std::size_t draws) const {
    VariantPoint point{varied, {}, {}};
    std::vector<predict::MachineErrors> errors;
    for (const Variant& variant : variants_) {
      PARCAST_ASSIGN(predict::Prediction prediction, predicted(variant, varied));
      for (const auto* more : {&changed_, &variant.warnings})
        prediction.warnings.insert(prediction.warnings.end(), more->begin(), more->end());
      if (prediction.hang) {
        point.predictions = {std::move(prediction)};
        return point;
      }
      if (prediction.engine == "equation") {
        PARCAST_ASSIGN(auto own, predict::machine_errors(variant.model, machine_, prediction.question));
        errors.push_back(std::move(own));
      }
      point.predictions.push_back(std::move(prediction));
    }
    point.selection = explain::select_variant(point.predictions, errors, machine_, draws);
    return point;
  }

  /// Returns nothing if some variant has no answer there.
  std::optional<std::size_t> fastest_at(const std::map<std::string, double>& varied) const {
    std::optional<std::size_t> fastest;
    double least = 0;
    for (std::size_t i = 0; i < variants_.size(); ++i) {
      const auto prediction = predicted(variants_[i], varied);
      if (!prediction || prediction->hang) return std::nullopt;
      if (!fastest || prediction->seconds.value < least) fastest = i, least = prediction->seconds.value;
    }
    return fastest;
  }

 private:
  /// Chooses the engine of a variant. For many points without --engine, not all points are checked.
  void choose_engine(const predict::Engine& engine, Variant& variant) {
    variant.engine = &engine;
    if (engine.name() != predict::kDefaultEngine) return;
    std::vector<predict::Question> questions;
    for (const auto& varied : cross(asked_.variations))
      if (auto question = question_at(asked_, varied, variant.model))
        questions.push_back(*std::move(question));
    const predict::ManyPointsChoice choice = predict::choose_for_many(variant.model, machine_, questions);
    if (choice.by_equation) variant.engine = &predict::equation_engine();
    if (choice.warning) variant.warnings.push_back(*choice.warning);
  }

  Result<predict::Prediction> predicted(const Variant& variant,
                                        const std::map<std::string, double>& varied) const {
    PARCAST_ASSIGN(const predict::Question question, question_at(asked_, varied, variant.model));
    auto prediction = variant.engine->predict(variant.model, machine_, question);
    if (!prediction)
      return Error{variant.name + ": " + prediction.error().what, prediction.error().where,
                   prediction.error().hint};
    prediction->program = variant.name;
    return prediction;
  }

  const SweepAsked& asked_;
  std::vector<Variant> variants_;
  machine::Machine machine_;
  std::vector<predict::Warning> changed_;
};

/// Returns whether the parameter takes only integers: all given values are integers, or it is p.
bool is_whole(const Variation& variation) {
  return variation.name == "p" || std::all_of(variation.values.begin(), variation.values.end(),
                                              [](double value) { return value == std::floor(value); });
}

void find_crossings(const SweepAsked& asked, const Asking& asking, VariantAnswer& answer,
                    const std::function<void(double)>& show) {
  for (std::size_t v = 0; v < asked.variations.size(); ++v) {
    const Variation& along = asked.variations[v];
    // values of the other parameters -> value -> the fastest variant
    std::map<std::map<std::string, double>, std::map<double, std::size_t>> lines;
    for (const VariantPoint& point : answer.points) {
      std::map<std::string, double> others = point.varied;
      others.erase(along.name);
      lines[others].emplace(point.varied.at(along.name), point.selection.choices.front().prediction);
    }
    std::size_t done = 0;
    for (const auto& [others, line] : lines) {
      show((static_cast<double>(v) + static_cast<double>(done++) / static_cast<double>(lines.size())) /
           static_cast<double>(asked.variations.size()));
      std::vector<double> values;
      std::vector<std::size_t> fastest;
      for (const auto& [value, first] : line) values.push_back(value), fastest.push_back(first);
      std::map<std::string, double> at = others;
      const auto there = [&](double value) { return at[along.name] = value, asking.fastest_at(at); };
      for (const explain::Crossing& each : explain::crossings(values, fastest, is_whole(along), there))
        answer.crossings.push_back({along.name, others, each});
    }
  }
}

struct Compared {
  VariantAnswer answer;
  // a variant that deadlocks at some point; then nothing is ranked
  std::optional<predict::Prediction> hanging;
};

Result<Compared> answer_of(const SweepAsked& asked, const Asking& asking, Progress& progress) {
  Compared out;
  VariantAnswer& answer = out.answer;
  const auto points = cross(asked.variations);
  const std::size_t draws = points.size() > 1 ? explain::kVariantDrawsOfSweep : explain::kVariantDraws;
  for (const auto& varied : points) {
    PARCAST_ASSIGN(VariantPoint point, asking.at(varied, draws));
    if (point.predictions.front().hang) {
      progress.clear();
      out.hanging = std::move(point.predictions.front());
      return out;
    }
    answer.points.push_back(std::move(point));
    progress.show(static_cast<double>(answer.points.size()) / static_cast<double>(points.size()), "points");
  }
  find_crossings(asked, asking, answer, [&](double part) { progress.show(part, "crossovers"); });
  progress.clear();
  return out;
}

std::vector<predict::Prediction> curves_of(const VariantAnswer& answer) {
  std::vector<predict::Prediction> out;
  for (const VariantPoint& point : answer.points)
    out.insert(out.end(), point.predictions.begin(), point.predictions.end());
  return out;
}

std::string file_content(const Invocation& invocation, const std::string& file, const VariantAnswer& answer) {
  if (file.ends_with(".svg")) return picture(invocation, curves_of(answer));
  if (file.ends_with(".csv")) return report::variants_csv(answer);
  return file.ends_with(".json") ? report::variants_to_json(answer) : report::variants_text(answer, {});
}

int deliver(const Invocation& invocation, const VariantAnswer& answer, const report::Style& style) {
  const std::string file = invocation.value("--output").value_or("");
  if (!file.empty())
    if (const auto written = write_file(file, file_content(invocation, file, answer)); !written)
      return say_error(written.error()), kFailed;
  if (invocation.json())
    print_result(report::variants_to_json(answer));
  else if (invocation.has("--csv"))
    print_data(report::variants_csv(answer));
  else if (file.empty())
    print_result(report::variants_text(answer, style));
  return kAnswered;
}

bool damaged(const VariantAnswer& answer) {
  for (const predict::Prediction& each : answer.points.front().predictions)
    if (exit_code_of(each.warnings) == kPartial) return true;
  return false;
}

}  // namespace

bool names_model(const std::string& name) {
  const std::string kind = kind_of(name);
  if (kind == "a model" || kind == "JSON" || is_written(name)) return true;
  return (kind.empty() || kind == "a program") && kind_of(name + ".model.json") == "a model";
}

int compare_variants(const Invocation& given, const report::Style& style) {
  const Invocation invocation = with_lists_varied(given);
  const auto start = Clock::now();
  if (invocation.has("--all"))
    return say_error({"--all is of two runs", "", "leave it out: of models every row is shown"}), kUsage;
  if (const auto fits = check_sweep_answer(invocation); !fits) return say_error(fits.error()), kUsage;
  const auto engine = engine_from(invocation);
  if (!engine) return say_error(engine.error()), kUsage;
  auto variants = variants_from(invocation);
  if (!variants) return say_error(variants.error()), kUsage;
  const auto asked = sweep_asked(invocation, variants->front().model);
  if (!asked) return say_error(asked.error()), kUsage;
  if (combinations(asked->variations) > kMostPoints)
    return say_error({"more than " + format_integer(kMostPoints) + " points are asked for", "--vary",
                      "vary less at a time"}),
           kUsage;
  for (const Variant& variant : *variants)  // checks every point before the first prediction
    for (const auto& varied : cross(asked->variations))
      if (const auto question = question_at(*asked, varied, variant.model); !question)
        return say_error(question.error()), kUsage;
  const auto named = machine_named(invocation);
  if (!named) return say_error(named.error()), kUsage;
  auto machine = load_machine(*named);
  if (!machine) return say_error(machine.error()), kFailed;
  for (Variant& variant : *variants) {
    auto priced = with_costs(invocation, variant.model, *machine);
    if (!priced) return say_error(priced.error()), kFailed;
    variant.model = *std::move(priced);
  }
  Progress progress(invocation);
  const auto compared =
      answer_of(*asked, Asking(*asked, *std::move(variants), *std::move(machine), **engine), progress);
  if (!compared) return say_error(compared.error()), kFailed;
  if (compared->hanging) return deliver_hang(invocation, *compared->hanging, style);
  const VariantAnswer* answer = &compared->answer;
  const int code = deliver(invocation, *answer, style);
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  if (!invocation.quiet())
    print_message("parcast: " + report::counted(static_cast<std::int64_t>(answer->points.size()), "point") +
                  " answered in " + report::duration(seconds) + "\n");
  return code == kAnswered && damaged(*answer) ? static_cast<int>(kPartial) : code;
}

}  // namespace parcast::cli

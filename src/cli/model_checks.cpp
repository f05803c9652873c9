// SPDX-License-Identifier: Apache-2.0
#include "cli/model_checks.h"

#include <filesystem>
#include <optional>

#include "cli/inputs.h"
#include "cli/output.h"
#include "predict/model_checks.h"
#include "predict/question.h"

namespace parcast::cli {
namespace {

constexpr const char* kHere = "here";  // the name of the calibrated machine in the README

/// Returns the machine for the comparison of total times.
Result<std::optional<machine::Machine>> machine_of_checks(const Invocation& invocation,
                                                          const program::Model& model) {
  const bool named = invocation.has("--machine");
  const auto chosen = invocation.value("--machine");
  if (!chosen && !std::filesystem::exists(std::string(kHere) + ".machine.toml"))
    return std::optional<machine::Machine>();
  const std::string name = chosen.value_or(kHere);
  PARCAST_ASSIGN(machine::Machine machine, load_machine(name));
  if (predict::same_processor(model.recorded_on, machine)) return std::optional(std::move(machine));
  if (named)
    say_warning(invocation, {"times are not compared: recorded on " + model.recorded_on + ", and " + name +
                                 " is " + machine.description,
                             "", "name the machine of the recordings"});
  return std::optional<machine::Machine>();
}

/// Warns; the model is written all the same.
void say_unchecked(const Invocation& invocation, const std::string& what, const Error& why) {
  say_warning(invocation, {"the model was not compared with " + what + ": " + why.what, why.where, why.hint});
}

}  // namespace

const std::vector<Flag>& check_flags_of_model() {
  static const std::vector<Flag> flags{
      {"--machine", 'm', "X",
       "machine of the recordings, on which their times are predicted to check the model (default: here, "
       "where there is here.machine.toml)",
       false, "machine"},
      {"--quick", 0, "", "skip the check that predicts the largest runs from a model of the others"}};
  return flags;
}

Result<void> check_model(const Invocation& invocation, program::RecordedRuns& recordings,
                         program::Model& model, const ShowProgress& show) {
  PARCAST_ASSIGN(const auto machine, machine_of_checks(invocation, model));
  PARCAST_ASSIGN(const auto missing, predict::check_model(recordings, model, machine ? &*machine : nullptr,
                                                          !invocation.has("--quick"), show));
  for (const predict::Unchecked& each : missing) say_unchecked(invocation, each.what, each.why);
  return {};
}

}  // namespace parcast::cli

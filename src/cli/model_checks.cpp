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
Result<std::optional<machine::Machine>> machine_of_checks(const Invocation& invocation, const program::Model& model) {
  const bool named = invocation.has("--machine");
  if (!named && !std::filesystem::exists(std::string(kHere) + ".machine.toml")) return std::optional<machine::Machine>();
  const std::string name = invocation.value("--machine").value_or(kHere);
  PARCAST_ASSIGN(machine::Machine machine, load_machine(name));
  if (predict::same_processor(model.recorded_on, machine)) return std::optional(std::move(machine));
  if (named)
    say_warning(invocation, {"times are not compared: recorded on " + model.recorded_on + ", and " + name + " is " + machine.description, "",
                             "name the machine of the recordings"});
  return std::optional<machine::Machine>();
}

/// Warns; the model is written all the same.
void say_unchecked(const Invocation& invocation, const std::string& what, const Error& why) {
  say_warning(invocation, {"the model was not compared with " + what + ": " + why.what, why.where, why.hint});
}

}  // namespace

const std::vector<Flag>& check_flags_of_model() {
  static const std::vector<Flag> flags{
      {"--machine", 'm', "X", "machine of the recordings, on which their times are predicted to check the model (default: here, where there is here.machine.toml)"},
      {"--quick", 0, "", "do not make the model again without the largest runs to see how it predicts them"}};
  return flags;
}

Result<void> check_model(const Invocation& invocation, program::RecordedRuns& recordings, program::Model& model, const ShowProgress& show) {
  PARCAST_ASSIGN(const auto runs, recordings.whole_runs());
  PARCAST_ASSIGN(const auto machine, machine_of_checks(invocation, model));
  const auto all = invocation.has("--quick") ? std::vector<predict::HeldOut>() : predict::held_out(runs);
  const auto steps = static_cast<double>(1 + all.size());
  std::vector<program::ForwardCheck> forward;
  predict::ForwardErrors errors;
  for (std::size_t i = 0; i < all.size(); ++i) {
    show(static_cast<double>(i) / steps, "predict the largest runs from the others");
    auto check = predict::check_forward(recordings, runs, all[i], errors);
    if (check) forward.push_back(*std::move(check));
    else say_unchecked(invocation, "the runs of largest " + all[i].without, check.error());
  }
  predict::weigh_forecasts(model, errors);
  const auto before = static_cast<double>(all.size());
  auto checks = predict::give_back(model, runs, machine ? &*machine : nullptr,
                                   [&](double done) { show((before + done) / steps, "predict the recordings"); });
  if (!checks) {
    say_unchecked(invocation, "its recordings", checks.error());
    return {};
  }
  model.checks = *std::move(checks);
  model.checks.forward = std::move(forward);
  return {};
}

}  // namespace parcast::cli

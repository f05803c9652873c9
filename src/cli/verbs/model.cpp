// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "build_model/whole_model.h"
#include "cli/default_name.h"
#include "cli/inputs.h"
#include "cli/model_checks.h"
#include "cli/output.h"
#include "cli/remember.h"
#include "cli/verbs.h"
#include "model/model_file.h"
#include "observations/inputs.h"
#include "observations/join_builds.h"
#include "report/model_text.h"
#include "report/problems.h"
#include "report/words.h"

namespace parcast::cli {
namespace {

// Fractions of the work, typical of most models.
constexpr double kReading = 0.3, kMaking = 0.4;

struct ReadRuns {
  program::RecordedRuns runs;
  std::vector<program::Notice> left_out;  // runs that failed
};

Result<void> add_recording(const Invocation& invocation, recording::Recording recording,
                           program::RecordedRuns& runs) {
  recording::resolve_sites(recording);
  if (invocation.has("--same-program")) PARCAST_TRY(program::forget_build(recording));
  runs.add(std::move(recording));
  return {};
}

/// A run that ended by itself with an error did something else than the others. It is left out unless no
/// whole run succeeded.
Result<ReadRuns> read_all(const Invocation& invocation, Progress& progress) {
  ReadRuns out;
  std::vector<std::string> failed;
  double read = 0;
  for (const std::string& path : invocation.inputs) {
    progress.show(kReading * read++ / static_cast<double>(invocation.inputs.size()), "read recordings");
    PARCAST_ASSIGN(auto recording, recording::read_recording(path));
    for (const auto& problem : report::problems_of(recording))
      say_warning(invocation, {problem.text, path, "the rest is used"});
    if (program::has_failed(recording) && !invocation.has("--with-failed")) {
      failed.push_back(path);
      out.left_out.push_back(
          {"failed-run-left-out",
           path + " is left out, since its run ended with exit code " + std::to_string(recording.exit_code),
           "--with-failed counts it as any other run"});
      continue;
    }
    PARCAST_TRY(add_recording(invocation, std::move(recording), out.runs));
  }
  const auto succeeded = [](const recording::Recording& each) {
    return each.exit_code == 0 && !program::is_damaged(each);
  };
  if (std::ranges::any_of(out.runs.recordings(), succeeded)) return out;
  out.left_out.clear();
  for (const std::string& path : failed) {
    PARCAST_ASSIGN(auto recording, recording::read_recording(path));
    PARCAST_TRY(add_recording(invocation, std::move(recording), out.runs));
  }
  return out;
}

/// Returns the quantities with the names that --name gives them.
Result<std::vector<program::Quantity>> named(const program::Model& model, const Invocation& invocation) {
  std::map<std::string, std::string> names;
  for (const std::string& word : invocation.values("--name")) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0)
      return Error{"--name " + word + " has not the form OLD=NEW", "",
                   "write --name N_part=rows; parcast model lists the derived quantities"};
    if (!names.emplace(word.substr(0, equals), word.substr(equals + 1)).second)
      return Error{"--name " + word.substr(0, equals) + "=... is given twice", "", "leave one of them out"};
  }
  return program::renamed(model.quantities, names, program::taken_names(model));
}

int run_model(const Invocation& invocation) {
  const auto look = style(invocation);
  if (!look) return say_error(look.error()), kUsage;
  Progress progress(invocation);
  auto read = read_all(invocation, progress);
  if (!read) return say_error(read.error()), kFailed;
  program::RecordedRuns* const runs = &read->runs;
  const auto show_making = [&](double done, std::string_view what) {
    progress.show(kReading + kMaking * done, what);
  };
  auto model = program::whole_model(*runs, !invocation.has("--no-arguments"), show_making);
  if (!model) return say_error(model.error()), kFailed;
  for (const program::Notice& notice : read->left_out) {
    say_warning(invocation, {notice.text, "", notice.hint});
    model->notices.push_back(notice);
  }
  auto quantities = named(*model, invocation);
  if (!quantities) return say_error(quantities.error()), kUsage;
  model->quantities = std::move(*quantities);
  const auto show = [&](double done, std::string_view what) {
    constexpr double kBefore = kReading + kMaking;
    progress.show(kBefore + (1 - kBefore) * done, what);
  };
  if (const auto checked = check_model(invocation, *runs, *model, show); !checked)
    return say_error(checked.error()), kFailed;
  progress.clear();
  const std::string path = invocation.value("--output").value_or(default_name(model->program, ".model.json"));
  if (!invocation.has("--output"))
    if (const auto free = check_free_for_model(path, model->program); !free)
      return say_error(free.error()), kFailed;
  if (const auto written = program::write_model(path, *model); !written)
    return say_error(written.error()), kFailed;
  remember(invocation, [&](store::Store& store) { return store.add_model(path, *model); });
  print_result(invocation.json() ? program::to_json(*model)
                                 : report::model_text(*model, *look, invocation.has("--all")));
  if (!invocation.quiet())
    print_message("parcast: model of " +
                  report::counted(static_cast<std::int64_t>(runs->recordings().size()), "recording") +
                  " in " + path + "\n");
  if (const Error& missing = model->structure->missing; !model->structure->has_steps())
    say_warning(invocation,
                {"traces cannot be generated from the model: " + missing.what, missing.where, missing.hint});
  else if (!model->structure->found())
    say_warning(invocation, {"traces generated from the model are copies of the recorded run at p = " +
                                 std::to_string(model->structure->copied) + ": " + missing.what,
                             missing.where, missing.hint});
  for (const auto& recording : runs->recordings())
    if (!recording.losses.empty()) return kPartial;
  return read->left_out.empty() ? kAnswered : kPartial;
}

}  // namespace

const Verb& model_verb() {
  static const Verb verb = [] {
    Verb v{
        .name = "model",
        .summary = "make one model from one or several recordings of a program",
        .inputs = "R.recording...",
        .fewest_inputs = 1,
        .most_inputs = 100000,
        .flags = {{"--output", 'o', "M.model.json", "where to write it (default PROGRAM.model.json)"},
                  {"--no-arguments", 0, "", "do not make parameters of the numbers on the command line"},
                  {"--same-program", 0, "",
                   "the recordings come from several builds of one source: match calls by function and line"},
                  {"--with-failed", 0, "", "count runs that ended with an error as any others"},
                  {"--name", 0, "OLD=NEW", "call a derived quantity NEW", true},
                  {"--all", 0, "", "print all nodes of the tree, and every recording as the model gives it"},
                  notes_flag(),
                  store_flag(),
                  no_store_flag()},
        .examples = {"parcast model shallow_water-*.recording",
                     "parcast model a.recording b.recording -o lj.model.json",
                     "parcast model heat-*.recording --name N_part=rows",
                     "parcast model gauss-*.recording -m here --json"},
        .notes =
            {"Parcast checks the model: it predicts every recording, and the largest runs once more from a "
             "model without them.",
             "docs/models/checks.md."},
        .run = run_model};
    v.flags.insert(v.flags.begin() + 1, check_flags_of_model().begin(), check_flags_of_model().end());
    return v;
  }();
  return verb;
}

}  // namespace parcast::cli

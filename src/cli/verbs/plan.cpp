// SPDX-License-Identifier: Apache-2.0
#include "cli/measurement_files.h"
#include "cli/output.h"
#include "cli/plan_request.h"
#include "cli/stored_measurements.h"
#include "cli/verbs.h"
#include "report/plan_text.h"

namespace parcast::cli {
namespace {

int run_plan(const Invocation& invocation) {
  const auto look = style(invocation);
  if (!look) return say_error(look.error()), kUsage;
  if (!invocation.has("--next"))
    return say_error({"nothing to plan is named", "",
                      "parcast plan --next ranks the runs that are worth making next"}),
           kUsage;
  const auto data = load_measurements(invocation);
  if (!data) return say_error(data.error()), kFailed;
  std::vector<std::string> notes;
  auto request = plan_request(invocation, data->measured, notes);
  if (!request) return say_error(request.error()), kUsage;
  Progress progress(invocation);
  request->progress = [&](double share) { progress.show(share, "trying runs"); };
  auto advice = plan::advise(data->measured, *request);
  progress.clear();
  if (!advice) return say_error(advice.error()), kFailed;
  advice->notes.insert(advice->notes.end(), notes.begin(), notes.end());
  print_result(invocation.json() ? report::plan_to_json(*advice) : report::plan_text(*advice, *look));
  return data->partial ? kPartial : kAnswered;
}

}  // namespace

const Verb& plan_verb() {
  static const Verb verb = [] {
    Verb v{
        .name = "plan",
        .summary = "which run to make next, so that a prediction from measured times becomes surer",
        .inputs = "DATA | R.recording... | FOLDER | --store URL",
        .fewest_inputs = 0,
        .most_inputs = 100000,
        .flags =
            {{"--next", 0, "", "rank the runs worth making next"},
             {"--at", 0, "K=V,...", "the run to predict, e.g. p=1024,n=64"},
             {"--allow", 0, "K=LIST",
              "values that a run may have: p=1,2,4,...,256 (default: the measured ones and two steps towards "
              "--at)",
              true},
             {"--budget", 0, "TIME",
              "core time that the next run may cost, e.g. 100h (default: what the run to predict would "
              "cost)",
              false, "budget"},
             {"--cores", 0, "NAME", "the parameter that counts cores (default: p, processes, ranks, ...)"},
             {"--repetitions", 0, "N",
              "how often a run is made at its point (default: as often as those measured)"},
             {"--least", 0, "PERCENT", "do not propose runs that narrow the interval by less, default 5"},
             {"--metric", 0, "NAME", "what is asked about (default: the first time)"},
             {"--callpath", 0, "TEXT", "where, a call path or a pattern with * (default: the whole program)"},
             {"--of", 0, "WORD", "statistic of repetitions: mean (default), median, min or max"},
             {"--level", 0, "X", "level of intervals, default 0.9"}},
        .examples = {"parcast plan --next runs.csv --at p=1024",
                     "parcast plan --next app-*.recording --at p=256,N=8192 --allow p=1,2,4,...,64 --allow "
                     "N=512,1024,2048",
                     "parcast plan --next experiment.json --at p=512,n=100 --budget 50h --json"},
        .notes = {"A run costs its predicted time times its cores times its repetitions. How much it narrows "
                  "is the mean over what it may measure,",
                  "fitted anew each time: docs/models/next_run.md. DATA is what parcast fit takes."},
        .run = run_plan};
    v.flags.insert(v.flags.end(), measurement_flags().begin(), measurement_flags().end());
    v.flags.insert(v.flags.end(), stored_flags().begin(), stored_flags().end());
    return v;
  }();
  return verb;
}

}  // namespace parcast::cli

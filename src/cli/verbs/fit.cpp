// SPDX-License-Identifier: Apache-2.0
#include "fit/fit.h"

#include <algorithm>

#include "base/files.h"
#include "base/text.h"
#include "cli/measurement_files.h"
#include "cli/measurement_question.h"
#include "cli/output.h"
#include "cli/stored_measurements.h"
#include "cli/verbs.h"
#include "report/fit_text.h"
#include "report/words.h"

namespace parcast::cli {
namespace {

/// Returns the largest value of each parameter.
std::vector<double> largest_point(const fit::Measurements& data) {
  std::vector<double> largest(data.parameters.size(), 0);
  for (const fit::Kernel& kernel : data.kernels)
    for (const auto& point : kernel.points)
      for (std::size_t j = 0; j < largest.size(); ++j) largest[j] = std::max(largest[j], point[j]);
  return largest;
}

Result<fit::Points> asked_by(const Invocation& invocation, const fit::Measurements& data) {
  fit::Points points;
  for (const std::string& text : invocation.values("--predict")) {
    PARCAST_ASSIGN(const fit::Points some, points_from("--predict", text, data));
    points.insert(points.end(), some.begin(), some.end());
  }
  if (points.empty()) points.push_back(largest_point(data));
  return points;
}

/// Selects the requested part of the answer after everything was fitted: counts next to a time, and
/// correlations of kernels, influence each fit.
Result<fit::Fits> selected(const Invocation& invocation, fit::Fits fits) {
  std::vector<std::string> metrics, places;
  for (const fit::KernelFit& kernel : fits.kernels) {
    if (std::ranges::find(metrics, kernel.metric) == metrics.end()) metrics.push_back(kernel.metric);
    places.push_back(kernel.callpath);
  }
  const auto metric = invocation.value("--metric"), place = invocation.value("--callpath");
  if (metric && std::ranges::find(metrics, *metric) == metrics.end()) {
    const std::string near = did_you_mean(*metric, metrics);
    return Error{"the data have no metric \"" + *metric + "\"", "--metric",
                 near.empty() ? "they have " + join(metrics, ", ") : near};
  }
  std::erase_if(fits.kernels, [&](const fit::KernelFit& kernel) {
    return (metric && kernel.metric != *metric) || (place && !matches(kernel.callpath, *place));
  });
  if (fits.kernels.empty()) {
    const std::string near = did_you_mean(*place, places);
    return Error{"no call path matches \"" + *place + "\"", "--callpath",
                 near.empty() ? "* matches any text; parcast fit DATA --all lists them" : near};
  }
  return fits;
}

Result<fit::Options> options_from(const Invocation& invocation, const fit::Measurements& data) {
  fit::Options options;
  PARCAST_ASSIGN(options.level, level_from(invocation));
  PARCAST_ASSIGN(options.statistic, statistic_from(invocation));
  PARCAST_ASSIGN(options.asked, asked_by(invocation, data));
  for (const std::string& text : invocation.values("--change")) {
    PARCAST_ASSIGN(const auto some, changes_from("--change", text, data));
    options.changes.insert(options.changes.end(), some.begin(), some.end());
  }
  return options;
}

std::string file_content(const std::string& file, const fit::Fits& fits, bool all) {
  if (file.ends_with(".csv")) return report::fit_csv(fits);
  if (file.ends_with(".json")) return report::fit_to_json(fits);
  return report::fit_text(fits, {}, all);
}

int deliver(const Invocation& invocation, const fit::Fits& fits, const report::Style& look) {
  const std::string file = invocation.value("--output").value_or("");
  const bool all = invocation.has("--all");
  if (!file.empty())
    if (const auto written = write_file(file, file_content(file, fits, all)); !written)
      return say_error(written.error()), kFailed;
  if (invocation.json()) {
    print_result(report::fit_to_json(fits));
  } else if (invocation.has("--csv")) {
    print_data(report::fit_csv(fits));
  } else if (file.empty()) {
    print_result(report::fit_text(fits, look, all));
  }
  if (!file.empty() && !invocation.quiet())
    print_message("parcast: " + report::counted(static_cast<std::int64_t>(fits.kernels.size()), "kernel") +
                  " in " + file + "\n");
  return kAnswered;
}

int run_fit(const Invocation& invocation) {
  const auto look = style(invocation);
  if (!look) return say_error(look.error()), kUsage;
  if (invocation.json() && invocation.has("--csv"))
    return say_error({"--json and --csv exclude each other", "",
                      "give one of them; -o FILE writes another format besides"}),
           kUsage;
  const auto data = load_measurements(invocation);
  if (!data) return say_error(data.error()), kFailed;
  const auto options = options_from(invocation, data->measured);
  if (!options) return say_error(options.error()), kUsage;
  auto fits = fit::fit_all(data->measured, *options);
  if (!fits) return say_error(fits.error()), kFailed;
  const auto shown = selected(invocation, *std::move(fits));
  if (!shown) return say_error(shown.error()), kUsage;
  const int code = deliver(invocation, *shown, *look);
  return code == kAnswered && data->partial ? kPartial : code;
}

}  // namespace

const Verb& fit_verb() {
  static const Verb verb = [] {
    Verb v{
        .name = "fit",
        .summary = "formulas for measured times alone, and their predictions of larger runs",
        .inputs = "DATA | R.recording... | FOLDER | --store URL",
        .fewest_inputs = 0,
        .most_inputs = 100000,
        .flags =
            {{"--predict", 0, "K=V,...",
              "where to predict, e.g. p=1024,n=64,128 (default: the largest measured values)", true},
             {"--metric", 0, "NAME", "only this metric"},
             {"--callpath", 0, "TEXT", "only call paths that contain TEXT, or match it where it has a *"},
             {"--of", 0, "WORD", "statistic of repetitions: mean (default), median, min or max"},
             {"--change", 0, "K=V",
              "the growth with K changes beyond V, a number or a machine for its eager limit: bytes=65536",
              true},
             {"--level", 0, "X", "level of intervals, default 0.9"},
             {"--all", 0, "", "print all kernels"},
             {"--csv", 0, "", "print CSV"},
             {"--output", 'o', "FILE", "file to write: fits.csv, fits.json, or a text"}},
        .examples = {"parcast fit runs.csv --predict p=1024",
                     "parcast fit experiment.json --predict p=512,n=100,200 --metric time",
                     "parcast fit profile.txt --callpath 'main->solve*' --json",
                     "parcast fit app-*.recording --predict p=64,N=4096 --metric seconds",
                     "parcast fit --program app --since 2026-11-01 --predict p=64,N=4096 --store "
                     "postgresql://me@db/experiments"},
        .notes =
            {"DATA is CSV with a header line, or Extra-P's text, JSON or JSON lines; the format is found by "
             "its content. Recordings of one program give seconds, calls, messages and bytes of each region.",
             "Without DATA, flags choose runs of a store: --program, -m, -p, -s, ... as in parcast store "
             "runs."},
        .run = run_fit};
    v.flags.insert(v.flags.end(), measurement_flags().begin(), measurement_flags().end());
    v.flags.insert(v.flags.end(), stored_flags().begin(), stored_flags().end());
    return v;
  }();
  return verb;
}

}  // namespace parcast::cli

// SPDX-License-Identifier: Apache-2.0
#include "build_model/notices.h"

#include <algorithm>
#include <functional>
#include <string>

#include "base/plain_number.h"
#include "base/text.h"
#include "build_model/data_decided.h"
#include "build_model/off_processor.h"
#include "build_model/record_line.h"
#include "model/binding.h"
#include "model/run_options.h"
#include "observations/repeats.h"

namespace parcast::program {
namespace {

void note(Model& model, std::string code, std::string text, std::string hint) {
  model.notices.push_back({std::move(code), std::move(text), std::move(hint)});
}

/// Of the loops that no formula gives, the largest. Without the program's own code only their numbers of
/// iterations show that.
void note_loops_without_formula(Model& model) {
  constexpr std::size_t kMost = 3;
  std::vector<DataDecided> loops = data_decided_loops(model);
  std::ranges::stable_sort(loops, std::greater(), &DataDecided::share);
  if (loops.size() > kMost) loops.resize(kMost);
  for (const DataDecided& each : loops)
    note(model, "data-decided",
         "no formula gives how often " + each.name + " runs, as where it runs until a result converges: " +
             format_significant(100 * each.share, 2) + " % of the computing is in it",
         "record with the number of its iterations as a parameter (--param iterations=...), and predict with "
         "the number that you expect");
}

void note_data_decided(Model& model) {
  std::vector<std::string> unvaried;
  for (const Parameter& parameter : model.parameters)
    if (parameter.values.size() == 1) unvaried.push_back(parameter.name);
  for (const DataDecided& each : data_decided_loops(model))
    note(model, "data-decided",
         each.name + " runs as long as the data decide: " + format_significant(100 * each.share, 2) +
             " % of the computing is in it",
         unvaried.empty()
             ? ""
             : "record at other values of " + join(unvaried, ", ") + ", so that its growth is seen");
}

// Notes that no law agrees with the recordings that have more processes than cores. They compute in turn, so
// that a process needs at most about as long as on its own core.
void note_crowded_misses(Model& model, const std::map<double, double>& ratios) {
  constexpr double kMiss = 1.6;
  if (ratios.empty()) return;
  const auto& [p, ratio] = *ratios.rbegin();
  if (ratio < kMiss && ratio > 1 / kMiss) return;
  std::vector<std::string> all;
  for (const auto& [processes, each] : ratios)
    all.push_back(format_significant(each, 2) + " at p = " + format_plain(processes));
  note(
      model, "crowded-misses",
      "recordings with more processes than cores compute longer or shorter than the model gives for them, by "
      "these factors: " +
          join(all, ", ") + ". So the growth with p is uncertain",
      "record with more processes on a machine that has a core for each");
}

void note_off_processor(Model& model, const NoticeInputs& from) {
  const std::vector<double> shares = off_processor_shares(from.recordings, from.traces);
  const auto worst = std::ranges::max_element(shares);
  if (worst == shares.end() || *worst < kMuchOffProcessor) return;
  const auto many = std::ranges::count_if(shares, [](double share) { return share >= kMuchOffProcessor; });
  const auto of = static_cast<std::size_t>(worst - shares.begin());
  note(model, "off-processor",
       "processes were off the processor for " + format_significant(100 * *worst, 2) + " % of " +
           describe(from.recordings[of]) +
           (many > 1 ? ", and for 10 % or more of " +
                           (many > 2 ? std::to_string(many - 1) + " other recordings" : "one other recording")
                     : "") +
           ": other work ran on the cores, or they slept or waited for files",
       "record again while nothing else runs");
}

}  // namespace

void add_notices(Model& model, const NoticeInputs& from) {
  const Design& design = from.design;
  for (std::size_t v = 0; v < design.variables(); ++v) {
    const std::string name = design.variable_name(v);
    const auto values = design.values(v);
    if (values.size() == 1)
      note(model, "never-varied",
           name + " is " + format_plain(values[0]) +
               " in every recording, so nothing is known of its effect" +
               (from.is_compiled_to_count ? " except through the program's own code" : ""),
           "record at another " + name);
  }
  if (from.recordings.size() == 1)
    note(model, "single-recording",
         from.is_compiled_to_count
             ? "the model rests on one recording: computing times are scaled by what the "
               "program's own code does"
             : "the model rests on one recording: computing times are scaled by nothing",
         from.is_compiled_to_count
             ? "record a second size, and a third to confirm"
             : "record a second size, and a third to confirm, or compile the program by parcast "
               "cc, cxx or fc with -O1 or more: one run then shows how its loops grow");
  if (from.disturbed_share > 0.05)
    note(model, "crowded-costs",
         format_significant(100 * from.disturbed_share, 2) + " % of the computing time " +
             (std::ranges::all_of(from.recordings, &recording::Recording::oversubscribed)
                  ? "is known only from recordings with more processes than cores"
                  : "rests partly on recordings with more processes than cores, which slows it"),
         "record with at most as many processes as cores");
  note_crowded_misses(model, from.crowded_ratios);
  note_off_processor(model, from);
  if (from.missed_share > 0.1)
    note(model, "missed-costs",
         format_significant(100 * from.missed_share, 2) +
             " % of the computing time fits no growth law: recorded times and those of the model differ by "
             "up to " +
             format_significant(100 * from.missed, 2) + " %",
         "record with a parameter of which the time is a power, e.g. 2^levels for a number of levels, or a "
         "file's size");
  const double fitted = model.share_by_origin["fitted"];
  if (fitted > 0.01)
    note(model, "fitted-counts",
         format_significant(100 * fitted, 2) +
             " % of the recorded time is executed a number of times that no exact formula gives",
         "");
  if (from.is_compiled_to_count)
    note_data_decided(model);
  else
    note_loops_without_formula(model);
  if (const auto next = next_recording(model, from.shares, from.recordings)) {
    std::vector<std::string> names;
    for (const Parameter& parameter : model.parameters) names.push_back(parameter.name);
    note(model, "next-run",
         "one recording at " + point_text(next->point, names) + " would separate most alternatives: " +
             format_significant(100 * next->share, 2) + " % of the time rests on ambiguous counts",
         next->command.empty() ? "" : record_line(*next, names, from.recordings[from.inputs.order.front()]));
  }
  if (auto unseen = unseen_notice(from.sessions, from.recordings.size()))
    model.notices.push_back(*std::move(unseen));
  if (auto unlike = unlike_repeats(from.inputs, from.traces)) model.notices.push_back(*std::move(unlike));
}

}  // namespace parcast::program

// SPDX-License-Identifier: Apache-2.0
// The queries of the store: list, runs, show, export.
#include "base/files.h"
#include "base/text.h"
#include "calibrate/raw.h"
#include "cli/output.h"
#include "cli/store_actions.h"
#include "machine/machine_file.h"
#include "report/json.h"
#include "report/machine_csv.h"
#include "report/store_text.h"
#include "report/words.h"
#include "store/entries_file.h"
#include "store/runs_csv.h"

namespace parcast::cli {
namespace {

/// Parses the kind after list and export, e.g. "models".
Result<void> take_kind(const std::vector<std::string>& words, store::Query& query) {
  if (words.empty()) return {};
  const auto kind = store::kind_from(words[0]);
  if (kind) return query.kinds = {*kind}, Result<void>();
  std::vector<std::string> names;
  for (const store::Kind each : store::kKinds) names.push_back(std::string(to_string(each)) + "s");
  const std::string guess = did_you_mean(words[0], names);
  return Error{"the store keeps no " + words[0], "",
               guess.empty() ? "known are " + join(names, ", ") : guess};
}

Result<store::Found> found_for(const StoreCall& call, store::Content content,
                               const std::vector<store::Kind>& kinds = {}) {
  PARCAST_ASSIGN(store::Query query, query_from(call.invocation));
  query.kinds = kinds;
  PARCAST_TRY(take_kind(call.words, query));
  PARCAST_ASSIGN(auto found, call.store.find(query, content));
  if (found.undated > 0)
    say_warning(call.invocation, {report::counted(found.undated, "run") + " without a time " +
                                      (found.undated == 1 ? "was" : "were") + " left out",
                                  "", "leave --since and --until out to see them"});
  return found;
}

int print_csv(const store::Found& found) {
  return print_data(store::runs_to_csv(found.entries)), kAnswered;
}

}  // namespace

int store_list(const StoreCall& call) {
  const auto found = found_for(call, store::Content::without);
  if (!found) return say_error(found.error()), kFailed;
  if (call.invocation.json()) return print_result(report::store_list_to_json(found->entries)), kAnswered;
  return print_result(report::store_list_text(found->entries, call.look)), kAnswered;
}

int store_runs(const StoreCall& call) {
  const auto found = found_for(call, store::Content::without, store::kRuns);
  if (!found) return say_error(found.error()), kFailed;
  if (call.invocation.has("--csv")) return print_csv(*found);
  if (call.invocation.json()) return print_result(report::store_list_to_json(found->entries)), kAnswered;
  return print_result(report::store_runs_text(found->entries, call.look)), kAnswered;
}

int store_show(const StoreCall& call) {
  const auto entry = call.store.show(call.words[0]);
  if (!entry) return say_error(entry.error()), kFailed;
  if (call.invocation.has("--csv")) {
    if (entry->kind == store::Kind::calibration) {
      const auto csv = calibrate::repeats_csv(entry->content, entry->digest);
      if (!csv) return say_error(csv.error()), kFailed;
      return print_data(*csv), kAnswered;
    }
    if (entry->kind != store::Kind::machine)
      return say_error({"a " + std::string(to_string(entry->kind)) + " has no measured points", "",
                        "show --csv takes machines and calibrations; runs --csv lists recordings and "
                        "measurements"}),
             kUsage;
    const auto machine = machine::machine_from_toml(entry->content, entry->digest);
    if (!machine) return say_error(machine.error()), kFailed;
    return print_data(report::machine_points_csv(*machine)), kAnswered;
  }
  if (call.invocation.json()) return print_result(report::store_entry_to_json(*entry)), kAnswered;
  return print_result(report::store_entry_text(*entry, call.look)), kAnswered;
}

int store_export(const StoreCall& call) {
  const auto to = call.invocation.value("--output");
  const bool csv = call.invocation.has("--csv") || (to && to->ends_with(".csv"));
  if (csv && call.invocation.json())
    return say_error({"--json and CSV exclude each other", "", "leave one of them out"}), kUsage;
  const auto found = found_for(call, store::Content::with, csv ? store::kRuns : std::vector<store::Kind>{});
  if (!found) return say_error(found.error()), kFailed;
  const auto text =
      csv ? Result<std::string>(store::runs_to_csv(found->entries)) : store::entries_to_json(found->entries);
  if (!text) return say_error(text.error()), kFailed;
  if (!to) return csv ? print_data(*text) : print_result(*text), kAnswered;
  if (const auto written = write_file(*to, *text); !written) return say_error(written.error()), kFailed;
  if (!call.invocation.quiet())
    print_message("parcast: " + report::entries_counted(found->entries.size()) + " in " + *to + "\n");
  return kAnswered;
}

}  // namespace parcast::cli

// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "base/shell.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/report_file.h"
#include "cli/report_subjects.h"
#include "cli/store_actions.h"
#include "machine/machine_file.h"
#include "predict/question.h"
#include "report/html/page.h"
#include "report/html/stored.h"
#include "report/words.h"

namespace parcast::cli {
namespace {

constexpr const char* kParameters = "--param";

/// Returns the query in the words of its flags.
std::string query_text(const Invocation& invocation) {
  std::string out;
  for (const std::string_view flag :
       {"--program", "--machine", "--processes", kParameters, "--since", "--until", "--tag"})
    for (const std::string& value : invocation.values(flag))
      out += (out.empty() ? "" : " ") + std::string(flag) + " " + shell_quoted(value);
  return out.empty() ? "all runs" : out;
}

/// Returns whether a recording was made on the processor of a prediction's machine, as it was stored.
store::IsMachineOf by_stored_machines(const store::Store& store) {
  return [&store, known = std::map<std::string, std::optional<machine::Machine>>()](
             const store::Entry& recording, const store::Entry& prediction) mutable {
    const auto [at, is_new] = known.try_emplace(prediction.machine_digest);
    if (is_new)
      if (const auto entry = store.show(prediction.machine_digest))
        if (auto machine = machine::machine_from_toml(entry->content, entry->digest))
          at->second = *std::move(machine);
    return at->second && predict::same_processor(recording.machine, *at->second);
  };
}

/// The machine names predictions and measurements; a recording has its processor instead, so that the query
/// for runs leaves the machine out, and the pairing decides.
Result<report::html::StoredReport> answered(const Invocation& invocation) {
  PARCAST_ASSIGN(store::Query query, query_from(invocation, kParameters));
  PARCAST_ASSIGN(const store::Store store, store::Store::open_existing(store_url(invocation)));
  store::Query of_predictions = query, of_runs = query;
  of_predictions.kinds = {store::Kind::prediction};
  of_predictions.since.clear(), of_predictions.until.clear(), of_predictions.tag.clear();
  of_runs.kinds = store::kRuns;
  of_runs.machine.clear();
  PARCAST_ASSIGN(const store::Found predictions, store.find(of_predictions));
  PARCAST_ASSIGN(store::Found runs, store.find(of_runs));
  if (!query.machine.empty())
    std::erase_if(runs.entries, [&](const store::Entry& run) {
      return run.kind == store::Kind::measurement && !run.machine.empty() && run.machine != query.machine;
    });
  report::html::StoredReport out;
  out.store = "in " + store.name(), out.query = query_text(invocation);
  out.paired = paired_runs(predictions.entries, runs.entries, by_stored_machines(store));
  if (runs.undated > 0)
    out.warnings.push_back(report::counted(runs.undated, "run") + " without a time " +
                           (runs.undated == 1 ? "was" : "were") + " left out");
  out.command = report_command(invocation);
  out.version = PARCAST_VERSION;
  return out;
}

}  // namespace

int report_stored_runs(const Invocation& invocation) {
  if (const auto fits = check_report_flags(invocation,
                                           {"--store", "--program", "--machine", "--processes", kParameters,
                                            "--since", "--until", "--tag", "--output"},
                                           "a store");
      !fits)
    return say_error(fits.error()), kUsage;
  const auto report = answered(invocation);
  if (!report) return say_error(report.error()), kFailed;
  return write_report(invocation, "runs", report::html::page(document_of(*report)), kAnswered);
}

}  // namespace parcast::cli

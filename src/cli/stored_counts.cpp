// SPDX-License-Identifier: Apache-2.0
#include "cli/stored_counts.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "cli/model_counts.h"
#include "cli/stored_measurements.h"
#include "model/model_file.h"
#include "report/words.h"

namespace parcast::cli {
namespace {

using store::Entry;
using store::Kind;

class CountedRuns {
 public:
  CountedRuns(const store::Store& store, std::vector<Entry> runs,
              std::shared_ptr<const machine::Machine> prices)
      : store_(store), entries_(std::move(runs)), counts_(std::move(prices)) {
    out_.counts = ModelCounts::names();
    out_.where = store.name();
  }

  Result<regress::Runs> read() {
    PARCAST_TRY(of_one_machine(entries_, out_.notes));
    PARCAST_TRY(load_models());
    for (const Entry& entry : entries_) PARCAST_TRY(add(entry));
    if (out_.runs.empty())
      return Error{
          "the store has no model of any of these programs, which would give the counts of their runs",
          store_.name(),
          "make one of their recordings: parcast model R.recording -o M.model.json, then parcast store add "
          "M.model.json"};
    for (const auto& [program, count] : without_)
      out_.notes.push_back(report::counted(count, "run") + " of " + program + (count == 1 ? " is" : " are") +
                           " left out: the store has no model of it");
    out_.notes.push_back(counts_.note());
    return std::move(out_);
  }

 private:
  Result<void> load_models() {
    std::set<std::string> programs;
    for (const Entry& entry : entries_) programs.insert(entry.program);
    for (const std::string& program : programs) {
      store::Query query;
      query.kinds = {Kind::model};
      query.program = program;
      PARCAST_ASSIGN(const store::Found found, store_.find(query, store::Content::with));
      if (found.entries.empty()) continue;
      const Entry& newest = found.entries.back();
      const std::string place = "model " + store::id_of(newest);
      PARCAST_ASSIGN(const program::Model model, program::model_from_json(newest.content, place));
      PARCAST_TRY(counts_.add(model, place));
    }
    return {};
  }

  Result<void> add(const Entry& entry) {
    if (!counts_.has(entry.program)) {
      ++without_[entry.program];
      return {};
    }
    const std::string place = "run " + store::id_of(entry);
    PARCAST_ASSIGN(
        std::vector<double> counts,
        counts_.counts_of(entry.program, entry.parameters, static_cast<std::int32_t>(entry.processes),
                          static_cast<std::int32_t>(entry.ranks_per_node), place));
    regress::Run run;
    run.program = entry.program;
    run.parameters = entry.parameters;
    run.parameters["p"] = static_cast<double>(entry.processes);
    run.seconds = entry.seconds;
    run.counts = std::move(counts);
    run.place = place;
    for (const auto& [name, value] : run.parameters)
      if (std::ranges::find(out_.parameters, name) == out_.parameters.end()) out_.parameters.push_back(name);
    if (!(run.seconds > 0))
      return Error{"the run took " + format_seconds(run.seconds) + ", but a run takes time", place,
                   "leave it out: choose runs with --tag or -s"};
    out_.runs.push_back(std::move(run));
    return {};
  }

  const store::Store& store_;
  std::vector<Entry> entries_;
  ModelCounts counts_;
  std::map<std::string, std::int64_t> without_;
  regress::Runs out_;
};

}  // namespace

Result<regress::Runs> stored_counts(const store::Store& store, store::Query query,
                                    std::shared_ptr<const machine::Machine> prices) {
  query.kinds = store::kRuns;
  PARCAST_ASSIGN(store::Found found, store.find(query));
  if (found.entries.empty())
    return Error{"no run is meant", store.name(), "parcast store runs lists what there is"};
  PARCAST_ASSIGN(regress::Runs out, CountedRuns(store, std::move(found.entries), std::move(prices)).read());
  if (found.undated > 0)
    out.notes.push_back(report::counted(found.undated, "run") + " without a time " +
                        (found.undated == 1 ? "was" : "were") + " left out");
  return out;
}

}  // namespace parcast::cli

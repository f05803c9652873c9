// SPDX-License-Identifier: Apache-2.0
#include "cli/stored_counts.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "cli/stored_measurements.h"
#include "predict/equation/equation.h"
#include "program/model_file.h"
#include "regress/machine.h"
#include "report/words.h"

namespace parcast::cli {
namespace {

using store::Entry;
using store::Kind;

// Where an algorithm of a collective is chosen by its cost, it is by these.
constexpr double kStartup = 1e-5, kPerByte = 1e-9;

machine::Machine priced_by_messages() {
  machine::Machine machine = machine::ideal_machine();
  machine.name = "startups and bytes";
  machine.links.erase("node");
  machine.links["network"].latency.value = kStartup;
  machine.links["network"].gap_per_byte.value = kPerByte;
  return machine;
}

struct Modelled {
  program::Model model;
  std::string id;
};

class CountedRuns {
 public:
  CountedRuns(const store::Store& store, std::vector<Entry> runs) : store_(store), entries_(std::move(runs)), machine_(priced_by_messages()) {
    out_.counts = {regress::kComputing, regress::kMessages, regress::kBytes};
    out_.where = store.name();
  }

  Result<regress::Runs> read() {
    PARCAST_TRY(of_one_machine(entries_, out_.notes));
    PARCAST_TRY(load_models());
    for (const Entry& entry : entries_) PARCAST_TRY(add(entry));
    if (out_.runs.empty()) return Error{"the store has no model of any of these programs, which would say what their runs do", store_.name(), "make one of their recordings: parcast model R.recording -o M.model.json, then parcast store add M.model.json"};
    for (const auto& [program, count] : without_)
      out_.notes.push_back(report::counted(count, "run") + " of " + program + (count == 1 ? " is" : " are") + " left out: the store has no model of it");
    out_.notes.push_back("counts are those on the longest chain of each program's equation, by the newest model in the store; computing is in seconds of the machine of the recordings (" + recorded_on_ + ")");
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
      PARCAST_ASSIGN(program::Model model, program::model_from_json(newest.content, "model " + store::id_of(newest)));
      if (!recorded_on_.empty() && model.recorded_on != recorded_on_)
        return Error{"models are of recordings on " + recorded_on_ + " and on " + model.recorded_on + ", so their computing has no common unit", "model " + store::id_of(newest) + " of " + program,
                     "choose programs that were recorded on one machine with --program or --tag"};
      recorded_on_ = model.recorded_on;
      models_.emplace(program, Modelled{std::move(model), store::id_of(newest)});
    }
    return {};
  }

  Result<void> add(const Entry& entry) {
    const auto found = models_.find(entry.program);
    if (found == models_.end()) {
      ++without_[entry.program];
      return {};
    }
    const program::Model& model = found->second.model;
    predict::Question question;
    question.point.processes = static_cast<std::int32_t>(entry.processes);
    question.point.parameters = entry.parameters;
    std::erase_if(question.point.parameters, [&](const auto& each) { return std::ranges::none_of(model.parameters, [&](const program::Parameter& p) { return p.name == each.first; }); });
    if (entry.ranks_per_node > 0) question.ranks_per_node = static_cast<std::int32_t>(entry.ranks_per_node);
    const std::string place = "run " + store::id_of(entry);
    const auto total = predict::equation_engine().predict(model, machine_, question);
    if (!total) return Error{total.error().what, place + ", model " + found->second.id, total.error().hint};
    const auto derivatives = predict::sensitivities(model, machine_, question);
    if (!derivatives) return Error{derivatives.error().what, place + ", model " + found->second.id, derivatives.error().hint};
    double messages = 0, bytes = 0;
    for (const predict::Sensitivity& each : *derivatives) {
      if (each.parameter == "links.network.latency") messages = each.derivative;
      if (each.parameter == "links.network.gap_per_byte") bytes = each.derivative;
    }
    regress::Run run;
    run.program = entry.program;
    run.parameters = entry.parameters;
    run.parameters["p"] = static_cast<double>(entry.processes);
    run.seconds = entry.seconds;
    run.counts = {std::max(total->seconds.value - messages * kStartup - bytes * kPerByte, 0.0), messages, bytes};
    run.place = place;
    for (const auto& [name, value] : run.parameters)
      if (std::ranges::find(out_.parameters, name) == out_.parameters.end()) out_.parameters.push_back(name);
    if (!(run.seconds > 0)) return Error{"the run took " + format_seconds(run.seconds) + ", but a run takes time", place, "leave it out: choose runs with --tag or -s"};
    out_.runs.push_back(std::move(run));
    return {};
  }

  const store::Store& store_;
  std::vector<Entry> entries_;
  machine::Machine machine_;
  std::map<std::string, Modelled> models_;
  std::map<std::string, std::int64_t> without_;
  std::string recorded_on_;
  regress::Runs out_;
};

}  // namespace

Result<regress::Runs> stored_counts(const store::Store& store, store::Query query) {
  query.kinds = store::kRuns;
  PARCAST_ASSIGN(store::Found found, store.find(query));
  if (found.entries.empty()) return Error{"no run is meant", store.name(), "parcast store runs lists what there is"};
  PARCAST_ASSIGN(regress::Runs out, CountedRuns(store, std::move(found.entries)).read());
  if (found.undated > 0) out.notes.push_back(report::counted(found.undated, "run") + " without a time " + (found.undated == 1 ? "was" : "were") + " left out");
  return out;
}

}  // namespace parcast::cli

// SPDX-License-Identifier: Apache-2.0
#include "causes/efficiencies.h"

#include <algorithm>

#include "base/text.h"

namespace parcast::causes {
namespace {

double useful_seconds(const Run& run) {
  double sum = 0;
  for (const double seconds : seconds_by_process(run, Kind::computation)) sum += seconds;
  return sum;
}

Result<void> split_communication(const Run& run, double computing, double wall, Efficiencies& out) {
  if (!run.ideal_seconds) return {};
  const double ideal = *run.ideal_seconds;
  if (ideal < computing || ideal > wall)
    return Error{"on an ideal network the run takes " + format_seconds(ideal) +
                     ", which is not between its longest computing, " + format_seconds(computing) +
                     ", and its time, " + format_seconds(wall),
                 point_text(run), "give the ideal network's time of this very run, or leave it out"};
  out.serialisation = computing / ideal;
  out.transfer = ideal / wall;
  out.serialisation_seconds = run.processes * (ideal - computing);
  out.transfer_seconds = run.processes * (wall - ideal);
  return {};
}

}  // namespace

Result<Efficiencies> efficiencies(const Run& run, const Run* reference) {
  const std::vector<double> useful = seconds_by_process(run, Kind::computation);
  const double most = *std::max_element(useful.begin(), useful.end());
  const double wall = longest(run);
  if (!(most > 0))
    return Error{"no process computes", point_text(run), "efficiencies compare with the time of computation"};
  Efficiencies out;
  out.useful_seconds = useful_seconds(run);
  out.load_balance = out.useful_seconds / (run.processes * most);
  out.communication = most / wall;
  out.parallel = out.useful_seconds / (run.processes * wall);
  out.imbalance_seconds = run.processes * most - out.useful_seconds;
  out.communication_seconds = run.processes * (wall - most);
  PARCAST_TRY(split_communication(run, most, wall, out));
  if (reference != nullptr) out.computation_scalability = useful_seconds(*reference) / out.useful_seconds;
  return out;
}

}  // namespace parcast::causes

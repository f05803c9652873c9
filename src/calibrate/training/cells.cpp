// SPDX-License-Identifier: Apache-2.0
#include "calibrate/training/cells.h"

#include "calibrate/training/planner.h"

namespace parcast::training {

void measure(Team& team, const std::vector<Table>& tables, double seconds, calibrate::Measurements& into) {
  std::vector<Cell> cells = cells_of(tables, into.sizes_kept_out);
  Planner planner(tables, cells, seconds);
  for (;;) {
    const Order order = team.share(team.leads() ? planner.next() : Order());
    if (order.cell < 0) break;
    if (static_cast<std::size_t>(order.cell) == cells.size()) cells.push_back(added_cell(tables, order));
    const auto batch =
        team.run(cells[static_cast<std::size_t>(order.cell)].call.enter, order.repeats, order.window);
    if (team.leads()) planner.take(order, batch);
  }
  if (team.leads()) report(tables, cells, team.size(), into);
}

}  // namespace parcast::training

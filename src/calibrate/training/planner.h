// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which size of which table comes next. A cell is a table at one size. First each is measured a few times, from small messages to large, every fourth
// size before those between; then, until the time is over, tables take turns: all sizes of one at a stretch, and one more where it is least sure, so
// that a machine that changes between its turns changes all of them. What joined later is brought to the level of those that were there all the time
// (docs/decisions/0076-tables-in-turns.md). Sizes beyond kUsualLargest get a small part of a table's time, and what is left once all is settled.

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "calibrate/measurements.h"
#include "calibrate/training/clock.h"
#include "calibrate/training/table.h"

namespace parcast::training {

struct Cell {
  std::size_t table = 0;
  int round = 0;  // cells of a later one come only while half of the time is left
  Table::Call call;
  std::vector<double> seconds;                // on rank 0: of repeats that all processes began in time
  std::vector<std::size_t> turns;             // in which each was, ascending; 0: at the first visit
  std::vector<calibrate::LateRepeat> late;  // and of the others
  Nanoseconds window = 0;                     // 0: not visited yet
  bool left_out = false, settled = false;
  bool added = false;     // where the table was least sure
  bool kept_out = false;  // from what decides on further sizes, and from fits
};

/// Of all tables, with so many random sizes of each besides that are kept out of fits.
std::vector<Cell> cells_of(const std::vector<Table>& tables, int sizes_kept_out);

/// What rank 0 has all do next.
struct Order {
  int cell = -1;  // -1: the end; one more than there are: the size `bytes` of `table` joins them
  int repeats = 0;
  Nanoseconds window = 0;
  int table = 0, bytes = 0;
};

/// The cell that an order for one more than there are has join them.
Cell added_cell(const std::vector<Table>& tables, const Order& order);

/// Rank 0's choice of what comes next.
class Planner {
 public:
  using Clock = std::function<Nanoseconds()>;
  /// Within about `seconds` from now on by the clock. Tables and cells stay the caller's, who adds what orders ask for and tells each order's batch.
  Planner(const std::vector<Table>& tables, std::vector<Cell>& cells, double seconds, Clock clock = now, double clock_error = training::clock_error());

  Order next();
  void take(const Order& order, const Batch& batch);

 private:
  /// The turns of a table.
  struct Turn {
    double spent = 0;       // seconds
    double on_larger = 0;   // of these, on sizes beyond kUsualLargest
    std::size_t count = 0;  // of turns
    int added = 0;          // sizes
  };

  double left() const;
  double expected(std::size_t table, double bytes) const;
  double reserved(const Cell& cell) const;
  std::optional<Order> first_visit(std::size_t index);
  Order again();
  void begin_turn();
  std::vector<Order> turn_of(std::size_t table, double seconds);
  std::optional<Order> further_size(std::size_t table);
  double for_larger(std::size_t table) const;
  std::optional<int> next_larger(std::size_t table) const;
  std::optional<Order> larger_due(std::size_t table, std::size_t joining) const;
  std::vector<Order> larger_sizes(std::size_t table, std::size_t joining);
  bool settled_table(std::size_t table) const;
  bool wants_turn(std::size_t table) const;

  const std::vector<Table>& tables_;
  std::vector<Cell>& cells_;
  Clock clock_;
  double clock_error_;
  Nanoseconds end_;
  double total_;
  std::vector<std::size_t> unvisited_;  // the next one last
  std::vector<Turn> turns_;             // by table
  std::vector<Order> turn_;             // what is left of that which is under way; the next one last
  int attempts_ = 0;
};

/// The points of all cells that were measured, at the level of all turns, and what was left out for want of time.
void report(const std::vector<Table>& tables, std::vector<Cell>& cells, int processes, calibrate::Measurements& into);

}  // namespace parcast::training

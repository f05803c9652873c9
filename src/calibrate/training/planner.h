// SPDX-License-Identifier: Apache-2.0
#pragma once
// Chooses the next table and size to measure. A cell is a table at one size. First each cell is measured a
// few times, from small to large messages; every fourth size comes before those in between. Then tables take
// turns until the time is over. A turn measures all sizes of a table in a row, and adds one size where the
// table is most uncertain. A change of the machine between turns therefore affects all sizes of a table.
// Sizes that joined later are adjusted to the level of those measured in all turns
// (docs/decisions/0076-tables-in-turns.md). Sizes beyond kUsualLargest get a small part of a table's time,
// and the time that is left once all other cells are precise enough.

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
  int round = 0;  // cells of a later round are measured only while half of the time is left
  Table::Call call;
  std::vector<double> seconds;              // on rank 0: repeats that all processes started in time
  std::vector<std::size_t> turns;           // turn of each of these repeats, ascending; 0: the first visit
  std::vector<calibrate::LateRepeat> late;  // the other repeats
  Nanoseconds window = 0;                   // 0: not visited yet
  bool left_out = false, resolved = false;
  bool added = false;     // added where the table was most uncertain
  bool kept_out = false;  // not used to choose further sizes, nor in fits
};

/// Returns the cells of all tables, with this number of random further sizes of each that are kept out of
/// fits.
std::vector<Cell> cells_of(const std::vector<Table>& tables, int sizes_kept_out);

/// The next measurement, which rank 0 orders from all processes.
struct Order {
  int cell = -1;  // -1: the end; the number of cells: a new cell with the size `bytes` of `table` is added
  int repeats = 0;
  Nanoseconds window = 0;
  int table = 0, bytes = 0;
};

/// Returns the cell that an order adds.
Cell added_cell(const std::vector<Table>& tables, const Order& order);

/// Chooses the measurements on rank 0.
class Planner {
 public:
  using Clock = std::function<Nanoseconds()>;
  /// Plans for about `seconds` from now on the clock. The caller owns tables and cells, adds the cells that
  /// orders require, and passes the batch of each order to take().
  Planner(const std::vector<Table>& tables, std::vector<Cell>& cells, double seconds, Clock clock = now,
          double clock_error = training::clock_error());

  Order next();
  void take(const Order& order, const Batch& batch);

 private:
  /// The turns of a table so far.
  struct Turn {
    double spent = 0;       // seconds
    double on_larger = 0;   // seconds of these on sizes beyond kUsualLargest
    std::size_t count = 0;  // number of turns
    int added = 0;          // number of sizes added
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
  bool resolved_table(std::size_t table) const;
  bool wants_turn(std::size_t table) const;

  const std::vector<Table>& tables_;
  std::vector<Cell>& cells_;
  Clock clock_;
  double clock_error_;
  Nanoseconds end_;
  double total_;
  std::vector<std::size_t> unvisited_;  // the next one is the last item
  std::vector<Turn> turns_;             // by table
  std::vector<Order> turn_;             // rest of the current turn; the next one is the last item
  int attempts_ = 0;
};

/// Adds the points of all measured cells to `into`, adjusted to the level of all turns, and what was left out
/// for lack of time.
void report(const std::vector<Table>& tables, std::vector<Cell>& cells, int processes,
            calibrate::Measurements& into);

}  // namespace parcast::training

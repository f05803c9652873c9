// SPDX-License-Identifier: Apache-2.0
#include "calibrate/training/planner.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "calibrate/levels.h"
#include "calibrate/sizes.h"
#include "calibrate/training/samples.h"

namespace parcast::training {
namespace {

constexpr int kFewest = 3, kMost = 64;
constexpr int kInTurn = 16;             // repeats per turn of the table
constexpr std::size_t kTurns = 4;       // minimum turns of a table, even if it is precise enough
constexpr std::size_t kEnough = 2000;   // samples of a cell
constexpr int kMostAdded = 16;          // sizes added to a table at most
constexpr double kPartForLarger = 0.1;  // part of a table's time for sizes beyond kUsualLargest
// visits of such a size, in separate turns, before the next one joins
constexpr std::size_t kVisitsOfLarger = 2;
constexpr int kInVisitOfLarger = 6;  // repeats of such a visit
// bytes up to which the first class is measured even if the time is over
constexpr double kNeeded = 4096;
constexpr int kAttempts = 6;                     // attempts at a first visit whose starts are late
constexpr Nanoseconds kLongestLag = 20'000'000;  // limit for a window that late starts make longer

bool begins_in_time(const Cell& cell) {
  return static_cast<int>(cell.seconds.size()) >= kFewest;
}

/// Returns the samples of a cell. If starts were hardly ever in time, it uses the least late ones.
calibrate::RoughRepeats samples_of(const Cell& cell) {
  if (begins_in_time(cell)) return {cell.seconds, 0};
  std::vector<calibrate::LateRepeat> all = cell.late;
  for (const double seconds : cell.seconds) all.push_back({seconds, 0});
  return calibrate::least_late(std::move(all), kFewest);
}

/// Returns the median of each turn. Repeats of one turn are contiguous, because turns follow each other.
std::vector<std::pair<std::size_t, double>> medians_of_turns(const Cell& cell) {
  std::vector<std::pair<std::size_t, double>> out;
  for (auto begin = cell.turns.begin(); begin != cell.turns.end();) {
    const auto end = std::upper_bound(begin, cell.turns.end(), *begin);
    out.push_back({*begin, statistics::median({cell.seconds.begin() + (begin - cell.turns.begin()),
                                               cell.seconds.begin() + (end - cell.turns.begin())})});
    begin = end;
  }
  return out;
}

std::size_t turns_of(const Cell& cell) {
  std::size_t out = 0;
  for (auto at = cell.turns.begin(); at != cell.turns.end(); ++out)
    at = std::upper_bound(at, cell.turns.end(), *at);
  return out;
}

/// The turns of a table, and the level of each from the sizes that were measured in all of them.
struct TableTurns {
  std::set<std::size_t> all;
  calibrate::Levels levels;
};

TableTurns turns_through(const std::vector<Cell>& cells, std::size_t table) {
  TableTurns out;
  for (const Cell& cell : cells)
    if (cell.table == table && !cell.added) out.all.insert(cell.turns.begin(), cell.turns.end());
  for (const Cell& cell : cells) {
    if (cell.table != table || cell.kept_out || cell.seconds.empty() || turns_of(cell) != out.all.size())
      continue;
    const double middle = statistics::median(cell.seconds);
    for (const auto& [turn, there] : medians_of_turns(cell))
      if (middle > 0 && there > 0) out.levels.add(turn, cell.call.bytes, there / middle);
  }
  return out;
}

/// Returns the repeats, adjusted to the level of all turns if the cell was measured only in some.
calibrate::RoughRepeats at_level(const Cell& cell, const TableTurns& turns) {
  calibrate::RoughRepeats out = samples_of(cell);
  if (!begins_in_time(cell) || turns_of(cell) == turns.all.size()) return out;
  double unsure = 0;
  for (std::size_t i = 0; i < cell.seconds.size(); ++i) {
    const auto level = turns.levels.of(cell.turns[i], cell.call.bytes).value_or(calibrate::Levels::Level{});
    out.seconds[i] /= level.ratio, unsure += level.unsure;
  }
  out.error = unsure / static_cast<double>(cell.seconds.size()) * statistics::median(out.seconds);
  return out;
}

double weight(Table::Class importance) {
  return std::ldexp(1.0, -static_cast<int>(importance));
}

Nanoseconds window_for(double seconds) {
  const auto cost = static_cast<Nanoseconds>(seconds * 1e9);
  return cost + cost / 2 + 3000 + (cost > kLongWait ? 100'000 : 0);
}

int repeats_in(double slice, Nanoseconds window) {
  return std::clamp(static_cast<int>(slice * 1e9 / static_cast<double>(window)), kFewest + 1, kMost);
}

double seconds_of(const Order& order) {
  return order.repeats * static_cast<double>(order.window) * 1e-9;
}

bool wants_more(const Cell& cell) {
  return !cell.left_out && cell.seconds.size() < kEnough && !cell.resolved;
}

/// Returns whether a cell is usable. An added size needs enough repeats to be better than the line between
/// its neighbours.
bool measured(const Cell& cell) {
  if (cell.added && static_cast<int>(cell.seconds.size()) < kInTurn / 2) return false;
  const std::vector<double> samples = samples_of(cell).seconds;
  return static_cast<int>(samples.size()) >= kFewest && statistics::median(samples) > 0;
}

}  // namespace

std::vector<Cell> cells_of(const std::vector<Table>& tables, int sizes_kept_out) {
  std::vector<Cell> cells;
  const auto add = [&](std::size_t table, int round, int bytes, bool kept_out = false) {
    if (auto call = tables[table].call(bytes))
      cells.push_back({table, round, std::move(*call), {}, {}, {}, 0, false, false, false, kept_out});
  };
  for (std::size_t t = 0; t < tables.size(); ++t) {
    if (!tables[t].sized) add(t, 0, 0);
    // First every fourth size, then in the second round those in between.
    for (const int round : {0, 1})
      for (int bytes = round == 0 ? 8 : 16; bytes <= kUsualLargest && tables[t].sized; bytes *= 4)
        add(t, round, bytes);
    if (!tables[t].sized) continue;
    add(t, 1, 0);
    for (const int bytes : calibrate::sizes_kept_out(tables[t].name, sizes_kept_out, kUsualLargest))
      add(t, 1, bytes, true);
  }
  return cells;
}

Cell added_cell(const std::vector<Table>& tables, const Order& order) {
  const auto table = static_cast<std::size_t>(order.table);
  return {table, 2, *tables[table].call(order.bytes), {}, {}, {}, order.window, false, false, true, false};
}

Planner::Planner(const std::vector<Table>& tables, std::vector<Cell>& cells, double seconds, Clock clock,
                 double clock_error)
    : tables_(tables),
      cells_(cells),
      clock_(std::move(clock)),
      clock_error_(clock_error),
      end_(clock_() + static_cast<Nanoseconds>(seconds * 1e9)),
      total_(seconds),
      turns_(tables.size()) {
  // Small messages of all tables of a class come before large ones of any, so that each table has some if
  // time is short.
  for (std::size_t i = 0; i < cells.size(); ++i) unvisited_.push_back(i);
  const auto key = [&](std::size_t i) {
    const int importance = static_cast<int>(tables_[cells_[i].table].importance);
    return std::tuple(cells_[i].round + importance, importance, cells_[i].call.bytes);
  };
  std::stable_sort(unvisited_.begin(), unvisited_.end(),
                   [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  std::reverse(unvisited_.begin(), unvisited_.end());
}

Order Planner::next() {
  while (!unvisited_.empty()) {
    const std::size_t index = unvisited_.back();
    if (const auto order = first_visit(index)) return *order;
    cells_[index].left_out = true;
    unvisited_.pop_back();
  }
  return again();
}

void Planner::take(const Order& order, const Batch& batch) {
  Cell& cell = cells_[static_cast<std::size_t>(order.cell)];
  const double spent = seconds_of(order);
  turns_[cell.table].spent += spent;
  if (cell.call.bytes > kUsualLargest) turns_[cell.table].on_larger += spent;
  cell.seconds.insert(cell.seconds.end(), batch.seconds.begin(), batch.seconds.end());
  cell.turns.resize(cell.seconds.size(), unvisited_.empty() ? turns_[cell.table].count : 0);
  cell.resolved = resolved(cell.seconds);
  cell.late.insert(cell.late.end(), batch.late.begin(), batch.late.end());
  const bool lagging = static_cast<int>(batch.late.size()) * 4 > order.repeats;
  if (!cell.seconds.empty()) cell.window = window_for(statistics::quantile(cell.seconds, 0.8));
  if (lagging)
    cell.window = std::max(cell.window, std::min(order.window * 2, std::max(order.window, kLongestLag)));
  if (!unvisited_.empty() && unvisited_.back() == static_cast<std::size_t>(order.cell) &&
      (static_cast<int>(cell.seconds.size()) >= kFewest || ++attempts_ >= (left() > 0 ? kAttempts : 1))) {
    unvisited_.pop_back();
    attempts_ = 0;
  }
}

double Planner::left() const {
  return static_cast<double>(end_ - clock_()) * 1e-9;
}

// Returns the expected seconds, in proportion to the next smaller message of the same table, which is an
// upper limit. A call of no bytes does not count, because it may send no message.
double Planner::expected(std::size_t table, double bytes) const {
  const Cell* smaller = nullptr;
  for (const Cell& other : cells_)
    if (other.table == table && (!other.seconds.empty() || !other.late.empty()) && other.call.bytes > 0 &&
        other.call.bytes < bytes && (!smaller || other.call.bytes > smaller->call.bytes))
      smaller = &other;
  if (!smaller) return 50e-6;
  return statistics::median(samples_of(*smaller).seconds) *
         (smaller->call.bytes >= 1024 ? bytes / smaller->call.bytes : 1.5);
}

// Returns the seconds that must remain for other cells.
double Planner::reserved(const Cell& cell) const {
  if (cell.round > 0) return total_ / 2;
  return tables_[cell.table].importance == Table::Class::last ? total_ / 5 : 0;
}

std::optional<Order> Planner::first_visit(std::size_t index) {
  Cell& cell = cells_[index];
  const double cost = expected(cell.table, cell.call.bytes), share = left() / 8;
  const bool needed =
      tables_[cell.table].importance == Table::Class::first && cell.round == 0 && cell.call.bytes <= kNeeded;
  if (!needed &&
      (left() <= 0 || left() < reserved(cell) || (kFewest + 1) * cost * 1.5 > std::max(share, total_ / 30)))
    return std::nullopt;
  if (cell.window == 0) cell.window = window_for(cost);
  const double slice = total_ / (3.0 * static_cast<double>(cells_.size()));
  return Order{static_cast<int>(index), repeats_in(slice, cell.window), cell.window};
}

// Returns the next cell of the current turn. If the turn is over, it starts one of the table that is furthest
// below its share of the time.
Order Planner::again() {
  if (left() <= 0) return {};
  if (turn_.empty()) begin_turn();
  if (turn_.empty()) return {};
  const Order next = turn_.back();
  turn_.pop_back();
  return next;
}

void Planner::begin_turn() {
  std::vector<std::size_t> order;
  for (std::size_t t = 0; t < tables_.size(); ++t)
    if (wants_turn(t)) order.push_back(t);
  const auto had = [&](std::size_t t) { return turns_[t].spent / weight(tables_[t].importance); };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return had(a) < had(b); });
  for (const std::size_t table : order) {
    turn_ = turn_of(table, left() / (2.0 * static_cast<double>(order.size())));
    if (turn_.empty()) continue;
    ++turns_[table].count;
    return;
  }
}

// Returns the visits of a turn: all cells of a table from the smallest on, and one new size where it is most
// uncertain. They take about `seconds`, and never more than half of the remaining time.
std::vector<Order> Planner::turn_of(std::size_t table, double seconds) {
  std::vector<std::pair<double, Order>> visits;
  for (std::size_t i = 0; i < cells_.size(); ++i)
    if (const Cell& cell = cells_[i];
        cell.table == table && !cell.left_out && cell.window > 0 && cell.call.bytes <= kUsualLargest)
      visits.push_back({cell.call.bytes, {static_cast<int>(i), 0, cell.window}});
  const auto further = further_size(table);
  if (further) visits.push_back({further->bytes, *further});
  std::stable_sort(visits.begin(), visits.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  const auto cost = [&](int repeats) {
    Nanoseconds sum = 0;
    for (const auto& [bytes, visit] : visits) sum += repeats * visit.window;
    return static_cast<double>(sum) * 1e-9;
  };
  int repeats = kInTurn;
  while (repeats > kFewest + 1 && cost(repeats) > seconds) --repeats;
  while (!visits.empty() && cost(repeats) > left() / 2) visits.pop_back();
  std::vector<Order> out;
  std::size_t joining = 0;
  for (auto& [bytes, visit] : visits) {
    visit.repeats = repeats, out.push_back(visit);
    joining += visit.cell == static_cast<int>(cells_.size());
  }
  turns_[table].added += static_cast<int>(joining);
  const std::vector<Order> larger = larger_sizes(table, joining);
  out.insert(out.end(), larger.begin(), larger.end());
  std::reverse(out.begin(), out.end());
  return out;
}

std::optional<Order> Planner::further_size(std::size_t table) {
  Turn& turn = turns_[table];
  if (!tables_[table].sized || turn.added >= kMostAdded) return std::nullopt;
  const TableTurns turns = turns_through(cells_, table);
  std::vector<calibrate::Observation> curve;
  for (const Cell& cell : cells_) {
    if (cell.table != table || cell.kept_out || static_cast<int>(cell.seconds.size()) < kFewest) continue;
    if (cell.call.bytes == 0 || cell.call.bytes > kUsualLargest) continue;
    const Estimate known = estimate(at_level(cell, turns).seconds, clock_error_);
    curve.push_back({cell.call.bytes, known.median, known.standard_error / known.median, 1});
  }
  std::sort(curve.begin(), curve.end(), [](const auto& a, const auto& b) { return a.bytes < b.bytes; });
  const auto bytes = calibrate::least_sure_size(curve);
  const auto call = bytes ? tables_[table].call(static_cast<int>(*bytes)) : std::nullopt;
  const auto known = [&](const Cell& cell) {
    return cell.table == table && !cell.kept_out && cell.call.bytes == call->bytes;
  };
  if (!call || std::any_of(cells_.begin(), cells_.end(), known)) return std::nullopt;
  return Order{static_cast<int>(cells_.size()), 0, window_for(expected(table, call->bytes)),
               static_cast<int>(table), static_cast<int>(*bytes)};
}

/// Returns the seconds that a table may use for sizes beyond the common ones. After enough turns this is a
/// part of the table's time. When the common sizes are precise enough, it is a part of the remaining time.
double Planner::for_larger(std::size_t table) const {
  const Turn& turn = turns_[table];
  if (turn.count < kTurns) return 0;
  const double most = left() / 4;
  return resolved_table(table) ? most / static_cast<double>(tables_.size())
                               : std::min(most, kPartForLarger * turn.spent - turn.on_larger);
}

/// Returns twice the largest size so far; nothing if that size was left out or is the largest allowed.
std::optional<int> Planner::next_larger(std::size_t table) const {
  if (!tables_[table].sized) return std::nullopt;
  double largest = 0;
  double bytes = 2. * kUsualLargest;
  for (const Cell& cell : cells_) {
    if (cell.table != table) continue;
    if (!cell.seconds.empty()) largest = std::max(largest, cell.call.bytes);
    if (cell.call.bytes > kUsualLargest) bytes *= 2;
  }
  // Tables that divide their bytes by the processes round them down.
  if (bytes > kLargestMessage || 3 * largest < bytes) return std::nullopt;
  return static_cast<int>(bytes);
}

/// Returns the next visit that a table's larger sizes need: of a size with too few repeats, or of the next
/// size. `joining`: number of cells that will be added before.
std::optional<Order> Planner::larger_due(std::size_t table, std::size_t joining) const {
  for (std::size_t i = 0; i < cells_.size(); ++i)
    if (const Cell& cell = cells_[i]; cell.table == table && cell.call.bytes > kUsualLargest &&
                                      cell.seconds.size() < kVisitsOfLarger * kInVisitOfLarger)
      return Order{static_cast<int>(i), kInVisitOfLarger, cell.window};
  const auto bytes = next_larger(table);
  if (!bytes || !tables_[table].call(*bytes)) return std::nullopt;
  return Order{static_cast<int>(cells_.size() + joining), kInVisitOfLarger,
               window_for(expected(table, *bytes)), static_cast<int>(table), *bytes};
}

/// Returns visits of larger sizes. The due visit comes first; the time for it is saved up if it can still be
/// reached. Otherwise the existing sizes are repeated.
std::vector<Order> Planner::larger_sizes(std::size_t table, std::size_t joining) {
  double seconds = for_larger(table);
  if (!(seconds > 0)) return {};
  if (const auto due = larger_due(table, joining)) {
    const double cost = seconds_of(*due),
                 to_come = kPartForLarger * left() / static_cast<double>(tables_.size());
    if (cost <= seconds + to_come) return cost <= seconds ? std::vector{*due} : std::vector<Order>();
  }
  std::vector<Order> out;
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    const Cell& cell = cells_[i];
    const Order order{static_cast<int>(i), kFewest + 1, cell.window};
    if (cell.table != table || cell.call.bytes <= kUsualLargest || !wants_more(cell) ||
        seconds_of(order) > seconds)
      continue;
    seconds -= seconds_of(order), out.push_back(order);
  }
  return out;
}

/// Returns whether the common sizes of a table need no further repeats.
bool Planner::resolved_table(std::size_t table) const {
  return std::none_of(cells_.begin(), cells_.end(), [&](const Cell& cell) {
    return cell.table == table && cell.window > 0 && cell.call.bytes <= kUsualLargest && wants_more(cell);
  });
}

// Returns whether a table gets a turn: until its cells are precise enough, and for a minimum number of turns.
// Afterwards only for larger sizes.
bool Planner::wants_turn(std::size_t table) const {
  const bool some = std::any_of(cells_.begin(), cells_.end(), [&](const Cell& cell) {
    return cell.table == table && !cell.left_out && cell.window > 0;
  });
  if (!some || turns_[table].count < kTurns || !resolved_table(table)) return some;
  const auto due = larger_due(table, 0);
  return due && seconds_of(*due) <= for_larger(table);
}

void report(const std::vector<Table>& tables, std::vector<Cell>& cells, int processes,
            calibrate::Measurements& into) {
  std::stable_sort(cells.begin(), cells.end(), [](const Cell& a, const Cell& b) {
    return std::tuple(a.table, a.call.bytes) < std::tuple(b.table, b.call.bytes);
  });
  std::set<std::string> late;
  const double clock = clock_error();
  std::vector<TableTurns> turns;
  for (std::size_t t = 0; t < tables.size(); ++t) turns.push_back(turns_through(cells, t));
  for (const Cell& cell : cells) {
    if (!measured(cell)) continue;
    const std::string& name = tables[cell.table].name;
    const calibrate::RoughRepeats samples = at_level(cell, turns[cell.table]);
    (cell.kept_out ? into.kept_out : into.points)
        .push_back(
            point_of(name, processes, cell.call.bytes, samples.seconds, std::max(clock, samples.error)));
    if (!begins_in_time(cell)) late.insert(name);
  }
  into.rough.insert(into.rough.end(), late.begin(), late.end());
  for (std::size_t t = 0; t < tables.size(); ++t) {
    const auto missing = std::find_if(cells.begin(), cells.end(), [&](const Cell& cell) {
      return cell.table == t && cell.round == 0 && !measured(cell);
    });
    const bool all = std::none_of(cells.begin(), cells.end(),
                                  [&](const Cell& cell) { return cell.table == t && measured(cell); });
    if (missing != cells.end())
      into.left_out.push_back({tables[t].name, processes, all ? 0 : missing->call.bytes});
  }
}

}  // namespace parcast::training

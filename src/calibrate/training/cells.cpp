// SPDX-License-Identifier: Apache-2.0
#include "calibrate/training/cells.h"

#include <algorithm>
#include <map>
#include <optional>

namespace parcast::training {
namespace {

constexpr int kFewest = 3, kMost = 64;

struct Order {
  int cell = -1;  // -1: the end
  int repeats = 0;
  Nanoseconds window = 0;
};

/// Rank 0's choice of what comes next.
class Planner {
 public:
  Planner(std::vector<Cell>& cells, double seconds)
      : cells_(cells), end_(now() + static_cast<Nanoseconds>(seconds * 1e9)), total_(seconds) {
    for (std::size_t i = 0; i < cells.size(); ++i) unvisited_.push_back(i);
    std::stable_sort(unvisited_.begin(), unvisited_.end(),
                     [&](std::size_t a, std::size_t b) { return cells[a].round < cells[b].round; });
    std::reverse(unvisited_.begin(), unvisited_.end());
  }

  Order next() {
    while (!unvisited_.empty()) {
      const std::size_t index = unvisited_.back();
      if (const auto order = first_visit(index)) return *order;
      cells_[index].left_out = true;
      unvisited_.pop_back();
    }
    return again();
  }

  void take(const Order& order, const Team::Batch& batch) {
    Cell& cell = cells_[static_cast<std::size_t>(order.cell)];
    cell.seconds.insert(cell.seconds.end(), batch.seconds.begin(), batch.seconds.end());
    const bool lagging = batch.late * 4 > order.repeats;
    if (!cell.seconds.empty()) cell.window = window_for(statistics::quantile(cell.seconds, 0.8));
    if (lagging) cell.window = std::max(cell.window, order.window * 2);
    if (cell.window == 0) cell.window = order.window * 4;
    if (!unvisited_.empty() && unvisited_.back() == static_cast<std::size_t>(order.cell) &&
        (static_cast<int>(cell.seconds.size()) >= kFewest || ++attempts_ >= 6)) {
      unvisited_.pop_back();
      attempts_ = 0;
    }
  }

 private:
  static Nanoseconds window_for(double seconds) {
    const auto cost = static_cast<Nanoseconds>(seconds * 1e9);
    return cost + cost / 2 + 3000 + (cost > kLongWait ? 100'000 : 0);
  }

  double left() const { return static_cast<double>(end_ - now()) * 1e-9; }

  /// From the next smaller message of the same table, which cannot have cost more than in proportion.
  double expected(const Cell& cell) const {
    const Cell* smaller = nullptr;
    for (const Cell& other : cells_)
      if (other.table == cell.table && !other.seconds.empty() && other.bytes < cell.bytes &&
          (!smaller || other.bytes > smaller->bytes))
        smaller = &other;
    if (!smaller) return 50e-6;
    return statistics::median(smaller->seconds) *
           (smaller->bytes >= 1024 ? cell.bytes / smaller->bytes : 1.5);
  }

  std::optional<Order> first_visit(std::size_t index) {
    Cell& cell = cells_[index];
    if (cell.round > 0 && left() < total_ / 2) return std::nullopt;
    const double cost = expected(cell), share = left() / 8;
    if (left() <= 0 || (kFewest + 1) * cost * 1.5 > std::max(share, total_ / 30)) return std::nullopt;
    if (cell.window == 0) cell.window = window_for(cost);
    const double slice = total_ / (3.0 * static_cast<double>(cells_.size()));
    return Order{static_cast<int>(index), repeats_in(slice, cell.window), cell.window};
  }

  static int repeats_in(double slice, Nanoseconds window) {
    return std::clamp(static_cast<int>(slice * 1e9 / static_cast<double>(window)), kFewest + 1, kMost);
  }

  /// The next unsettled cell after the last one that was visited again.
  Order again() {
    int open = 0;
    for (const Cell& cell : cells_) open += wants_more(cell);
    const double remaining = left();
    if (open == 0 || remaining <= 0) return {};
    for (std::size_t step = 0; step < cells_.size(); ++step) {
      turn_ = (turn_ + 1) % cells_.size();
      const Cell& cell = cells_[turn_];
      if (!wants_more(cell)) continue;
      const int repeats = repeats_in(remaining / (2.0 * open), cell.window);
      if (static_cast<double>(repeats * cell.window) * 1e-9 > remaining) continue;
      return {static_cast<int>(turn_), repeats, cell.window};
    }
    return {};
  }

  static bool wants_more(const Cell& cell) {
    return !cell.left_out && cell.seconds.size() < 2000 && !settled(cell.seconds);
  }

  std::vector<Cell>& cells_;
  Nanoseconds end_;
  double total_;
  std::vector<std::size_t> unvisited_;  // the next one last
  std::size_t turn_ = 0;
  int attempts_ = 0;
};

std::vector<std::string> left_out(const std::vector<Cell>& cells, int processes) {
  std::map<std::string, std::pair<double, int>> missing;  // by table: smallest size, how many
  for (const Cell& cell : cells) {
    if (cell.round > 0 || !cell.seconds.empty()) continue;
    auto [at, fresh] = missing.try_emplace(cell.table, cell.bytes, 0);
    at->second.first = std::min(at->second.first, cell.bytes);
    ++at->second.second;
  }
  if (missing.empty()) return {};
  std::string all;
  for (const auto& [table, what] : missing)
    all += (all.empty() ? "" : ", ") + table + " from " + std::to_string(static_cast<long long>(what.first)) + " bytes (" +
           std::to_string(what.second) + (what.second == 1 ? " size)" : " sizes)");
  return {"left out for want of time on " + std::to_string(processes) + (processes == 1 ? " process: " : " processes: ") + all};
}

}  // namespace

std::vector<std::string> measure(Team& team, std::vector<Cell>& cells, double seconds) {
  Planner planner(cells, seconds);
  for (;;) {
    const Order order = team.share(team.leads() ? planner.next() : Order());
    if (order.cell < 0) break;
    const auto batch =
        team.run(cells[static_cast<std::size_t>(order.cell)].operation, order.repeats, order.window);
    if (team.leads()) planner.take(order, batch);
  }
  return team.leads() ? left_out(cells, team.size()) : std::vector<std::string>();
}

void report(const std::vector<Cell>& cells, int processes, calibrate::Measurements& into) {
  for (const Cell& cell : cells)
    if (cell.seconds.size() >= kFewest)
      into.points.push_back(point_of(cell.table, processes, cell.bytes, cell.seconds));
}

}  // namespace parcast::training

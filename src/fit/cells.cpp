// SPDX-License-Identifier: Apache-2.0
#include "fit/cells.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <queue>

#include "statistics/random.h"

namespace parcast::fit {
namespace {

constexpr std::size_t kLeaf = 8;  // number of points that are searched linearly
constexpr std::size_t kNoCell = static_cast<std::size_t>(-1);

// All points in doublings, one after the other.
class Logs {
 public:
  Logs(const Points& points, const Correlation& correlation) : arguments_(points[0].size()) {
    logs_.reserve(points.size() * arguments_);
    for (const auto& point : points)
      for (std::size_t j = 0; j < arguments_; ++j) logs_.push_back(correlation.doublings(j, point[j]));
  }
  std::size_t arguments() const { return arguments_; }
  std::size_t size() const { return logs_.size() / arguments_; }
  double at(std::size_t point, std::size_t argument) const { return logs_[point * arguments_ + argument]; }
  double distance(std::size_t a, std::size_t b) const {
    double sum = 0;
    for (std::size_t j = 0; j < arguments_; ++j) sum += std::fabs(at(a, j) - at(b, j));
    return sum;
  }

 private:
  std::size_t arguments_;
  std::vector<double> logs_;
};

// Points that are consecutive in an order, and the widest side of their bounding box.
struct Box {
  std::size_t begin = 0, end = 0, argument = 0;
  double low = 0, high = 0;

  double width() const { return high - low; }
  bool operator<(const Box& other) const {
    return width() != other.width() ? width() < other.width() : begin > other.begin;
  }
};

Box box_of(const Logs& logs, std::span<const std::size_t> order, std::size_t begin, std::size_t end) {
  Box box{begin, end, 0, 0, 0};
  for (std::size_t j = 0; j < logs.arguments(); ++j) {
    double low = INFINITY, high = -INFINITY;
    for (std::size_t k = begin; k < end; ++k) {
      const double x = logs.at(order[k], j);
      low = std::min(low, x), high = std::max(high, x);
    }
    if (high - low > box.width()) box.argument = j, box.low = low, box.high = high;
  }
  return box;
}

// Both halves contain points: the lowest is at or below `middle`, the highest above.
std::size_t halve(const Logs& logs, std::vector<std::size_t>& order, const Box& box) {
  const double half = box.low + 0.5 * box.width(), middle = half < box.high ? half : box.low;
  const auto begin = order.begin() + static_cast<std::ptrdiff_t>(box.begin),
             end = order.begin() + static_cast<std::ptrdiff_t>(box.end);
  const auto parted =
      std::stable_partition(begin, end, [&](std::size_t i) { return logs.at(i, box.argument) <= middle; });
  return static_cast<std::size_t>(parted - order.begin());
}

std::vector<Box> widest_halved(const Logs& logs, std::vector<std::size_t>& order) {
  std::priority_queue<Box> open;
  open.push(box_of(logs, order, 0, order.size()));
  std::vector<Box> done;
  while (!open.empty()) {
    const Box box = open.top();
    open.pop();
    if (box.width() == 0 || open.size() + done.size() + 2 > kMostCells) {
      done.push_back(box);
      continue;
    }
    const std::size_t middle = halve(logs, order, box);
    open.push(box_of(logs, order, box.begin, middle));
    open.push(box_of(logs, order, middle, box.end));
  }
  return done;
}

std::vector<double> place_of(const Points& points, const Correlation& correlation,
                             std::span<const std::size_t> rows) {
  std::vector<double> place = points[rows.front()];
  for (std::size_t j = 0; j < place.size(); ++j) {
    if (std::ranges::all_of(rows, [&](std::size_t i) { return points[i][j] == place[j]; })) continue;
    double sum = 0;
    for (const std::size_t i : rows) sum += correlation.doublings(j, points[i][j]);
    place[j] = correlation.coordinate(j, sum / static_cast<double>(rows.size()));
  }
  return place;
}

// A tree of boxes, halved at their middle points; leaves hold a few points.
class Tree {
 public:
  explicit Tree(const Logs& logs) : logs_(logs), order_(logs.size()) {
    std::iota(order_.begin(), order_.end(), 0);
    grow(0, order_.size());
  }

  std::array<std::size_t, 2> two_nearest(std::size_t point) const {
    Found found;
    search(0, point, found);
    return found.points;
  }

 private:
  struct Node {
    // the lower half is the next node; above == 0: a leaf
    std::size_t begin = 0, end = 0, argument = 0, above = 0;
    double low = 0, high = 0;  // the ends of the halves at the gap between them
  };
  struct Found {
    std::array<std::size_t, 2> points{kNoCell, kNoCell};
    std::array<double, 2> distances{INFINITY, INFINITY};

    void offer(std::size_t point, double distance) {
      for (std::size_t k = 0; k < 2; ++k)
        if (distance < distances[k] || (distance == distances[k] && point < points[k])) {
          if (k == 0) points[1] = points[0], distances[1] = distances[0];
          points[k] = point, distances[k] = distance;
          return;
        }
    }
  };

  void grow(std::size_t begin, std::size_t end) {
    const std::size_t here = nodes_.size();
    const Box box = box_of(logs_, order_, begin, end);
    nodes_.push_back({begin, end, box.argument, 0, 0, 0});
    const auto at = [&](std::size_t k) { return order_.begin() + static_cast<std::ptrdiff_t>(k); };
    if (end - begin <= kLeaf || box.width() == 0) return std::sort(at(begin), at(end));
    const std::size_t middle = begin + (end - begin) / 2;
    const auto less = [&](std::size_t a, std::size_t b) {
      const double x = logs_.at(a, box.argument), y = logs_.at(b, box.argument);
      return x != y ? x < y : a < b;
    };
    std::nth_element(at(begin), at(middle), at(end), less);
    nodes_[here].high = logs_.at(order_[middle], box.argument);
    nodes_[here].low = logs_.at(*std::max_element(at(begin), at(middle), less), box.argument);
    grow(begin, middle);
    nodes_[here].above = nodes_.size();
    grow(middle, end);
  }

  void search(std::size_t at, std::size_t point, Found& found) const {
    const Node& node = nodes_[at];
    if (node.above == 0) {
      for (std::size_t k = node.begin; k < node.end && found.distances[1] > 0; ++k)
        if (order_[k] != point) found.offer(order_[k], logs_.distance(point, order_[k]));
      return;
    }
    const double x = logs_.at(point, node.argument);
    const bool below = x - node.low <= node.high - x;
    search(below ? at + 1 : node.above, point, found);
    const double gap = below ? node.high - x : x - node.low;
    if (gap <= found.distances[1]) search(below ? node.above : at + 1, point, found);
  }

  const Logs& logs_;
  std::vector<std::size_t> order_;
  std::vector<Node> nodes_;
};

}  // namespace

Cells cells_of(const Points& points, const Correlation& correlation) {
  Cells cells;
  cells.of.resize(points.size());
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), 0);
  if (points.size() <= kMostCells) {
    cells.of = order;
    cells.places = points;
    return cells;
  }
  std::vector<Box> boxes = widest_halved(Logs(points, correlation), order);
  // Halving preserves the order of rows, so each box begins with its first row.
  std::ranges::sort(boxes, {}, [&](const Box& box) { return order[box.begin]; });
  for (const Box& box : boxes) {
    const auto rows = std::span<const std::size_t>(order).subspan(box.begin, box.end - box.begin);
    for (const std::size_t i : rows) cells.of[i] = cells.count();
    cells.places.push_back(place_of(points, correlation, rows));
  }
  return cells;
}

std::vector<std::array<std::size_t, 2>> two_nearest(const Points& points, const Correlation& correlation) {
  const Logs logs(points, correlation);
  const Tree tree(logs);
  std::vector<std::array<std::size_t, 2>> out;
  out.reserve(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) out.push_back(tree.two_nearest(i));
  return out;
}

std::vector<std::size_t> evenly_drawn(std::size_t count, std::size_t most) {
  std::vector<std::size_t> out(std::min(count, most));
  std::iota(out.begin(), out.end(), 0);
  if (count <= most) return out;
  statistics::Random random(1);
  for (std::size_t k = 0; k < most; ++k) {
    const std::size_t begin = k * count / most, width = (k + 1) * count / most - begin;
    out[k] = begin + static_cast<std::size_t>(random.uniform() * static_cast<double>(width));
  }
  return out;
}

std::vector<std::size_t> evenly_spaced(std::size_t count, std::size_t most) {
  std::vector<std::size_t> out(std::min(count, most));
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = count <= most ? k : k * (count - 1) / (most - 1);
  return out;
}

}  // namespace parcast::fit

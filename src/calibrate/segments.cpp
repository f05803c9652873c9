// SPDX-License-Identifier: Apache-2.0
#include "calibrate/segments.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "statistics/random.h"

namespace parcast::calibrate {
namespace {

constexpr std::size_t kTelling = 5;  // number of points from which on their scatter determines their errors
constexpr double kInfinity = std::numeric_limits<double>::infinity();

double weight_of(const Observation& o, double noise_floor) {
  const double error = std::hypot(noise_floor, o.relative_error) * o.seconds;
  return 1 / (error * error);
}

/// Weighted sums about the weighted means of one group.
struct Moments {
  double weight = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0;
};

template <class Points>
Moments moments(const Points& points) {
  Moments m;
  for (const auto& [x, y, w] : points) m.weight += w, m.x += w * x, m.y += w * y;
  m.x /= m.weight, m.y /= m.weight;
  for (const auto& [x, y, w] : points) {
    m.xx += w * (x - m.x) * (x - m.x), m.xy += w * (x - m.x) * (y - m.y), m.yy += w * (y - m.y) * (y - m.y);
  }
  return m;
}

struct Solved {
  double startup = 0, per_byte = 0, squares = 0;  // squares: weighted sum of squared residuals
};

/// Returns the line through the points with both coefficients >= 0: the unconstrained one if it is allowed,
/// otherwise the better of the two at a bound.
Solved solve(const Moments& m) {
  const double slope = m.xx > 0 ? m.xy / m.xx : 0, intercept = m.y - slope * m.x;
  if (slope >= 0 && intercept >= 0) return {intercept, slope, std::max(0.0, m.yy - slope * m.xy)};
  const Solved level{std::max(0.0, m.y), 0, m.yy};
  const double raw_xx = m.xx + m.weight * m.x * m.x, raw_xy = m.xy + m.weight * m.x * m.y;
  const double raw_yy = m.yy + m.weight * m.y * m.y;
  if (raw_xx <= 0 || raw_xy <= 0) return level;
  const Solved through_zero{0, raw_xy / raw_xx, std::max(0.0, raw_yy - raw_xy * raw_xy / raw_xx)};
  return through_zero.squares < level.squares ? through_zero : level;
}

struct Point {
  double x, y, w;
};

/// One group's observations by size, with the index of each one's size.
struct Group {
  std::vector<Point> points;
  std::vector<std::size_t> size;
};

class Search {
 public:
  Search(std::span<const Observation> observations, const BreakOptions& options) : options_(options) {
    for (const Observation& o : observations) sizes_.push_back(o.bytes);
    std::sort(sizes_.begin(), sizes_.end());
    sizes_.erase(std::unique(sizes_.begin(), sizes_.end()), sizes_.end());
    std::map<std::int32_t, std::vector<const Observation*>> by_group;
    for (const Observation& o : observations) by_group[o.group].push_back(&o);
    for (auto& [group, list] : by_group) {
      std::stable_sort(list.begin(), list.end(),
                       [](const auto* a, const auto* b) { return a->bytes < b->bytes; });
      Group out;
      for (const Observation* o : list) {
        out.points.push_back({o->bytes, o->seconds, weight_of(*o, options.noise_floor)});
        out.size.push_back(static_cast<std::size_t>(std::lower_bound(sizes_.begin(), sizes_.end(), o->bytes) -
                                                    sizes_.begin()));
      }
      groups_.push_back(std::move(out));
    }
    count_ = observations.size();
  }

  std::vector<double> run() {
    const int most =
        std::min(options_.most_breaks, static_cast<int>(sizes_.size()) / options_.fewest_sizes - 1);
    std::vector<std::size_t> accepted;
    Table table = tabulate(groups_, most + 1);
    for (int breaks = 0; breaks < most; ++breaks) {
      if (root_mean_square(accepted) < options_.close_enough) break;
      // A step up and down again only shows with two breaks.
      const int extra = improves(table, accepted, breaks, 1)                           ? 1
                        : (breaks + 2 <= most && improves(table, accepted, breaks, 2)) ? 2
                                                                                       : 0;
      if (extra == 0) break;
      breaks += extra - 1;
      accepted = table.breaks(static_cast<std::size_t>(breaks + 1));
    }
    std::vector<double> out;
    for (const std::size_t at : accepted) out.push_back(sizes_[at]);
    return out;
  }

 private:
  /// Least squares of the best division of sizes 0..j into k + 1 pieces, and the start of its last piece.
  struct Table {
    std::vector<std::vector<double>> squares;
    std::vector<std::vector<std::size_t>> last;
    std::vector<std::size_t> breaks(std::size_t count) const {
      std::vector<std::size_t> out;
      std::size_t end = squares[0].size() - 1;
      for (std::size_t k = count; k > 0; --k) {
        const std::size_t start = last[k][end];
        out.push_back(start);
        end = start - 1;
      }
      std::reverse(out.begin(), out.end());
      return out;
    }
    double total(std::size_t count) const { return squares[count].back(); }
  };

  /// Returns the residual sum of squares of lines on sizes [first, last], over all groups.
  double piece_squares(const std::vector<Group>& groups, std::size_t first, std::size_t last) const {
    double sum = 0;
    for (const Group& group : groups) {
      const auto begin = std::lower_bound(group.size.begin(), group.size.end(), first) - group.size.begin();
      const auto end = std::upper_bound(group.size.begin(), group.size.end(), last) - group.size.begin();
      if (end - begin < 2) continue;
      sum +=
          solve(moments(std::span(group.points)
                            .subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin))))
              .squares;
    }
    return sum;
  }

  Table tabulate(const std::vector<Group>& groups, int most) const {
    const std::size_t n = sizes_.size(), fewest = static_cast<std::size_t>(options_.fewest_sizes);
    std::vector<std::vector<double>> piece(n, std::vector<double>(n, kInfinity));
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = i + fewest - 1; j < n; ++j) piece[i][j] = piece_squares(groups, i, j);
    Table table;
    table.squares.assign(static_cast<std::size_t>(most) + 1, std::vector<double>(n, kInfinity));
    table.last.assign(static_cast<std::size_t>(most) + 1, std::vector<std::size_t>(n, 0));
    table.squares[0] = piece[0];
    for (std::size_t k = 1; k < table.squares.size(); ++k)
      for (std::size_t j = (k + 1) * fewest - 1; j < n; ++j)
        for (std::size_t start = k * fewest; start + fewest <= j + 1; ++start)
          if (const double sum = table.squares[k - 1][start - 1] + piece[start][j]; sum < table.squares[k][j])
            table.squares[k][j] = sum, table.last[k][j] = start;
    return table;
  }

  double freedom(int breaks) const {
    const double used = 2.0 * static_cast<double>(groups_.size()) * (breaks + 1) + breaks;
    return std::max(1.0, static_cast<double>(count_) - used);
  }

  static double ratio(const Table& table, int breaks, int extra) {
    const double with = table.total(static_cast<std::size_t>(breaks + extra)),
                 without = table.total(static_cast<std::size_t>(breaks));
    return with > 0 ? (without - with) / with : (without > 0 ? kInfinity : 0);
  }

  double root_mean_square(const std::vector<std::size_t>& breaks) const {
    double sum = 0;
    for (const Group& group : fitted(breaks))
      for (const Point& point : group.points) sum += point.w * point.w;  // w holds the relative residual
    return std::sqrt(sum / static_cast<double>(count_));
  }

  /// Returns the groups with y replaced by the fit of the pieces and w by the relative residual.
  std::vector<Group> fitted(const std::vector<std::size_t>& breaks) const {
    std::vector<Group> out = groups_;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const Group& group = groups_[g];
      for (std::size_t k = 0; k <= breaks.size(); ++k) {
        const std::size_t first = k == 0 ? 0 : breaks[k - 1],
                          last = k == breaks.size() ? sizes_.size() : breaks[k];
        const auto begin = static_cast<std::size_t>(
            std::lower_bound(group.size.begin(), group.size.end(), first) - group.size.begin());
        const auto end = static_cast<std::size_t>(
            std::lower_bound(group.size.begin(), group.size.end(), last) - group.size.begin());
        if (begin == end) continue;
        const Solved line = solve(moments(std::span(group.points).subspan(begin, end - begin)));
        for (std::size_t i = begin; i < end; ++i) {
          const double value = line.startup + line.per_byte * group.points[i].x;
          out[g].points[i].y = value;
          out[g].points[i].w = value > 0 ? (group.points[i].y - value) / value : 0;
        }
      }
    }
    return out;
  }

  /// Returns whether `extra` more breaks improve the fit more than they do on data drawn from the fit without
  /// them.
  bool improves(const Table& table, const std::vector<std::size_t>& accepted, int breaks, int extra) const {
    const double gained = ratio(table, breaks, extra);
    const double scale = std::sqrt(table.total(static_cast<std::size_t>(breaks)) / freedom(breaks));
    const std::vector<Group> mean = fitted(accepted);
    statistics::Random random(options_.seed + static_cast<std::uint64_t>(8 * breaks + extra));
    const int tolerated = static_cast<int>(options_.significance * (options_.draws + 1)) - 1;
    int beaten = 0;
    for (int draw = 0; draw < options_.draws; ++draw) {
      std::vector<Group> drawn = groups_;
      for (std::size_t g = 0; g < drawn.size(); ++g)
        for (std::size_t i = 0; i < drawn[g].points.size(); ++i) {
          Point& point = drawn[g].points[i];
          point.y = std::max(mean[g].points[i].y + scale * random.normal() / std::sqrt(point.w),
                             1e-3 * mean[g].points[i].y);
        }
      if (ratio(tabulate(drawn, breaks + extra), breaks, extra) >= gained && ++beaten > tolerated)
        return false;
    }
    return true;
  }

  BreakOptions options_;
  std::vector<double> sizes_;
  std::vector<Group> groups_;
  std::size_t count_ = 0;
};

}  // namespace

std::vector<double> find_breaks(std::span<const Observation> observations, const BreakOptions& options) {
  if (observations.empty()) return {};
  return Search(observations, options).run();
}

Line fit_line(std::span<const Observation> observations, double noise_floor) {
  Line line;
  std::vector<Point> points;
  for (const Observation& o : observations) points.push_back({o.bytes, o.seconds, weight_of(o, noise_floor)});
  if (points.empty()) return line;
  const Moments m = moments(points);
  const Solved solved = solve(m);
  line.startup = solved.startup, line.per_byte = solved.per_byte;
  const double freedom = std::max(1.0, static_cast<double>(points.size()) - 2);
  // Variance of an observation of weight 1; it is 1 if the stated errors are right. If only a few points lie
  // close to their line, this is no evidence against the stated errors.
  const double scatter = solved.squares / freedom;
  const double variance = points.size() < kTelling ? std::max(scatter, 1.0) : scatter;
  const double raw_xx = m.xx + m.weight * m.x * m.x;
  if (line.startup > 0 && line.per_byte > 0 && m.xx > 0) {
    line.startup_error = std::sqrt(variance * (1 / m.weight + m.x * m.x / m.xx));
    line.per_byte_error = std::sqrt(variance / m.xx);
  } else if (line.per_byte > 0 && raw_xx > 0) {
    line.per_byte_error = std::sqrt(variance / raw_xx);
  } else {
    line.startup_error = std::sqrt(variance / m.weight);
  }
  // The shared error moves the entire line; more observations do not average it out.
  double drift = 0;
  for (const Observation& o : observations) drift = std::max(drift, o.drift);
  line.startup_error = std::hypot(line.startup_error, drift * line.startup);
  line.per_byte_error = std::hypot(line.per_byte_error, drift * line.per_byte);
  return line;
}

}  // namespace parcast::calibrate

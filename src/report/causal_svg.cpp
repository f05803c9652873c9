// SPDX-License-Identifier: Apache-2.0
#include "report/causal_svg.h"

#include <algorithm>
#include <map>
#include <vector>

#include "base/text.h"
#include "base/visible.h"
#include "report/svg.h"

namespace parcast::report {
namespace {

using causes::Layer;
using svg::number;

constexpr double kMargin = 14, kHead = 40, kBoxHeight = 24, kRowHeight = 38, kGap = 116, kLetter = 6.0;
constexpr double kLane = 16;           // between arrows that pass below the boxes
constexpr std::size_t kMostName = 64;  // bytes
constexpr const char* kDefinition = "#8a8a8a";

/// Events are drawn in the column of work: both lead to times.
Layer column_of(Layer layer) {
  return layer == Layer::event ? Layer::work : layer;
}

struct Box {
  std::size_t column = 0, row = 0;
  double x = 0, y = 0, width = 0;
  double right() const { return x + width; }
  double middle() const { return y + kBoxHeight / 2; }
};

class Drawing {
 public:
  explicit Drawing(const causes::Graph& graph) : graph_(graph), boxes_(graph.nodes.size()) {
    fill_columns();
    for (int sweep = 0; sweep < 4; ++sweep) {
      for (std::size_t c = 1; c < columns_.size(); ++c) order(c, true);
      for (std::size_t c = columns_.size(); c-- > 1;) order(c - 1, false);
    }
    place();
  }

  std::string svg() const {
    std::string arrows, boxes;
    double lane = bottom_ + kLane;
    for (const causes::Edge& edge : graph_.edges) {
      const Box &from = boxes_[edge.from], &to = boxes_[edge.to];
      const bool passes_columns = to.column > from.column + 1;
      arrows += arrow(edge, passes_columns ? path_below(from, to, lane) : path(from, to));
      if (passes_columns) lane += kLane;
    }
    for (std::size_t i = 0; i < boxes_.size(); ++i) boxes += box(i);
    return svg::opening(width_, lane + kMargin) + markers() +
           svg::text_at(kMargin, 22, "start", "causes and effects",
                        " font-weight=\"bold\" font-size=\"14\"") +
           arrows + boxes + labels() + "</svg>\n";
  }

 private:
  void fill_columns() {
    std::map<Layer, std::size_t> numbers;
    for (const causes::Node& node : graph_.nodes) numbers.try_emplace(column_of(node.layer), 0);
    for (auto& [layer, number] : numbers) number = columns_.size(), columns_.emplace_back();
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      boxes_[i].column = numbers.at(column_of(graph_.nodes[i].layer));
      boxes_[i].row = columns_[boxes_[i].column].size();
      columns_[boxes_[i].column].push_back(i);
    }
  }

  /// Sorts a column by the mean row of what its boxes are connected with, so that few arrows cross.
  void order(std::size_t column, bool by_causes) {
    std::map<std::size_t, std::pair<double, double>> rows;  // sum and number, by node
    for (const causes::Edge& edge : graph_.edges) {
      const std::size_t node = by_causes ? edge.to : edge.from, other = by_causes ? edge.from : edge.to;
      if (boxes_[node].column != column || boxes_[other].column == column) continue;
      rows[node].first += static_cast<double>(boxes_[other].row), ++rows[node].second;
    }
    const auto mean = [&](std::size_t node) {
      const auto at = rows.find(node);
      return at == rows.end() ? static_cast<double>(boxes_[node].row) : at->second.first / at->second.second;
    };
    std::ranges::stable_sort(columns_[column], {}, mean);
    for (std::size_t row = 0; row < columns_[column].size(); ++row) boxes_[columns_[column][row]].row = row;
  }

  void place() {
    std::size_t most = 1;
    for (const auto& column : columns_) most = std::max(most, column.size());
    double x = kMargin;
    for (const auto& column : columns_) {
      std::size_t longest = 1;
      for (const std::size_t i : column) longest = std::max(longest, name(i).size());
      const double width = kLetter * static_cast<double>(longest) + 14;
      const double top = kHead + kRowHeight * static_cast<double>(most - column.size()) / 2;
      for (const std::size_t i : column) {
        boxes_[i].x = x, boxes_[i].width = width;
        boxes_[i].y = top + kRowHeight * static_cast<double>(boxes_[i].row);
      }
      x += width + kGap;
    }
    width_ = x - kGap + kMargin;
    bottom_ = kHead + kRowHeight * static_cast<double>(most);
  }

  std::string name(std::size_t i) const { return visible(graph_.nodes[i].name, kMostName); }

  static std::string markers() {
    std::string out = "<defs>";
    for (const auto& [id, color] : {std::pair("definition", kDefinition), std::pair("cost", svg::kColors[1])})
      out += "<marker id=\"" + std::string(id) +
             "\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" "
             "orient=\"auto\"><path d=\"M0,0.8 L8,4 L0,7.2 z\" fill=\"" +
             color + "\"/></marker>";
    return out + "</defs>\n";
  }

  /// From the right side of a box to the left side of another one in the next column; within a column around
  /// the right side.
  static std::string path(const Box& from, const Box& to) {
    const bool same = from.column == to.column;
    const double bend = same ? kGap / 2 : std::max(20.0, (to.x - from.right()) / 2);
    const double end = same ? to.right() : to.x;
    return "M" + number(from.right()) + "," + number(from.middle()) + " C" + number(from.right() + bend) +
           "," + number(from.middle()) + " " + number(same ? end + bend : end - bend) + "," +
           number(to.middle()) + " " + number(end) + "," + number(to.middle());
  }

  /// Below the boxes of the columns between.
  std::string path_below(const Box& from, const Box& to, double lane) const {
    const double first = from.right() + kGap / 3, last = to.x - kGap / 3;
    return "M" + number(from.right()) + "," + number(from.middle()) + " C" + number(first) + "," +
           number(from.middle()) + " " + number(from.right()) + "," + number(lane) + " " +
           number(first + kGap / 3) + "," + number(lane) + " L" + number(last - kGap / 3) + "," +
           number(lane) + " C" + number(to.x) + "," + number(lane) + " " + number(last) + "," +
           number(to.middle()) + " " + number(to.x) + "," + number(to.middle());
  }

  static std::string label(const causes::Edge& edge) {
    return edge.form == causes::Form::linear ? format_seconds(edge.delta) + " each" : edge.formula;
  }

  static std::string arrow(const causes::Edge& edge, const std::string& path) {
    const bool is_cost = edge.form == causes::Form::linear;
    return "<path fill=\"none\" stroke=\"" + std::string(is_cost ? svg::kColors[1] : kDefinition) +
           "\" marker-end=\"url(#" + (is_cost ? "cost" : "definition") + ")\" d=\"" + path + "\"><title>" +
           xml(label(edge)) + "</title></path>\n";
  }

  std::string box(std::size_t i) const {
    const Box& at = boxes_[i];
    const bool is_event = graph_.nodes[i].layer == Layer::event;
    return "<g><rect x=\"" + number(at.x) + "\" y=\"" + number(at.y) + "\" width=\"" + number(at.width) +
           "\" height=\"" + number(kBoxHeight) + "\" rx=\"4\" fill=\"" + (is_event ? "#fdf0e6" : "#f4f7fa") +
           "\" stroke=\"" + (is_event ? svg::kColors[1] : "#9fb0c0") + "\"/><title>" +
           xml(graph_.nodes[i].name) + "</title></g>\n" +
           svg::text_at(at.x + 7, at.y + 16, "start", name(i), is_event ? " font-weight=\"bold\"" : "");
  }

  /// Costs are written before the arrows' ends, on white.
  std::string labels() const {
    std::string out;
    std::map<std::size_t, int> before;  // by effect
    for (const causes::Edge& edge : graph_.edges) {
      if (edge.form != causes::Form::linear) continue;
      const Box& to = boxes_[edge.to];
      const bool same = boxes_[edge.from].column == to.column;
      const double y = to.middle() - 5 - 12 * before[edge.to]++;
      out += svg::text_at(same ? to.right() + 12 : to.x - 12, y, same ? "start" : "end", label(edge),
                          " font-size=\"11\" style=\"paint-order:stroke;stroke:#ffffff;stroke-width:4px\"");
    }
    return out;
  }

  const causes::Graph& graph_;
  std::vector<Box> boxes_;
  std::vector<std::vector<std::size_t>> columns_;  // nodes from the top
  double width_ = 0, bottom_ = 0;
};

}  // namespace

std::string causal_svg(const causes::Graph& graph) {
  return Drawing(graph).svg();
}

}  // namespace parcast::report

// SPDX-License-Identifier: Apache-2.0
// The tree of regions at the question's point, with formulas and lines of the source.
#include <algorithm>
#include <map>

#include "base/text.h"
#include "report/html/excerpts.h"
#include "report/html/markup.h"
#include "report/html/sections.h"

namespace parcast::report::html {
namespace {

/// A region, loop or call. The seconds of an inner one are the sum of its children.
struct Node {
  std::string label, path;
  double seconds = 0, messages = 0, wait = 0;
  const predict::RegionTime* leaf = nullptr;
  std::vector<Node> children;
};

Node& child_of(Node& parent, const std::string& label) {
  const auto found = std::ranges::find(parent.children, label, &Node::label);
  if (found != parent.children.end() && !found->leaf) return *found;
  parent.children.push_back({label, parent.path.empty() ? label : parent.path + "/" + label});
  return parent.children.back();
}

void add(Node& root, const predict::RegionTime& region) {
  const double messages = region.parts.message_startup.value + region.parts.transfer.value;
  Node* at = &root;
  const auto count = [&] {
    at->seconds += region.seconds.value, at->messages += messages, at->wait += region.parts.wait.value;
  };
  count();
  for (const std::string& label : split(region.path, '/')) {
    at = &child_of(*at, label);
    count();
  }
  at->leaf = &region;
}

void sort(Node& node) {
  std::ranges::stable_sort(node.children, [](const Node& a, const Node& b) { return a.seconds > b.seconds; });
  for (Node& child : node.children) sort(child);
}

constexpr double kLeastShare = 0.005;  // of the total; smaller regions are in a table of their own

class Rows {
 public:
  Rows(const Report& report)
      : report_(report), large_("Regions", kColumns), small_("Smaller regions", kColumns) {
    for (const explain::Contribution& each : report.explanation.contributions)
      contributions_.emplace(each.path, &each);
  }

  /// Adds the node and those below it; small ones lose their place in the tree, and keep their path.
  void add(const Node& node, int depth) {
    const double total = report_.prediction.seconds.value;
    const bool is_small = node.seconds < kLeastShare * total;
    if (!is_small) {
      add_row(large_, node, text(node.label), depth);
    } else if (node.leaf) {
      add_row(small_, node, text(node.path), 0);
      ++count_, rest_ += node.seconds / total;
    }
    for (const Node& child : node.children) add(child, depth + 1);
  }

  std::string html() const {
    const std::string title = counted(count_, "smaller region") + ", " + in_percent(rest_) + " of the time";
    return large_.html() + (small_.empty() ? "" : folded(title, small_.html()));
  }

 private:
  void add_row(Table& table, const Node& node, const std::string& label, int depth) const {
    const double total = report_.prediction.seconds.value;
    const std::string indent =
        "<span class=\"indent\" style=\"--depth:" + std::to_string(depth) + "\"></span>";
    const Cell name{indent + (node.leaf ? "" : "<b>") + label + (node.leaf ? "" : "</b>"),
                    node.path.empty() ? node.label : node.path};
    const Cell share = share_cell(total > 0 ? node.seconds / total : 0, kind_of(node));
    table.add({name, seconds_cell(node.seconds), share,
               node.leaf && node.leaf->seconds.level > 0
                   ? plain(span_text(node.leaf->seconds.low, node.leaf->seconds.high))
                   : Cell{},
               node.leaf ? plain(to_string(node.leaf->origin)) : Cell{},
               node.leaf ? formula(*node.leaf, &table == &large_) : Cell{},
               node.leaf ? place_cell(node.leaf->where, report_.excerpts) : Cell{}},
              " data-depth=\"" + std::to_string(depth) + "\"");
  }

  static std::string kind_of(const Node& node) {
    if (!node.leaf) return "total";
    if (node.wait > 0.5 * node.seconds) return "wait";
    return node.messages > 0.5 * node.seconds ? "transfer" : "compute";
  }

  /// Formulas of small regions would be most of the page, and none of the time.
  Cell formula(const predict::RegionTime& region, bool is_large) const {
    const auto found = contributions_.find(region.path);
    const std::string seconds = !is_large || found == contributions_.end() || !found->second->has_formula
                                    ? ""
                                    : symbolic::to_text(found->second->formula);
    if (seconds.empty()) return plain(region.executions);
    return {"<details class=\"formula\"><summary><code>" + text(region.executions) +
                "</code></summary><code>" + text(seconds) + "</code></details>",
            region.executions};
  }

  static inline const std::vector<Table::Column> kColumns{
      {"region"}, {"time", true},          {"share", true}, {"interval", true},
      {"found"},  {"executions, formula"}, {"where"}};
  const Report& report_;
  Table large_, small_;
  std::int64_t count_ = 0;
  double rest_ = 0;
  std::map<std::string, const explain::Contribution*> contributions_;
};

}  // namespace

std::string regions(const Report& report) {
  if (report.prediction.regions.empty()) return "";
  Node root{report.prediction.program, ""};
  for (const predict::RegionTime& region : report.prediction.regions) add(root, region);
  sort(root);
  Rows rows(report);
  rows.add(root, 0);
  return rows.html() + excerpts_html(report.excerpts);
}

std::string functions(const Report& report) {
  const auto& blocks = report.explanation.blocks;
  if (blocks.empty()) return "";
  struct Sum {
    double seconds = 0, share = 0;
    std::string where;
  };
  std::map<std::string, Sum> by_function;
  for (const explain::BlockContribution& block : blocks) {
    Sum& sum = by_function[block.function.empty() ? "not counted" : demangled(block.function)];
    sum.seconds += block.seconds, sum.share += block.share;
    if (sum.where.empty()) sum.where = block.where;
  }
  std::vector<std::pair<std::string, Sum>> rows(by_function.begin(), by_function.end());
  std::ranges::stable_sort(rows,
                           [](const auto& a, const auto& b) { return a.second.seconds > b.second.seconds; });
  Table table("Computing by function", {{"function"}, {"time", true}, {"share", true}, {"where"}});
  for (const auto& [name, sum] : rows)
    table.add({plain(name), seconds_cell(sum.seconds), share_cell(sum.share, "compute"), plain(sum.where)});
  return table.html();
}

}  // namespace parcast::report::html

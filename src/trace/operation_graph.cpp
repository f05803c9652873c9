// SPDX-License-Identifier: Apache-2.0
#include "trace/operation_graph.h"

#include <algorithm>
#include <array>
#include <deque>
#include <numeric>
#include <span>

namespace parcast::trace {
namespace {

/// For each operation: the operations at the other end of its dependencies of one kind.
class Neighbours {
 public:
  Neighbours(const RankGraph& graph, bool of_later, bool on_start) : begins_(graph.operations.size() + 2) {
    const auto owner = [&](const GraphDependency& each) { return of_later ? each.later : each.earlier; };
    for (const GraphDependency& each : graph.dependencies)
      if (each.on_start == on_start) ++begins_[owner(each) + 2];
    std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
    items_.resize(begins_.back());
    for (const GraphDependency& each : graph.dependencies)
      if (each.on_start == on_start)
        items_[begins_[owner(each) + 1]++] = of_later ? each.earlier : each.later;
  }
  std::span<const std::uint32_t> of(std::uint32_t operation) const {
    return std::span(items_).subspan(begins_[operation], begins_[operation + 1] - begins_[operation]);
  }

 private:
  std::vector<std::size_t> begins_;
  std::vector<std::uint32_t> items_;
};

/// An ordered partition of the operations. A class is a contiguous range of order_, and its number is where
/// the range begins. The algorithm depends only on these numbers and on counts.
class Refinement {
 public:
  explicit Refinement(const RankGraph& graph)
      : graph_(graph),
        order_(graph.operations.size()),
        place_(order_.size()),
        class_(order_.size()),
        end_(order_.size()),
        count_(order_.size()),
        queued_(order_.size()),
        relations_{Neighbours(graph, false, false), Neighbours(graph, false, true),
                   Neighbours(graph, true, false), Neighbours(graph, true, true)} {}

  /// Returns the new number of each operation.
  std::vector<std::uint32_t> run() {
    divide_by_content();
    refine();
    for (std::uint32_t at = 0; at < order_.size(); ++at)
      while (end_[at] - at > 1) {
        set_last_apart(at);
        refine();
      }
    return std::move(place_);
  }

 private:
  void queue(std::uint32_t begin) {
    queued_[begin] = true;
    queue_.push_back(begin);
  }

  void divide_by_content() {
    const auto& operations = graph_.operations;
    std::iota(order_.begin(), order_.end(), 0u);
    std::sort(order_.begin(), order_.end(), [&](auto a, auto b) { return operations[a] < operations[b]; });
    std::uint32_t begin = 0;
    for (std::uint32_t at = 0; at < order_.size(); ++at) {
      if (at == 0 || operations[order_[at - 1]] != operations[order_[at]]) queue(begin = at);
      place_[order_[at]] = at;
      class_[order_[at]] = begin;
      end_[begin] = at + 1;
    }
  }

  void refine() {
    while (!queue_.empty()) {
      const std::uint32_t begin = queue_.front();
      queue_.pop_front();
      queued_[begin] = false;
      splitter_.assign(order_.begin() + begin, order_.begin() + end_[begin]);
      for (const Neighbours& relation : relations_) split_by(relation);
    }
  }

  /// Splits classes whose members have different numbers of neighbours in the splitter.
  void split_by(const Neighbours& relation) {
    touched_.clear();
    for (const std::uint32_t each : splitter_)
      for (const std::uint32_t neighbour : relation.of(each)) {
        if (end_[class_[neighbour]] - class_[neighbour] == 1) continue;
        if (count_[neighbour]++ == 0) touched_.push_back(neighbour);
      }
    std::sort(touched_.begin(), touched_.end(), [&](auto a, auto b) {
      return class_[a] != class_[b] ? class_[a] < class_[b] : count_[a] < count_[b];
    });
    for (std::size_t first = 0, last = 0; first < touched_.size(); first = last) {
      const std::uint32_t begin = class_[touched_[first]];
      while (last < touched_.size() && class_[touched_[last]] == begin) ++last;
      split(begin, std::span(touched_).subspan(first, last - first));
    }
    for (const std::uint32_t each : touched_) count_[each] = 0;
  }

  /// Moves `touched`, in ascending order of their counts, to the end of their class and splits it there.
  void split(std::uint32_t begin, std::span<const std::uint32_t> touched) {
    const std::uint32_t end = end_[begin];
    const bool all = touched.size() == end - begin;
    if (all && count_[touched.front()] == count_[touched.back()]) return;
    for (std::uint32_t i = 1; i <= touched.size(); ++i) move(touched[touched.size() - i], end - i);
    parts_.assign(1, begin);
    const auto first = static_cast<std::uint32_t>(end - touched.size());
    for (std::uint32_t at = first; at < end; ++at) {
      const bool begins = at == first ? !all : count_[order_[at]] != count_[order_[at - 1]];
      if (begins) parts_.push_back(at);
      class_[order_[at]] = parts_.back();
    }
    for (std::size_t i = 0; i < parts_.size(); ++i)
      end_[parts_[i]] = i + 1 < parts_.size() ? parts_[i + 1] : end;
    queue_parts(begin);
  }

  /// Queues the parts of a class. If the undivided class was a splitter before, the largest part need not
  /// become one: the others split enough (Hopcroft 1971).
  void queue_parts(std::uint32_t whole) {
    const auto size = [&](std::uint32_t part) { return end_[part] - part; };
    std::uint32_t left_out = whole;
    if (!queued_[whole])
      for (const std::uint32_t part : parts_)
        if (size(part) > size(left_out)) left_out = part;
    for (const std::uint32_t part : parts_)
      if (part != left_out) queue(part);
  }

  void set_last_apart(std::uint32_t begin) {
    const std::uint32_t last = --end_[begin];
    class_[order_[last]] = last;
    end_[last] = last + 1;
    queue(last);
  }

  void move(std::uint32_t operation, std::uint32_t to) {
    const std::uint32_t there = order_[to], from = place_[operation];
    order_[from] = there, place_[there] = from;
    order_[to] = operation, place_[operation] = to;
  }

  const RankGraph& graph_;
  std::vector<std::uint32_t> order_, place_;  // operations in order, and the position of each
  std::vector<std::uint32_t> class_, end_;    // class of each operation; end of each class, by its number
  std::vector<std::uint32_t> count_;          // neighbours in the splitter
  std::vector<bool> queued_;                  // classes that have not yet split others
  std::deque<std::uint32_t> queue_;
  std::vector<std::uint32_t> splitter_, touched_, parts_;
  std::array<Neighbours, 4> relations_;
};

}  // namespace

void put_in_canonical_order(RankGraph& graph) {
  const std::vector<std::uint32_t> number = Refinement(graph).run();
  std::vector<GraphOperation> operations(graph.operations.size());
  for (std::size_t i = 0; i < operations.size(); ++i) operations[number[i]] = graph.operations[i];
  graph.operations = std::move(operations);
  for (GraphDependency& each : graph.dependencies)
    each = {number[each.later], number[each.earlier], each.on_start};
  std::sort(graph.dependencies.begin(), graph.dependencies.end());
}

}  // namespace parcast::trace

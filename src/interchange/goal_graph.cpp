// SPDX-License-Identifier: Apache-2.0
#include "interchange/goal_graph.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <span>
#include <unordered_map>

namespace parcast::interchange {
namespace {

using GoalKind = GoalOperation::Kind;

/// Concatenated lists, one per operation: items[begins[i] .. begins[i + 1]) is the list of operation i.
template <class T>
struct Lists {
  std::vector<std::size_t> begins;
  std::vector<T> items;

  Lists(std::size_t operations, std::span<const GoalDependency> dependencies, auto owner, auto item)
      : begins(operations + 2), items(dependencies.size()) {
    for (const GoalDependency& each : dependencies) ++begins[owner(each) + 2];
    for (std::size_t i = 2; i < begins.size(); ++i) begins[i] += begins[i - 1];
    for (const GoalDependency& each : dependencies) items[begins[owner(each) + 1]++] = item(each);
    begins.pop_back();
  }
  std::span<const T> of(std::uint32_t operation) const {
    return std::span(items).subspan(begins[operation], begins[operation + 1] - begins[operation]);
  }
};

struct Before {
  std::uint32_t operation = 0;
  bool on_start = false;
};

std::int32_t number_or_any(std::uint32_t value) {
  return value == kGoalAny ? trace::kAny : static_cast<std::int32_t>(value);
}

constexpr std::uint32_t kNotYet = std::numeric_limits<std::uint32_t>::max();

/// Finds the operations that follow a wait that they do not depend on. Completed requests are numbered in the
/// order of their waits. For each operation two facts are kept. The first is the number of requests waited
/// for before it. The second is the list of those that it does not depend on, which is mostly empty. An
/// operation lacks a request if each operation that it depends on lacks it or came before its wait.
class Delays {
 public:
  explicit Delays(std::size_t operations)
      : seen_(operations), led_on_(operations), completed_as_(operations, kNotYet) {}

  void completed(std::uint32_t request) { completed_as_[request] = completed_++; }
  bool is_complete(std::uint32_t request) const { return completed_as_[request] != kNotYet; }
  std::uint64_t count() const { return count_; }

  void place(std::uint32_t operation, std::span<const Before> before) {
    for (const Before& each : before)
      if (!led_on_[each.operation]) led_on_[each.operation] = true, --ends_;
    ++ends_;
    seen_[operation] = completed_;
    if (completed_ == 0 || ends_ == 1) return;  // 1: this operation depends on all earlier ones
    std::vector<std::uint32_t> lacking = what_lacks(before);
    if (lacking.empty()) return;
    ++count_;
    lacking_.emplace(operation, std::move(lacking));
  }

 private:
  static constexpr std::size_t kMost = 32;
  // the only item of a list that would be longer than kMost
  static constexpr std::uint32_t kTooMany = kNotYet;

  const std::vector<std::uint32_t>* lacking_of(std::uint32_t operation) const {
    const auto found = lacking_.find(operation);
    return found == lacking_.end() ? nullptr : &found->second;
  }

  bool lacks(std::uint32_t operation, std::uint32_t request) const {
    if (request >= seen_[operation]) return true;
    const auto* list = lacking_of(operation);
    return list && (list->front() == kTooMany || std::binary_search(list->begin(), list->end(), request));
  }

  bool lacks(std::span<const Before> before, std::uint32_t request) const {
    return std::all_of(before.begin(), before.end(), [&](const Before& each) {
      return (each.on_start || completed_as_[each.operation] != request) && lacks(each.operation, request);
    });
  }

  /// Returns the dependency that lacks the fewest requests. The result is a subset of what it lacks; the
  /// other dependencies only remove requests from it.
  const Before* best(std::span<const Before> before) const {
    const Before* out = nullptr;
    std::size_t least = 0;
    for (const Before& each : before) {
      const auto* list = lacking_of(each.operation);
      if (list && list->front() == kTooMany) continue;
      const std::size_t size = (list ? list->size() : 0) + completed_ - seen_[each.operation];
      if (!out || size < least) out = &each, least = size;
    }
    return out;
  }

  std::vector<std::uint32_t> what_lacks(std::span<const Before> before) const {
    const Before* start = best(before);
    if (!start && !before.empty()) return {kTooMany};
    std::vector<std::uint32_t> out;
    const auto* list = start ? lacking_of(start->operation) : nullptr;
    if (list)
      for (const std::uint32_t request : *list)
        if (lacks(before, request)) out.push_back(request);
    for (std::uint32_t request = start ? seen_[start->operation] : 0;
         request < completed_ && out.size() <= kMost; ++request)
      if (lacks(before, request)) out.push_back(request);
    if (out.size() > kMost) return {kTooMany};
    return out;
  }

  std::vector<std::uint32_t> seen_;
  std::vector<bool> led_on_;  // a placed operation depends on it
  std::vector<std::uint32_t> completed_as_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> lacking_;
  std::uint32_t completed_ = 0;
  // ends_: number of placed operations on which no placed operation depends
  std::uint64_t ends_ = 0, count_ = 0;
};

class Ordering {
 public:
  Ordering(const GoalGraph& graph, std::int32_t rank, trace::RankBuilder& words)
      : graph_(graph),
        rank_(rank),
        words_(words),
        before_(
            graph.operations.size(), graph.dependencies, [](const GoalDependency& d) { return d.later; },
            [](const GoalDependency& d) {
              return Before{d.earlier, d.on_start};
            }),
        after_(
            graph.operations.size(), graph.dependencies, [](const GoalDependency& d) { return d.earlier; },
            [](const GoalDependency& d) { return d.later; }),
        left_(graph.operations.size()),
        begun_as_(graph.operations.size()),
        delays_(graph.operations.size()) {}

  GoalOrder run() {
    const auto count = static_cast<std::uint32_t>(graph_.operations.size());
    for (std::uint32_t i = 0; i < count; ++i) {
      left_[i] = before_.of(i).size();
      if (left_[i] == 0) free_.push(i);
    }
    std::uint32_t done = 0;
    bool only = true;
    for (; !free_.empty(); ++done) {
      only = only && free_.size() == 1;
      const std::uint32_t operation = free_.top();
      free_.pop();
      place(operation);
      for (const std::uint32_t each : after_.of(operation))
        if (--left_[each] == 0) free_.push(each);
    }
    if (done < count) return {0, on_a_cycle()};
    wait_for_the_rest();
    return {delays_.count(), std::nullopt, only};
  }

 private:
  void place(std::uint32_t operation) {
    const GoalOperation& it = graph_.operations[operation];
    wait_for_required(operation);
    delays_.place(operation, before_.of(operation));
    if (it.kind == GoalKind::calculate) {
      words_.add_compute(static_cast<trace::Time>(it.size) * trace::kPerNanosecond);
      return;
    }
    trace::Operation out;
    out.kind = it.kind == GoalKind::send ? trace::Kind::start_send : trace::Kind::start_receive;
    out.peer = it.peer == kGoalAny ? trace::kAny : static_cast<std::int32_t>(it.peer) - rank_;
    out.tag = number_or_any(it.tag);
    out.bytes = it.size;
    words_.add(out);
    begun_as_[operation] = words_.begun();
  }

  void wait_for(const std::vector<std::uint32_t>& operations) {
    std::vector<std::uint64_t> requests;
    for (const std::uint32_t each : operations) requests.push_back(begun_as_[each]);
    words_.add_wait(requests, trace::kNowhere);
  }

  void wait_for_required(std::uint32_t operation) {
    std::vector<std::uint32_t> wanted;
    for (const Before& each : before_.of(operation)) {
      if (each.on_start || graph_.operations[each.operation].kind == GoalKind::calculate ||
          delays_.is_complete(each.operation))
        continue;
      delays_.completed(each.operation);
      wanted.push_back(each.operation);
    }
    wait_for(wanted);
  }

  void wait_for_the_rest() {
    std::vector<std::uint32_t> wanted;
    for (std::uint32_t i = 0; i < graph_.operations.size(); ++i)
      if (graph_.operations[i].kind != GoalKind::calculate && !delays_.is_complete(i)) wanted.push_back(i);
    wait_for(wanted);
  }

  /// Each remaining operation waits for another remaining one, so walking back along dependencies must reach
  /// a cycle.
  std::uint32_t on_a_cycle() const {
    std::uint32_t at = 0;
    while (left_[at] == 0) ++at;
    for (std::size_t steps = 0; steps < left_.size(); ++steps)
      for (const Before& each : before_.of(at))
        if (left_[each.operation] > 0) {
          at = each.operation;
          break;
        }
    return at;
  }

  const GoalGraph& graph_;
  const std::int32_t rank_;
  trace::RankBuilder& words_;
  Lists<Before> before_;
  Lists<std::uint32_t> after_;
  std::vector<std::size_t> left_;        // number of dependencies not yet fulfilled
  std::vector<std::uint64_t> begun_as_;  // of messages: 1 for the first that began
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> free_;
  Delays delays_;
};

}  // namespace

GoalOrder put_in_order(const GoalGraph& graph, std::int32_t rank, trace::RankBuilder& words) {
  return Ordering(graph, rank, words).run();
}

trace::RankGraph to_rank_graph(const GoalGraph& graph) {
  using To = trace::GraphOperation::Kind;
  trace::RankGraph out;
  for (const GoalOperation& it : graph.operations) {
    trace::GraphOperation& made = out.operations.emplace_back();
    made.cpu = it.cpu;
    if (it.kind == GoalKind::calculate) {
      made.amount = it.size * static_cast<std::uint64_t>(trace::kPerNanosecond);
      continue;
    }
    made.kind = it.kind == GoalKind::send ? To::send : To::receive;
    made.nic = it.nic;
    made.peer = number_or_any(it.peer);
    made.tag = number_or_any(it.tag);
    made.amount = it.size;
  }
  for (const GoalDependency& each : graph.dependencies)
    out.dependencies.push_back({each.later, each.earlier, each.on_start});
  put_in_canonical_order(out);
  return out;
}

}  // namespace parcast::interchange

// SPDX-License-Identifier: Apache-2.0
#include "structure/mean_sizes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "base/text.h"
#include "structure/step_text.h"

namespace parcast::program {
namespace {

using trace::Item;
using trace::Operation;

/// Executions by size, of operations that differ in nothing else.
using Sizes = std::map<std::uint64_t, std::uint64_t>;

auto without_size(const Operation& of) {
  return std::tuple(of.kind, of.mode, of.pattern, of.uneven, of.peer, of.tag, of.communicator, of.root,
                    of.requests, of.place);
}

std::uint64_t mean_of(const Sizes& sizes) {
  long double bytes = 0, executions = 0;
  for (const auto& [size, times] : sizes)
    bytes += static_cast<long double>(size) * static_cast<long double>(times), executions += times;
  return static_cast<std::uint64_t>(std::llround(bytes / executions));
}

class Leveller {
 public:
  explicit Leveller(trace::Trace& trace) : trace_(trace) {}

  /// Returns the places whose sizes were changed.
  std::set<std::uint32_t> run() {
    for (trace::Sequence& sequence : trace_.sequences) level(sequence);
    return std::move(changed_);
  }
  std::size_t most_sizes() const { return most_sizes_; }

 private:
  void level(trace::Sequence& sequence) {
    const std::map<std::uint32_t, std::uint64_t> executions = trace::executions_of(sequence);
    std::map<decltype(without_size({})), Sizes> groups;
    for (const auto& [index, times] : executions) {
      const Operation& of = trace_.operations[index];
      groups[without_size(of)][of.bytes] += times;
    }
    for (const auto& [of, sizes] : groups) most_sizes_ = std::max(most_sizes_, sizes.size());
    std::map<std::uint32_t, std::uint32_t> index_of;
    for (const auto& [index, times] : executions) {
      Operation of = trace_.operations[index];
      const std::uint64_t mean = mean_of(groups.at(without_size(of)));
      if (mean == of.bytes) continue;
      of.bytes = mean;
      index_of[index] = index_for(of);
      changed_.insert(of.place);
    }
    for (Item& item : sequence) {
      if (item.what() != Item::What::operation) continue;
      if (const auto at = index_of.find(item.index()); at != index_of.end())
        item = Item::operation(at->second, item.times());
    }
  }

  std::uint32_t index_for(const Operation& operation) {
    const auto [at, is_new] = made_.emplace(std::pair(without_size(operation), operation.bytes),
                                            static_cast<std::uint32_t>(trace_.operations.size()));
    if (!is_new) return at->second;
    const auto known = std::ranges::find(trace_.operations, operation);
    if (known != trace_.operations.end())
      at->second = static_cast<std::uint32_t>(known - trace_.operations.begin());
    else
      trace_.operations.push_back(operation);
    return at->second;
  }

  trace::Trace& trace_;
  std::set<std::uint32_t> changed_;
  std::size_t most_sizes_ = 0;
  std::map<std::pair<decltype(without_size({})), std::uint64_t>, std::uint32_t> made_;
};

}  // namespace

LevelledSizes level_sizes(std::vector<TracedRun>& runs) {
  LevelledSizes out;
  std::vector<std::string> calls;
  for (TracedRun& run : runs) {
    Leveller leveller(run.trace);
    for (const std::uint32_t place : leveller.run()) {
      if (place == trace::kNowhere) continue;
      const trace::Place& of = run.trace.places[place];
      std::string call = describe_step(trace::Kind::send, recording::Pattern::none, &of);
      if (std::ranges::find(calls, call) == calls.end()) calls.push_back(std::move(call));
    }
    out.most_sizes = std::max(out.most_sizes, leveller.most_sizes());
  }
  if (calls.empty()) return out;
  constexpr std::size_t kMostNamed = 3;
  const std::size_t more = calls.size() - std::min(calls.size(), kMostNamed);
  calls.resize(calls.size() - more);
  out.assumption = "data decide the sizes of messages of " + join(calls, ", ") +
                   (more > 0 ? " and " + std::to_string(more) + " more calls" : "") +
                   ": each has its mean size";
  return out;
}

}  // namespace parcast::program

// SPDX-License-Identifier: Apache-2.0
// Writes a trace in the order of a rehearsal, without the operations that the rehearsal found missing.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include "trace/rehearsal.h"

namespace parcast::trace {
namespace {

class Writer {
 public:
  Writer(const Trace& from, std::span<const RankLanes> lanes, const Rehearsal& rehearsal)
      : from_(from), lanes_(lanes), rehearsal_(rehearsal), builder_(from.program, from.ranks) {
    for (const Place& place : from.places) places_.push_back(builder_.place(place));
    for (std::size_t c = 1; c < from.communicators.size(); ++c)
      builder_.communicator(from.communicators[c].members);
    for (const auto& set : from.request_sets) {
      sets_.push_back(builder_.request_set(set));
      if (!set.empty()) farthest_ = std::max(farthest_, set.back());
    }
    for (const std::string& sentence : from.assumptions) builder_.assume(sentence);
    operations_.resize(from.operations.size());
  }

  Result<Trace> run() {
    for (std::int32_t rank = 0; rank < from_.ranks; ++rank) {
      const bool has_lanes = !lanes_[static_cast<std::size_t>(rank)].lanes.empty();
      if (!has_lanes && !rehearsal_.changes(rank))
        copy(rank);
      else
        PARCAST_TRY(has_lanes ? write_lanes(rank) : write_words(rank));
    }
    return builder_.finish();
  }

 private:
  Operation with_new_indices(Operation operation) const {
    if (operation.place != kNowhere) operation.place = places_[operation.place];
    if (operation.kind == Kind::wait) operation.requests = sets_[operation.requests];
    return operation;
  }

  std::uint32_t index_of(std::uint32_t operation) {
    std::optional<std::uint32_t>& known = operations_[operation];
    if (!known) known = builder_.operation(with_new_indices(from_.operations[operation]));
    return *known;
  }

  void copy(std::int32_t rank) {
    const std::uint32_t number = from_.sequence_of[static_cast<std::size_t>(rank)];
    if (const auto known = copied_.find(number); known != copied_.end())
      return builder_.same_sequence(rank, known->second);
    Sequence sequence = from_.sequences[number];
    for (Item& item : sequence)
      if (item.what() == Item::What::operation) item = Item::operation(index_of(item.index()), item.times());
    copied_[number] = builder_.sequence(rank, std::move(sequence));
  }

  /// Returns the missing operations of the rank, by lane and position.
  std::set<std::pair<std::uint32_t, std::uint64_t>> missing_of(std::int32_t rank) const {
    std::set<std::pair<std::uint32_t, std::uint64_t>> out;
    for (const Missing& each : std::ranges::equal_range(rehearsal_.missing, rank, {}, &Missing::rank))
      out.emplace(each.lane, each.number);
    return out;
  }

  /// Makes a missing send buffered. Returns false when the operation is left out.
  static bool keep_or_buffer(Operation& operation, bool missing) {
    if (!missing) return true;
    operation.mode = Mode::buffered;
    return operation.kind == Kind::send || operation.kind == Kind::start_send;
  }

  Result<void> write_words(std::int32_t rank) {
    RankBuilder to(builder_, rank);
    const auto missing = missing_of(rank);
    // numbers in `to` of the most recent requests; 0: left out
    std::vector<std::uint64_t> numbers(std::size_t{farthest_} + 1);
    std::uint64_t begun = 0, number = 0;
    for (Walker walker(from_.sequences[from_.sequence_of[static_cast<std::size_t>(rank)]]); walker.next();) {
      const Item item = walker.item();
      if (item.what() == Item::What::compute) {
        to.add_compute(item.time());
        continue;
      }
      Operation operation = with_new_indices(from_.operations[item.index()]);
      const bool kept = keep_or_buffer(operation, missing.contains({0, number++}));
      if (operation.kind == Kind::wait) {
        std::vector<std::uint64_t> awaited;
        for (const std::uint32_t ago : from_.request_sets[from_.operations[item.index()].requests])
          if (const std::uint64_t request = ago <= begun ? numbers[(begun + 1 - ago) % numbers.size()] : 0)
            awaited.push_back(request);
        to.add_wait(awaited, operation.place);
        continue;
      }
      if (kept) to.add(operation);
      if (begins_request(operation.kind)) numbers[++begun % numbers.size()] = kept ? to.begun() : 0;
    }
    return to.finish();
  }

  /// Position in a lane that is being written.
  struct At {
    std::size_t step = 0;
    std::uint64_t number = 0;  // operations before it
    // request that the current operation began in `to` and whose wait ends it; 0: none
    std::uint64_t request = 0;
    bool kept = true;
  };

  Result<void> write_lanes(std::int32_t rank) {
    const RankLanes& lanes = lanes_[static_cast<std::size_t>(rank)];
    RankBuilder to(builder_, rank);
    const auto missing = missing_of(rank);
    std::vector<At> at(lanes.lanes.size());
    // numbers in `to` of the kept requests
    std::unordered_map<std::uint64_t, std::uint64_t> requests;
    ComputingOfLanes computing(lanes);
    for (const std::uint32_t code : rehearsal_.order[static_cast<std::size_t>(rank)]) {
      const std::uint32_t lane = code / 2;
      const LaneStep& step = lanes.lanes[lane][at[lane].step];
      const bool ends = code % 2 != 0;
      to.add_compute(ends ? computing.end(lane) : computing.begin(lane));
      if (ends) {
        end(lanes, step, at[lane], requests, to);
      } else {
        at[lane].kept = !missing.contains({lane, at[lane].number});
        begin(step, at[lane], requests, to);
      }
      const bool over = ends || step.operation == LaneStep::kNothing ||
                        (step.operation != LaneStep::kWait && !stays(from_.operations[step.operation].kind));
      if (over && !ends) to.add_compute(computing.end(lane));
      if (over) ++at[lane].step, ++at[lane].number;
    }
    return to.finish();
  }

  /// Begins a step. A thread that stays in a send or receive must not block the other threads. So the trace
  /// begins a request here, and waits for it where the step ends.
  void begin(const LaneStep& step, At& at, std::unordered_map<std::uint64_t, std::uint64_t>& requests,
             RankBuilder& to) const {
    at.request = 0;
    if (step.operation >= from_.operations.size()) return;
    Operation operation = with_new_indices(from_.operations[step.operation]);
    const bool kept = keep_or_buffer(operation, !at.kept);
    const bool waits = operation.kind == Kind::send || operation.kind == Kind::receive;
    if (!kept || (stays(operation.kind) && !waits)) return;
    if (waits) operation.kind = operation.kind == Kind::send ? Kind::start_send : Kind::start_receive;
    to.add(operation);
    if (waits)
      at.request = to.begun();
    else if (begins_request(operation.kind))
      requests[step.first] = to.begun();
  }

  void end(const RankLanes& lanes, const LaneStep& step, const At& at,
           std::unordered_map<std::uint64_t, std::uint64_t>& requests, RankBuilder& to) const {
    std::vector<std::uint64_t> awaited;
    if (step.operation == LaneStep::kWait) {
      for (std::uint32_t i = 0; i < step.count; ++i)
        if (const auto found = requests.extract(lanes.requests[step.first + i]))
          awaited.push_back(found.mapped());
      return to.add_wait(awaited, step.place == kNowhere ? kNowhere : places_[step.place]);
    }
    const Operation operation = with_new_indices(from_.operations[step.operation]);
    if (at.request != 0)
      awaited.push_back(at.request), to.add_wait(awaited, operation.place);
    else if (at.kept && (operation.kind == Kind::collective || operation.kind == Kind::probe))
      to.add(operation);
  }

  const Trace& from_;
  const std::span<const RankLanes> lanes_;
  const Rehearsal& rehearsal_;
  Builder builder_;
  std::vector<std::uint32_t> places_, sets_;
  std::vector<std::optional<std::uint32_t>> operations_;
  std::map<std::uint32_t, std::uint32_t> copied_;  // old sequence number -> new one
  std::uint32_t farthest_ = 0;
};

}  // namespace

Result<Trace> as_rehearsed(const Trace& trace, std::span<const RankLanes> lanes, const Rehearsal& rehearsal) {
  return Writer(trace, lanes, rehearsal).run();
}

}  // namespace parcast::trace

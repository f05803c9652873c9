// SPDX-License-Identifier: Apache-2.0
#include "predict/simulate/as_messages.h"

#include <algorithm>
#include <numeric>

#include "predict/simulate/collectives.h"
#include "trace/builder.h"

namespace parcast::simulate {
namespace {

using trace::Item;
using trace::Kind;
using trace::Operation;

class Writer {
 public:
  Writer(const trace::Trace& from, const Platform& platform)
      : from_(from), platform_(platform), builder_(from.program, from.ranks) {
    for (const trace::Place& place : from.places) places_.push_back(builder_.place(place));
    for (std::size_t c = 1; c < from.communicators.size(); ++c)
      builder_.communicator(from.communicators[c].members);
    for (const auto& set : from.request_sets)
      if (!set.empty()) farthest_ = std::max(farthest_, set.back());
    for (const std::string& sentence : from.assumptions) builder_.assume(sentence);
  }

  Result<AsMessages> run() {
    for (std::int32_t rank = 0; rank < from_.ranks; ++rank) PARCAST_TRY(write(rank));
    AsMessages out{builder_.finish(), std::move(replaced_)};
    PARCAST_TRY(trace::check(out.trace));
    return out;
  }

 private:
  Result<void> write(std::int32_t rank) {
    trace::RankBuilder to(builder_, rank);
    // Numbers in `to` of the most recent requests, by their number in the original.
    std::vector<std::uint64_t> numbers(farthest_ + 1);
    std::uint64_t begun = 0;
    for (trace::Walker walker(from_.sequences[from_.sequence_of[static_cast<std::size_t>(rank)]]);
         walker.next();) {
      const Item item = walker.item();
      if (item.what() == Item::What::compute) {
        to.add_compute(item.time());
        continue;
      }
      Operation operation = from_.operations[item.index()];
      if (operation.place != trace::kNowhere) operation.place = places_[operation.place];
      if (operation.kind == Kind::collective) {
        PARCAST_TRY(write_steps(operation, rank, to));
      } else if (operation.kind == Kind::wait) {
        std::vector<std::uint64_t> awaited;
        for (const std::uint32_t ago : from_.request_sets[operation.requests])
          awaited.push_back(numbers[(begun + 1 - ago) % numbers.size()]);
        to.add_wait(awaited, operation.place);
      } else {
        to.add(operation);
        if (trace::begins_request(operation.kind)) numbers[++begun % numbers.size()] = to.begun();
      }
    }
    return to.finish();
  }

  Result<void> write_steps(const Operation& operation, std::int32_t rank, trace::RankBuilder& to) {
    const auto& choices = platform_.algorithms(operation.pattern);
    if (choices.empty())
      return Error{"a neighbourhood collective has no algorithm to replace it by messages",
                   "rank " + std::to_string(rank),
                   "neighbourhood collectives become messages where the recording has the neighbours"};
    const auto& members = from_.communicators[operation.communicator].members;
    const auto world = [&](std::int32_t place) {
      return operation.communicator == 0 ? place : members[static_cast<std::size_t>(place)];
    };
    CollectiveCall call;
    call.pattern = operation.pattern;
    call.algorithm = machine::algorithm_at(choices, operation.bytes, operation.uneven);
    call.members = operation.communicator == 0 ? from_.ranks : static_cast<std::int32_t>(members.size());
    call.rank =
        operation.communicator == 0
            ? rank
            : static_cast<std::int32_t>(std::find(members.begin(), members.end(), rank) - members.begin());
    call.root = operation.root;
    call.bytes = operation.bytes;
    ++replaced_[operation.pattern];
    const std::uint32_t communicator = private_communicator(operation.communicator);
    for (std::int32_t s = 0; s < steps_of(call); ++s) {
      const CollectiveStep step = step_of(call, s);
      std::vector<std::uint64_t> awaited;
      const auto begin = [&](Kind kind, std::int32_t partner, std::uint64_t bytes) {
        to.add({.kind = kind,
                .peer = world(partner) - rank,
                .tag = 0,
                .communicator = communicator,
                .bytes = bytes,
                .place = operation.place});
        awaited.push_back(to.begun());
      };
      if (step.from >= 0) begin(Kind::start_receive, step.from, step.received);
      if (step.to >= 0) begin(Kind::start_send, step.to, step.sent);
      to.add_wait(awaited, operation.place);
    }
    return {};
  }

  std::uint32_t private_communicator(std::uint32_t communicator) {
    const auto [known, added] = private_.try_emplace(communicator, 0);
    if (added) {
      std::vector<std::int32_t> members = from_.communicators[communicator].members;
      if (communicator == 0)
        members.resize(static_cast<std::size_t>(from_.ranks)), std::iota(members.begin(), members.end(), 0);
      known->second = builder_.communicator(std::move(members));
    }
    return known->second;
  }

  const trace::Trace& from_;
  const Platform& platform_;
  trace::Builder builder_;
  std::vector<std::uint32_t> places_;
  std::map<std::uint32_t, std::uint32_t> private_;
  std::map<recording::Pattern, std::uint64_t> replaced_;
  std::uint32_t farthest_ = 0;
};

}  // namespace

Result<AsMessages> collectives_as_messages(const trace::Trace& trace, const Platform& platform) {
  PARCAST_TRY(trace::check(trace));
  const bool any = std::ranges::any_of(trace.operations,
                                       [](const Operation& each) { return each.kind == Kind::collective; });
  if (!any) return AsMessages{trace, {}};
  return Writer(trace, platform).run();
}

}  // namespace parcast::simulate

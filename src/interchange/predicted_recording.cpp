// SPDX-License-Identifier: Apache-2.0
#include "interchange/predicted_recording.h"

#include <algorithm>
#include <numeric>

#include "base/text.h"

namespace parcast::interchange {
namespace {

using recording::CallClass;
using recording::Event;
using recording::Pattern;

std::int64_t nanoseconds(Time time) {
  return (time + trace::kPerNanosecond / 2) / trace::kPerNanosecond;
}

/// Bytes per operation: an event, the slack of growing vectors, and the completion of its request.
constexpr std::uint64_t kPerOperation = 2 * sizeof(Event) + sizeof(recording::Completion);

}  // namespace

Result<void> PredictedRecording::check_size(const trace::Trace& trace, std::uint64_t memory) {
  std::uint64_t operations = 0;
  std::vector<std::uint64_t> sizes;
  for (const trace::Sequence& sequence : trace.sequences)
    sizes.push_back(trace::size_of(sequence).operations);
  for (const std::uint32_t sequence : trace.sequence_of) operations += sizes[sequence];
  // each rank lists the members of its communicators
  std::uint64_t members = static_cast<std::uint64_t>(trace.ranks) * static_cast<std::uint64_t>(trace.ranks);
  for (const trace::Communicator& communicator : trace.communicators)
    members += communicator.members.size() * communicator.members.size();
  const std::uint64_t lists = members * sizeof(std::int32_t);
  if (lists <= memory && operations <= (memory - lists) / kPerOperation) return {};
  return Error{"the predicted trace would have " + format_integer(static_cast<long long>(operations)) +
                   " operations of " + std::to_string(trace.ranks) +
                   " ranks, for which the memory here does not do",
               "", "write NAME.perfetto-trace, which is not held in memory, or simulate a shorter run"};
}

PredictedRecording::PredictedRecording(const trace::Trace& trace, const simulate::Platform& platform)
    : PredictedCalls(trace), numbers_(static_cast<std::size_t>(trace.ranks)) {
  recording_.program = trace.program;
  recording_.processes = trace.ranks;
  recording_.machine_summary = "predicted on " + platform.name;
  recording_.ranks.resize(numbers_.size());
  std::vector<std::int32_t> all(numbers_.size());
  std::iota(all.begin(), all.end(), 0);
  for (std::int32_t rank = 0; rank < trace.ranks; ++rank) {
    recording::RankRecording& self = of(rank);
    self.rank = rank;
    self.host = platform.node_of.empty()
                    ? "node " + std::to_string(rank)
                    : "node " + std::to_string(platform.node_of[static_cast<std::size_t>(rank)]);
    self.clock = "simulated";
    self.sites.emplace_back();
    self.regions.emplace_back();
    self.shares.emplace_back();
    self.communicators.push_back({.world_ranks = all});
    numbers_[static_cast<std::size_t>(rank)].regions.emplace("", 0);
    numbers_[static_cast<std::size_t>(rank)].communicators.push_back(0);
  }
  for (std::uint32_t i = 1; i < trace.communicators.size(); ++i)
    for (const std::int32_t rank : trace.communicators[i].members) {
      of(rank).communicators.push_back({.world_ranks = trace.communicators[i].members});
      numbers_[static_cast<std::size_t>(rank)].communicators.push_back(i);
    }
}

std::uint16_t PredictedRecording::call_number(const MpiCall& call) {
  const auto [at, is_new] = calls_.emplace(&call, static_cast<std::uint16_t>(recording_.calls.size()));
  if (is_new) recording_.calls.push_back({std::string(call.name), call.kind, call.pattern});
  return at->second;
}

std::uint32_t PredictedRecording::region_number(std::int32_t rank, const std::string& path) {
  auto& regions = numbers_[static_cast<std::size_t>(rank)].regions;
  const auto [at, is_new] = regions.emplace(path, static_cast<std::uint32_t>(regions.size()));
  if (is_new) of(rank).regions.push_back(path);
  return at->second;
}

std::uint32_t PredictedRecording::site_number(std::int32_t rank, std::uint32_t place) {
  if (place == trace::kNowhere) return 0;
  const auto [at, is_new] = numbers_[static_cast<std::size_t>(rank)].sites.emplace(
      place, static_cast<std::uint32_t>(of(rank).sites.size()));
  const trace::Place& where = trace().places[place];
  if (is_new) of(rank).sites.push_back({.function = where.function, .file = where.file, .line = where.line});
  return at->second;
}

std::uint32_t PredictedRecording::communicator_number(std::int32_t rank, std::uint32_t communicator) const {
  const auto& own = numbers_[static_cast<std::size_t>(rank)].communicators;
  const auto at = std::lower_bound(own.begin(), own.end(), communicator);
  return at != own.end() && *at == communicator ? static_cast<std::uint32_t>(at - own.begin()) : 0;
}

Event PredictedRecording::event_of(std::int32_t rank, const MpiCall& call, std::uint32_t operation,
                                   std::int64_t enter, std::int64_t exit) {
  const trace::Operation& of_call = trace().operations[operation];
  Event event;
  event.call = call_number(call);
  event.site = site_number(rank, of_call.place);
  event.region =
      of_call.place == trace::kNowhere ? 0 : region_number(rank, trace().places[of_call.place].region);
  event.communicator = communicator_number(rank, of_call.communicator);
  event.enter = enter;
  event.exit = exit;
  return event;
}

void PredictedRecording::put(std::int32_t rank, Event event) {
  Numbers& numbers = numbers_[static_cast<std::size_t>(rank)];
  event.compute = event.enter - numbers.exit;
  of(rank).total_compute += event.compute;
  numbers.exit = event.exit;
  of(rank).events.push_back(event);
}

/// Moves to the region by marks. The marks of calls are at the end of the previous call, so that the
/// computing is in the region of the call that follows.
void PredictedRecording::go_to_region(std::int32_t rank, const std::string& path, std::int64_t at) {
  const auto mark = [&](const char* name, const std::string& region) {
    Event event;
    event.call = call_number(*find_mpi_call(name));
    event.region = region_number(rank, region);
    event.enter = event.exit = at;
    put(rank, event);
  };
  numbers_[static_cast<std::size_t>(rank)].open.go_to(
      path, [&](const std::string& left) { mark("parcast_region_end", left); },
      [&](const std::string& entered) { mark("parcast_region_begin", entered); });
}

/// Counts what a member contributes and receives, as a recorder does (docs/formats/otf2.md, Bytes of a
/// collective).
void PredictedRecording::fill_collective(const PredictedCall& call, Event& event) const {
  const trace::Operation& operation = trace().operations[call.operation];
  const auto& members = trace().communicators[operation.communicator].members;
  const std::uint64_t count = operation.communicator == 0 ? static_cast<std::uint64_t>(trace().ranks)
                                                          : members.size(),
                      bytes = operation.bytes;
  const std::int32_t root =
      operation.communicator == 0 ? operation.root : members[static_cast<std::size_t>(operation.root)];
  const bool at_root = call.rank == root;
  std::uint64_t given = bytes, got = bytes;
  bool rooted = true;
  switch (operation.pattern) {
    case Pattern::broadcast:
      given = at_root ? bytes : 0, got = at_root ? 0 : bytes;
      break;
    case Pattern::reduce:
      got = at_root ? bytes : 0;
      break;
    case Pattern::gather:
      got = at_root ? bytes * count : 0;
      break;
    case Pattern::scatter:
      given = at_root ? bytes * count : 0;
      break;
    case Pattern::allgather:
      got = bytes * count, rooted = false;
      break;
    case Pattern::reduce_scatter:
      got = bytes / count, rooted = false;
      break;
    default:
      rooted = false;
  }
  event.message = {rooted ? root : recording::kNoPeer, 0, given};
  event.received = {recording::kNoPeer, 0, got};
}

void PredictedRecording::put_begun(const PredictedCall& call, std::int64_t enter, std::int64_t exit) {
  const MpiCall* before = nullptr;
  for (const PredictedRequest& request : call.begun) {
    const MpiCall& own = starting_call(*call.call, request);
    Event event = event_of(call.rank, own, call.operation, before ? exit : enter, exit);
    event.communicator = communicator_number(call.rank, request.communicator);
    event.continued = before == &own;
    event.request = request.number;
    (request.receive ? event.received : event.message) = request.message;
    before = &own;
    put(call.rank, event);
  }
}

void PredictedRecording::call(const PredictedCall& call) {
  const std::uint32_t place = trace().operations[call.operation].place;
  go_to_region(call.rank, place == trace::kNowhere ? "" : trace().places[place].region,
               numbers_[static_cast<std::size_t>(call.rank)].exit);
  const std::int64_t enter = nanoseconds(call.from), exit = nanoseconds(call.to);
  of(call.rank).wall = std::max(of(call.rank).wall, exit);
  if (!call.begun.empty()) return put_begun(call, enter, exit);
  Event event = event_of(call.rank, *call.call, call.operation, enter, exit);
  event.message = call.sent;
  event.received = call.received;
  if (trace().operations[call.operation].kind == trace::Kind::collective &&
      call.call->kind == CallClass::collective)
    fill_collective(call, event);
  event.first_completion = static_cast<std::uint32_t>(of(call.rank).completions.size());
  event.completion_count = static_cast<std::uint32_t>(call.completed.size());
  for (const PredictedRequest& request : call.completed)
    of(call.rank).completions.push_back({request.number,
                                         request.receive ? request.message.peer : recording::kNoPeer,
                                         request.message.tag, request.message.bytes});
  put(call.rank, event);
}

void PredictedRecording::rank_ended(std::int32_t rank, Time, Time at) {
  recording::RankRecording& self = of(rank);
  self.finalised = self.complete = true;
  self.wall = nanoseconds(at);
  go_to_region(rank, "", self.wall);
  self.total_compute += self.wall - numbers_[static_cast<std::size_t>(rank)].exit;
}

}  // namespace parcast::interchange

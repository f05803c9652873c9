// SPDX-License-Identifier: Apache-2.0
#include "trace/rank_events.h"

#include <algorithm>
#include <cmath>

#include "recording/call_class.h"
#include "recording/process_time.h"
#include "recording/site_text.h"
#include "recording/uneven.h"
#include "recording/unfold.h"
#include "trace/from_recording.h"

namespace parcast::trace {
namespace {

using recording::CallClass;
using recording::Message;
using recording::Pattern;

/// Removes the suffix of calls with large counts, which MPI 4 adds for most calls.
std::string_view without_large_counts(std::string_view call) {
  if (call.ends_with("_c")) call.remove_suffix(2);
  return call;
}

/// Returns PARCAST_MODE_* of a persistent send that is started; 0 when the recording does not contain it.
std::int32_t persistent_mode(const recording::Event& event) {
  return event.received.peer == recording::kNoPeer ? event.received.tag : 0;
}
bool starts_persistent(std::string_view call) {
  return call == "MPI_Start" || call == "MPI_Startall";
}

constexpr std::uint64_t kLongestWait = 1 << 20;  // requests begun before an incomplete one is dropped
constexpr std::uint64_t kCreation = 4;           // bytes that members exchange to agree on a new communicator

/// Returns the mode given by the call's name, or by its event when a persistent send is started. A ready send
/// counts as standard: its receiver is present, or the program is wrong.
Mode mode_of(std::string_view call, const recording::Event& event) {
  call = without_large_counts(call);
  if (call == "MPI_Ssend" || call == "MPI_Issend") return Mode::synchronous;
  if (call == "MPI_Bsend" || call == "MPI_Ibsend") return Mode::buffered;
  const std::int32_t mode = starts_persistent(call) ? persistent_mode(event) : 0;
  return mode == PARCAST_MODE_BUFFERED      ? Mode::buffered
         : mode == PARCAST_MODE_SYNCHRONOUS ? Mode::synchronous
                                            : Mode::standard;
}

bool is_rooted(Pattern pattern) {
  return pattern == Pattern::broadcast || pattern == Pattern::reduce || pattern == Pattern::gather ||
         pattern == Pattern::scatter;
}

/// Returns whether the communicator call need not wait for the other members.
bool makes_nothing(std::string_view call) {
  return call == "MPI_Comm_free" || call == "MPI_Comm_disconnect" || call == "MPI_Comm_join";
}

/// Returns whether the event is an MPI_Win_test that found its epoch over. Other tests name no message.
bool ends_epoch(const recording::Event& event) {
  return event.message.tag == recording::kEpochEnded;
}

Time picoseconds(double nanoseconds) {
  const double most = static_cast<double>(kLongest) / kPerNanosecond + 1;  // larger values are refused
  return std::llround(std::clamp(nanoseconds, 0.0, most) * kPerNanosecond);
}

/// Returns whether the rank had a core to itself: no other rank of the run and no other thread of the rank
/// can have used it.
bool has_own_core(const recording::Recording& recording, const recording::RankRecording& rank) {
  return (rank.cores > 0 || recording.cores_per_host > 0) && rank.processor_share == 1 &&
         !recording.oversubscribed() && recording::threads_of(rank) == recording::Threads::one;
}

}  // namespace

RankEvents::RankEvents(const recording::Recording& recording, const recording::RankRecording& rank,
                       Communicators& communicators, Builder& builder, LeftOut& left_out, Matching matching,
                       Words& words, LaneWords* lanes)
    : recording_(recording),
      rank_(rank),
      communicators_(communicators),
      builder_(builder),
      left_out_(left_out),
      matching_(matching),
      words_(words),
      lanes_(lanes),
      arrivals_(rank, recording.calls),
      own_core_(has_own_core(recording, rank)) {
  find_cancelled();
}

/// Finds the requests that MPI_Cancel cancelled. The recording marks a cancelled request in its completion. A
/// request that the program also freed never completes; for it the cancelling call names the request.
void RankEvents::find_cancelled() {
  const auto cancels = [&](const recording::Call& call) { return call.name == "MPI_Cancel"; };
  if (std::ranges::none_of(recording_.calls, cancels)) return;
  std::set<std::uint32_t> receives;  // outstanding receives, except those from MPI_PROC_NULL
  recording::for_each_event(
      rank_, recording_.calls, [&](const Event& event, std::span<const recording::Completion> completions) {
        const recording::Call& call = recording_.calls[event.call];
        if (call.kind == CallClass::start_receive && event.request != 0 &&
            event.received.peer != recording::kNoPeer)
          receives.insert(event.request);
        if (cancels(call) && event.request != 0) cancelled_.insert(event.request);
        for (const recording::Completion& completion : completions) {
          const bool receive = receives.erase(completion.request) > 0;
          if (receive ? completion.source == recording::kNoPeer : completion.tag == PARCAST_SEND_CANCELLED)
            cancelled_.insert(completion.request);
          else
            cancelled_.erase(completion.request);
        }
      });
}

Result<void> RankEvents::walk() {
  const std::uint64_t unordered = recording::for_each_computed(
      recording_, rank_,
      [this](const Event& event, std::span<const recording::Completion> completions,
             const recording::Computed& computed) { take(event, completions, computed.since); });
  if (unordered > 0)
    return Error{"the order of " + std::to_string(unordered) +
                     " events was given up when the recording reached its limit",
                 "rank " + std::to_string(rank_.rank),
                 "record with a larger PARCAST_LIMIT, or fewer --classes"};
  do_started(started_.size());
  return {};
}

void RankEvents::take(const Event& event, std::span<const recording::Completion> completions,
                      double computed) {
  const recording::Call& call = recording_.calls[event.call];
  if (lanes_) lanes_->turn_to(event);
  if (event.thread != 0) ++(lanes_ ? left_out_.in_lanes : left_out_.other_threads);
  // lanes divide their computing themselves (lanes.h)
  compute(event, !lanes_ ? computed : event.continued ? 0.0 : static_cast<double>(event.compute));
  if (event.thread == 0) {
    if (polls_in_vain(event, completions)) {
      polled_ += inside(event);
      const Key here{event.call, event.site, event.region};
      if (std::find(polls_.begin(), polls_.end(), here) == polls_.end()) polls_.push_back(here);
      return;
    }
    settle_polls(event);
  }
  switch (call.kind) {
    case CallClass::send:
      return send(event);
    case CallClass::receive:
      return receive(event);
    case CallClass::send_receive:
      return send_receive(event);
    case CallClass::start_send:
      return start_send(event);
    case CallClass::start_receive:
      return start_receive(event);
    case CallClass::wait:
      return wait(event, completions);
    case CallClass::test:
      return ends_epoch(event) ? await_origins(event) : wait(event, completions);
    case CallClass::probe:
      return probe(event);
    case CallClass::poll:
      return look(event);
    case CallClass::collective:
    case CallClass::start_collective:
      return collective(event, call.pattern);
    case CallClass::communicator:
      return make_communicator(event);
    case CallClass::one_sided:
      return access(event);
    case CallClass::epoch:
      return synchronise_window(event, call.pattern);
    case CallClass::input_output:
      return leave_out(event, left_out_.files);
    case CallClass::none:
    case CallClass::initialise:
    case CallClass::finalise:
    case CallClass::region_begin:
    case CallClass::region_end:
      return;
  }
}

bool RankEvents::polls_in_vain(const Event& event, std::span<const recording::Completion> completions) const {
  const CallClass kind = recording_.calls[event.call].kind;
  return (kind == CallClass::test && completions.empty() && !ends_epoch(event)) ||
         (kind == CallClass::poll && event.received.peer == recording::kNoPeer);
}

/// Polls that finally found something were waiting, which the simulation computes itself. After other polls
/// the program chose to do something else: they count as work of the program, like computing.
void RankEvents::settle_polls(const Event& next) {
  if (polls_.empty()) return;
  if (std::find(polls_.begin(), polls_.end(), Key{next.call, next.site, next.region}) == polls_.end()) {
    words_.add_compute(polled_);
    left_out_.polled += 1e-12 * static_cast<double>(polled_);
  }
  polled_ = 0;
  polls_.clear();
}

void RankEvents::compute(const Event& event, double nanoseconds) {
  const double lost = event.continued ? 0 : interruption(event);
  left_out_.interrupted += 1e-9 * lost;
  words_.add_compute(picoseconds((nanoseconds + lost) / rank_.processor_share));
}

/// Returns the nanoseconds before the event in which something else had the processor. Computing recorded as
/// a mean gets its share of the rank's total.
double RankEvents::interruption(const Event& event) {
  if (!own_core_ || lanes_ || event.thread != 0) return 0;
  const auto compute = static_cast<double>(event.compute), gap = static_cast<double>(event.enter - left_);
  left_ = event.exit;
  if (event.estimated) {
    if (!lost_share_) lost_share_ = lost_share();
    return compute * *lost_share_;
  }
  return event.switched ? std::max(0.0, gap - compute - 1e9 * rank_.overhead_per_event) : 0;
}

/// Returns the rank's time off the processor between calls divided by its time on the processor.
double RankEvents::lost_share() const {
  double inside = 0;
  const std::vector<recording::CallSums> sums = recording::sums_by_call(rank_, recording_.calls);
  for (std::size_t i = 0; i < sums.size(); ++i)
    if (const CallClass kind = recording_.calls[i].kind;
        kind != CallClass::initialise && kind != CallClass::finalise)
      inside += sums[i].inside;
  const auto compute = static_cast<double>(rank_.total_compute);
  const double lost =
      static_cast<double>(rank_.wall) - compute - inside - 1e9 * recording::seconds_recording(rank_);
  return compute > 0 ? std::max(0.0, lost) / compute : 0;
}

void RankEvents::leave_out(const Event& event, Tally& tally) {
  ++tally;
  words_.add_compute(inside(event));
}

/// Returns the time in the call. All executions of a folded call get the same mean, because the times of its
/// events differ only by rounding.
Time RankEvents::inside(const Event& event) {
  if (event.continued) return 0;
  if (event.estimated) {
    if (means_.empty()) find_means();
    const auto mean = means_.find({event.call, event.site, event.region});
    if (mean != means_.end()) return picoseconds(mean->second);
  }
  return picoseconds(static_cast<double>(event.exit) - static_cast<double>(event.enter));
}

void RankEvents::find_means() {
  std::map<Key, double> calls;
  for (const recording::Chapter& chapter : rank_.chapters)
    for (const recording::FoldedKey& key : chapter.keys) {
      if (chapter.timed) continue;
      means_[{key.call, key.site, key.region}] += key.inside;
      calls[{key.call, key.site, key.region}] += static_cast<double>(key.executions - key.continued);
    }
  for (auto& [key, time] : means_) time /= std::max(1.0, calls[key]);
}

Place RankEvents::described(const Event& event) const {
  Place place;
  if (event.region < rank_.regions.size()) place.region = rank_.regions[event.region];
  if (event.site < rank_.sites.size()) {
    const recording::Site& site = rank_.sites[event.site];
    place.function = recording::function_of(site);
    place.file = site.file;
    place.line = site.line;
  }
  place.call = recording_.calls[event.call].name;
  return place;
}

std::uint32_t RankEvents::place(const Event& event) {
  const auto [at, is_new] = places_.emplace(Key{event.call, event.site, event.region}, 0);
  return is_new ? at->second = builder_.place(described(event)) : at->second;
}

/// Returns the partner's rank relative to this rank; nothing when there is no partner.
std::optional<std::int32_t> RankEvents::partner(std::int32_t peer) {
  if (peer == recording::kNoPeer) return std::nullopt;
  if (peer == recording::kAnySource) return kAny;
  if (peer >= 0 && peer < recording_.processes) return peer - rank_.rank;
  ++left_out_.outside;
  return std::nullopt;
}

/// Returns the operation for one side of a call, if it moves anything.
std::optional<Operation> RankEvents::message(const Event& event, Kind kind, const Message& side) {
  const auto peer = partner(side.peer);
  if (!peer) return std::nullopt;
  const auto communicator = communicators_.find(rank_.rank, event.communicator);
  if (!communicator) return ++left_out_.unknown_communicators, std::nullopt;
  Operation operation{.kind = kind,
                      .peer = *peer,
                      .tag = side.tag,
                      .communicator = communicators_.index(*communicator),
                      .bytes = side.bytes};
  if (kind == Kind::send || kind == Kind::start_send)
    operation.mode = mode_of(recording_.calls[event.call].name, event);
  operation.place = place(event);
  return operation;
}

void RankEvents::send(const Event& event) {
  if (const auto operation = message(event, Kind::send, event.message)) words_.add(*operation);
}

void RankEvents::start_send(const Event& event) {
  const auto operation = message(event, Kind::start_send, event.message);
  if (!operation) return;
  if (cancelled_.contains(event.request)) return ++left_out_.cancelled;
  if (starts_persistent(recording_.calls[event.call].name) && persistent_mode(event) == 0)
    ++left_out_.persistent;
  const std::uint64_t before = words_.begun();
  words_.add(*operation);
  begin(event.request, before);
}

/// Records that the requests begun in the trace since `before` represent the recorded `request`.
void RankEvents::begin(std::uint32_t request, std::uint64_t before) {
  if (request == 0 || words_.begun() == before) return;
  outstanding_[request] = {words_.begun(), static_cast<std::uint32_t>(words_.begun() - before)};
  if (outstanding_.size() < 2 * kLongestWait) return;
  left_out_.forgotten += std::erase_if(
      outstanding_, [&](const auto& each) { return each.second.last + kLongestWait < words_.begun(); });
}

/// Requests without a place in the trace, for example with MPI_PROC_NULL, are complete at once.
void RankEvents::wait(const Event& event, std::span<const recording::Completion> completions) {
  waited_.clear();
  std::size_t collectives = 0;
  for (const recording::Completion& completion : completions) {
    for (std::size_t i = collectives; i < started_.size(); ++i)
      if (started_[i].request == completion.request) collectives = i + 1;
    const auto found = outstanding_.find(completion.request);
    if (found == outstanding_.end()) continue;
    const Begun begun = found->second;
    outstanding_.erase(found);
    if (words_.begun() - begun.last + begun.count > Item::kMost) {
      ++left_out_.forgotten;
      continue;
    }
    for (std::uint64_t number = begun.last - begun.count + 1; number <= begun.last; ++number)
      waited_.push_back(number);
  }
  do_started(collectives);  // before the wait, because a rank's messages progress while it is in a collective
  if (!waited_.empty()) words_.add_wait(waited_, place(event));
}

/// Returns the collective; nothing when it is over a single process.
std::optional<Operation> RankEvents::over(const Event& event, Pattern pattern, std::uint32_t communicator,
                                          std::int32_t root, std::uint64_t bytes) {
  const auto found = communicators_.find(rank_.rank, communicator);
  if (!found) return ++left_out_.unknown_communicators, std::nullopt;
  if (communicators_.size(*found) < 2) {
    if (alone_.insert(Key{event.call, event.site, event.region}).second)
      if (Place here = described(event); std::ranges::find(left_out_.alone, here) == left_out_.alone.end())
        left_out_.alone.push_back(std::move(here));
    return std::nullopt;
  }
  const bool inter = communicators_.inter(*found);
  // MPI_PROC_NULL: this process is in the root's group but is not the root
  if (inter && is_rooted(pattern) && root == recording::kNoPeer) return std::nullopt;
  Operation operation{.kind = Kind::collective, .pattern = pattern, .bytes = bytes};
  if (inter && is_rooted(pattern)) {
    operation.communicator = communicators_.rooted_index(*found, root);
  } else {
    operation.communicator = communicators_.index(*found);
    if (is_rooted(pattern)) operation.root = communicators_.rank_in(*found, root);
  }
  if (inter) ++left_out_.inter_collectives;
  operation.place = place(event);
  return operation;
}

void RankEvents::collective(const Event& event, Pattern pattern) {
  if (pattern == Pattern::neighbourhood) return neighbourhood(event);
  if (pattern == Pattern::none) return;
  const std::uint64_t bytes = recording::collective_volume(event, pattern);
  auto operation = over(event, pattern, event.communicator, event.message.peer, bytes);
  if (!operation) return;
  operation->uneven = recording::is_uneven(recording_.calls[event.call].name);
  synchronise(event, *operation);
}

/// Creating a communicator requires an agreement of the members: those of the parent communicator, or those
/// of the group that creates it.
void RankEvents::make_communicator(const Event& event) {
  const std::string& call = recording_.calls[event.call].name;
  const bool of_group = call == "MPI_Comm_create_group";
  if (makes_nothing(call) || (of_group && event.created == 0)) return;
  const auto operation =
      over(event, Pattern::allreduce, of_group ? event.created : event.communicator, 0, kCreation);
  if (!operation) return;
  if (operation->pattern == Pattern::allreduce) ++left_out_.created;
  synchronise(event, *operation);
}

/// A nonblocking collective is queued until its turn. Any other collective comes after those queued before,
/// so that the order is the same on all members.
void RankEvents::synchronise(const Event& event, const Operation& operation) {
  if (event.request != 0) {
    ++left_out_.started_collectives;
    started_.push_back({event.request, operation});
    return;
  }
  do_started(started_.size());
  words_.add(operation);
}

void RankEvents::do_started(std::size_t count) {
  for (; count > 0; --count) {
    words_.add(started_.front().collective);
    started_.pop_front();
  }
}

void RankEvents::neighbourhood(const Event& event) {
  const auto given = [&](std::uint32_t list, std::uint64_t bytes) {
    return bytes == 0 || (list > 0 && list < rank_.shares.size());
  };
  if (!given(event.sent_shares, event.message.bytes) || !given(event.received_shares, event.received.bytes))
    return ++left_out_.incomplete_neighbourhoods;
  const std::uint64_t before = words_.begun();
  start_shares(event, Kind::start_receive, event.received_shares);
  start_shares(event, Kind::start_send, event.sent_shares);
  if (event.request != 0) return begin(event.request, before);
  waited_.clear();
  for (std::uint64_t number = before + 1; number <= words_.begun(); ++number) waited_.push_back(number);
  if (!waited_.empty()) words_.add_wait(waited_, place(event));
}

void RankEvents::start_shares(const Event& event, Kind kind, std::uint32_t list) {
  if (list >= rank_.shares.size()) return;
  for (const recording::Share& share : rank_.shares[list])
    for (std::uint32_t i = 0; i < share.count; ++i) {
      const Message part{share.first + share.stride * static_cast<std::int32_t>(i), kNeighbourTag,
                         share.bytes};
      if (const auto operation = message(event, kind, part)) words_.add(*operation);
    }
}

}  // namespace parcast::trace

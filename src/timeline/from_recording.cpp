// SPDX-License-Identifier: Apache-2.0
#include "timeline/from_recording.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/text.h"
#include "recording/unfold.h"
#include "timeline/critical_path.h"
#include "timeline/lane.h"
#include "timeline/matching.h"

namespace parcast::timeline {
namespace {

using recording::CallClass;
using recording::Event;
using recording::RankRecording;
using recording::Recording;

constexpr double kMostEstimated = 0.01;  // share of events, with more single times mean nothing
constexpr double kMostReversed = 0.01;   // share of messages, with more the clocks do not agree
constexpr Time kLeastOff = 1000;         // nanoseconds off the processor that are shown

Activity activity_of(CallClass kind) {
  switch (kind) {
    case CallClass::collective:
    case CallClass::start_collective:
    case CallClass::communicator:
      return Activity::collective;
    case CallClass::one_sided:
    case CallClass::epoch:
      return Activity::one_sided;
    case CallClass::input_output:
      return Activity::files;
    default:
      return Activity::point_to_point;
  }
}

bool is_mark(CallClass kind) {
  return kind == CallClass::region_begin || kind == CallClass::region_end;
}
/// A run lasts from the return of MPI_Init to the entry of MPI_Finalize.
bool is_outside(CallClass kind) {
  return kind == CallClass::initialise || kind == CallClass::finalise;
}

std::string outer(const std::string& region) {
  const auto slash = region.rfind('/');
  return slash == std::string::npos ? "" : region.substr(0, slash);
}

/// Numbers texts in order of appearance.
class Names {
 public:
  explicit Names(std::vector<std::string>& all) : all_(all) {
    for (std::uint32_t i = 0; i < all_.size(); ++i) numbers_.emplace(all_[i], i);
  }
  std::uint32_t number(const std::string& name) {
    const auto [at, is_new] = numbers_.emplace(name, static_cast<std::uint32_t>(all_.size()));
    if (is_new) all_.push_back(name);
    return at->second;
  }

 private:
  std::vector<std::string>& all_;
  std::map<std::string, std::uint32_t> numbers_;
};

/// The lanes of a rank, by thread.
using Threads = std::map<std::uint16_t, std::uint32_t>;

class Maker {
 public:
  Maker(const Recording& recording, const Clocks& clocks, const Limits& limits)
      : recording_(recording),
        limits_(limits),
        writer_(out_, limits.spans),
        names_(out_.names),
        regions_(out_.regions) {
    std::uint64_t first = UINT64_MAX;
    for (const std::uint64_t zero : clocks.zero) first = std::min(first, zero);
    for (std::size_t i = 0; i < recording.ranks.size(); ++i) {
      zeros_.push_back(i < clocks.zero.size() ? static_cast<Time>(clocks.zero[i] - first) : 0);
      out_.length = std::max(out_.length, zeros_.back() + recording.ranks[i].wall);
    }
    out_.notes = clocks.notes;
    is_comparable_ = clocks.are_comparable;
  }

  Timeline timeline() && {
    survey();
    if (lost_ > 0) return without_lanes();
    note_messages();
    for (const recording::Call& call : recording_.calls) call_names_.push_back(names_.number(call.name));
    std::vector<std::vector<Wait>> waits(lane_count_);
    for (std::size_t i = 0; i < recording_.ranks.size(); ++i) draw(i, waits);
    writer_.finish();
    if (matching_) finish_messages(waits);
    return std::move(out_);
  }

 private:
  /// Calls visit(Placed) for the calls of a rank, marks of regions included.
  template <class Visitor>
  std::uint64_t for_each_call(std::size_t index, Visitor&& visit) {
    const RankRecording& rank = recording_.ranks[index];
    return recording::for_each_event(rank, recording_.calls, [&](const Event& event, const auto completions) {
      if (event.call >= recording_.calls.size()) return;
      const auto lane = threads_[index].find(event.thread);
      visit(Placed{rank.rank, lane == threads_[index].end() ? 0 : lane->second, zeros_[index] + event.enter,
                   zeros_[index] + event.exit, &event, completions});
    });
  }

  /// Counts events, and finds the threads.
  void survey() {
    threads_.resize(recording_.ranks.size());
    for (std::size_t i = 0; i < recording_.ranks.size(); ++i) {
      Threads own;
      lost_ += for_each_call(i, [&](const Placed& call) {
        own.emplace(call.event->thread, 0);
        ++events_, estimated_ += call.event->estimated;
      });
      for (auto& [thread, lane] : own) lane = lane_count_++;
      threads_[i] = std::move(own);
    }
    out_.estimated = events_ > 0 ? static_cast<double>(estimated_) / static_cast<double>(events_) : 0;
    if (estimated_ > 0)
      out_.notes.push_back("Times of " + format_significant(100 * out_.estimated, 2) +
                           " % of the events are means of repeated calls; parcast record --keep-times keeps "
                           "each event's own.");
  }

  Timeline without_lanes() {
    Timeline out;
    out.notes = {"The order of " + format_integer(static_cast<long long>(lost_)) +
                 " events did not fit into the recording, so there is no timeline of it."};
    return out;
  }

  /// Matches the messages, where that means something.
  void note_messages() {
    std::string why;
    if (out_.estimated > kMostEstimated)
      why = "times are means";
    else if (!is_comparable_)
      why = "the clocks of the ranks cannot be compared";
    else if (events_ > limits_.matched)
      why = "there are " + format_integer(static_cast<long long>(events_)) + " events";
    if (why.empty()) {
      matching_.emplace(recording_);
      for (std::size_t i = 0; i < recording_.ranks.size(); ++i)
        for_each_call(i, [&](const Placed& call) { matching_->note(call); });
      matching_->finish();
      out_.messages_of_run = matching_->message_count();
      const double reversed = static_cast<double>(matching_->reversed());
      if (reversed <= kMostReversed * static_cast<double>(out_.messages_of_run)) return;
      matching_.reset(), out_.messages_of_run = 0;
      why = format_integer(static_cast<long long>(reversed)) +
            " messages were received before they were sent, by the clocks";
    }
    out_.notes.push_back("Messages, waiting and the critical path are not shown: " + why + ".");
  }

  /// Adds the spans between two events: computing, and time off the processor after it.
  void draw_computing(std::uint32_t lane, const Event& event, Time from, Time to, std::uint32_t region) {
    const Time off = event.switched ? 0 : to - from - std::max<Time>(event.compute, 0);
    const Time middle = off > kLeastOff ? to - off : to;
    writer_.add(lane, {from, middle, Activity::computing, 0, region});
    writer_.add(lane, {middle, to, Activity::off_processor, 0, region});
  }

  void draw_call(const Placed& call, const std::optional<Cause>& cause, Time from, Time to,
                 std::uint32_t region) {
    const Time waited = cause ? std::clamp(cause->at, from, to) : from;
    const std::uint32_t name = call_names_[call.event->call];
    writer_.add(call.lane, {from, waited, Activity::waiting, name, region});
    writer_.add(call.lane, {waited, to, activity_of(recording_.calls[call.event->call].kind), name, region});
  }

  /// Numbers of a rank's regions, and of the regions around them.
  struct Regions {
    std::vector<std::uint32_t> own, outer;
  };
  Regions regions_of(const RankRecording& rank) {
    Regions out;
    for (const std::string& path : rank.regions) {
      out.own.push_back(regions_.number(path));
      out.outer.push_back(regions_.number(outer(path)));
    }
    return out;
  }

  /// The end of a lane's last span, and the region there.
  struct Place {
    Time at = -1;
    std::uint32_t region = 0;
  };

  /// Draws the lanes of a rank.
  void draw(std::size_t index, std::vector<std::vector<Wait>>& waits) {
    const RankRecording& rank = recording_.ranks[index];
    const Regions regions = regions_of(rank);
    const Time end = zeros_[index] + rank.wall;
    std::map<std::uint32_t, Place> places;
    for (const auto& [thread, lane] : threads_[index]) {
      writer_.add_lane({rank.rank, thread, rank.host, {}});
      places[lane].at = thread == 0 ? zeros_[index] : -1;
    }
    for_each_call(index, [&](const Placed& call) {
      const CallClass kind = recording_.calls[call.event->call].kind;
      const std::optional<Cause> cause = matching_ ? matching_->cause_of(call) : std::nullopt;
      if (is_outside(kind)) return;
      Place& place = places[call.lane];
      const std::size_t number = call.event->region;
      const std::uint32_t own = number < regions.own.size() ? regions.own[number] : 0;
      const std::uint32_t around = number < regions.outer.size() ? regions.outer[number] : 0;
      if (place.at < 0) place.at = call.enter;
      const Time from = std::clamp(call.enter, place.at, std::max(place.at, end));
      const Time to = std::clamp(call.exit, from, std::max(from, end));
      draw_computing(call.lane, *call.event, place.at, from, kind == CallClass::region_begin ? around : own);
      place = {to, kind == CallClass::region_end ? around : own};
      if (is_mark(kind)) return;
      draw_call(call, cause, from, to, own);
      if (cause) waits[call.lane].push_back({cause->by_message ? call.exit : cause->at, *cause});
    });
    for (const auto& [thread, lane] : threads_[index])
      if (thread == 0 && places[lane].at >= 0)
        writer_.add(lane, {places[lane].at, end, Activity::computing, 0, places[lane].region});
  }

  void finish_messages(const std::vector<std::vector<Wait>>& waits) {
    const std::uint64_t all = out_.messages_of_run;
    const std::uint64_t every = std::max<std::uint64_t>(1, (all + limits_.messages - 1) / limits_.messages);
    out_.messages = matching_->messages(every);
    if (every > 1)
      out_.notes.push_back("One of " + format_integer(static_cast<long long>(every)) +
                           " messages is kept, of " + format_integer(static_cast<long long>(all)) + ".");
    std::vector<Time> ends(waits.size(), 0);
    for (std::size_t i = 0; i < recording_.ranks.size(); ++i)
      for (const auto& [thread, lane] : threads_[i])
        if (thread == 0) ends[lane] = zeros_[i] + recording_.ranks[i].wall;
    out_.path = critical_path(waits, ends);
    if (out_.path.size() <= limits_.steps) return;
    out_.notes.push_back("The critical path has " + format_integer(static_cast<long long>(out_.path.size())) +
                         " steps; the longest " + format_integer(static_cast<long long>(limits_.steps)) +
                         " are drawn.");
    std::ranges::stable_sort(out_.path, std::greater(),
                             [](const Step& step) { return step.end - step.begin; });
    out_.path.resize(limits_.steps);
    std::ranges::stable_sort(out_.path, {}, &Step::begin);
  }

  const Recording& recording_;
  Limits limits_;
  Timeline out_;
  LaneWriter writer_;
  Names names_, regions_;
  std::vector<Time> zeros_;  // by rank
  bool is_comparable_ = true;
  std::vector<std::uint32_t> call_names_;  // by call of the recording
  std::vector<Threads> threads_;           // by rank
  std::uint32_t lane_count_ = 0;
  std::uint64_t events_ = 0, estimated_ = 0, lost_ = 0;
  std::optional<Matching> matching_;
};

}  // namespace

Timeline from_recording(const Recording& recording, const Clocks& clocks, const Limits& limits) {
  Timeline out = Maker(recording, clocks, limits).timeline();
  if (out.resolution > 0)
    out.notes.push_back("The run has " + format_integer(static_cast<long long>(out.spans)) +
                        " spans. Neighbours within " +
                        format_seconds(1e-9 * static_cast<double>(out.resolution)) +
                        " are summed by activity; longer spans are as recorded.");
  return out;
}

}  // namespace parcast::timeline

// SPDX-License-Identifier: Apache-2.0
#include "patterns/segments.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <tuple>

namespace parcast::program {
namespace {

using trace::Item;
using trace::Kind;
using trace::kNowhere;
using trace::Operation;

constexpr std::uint32_t kNever = std::numeric_limits<std::uint32_t>::max();

/// The properties by which a segment may be divided.
struct Origin {
  std::uint32_t after = kNowhere;  // place of the preceding collective of all ranks
  std::uint32_t communicator = 0;
  std::uint32_t place = kNowhere;
  auto operator<=>(const Origin&) const = default;
};

struct Sum {
  std::uint64_t times = 0;
  double bytes = 0;
  std::uint32_t first = kNever;  // position in the sequence, each loop counted once
};

/// The operations of one sequence in one region. Partners are relative to the own rank.
struct Doings {
  std::map<std::pair<std::int32_t, Origin>, Sum> sent;  // by receiver
  // by the owner of memory that is read, which is the sender
  std::map<std::pair<std::int32_t, Origin>, Sum> read;
  std::map<std::int32_t, std::uint32_t> received;  // by sender: position of its first receipt
  std::vector<std::uint32_t> received_of_any;      // position of each receipt, ascending
  struct Collective {
    recording::Pattern pattern = recording::Pattern::none;
    std::uint32_t communicator = 0, place = kNowhere;
    auto operator<=>(const Collective&) const = default;
  };
  std::map<Collective, Sum> collectives;
};

class SequenceReader {
 public:
  SequenceReader(const trace::Trace& trace, const std::vector<std::uint32_t>& region_of_place)
      : trace_(trace), region_of_place_(region_of_place) {}

  /// Returns the operations by region. Repeated operations occur once, with their number of repetitions.
  std::map<std::uint32_t, Doings> read(const trace::Sequence& sequence) {
    std::vector<std::pair<std::size_t, std::uint64_t>> loops{{sequence.size() + 1, 1}};
    for (std::size_t at = 0; at < sequence.size(); ++at) {
      while (loops.back().first == at) loops.pop_back();
      const Item item = sequence[at];
      if (item.what() == Item::What::loop)
        loops.emplace_back(at + 1 + item.words(), loops.back().second * item.times());
      if (item.what() == Item::What::operation)
        take(trace_.operations[item.index()], item.times(), loops.back().second * item.times(),
             static_cast<std::uint32_t>(at));
    }
    return std::move(doings_);
  }

 private:
  struct Request {
    bool receives = false;
    std::int32_t peer = 0;
    std::uint32_t region = 0;
  };

  std::uint32_t region_of(const Operation& operation) const {
    return operation.place == kNowhere ? 0 : region_of_place_[operation.place];
  }

  void take(const Operation& operation, std::uint32_t here, std::uint64_t times, std::uint32_t at) {
    const std::uint32_t region = region_of(operation);
    const Origin origin{after_, operation.communicator, operation.place};
    switch (operation.kind) {
      case Kind::send:
      case Kind::start_send:
      case Kind::write:
      case Kind::start_write:
        add(doings_[region].sent[{operation.peer, origin}], times, operation.bytes, at);
        break;
      case Kind::read:
      case Kind::start_read:
        add(doings_[region].read[{operation.peer, origin}], times, operation.bytes, at);
        break;
      case Kind::receive:
        received(operation.peer, region, here, at);
        break;
      case Kind::wait:
        complete(operation, at);
        break;
      case Kind::collective:
        add(doings_[region].collectives[{operation.pattern, operation.communicator, operation.place}], times,
            operation.bytes, at);
        if (operation.communicator == 0) after_ = operation.place;
        break;
      case Kind::start_receive:
      case Kind::probe:
      case Kind::lock_shared:
      case Kind::lock_exclusive:
      case Kind::unlock:
        break;
    }
    if (trace::begins_request(operation.kind))
      requests_.insert(requests_.end(), std::min<std::uint32_t>(here, 64),
                       Request{operation.kind == Kind::start_receive, operation.peer, region});
  }

  static void add(Sum& sum, std::uint64_t times, std::uint64_t bytes, std::uint32_t at) {
    sum.times += times;
    sum.bytes += static_cast<double>(times) * static_cast<double>(bytes);
    sum.first = std::min(sum.first, at);
  }

  void received(std::int32_t peer, std::uint32_t region, std::uint32_t here, std::uint32_t at) {
    Doings& doings = doings_[region];
    if (peer == trace::kAny)
      doings.received_of_any.insert(doings.received_of_any.end(),
                                    std::min<std::uint32_t>(here, static_cast<std::uint32_t>(trace_.ranks)),
                                    at);
    else
      doings.received.try_emplace(peer, at);
  }

  void complete(const Operation& wait, std::uint32_t at) {
    for (const std::uint32_t ago : trace_.request_sets[wait.requests])
      if (ago <= requests_.size())
        if (const Request& request = requests_[requests_.size() - ago]; request.receives)
          received(request.peer, request.region, 1, at);
  }

  const trace::Trace& trace_;
  const std::vector<std::uint32_t>& region_of_place_;
  std::map<std::uint32_t, Doings> doings_;
  std::vector<Request> requests_;
  std::uint32_t after_ = kNowhere;
};

/// A message's pair with the properties by which its segment may be divided.
struct Sent {
  Pair pair;
  Origin origin;
};

/// Returns a family for each communicator. Communicators of one family have no member in common (all rows of
/// a grid).
std::vector<std::uint32_t> families_of(const trace::Trace& trace) {
  std::vector<std::set<std::int32_t>> families;
  std::vector<std::uint32_t> out(trace.communicators.size());
  for (std::size_t i = 0; i < trace.communicators.size(); ++i) {
    std::vector<std::int32_t> members = trace.communicators[i].members;
    if (i == 0 || members.empty()) {
      members.resize(static_cast<std::size_t>(trace.ranks));
      for (std::size_t rank = 0; rank < members.size(); ++rank)
        members[rank] = static_cast<std::int32_t>(rank);
    }
    std::size_t family = 0;
    while (family < families.size() && std::any_of(members.begin(), members.end(), [&](std::int32_t rank) {
             return families[family].contains(rank);
           }))
      ++family;
    if (family == families.size()) families.emplace_back();
    families[family].insert(members.begin(), members.end());
    out[i] = static_cast<std::uint32_t>(family);
  }
  return out;
}

class RegionSegments {
 public:
  RegionSegments(const trace::Trace& trace, const std::vector<std::map<std::uint32_t, Doings>>& doings,
                 std::uint32_t region, std::string name)
      : trace_(trace), name_(std::move(name)) {
    families_ = families_of(trace);
    for (const auto& of_sequence : doings) {
      const auto at = of_sequence.find(region);
      by_sequence_.push_back(at == of_sequence.end() ? nullptr : &at->second);
    }
  }

  void add_to(std::vector<MessageSegment>& out) {
    std::vector<Sent> all = messages();
    if (!all.empty()) divide(std::move(all), 0, out);
    merge_irregular(out);
    add_collectives(out);
  }

 private:
  const Doings* doings(std::int32_t rank) const {
    return by_sequence_[trace_.sequence_of[static_cast<std::size_t>(rank)]];
  }

  std::vector<Sent> messages() const {
    std::vector<Sent> all;
    for (std::int32_t rank = 0; rank < trace_.ranks; ++rank) {
      const Doings* own = doings(rank);
      if (!own) continue;
      for (const auto& [key, sum] : own->sent)
        all.push_back({{rank, rank + key.first, sum.times, sum.bytes, sum.first, 0}, key.second});
      for (const auto& [key, sum] : own->read)
        all.push_back({{rank + key.first, rank, sum.times, sum.bytes, sum.first, 0}, key.second});
    }
    return all;
  }

  /// Sets for each pair from how many of its senders in this segment a rank has received when it first sends.
  Traffic traffic_of(const std::vector<Sent>& part) const {
    std::map<std::int32_t, std::set<std::int32_t>> senders;
    for (const Sent& sent : part) senders[sent.pair.to].insert(sent.pair.from);
    std::vector<Pair> pairs;
    for (const Sent& sent : part) {
      Pair pair = sent.pair;
      const Doings* own = doings(pair.from);
      const auto to_it = senders.find(pair.from);
      if (own && to_it != senders.end()) {
        const auto& any = own->received_of_any;
        std::size_t heard =
            static_cast<std::size_t>(std::lower_bound(any.begin(), any.end(), pair.first) - any.begin());
        for (const std::int32_t sender : to_it->second)
          if (const auto at = own->received.find(sender - pair.from);
              at != own->received.end() && at->second < pair.first)
            ++heard;
        pair.heard = static_cast<std::uint32_t>(std::min(heard, to_it->second.size()));
      }
      pairs.push_back(pair);
    }
    return Traffic(trace_.ranks, std::move(pairs));
  }

  void divide(std::vector<Sent> part, int criterion, std::vector<MessageSegment>& out) const {
    const Classified found = classify(traffic_of(part));
    for (; found.pattern == MessagePattern::irregular && criterion < 3; ++criterion) {
      std::map<std::uint32_t, std::vector<Sent>> parts;
      for (const Sent& sent : part)
        parts[criterion == 0   ? sent.origin.after
              : criterion == 1 ? families_[sent.origin.communicator]
                               : sent.origin.place]
            .push_back(sent);
      if (parts.size() < 2) continue;
      for (auto& [key, each] : parts) divide(std::move(each), criterion + 1, out);
      return;
    }
    out.push_back(segment_of(part, found));
  }

  MessageSegment segment_of(const std::vector<Sent>& part, const Classified& found) const {
    MessageSegment segment{name_, "", found, 0, 0, 0};
    std::set<std::int32_t> ranks;
    std::set<std::uint32_t> places;
    for (const Sent& sent : part) {
      ranks.insert({sent.pair.from, sent.pair.to});
      places.insert(sent.origin.place);
      segment.messages += sent.pair.messages, segment.bytes += sent.pair.bytes;
    }
    segment.ranks = static_cast<std::int32_t>(ranks.size());
    segment.calls = calls_at(places);
    return segment;
  }

  std::string calls_at(const std::set<std::uint32_t>& places) const {
    std::set<std::string> calls;
    for (const std::uint32_t place : places)
      if (place != kNowhere) {
        const trace::Place& at = trace_.places[place];
        calls.insert(at.call + (at.file.empty() ? ""
                                                : " " + at.file.substr(at.file.rfind('/') + 1) + ":" +
                                                      std::to_string(at.line)));
      }
    std::string text;
    for (const std::string& call : calls) text += (text.empty() ? "" : ", ") + call;
    return text;
  }

  /// Merges a region's messages that form no pattern into one segment.
  void merge_irregular(std::vector<MessageSegment>& out) const {
    const auto first = std::find_if(out.begin(), out.end(), [&](const MessageSegment& each) {
      return each.region == name_ && each.found.pattern == MessagePattern::irregular;
    });
    if (first == out.end()) return;
    for (auto at = first + 1; at != out.end();) {
      if (at->found.pattern != MessagePattern::irregular) {
        ++at;
        continue;
      }
      const double explained = first->found.explained * static_cast<double>(first->messages) +
                               at->found.explained * static_cast<double>(at->messages);
      if (at->messages > first->messages) first->found.nearest = at->found.nearest;
      first->messages += at->messages, first->bytes += at->bytes,
          first->ranks = std::max(first->ranks, at->ranks);
      first->found.explained = explained / static_cast<double>(first->messages);
      first->calls += (first->calls.empty() || at->calls.empty() ? "" : ", ") + at->calls;
      at = out.erase(at);
    }
  }

  void add_collectives(std::vector<MessageSegment>& out) const {
    std::map<recording::Pattern, MessageSegment> by_pattern;
    std::map<recording::Pattern, std::pair<std::set<std::int32_t>, std::set<std::uint32_t>>> who;
    std::map<recording::Pattern, std::set<std::uint32_t>> communicators;
    for (std::int32_t rank = 0; rank < trace_.ranks; ++rank) {
      const Doings* own = doings(rank);
      if (!own) continue;
      for (const auto& [key, sum] : own->collectives) {
        MessageSegment& segment =
            by_pattern.try_emplace(key.pattern, MessageSegment{name_, "", classify(key.pattern), 0, 0, 0})
                .first->second;
        segment.messages += sum.times, segment.bytes += sum.bytes;
        who[key.pattern].first.insert(rank);
        who[key.pattern].second.insert(key.place);
        communicators[key.pattern].insert(key.communicator);
      }
    }
    for (auto& [pattern, segment] : by_pattern) {
      segment.ranks = static_cast<std::int32_t>(who[pattern].first.size());
      segment.calls = calls_at(who[pattern].second);
      segment.found.groups = groups_of(communicators[pattern]);
      out.push_back(std::move(segment));
    }
  }

  /// Returns the number of communicators in the largest family: rows and columns of one grid are not counted
  /// together.
  std::int32_t groups_of(const std::set<std::uint32_t>& communicators) const {
    std::map<std::uint32_t, std::int32_t> count;
    for (const std::uint32_t each : communicators) ++count[families_[each]];
    std::int32_t most = 1;
    for (const auto& [family, number] : count) most = std::max(most, number);
    return most;
  }

  const trace::Trace& trace_;
  std::string name_;
  std::vector<const Doings*> by_sequence_;
  std::vector<std::uint32_t> families_;
};

}  // namespace

std::vector<MessageSegment> message_segments(const trace::Trace& trace) {
  std::map<std::string, std::uint32_t> number{{"", 0}};
  std::vector<std::string> names{""};
  std::vector<std::uint32_t> region_of_place;
  for (const trace::Place& place : trace.places) {
    const auto [at, added] = number.try_emplace(place.region, static_cast<std::uint32_t>(names.size()));
    if (added) names.push_back(place.region);
    region_of_place.push_back(at->second);
  }
  std::vector<std::map<std::uint32_t, Doings>> doings;
  for (const trace::Sequence& sequence : trace.sequences)
    doings.push_back(SequenceReader(trace, region_of_place).read(sequence));
  std::vector<MessageSegment> out;
  for (std::uint32_t region = 0; region < names.size(); ++region) {
    std::vector<MessageSegment> own;
    RegionSegments(trace, doings, region, names[region]).add_to(own);
    out.insert(out.end(), std::make_move_iterator(own.begin()), std::make_move_iterator(own.end()));
  }
  return out;
}

}  // namespace parcast::program

// SPDX-License-Identifier: Apache-2.0
#include "interchange/otf2_location.h"

#include <algorithm>

#include "base/text.h"

namespace parcast::interchange {
namespace {

using recording::CallClass;

constexpr std::size_t kMostWaiting = 65536;
constexpr std::size_t kDeepest = 64;         // deepest nesting of regions in a recording
constexpr std::size_t kMostRegions = 65536;  // number of paths per rank

const MpiCall kRegionBegin{"parcast_region_begin", CallClass::region_begin, recording::Pattern::none,
                           Treatment::event};
const MpiCall kRegionEnd{"parcast_region_end", CallClass::region_end, recording::Pattern::none,
                         Treatment::event};
const MpiCall kUnknownCall{"", CallClass::none, recording::Pattern::none, Treatment::counted};
const MpiCall kOfTheTool{"", CallClass::none, recording::Pattern::none, Treatment::silent};

/// Replaces slashes, which separate regions in a path.
std::string in_path(const std::string& name) {
  std::string out;
  for (const char c : name)
    if (c == '/')
      out += "\u2215";
    else
      out += c;
  return out;
}

}  // namespace

void LocationReader::see(OTF2_TimeStamp time) {
  const std::uint64_t at = archive_.ticks(time);
  totals_.backwards += at < now_;
  now_ = std::max(now_, at);
  ++totals_.records;
  if (!state_.first || now_ < *state_.first) state_.first = now_;
  if (is_first_) state_.last = now_;
}

void LocationReader::enter(OTF2_TimeStamp, OTF2_RegionRef region, const OTF2_AttributeList* list) {
  if (call_) {
    ++inside_;
    return;
  }
  const RecordAttributes attributes = attributes_of(archive_, list);
  const auto about = archive_.regions.find(region);
  if (about == archive_.regions.end()) return begin_region(region, attributes);
  if (about->second.call) return begin_call(region, *about->second.call, attributes);
  if (about->second.paradigm == OTF2_PARADIGM_MPI) {
    ++state_.unknown[about->second.name];
    return begin_call(region, kUnknownCall, attributes);
  }
  if (about->second.paradigm == OTF2_PARADIGM_MEASUREMENT_SYSTEM)
    return begin_call(region, kOfTheTool, attributes);
  begin_region(region, attributes);
}

void LocationReader::leave(OTF2_TimeStamp, OTF2_RegionRef region, const OTF2_AttributeList* list) {
  if (!call_) return end_region(region, attributes_of(archive_, list));
  if (inside_ > 0) {
    --inside_;
  } else if (region == call_region_) {
    end_call();
  } else {
    ++totals_.unmatched;
  }
}

std::optional<std::int64_t> LocationReader::computed(const RecordAttributes& attributes) const {
  if (attributes.compute) return attributes.compute;
  const bool is_ours = !archive_.attributes.empty();
  // a thread of a team has no open region while it has no work
  if (!begun_ || (outside_ && !is_first_ && !is_ours)) return 0;
  if (paused_ == 0) return std::nullopt;
  const std::uint64_t gap = now_ - exit_;
  return static_cast<std::int64_t>(gap - std::min(gap, paused_));
}

void LocationReader::apply(const RecordAttributes& attributes, Part& part) {
  ImportedEvent& event = part.event;
  event.compute = computed(attributes);
  event.region = path();
  event.switched = attributes.switched;
  event.stolen = attributes.stolen;
  event.repeats = attributes.repeats;
  event.site = site_number(attributes.site);
  event.asked = attributes.asked;
  event.sent_shares = shares_number(attributes.sent_shares);
  event.received_shares = shares_number(attributes.received_shares);
  if (attributes.created != OTF2_UNDEFINED_COMM)
    event.created = state_.communicators.number(attributes.created);
  if (attributes.communicator != OTF2_UNDEFINED_COMM) take_communicator(attributes.communicator, part);
  if (attributes.request != 0) event.request = request_number(attributes.request);
}

void LocationReader::begin_call(OTF2_RegionRef region, const MpiCall& call,
                                const RecordAttributes& attributes) {
  call_ = &call;
  call_region_ = region;
  call_enter_ = now_;
  inside_ = 0;
  if (&call != &kOfTheTool) state_.calls_mpi = true;
  if (call.kind == CallClass::finalise && !state_.finalised) end_run();
  parts_.clear();
  if (call.treatment != Treatment::event) return;
  Part& part = parts_.emplace_back();
  part.event.call = &call;
  apply(attributes, part);
  sent_ = attributes.sent;
  received_ = attributes.received;
}

void LocationReader::end_call() {
  const MpiCall& call = *call_;
  call_ = nullptr;
  if (call.treatment == Treatment::counted && &call != &kUnknownCall) ++state_.counted[&call];
  if (call.treatment == Treatment::counted || call.treatment == Treatment::silent)
    paused_ += now_ - call_enter_;
  if (parts_.empty()) return;
  if (sent_) parts_.front().event.message = *sent_;
  if (received_) parts_.front().event.received = *received_;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    parts_[i].event.enter = i ? now_ : call_enter_;
    parts_[i].event.exit = now_;
    parts_[i].event.continued = i > 0;
    queue(std::move(parts_[i]));
  }
  parts_.clear();
  begun_ = true;
  exit_ = now_;
  paused_ = 0;
  if (call.kind == CallClass::initialise && !state_.initialised) begin_run();
}

void LocationReader::begin_run() {
  state_.initialised = now_;
  state_.accelerated = 0;
  if (accelerated_) accelerated_ = now_;
}

void LocationReader::end_run() {
  end_accelerated();
  state_.finalised = now_;
}

void LocationReader::begin_accelerated(OTF2_RegionRef region) {
  const auto about = archive_.regions.find(region);
  if (!is_first_ || accelerated_ || about == archive_.regions.end() ||
      !archive_.is_of_accelerators(about->second.paradigm))
    return;
  accelerated_ = now_;
  accelerated_depth_ = path_.size();
}

void LocationReader::end_accelerated() {
  if (accelerated_ && !state_.finalised) state_.accelerated += now_ - *accelerated_;
  accelerated_.reset();
}

void LocationReader::mark(const MpiCall& call, const RecordAttributes& attributes) {
  Part part;
  part.event.call = &call;
  apply(attributes, part);
  part.event.enter = part.event.exit = now_;
  queue(std::move(part));
  begun_ = true;
  exit_ = now_;
  paused_ = 0;
}

void LocationReader::begin_region(OTF2_RegionRef region, const RecordAttributes& attributes) {
  const auto number = deeper_ == 0 && path_.size() < kDeepest ? region_number(region) : std::nullopt;
  if (!number) {
    ++deeper_;
    ++totals_.too_deep;
    return;
  }
  outside_ = path_.empty();
  path_.emplace_back(region, *number);
  if (!attributes.assumed) mark(kRegionBegin, attributes);
  outside_ = false;
  begin_accelerated(region);
}

/// Closes the region, and first the regions opened within it that are still open.
void LocationReader::end_region(OTF2_RegionRef region, const RecordAttributes& attributes) {
  if (deeper_ > 0) {
    --deeper_;
    return;
  }
  const auto open =
      std::find_if(path_.rbegin(), path_.rend(), [&](const auto& each) { return each.first == region; });
  if (open == path_.rend()) {
    ++totals_.unmatched;
    return;
  }
  while (path_.back().first != region) {
    ++totals_.unmatched;
    mark(kRegionEnd, {});
    path_.pop_back();
  }
  if (!attributes.assumed) mark(kRegionEnd, attributes);
  path_.pop_back();
  if (path_.size() < accelerated_depth_) end_accelerated();
}

void LocationReader::pause(OTF2_TimeStamp from, OTF2_TimeStamp to) {
  if (to > from && !call_) paused_ += archive_.ticks(to) - archive_.ticks(from);
}

void LocationReader::queue(Part part) {
  if (part.waits) awaited_[part.event.request] = written_ + waiting_.size();
  waiting_.push_back(std::move(part));
  flush(false);
}

void LocationReader::flush(bool all) {
  while (!waiting_.empty() && (all || !waiting_.front().waits || waiting_.size() > kMostWaiting)) {
    totals_.unresolved += waiting_.front().waits;
    state_.writer.write(waiting_.front().event);
    waiting_.pop_front();
    ++written_;
  }
}

LocationReader::Part* LocationReader::awaited(std::uint32_t request) {
  const auto at = awaited_.find(request);
  if (at == awaited_.end()) return nullptr;
  const std::uint64_t place = at->second;
  awaited_.erase(at);
  return place < written_ ? nullptr : &waiting_[place - written_];
}

void LocationReader::begin_program(OTF2_StringRef name, std::uint32_t count,
                                   const OTF2_StringRef* arguments) {
  if (!state_.command.empty()) return;
  state_.command.push_back(archive_.string(name));
  for (std::uint32_t i = 0; i < count; ++i) state_.command.push_back(archive_.string(arguments[i]));
}

OTF2_RegionRef LocationReader::region_of(OTF2_CallingContextRef context) const {
  const auto at = archive_.contexts.find(context);
  return at == archive_.contexts.end() ? OTF2_UNDEFINED_REGION : at->second;
}

void LocationReader::finish() {
  totals_.unfinished += call_ != nullptr;
  end_accelerated();
  flush(true);
}

std::uint32_t LocationReader::request_number(std::uint64_t request) {
  constexpr std::uint64_t kDirect = std::uint64_t{1} << 31;
  if (request > 0 && request < kDirect) return static_cast<std::uint32_t>(request);
  return state_.requests.emplace(request, static_cast<std::uint32_t>(kDirect + state_.requests.size()))
      .first->second;
}

std::optional<std::uint32_t> LocationReader::region_number(OTF2_RegionRef region) {
  const auto at = state_.regions.find({path(), region});
  if (at != state_.regions.end()) return at->second;
  if (state_.regions.size() >= kMostRegions) return std::nullopt;
  const auto about = archive_.regions.find(region);
  const std::string name =
      about == archive_.regions.end() ? "region " + std::to_string(region) : in_path(about->second.name);
  const std::uint32_t number = state_.writer.region(path(), name);
  state_.regions.emplace(std::pair(path(), region), number);
  return number;
}

std::uint32_t LocationReader::site_number(OTF2_StringRef text) {
  if (text == OTF2_UNDEFINED_STRING) return 0;
  const auto [at, is_new] = state_.sites.emplace(text, 0);
  if (!is_new) return at->second;
  const std::string& all = archive_.string(text);
  const std::size_t first = all.find(' '),
                    second = first == std::string::npos ? first : all.find(' ', first + 1);
  const auto offset = parse_integer(all.substr(0, first));
  if (second == std::string::npos || !offset || *offset < 0) return 0;
  const std::string build_id = all.substr(first + 1, second - first - 1);
  return at->second = state_.writer.site(all.substr(second + 1), build_id == "-" ? "" : build_id,
                                         static_cast<std::uint64_t>(*offset));
}

std::uint32_t LocationReader::shares_number(OTF2_StringRef text) {
  if (text == OTF2_UNDEFINED_STRING) return 0;
  const auto [at, is_new] = state_.shares.emplace(text, 0);
  if (!is_new) return at->second;
  std::vector<recording::Share> shares;
  for (const std::string& run : split(archive_.string(text), ',')) {
    const auto words = split(run, ':');
    if (words.size() != 4) return 0;
    const auto first = parse_integer(words[0]), stride = parse_integer(words[1]),
               count = parse_integer(words[2]), bytes = parse_integer(words[3]);
    if (!first || !stride || !count || !bytes || *first < recording::kOutside || *first > INT32_MAX ||
        *stride < INT32_MIN || *stride > INT32_MAX || *count < 1 || *count > INT32_MAX || *bytes < 0)
      return 0;
    shares.push_back({static_cast<std::int32_t>(*first), static_cast<std::int32_t>(*stride),
                      static_cast<std::uint32_t>(*count), static_cast<std::uint64_t>(*bytes)});
  }
  return at->second = state_.writer.shares(shares);
}

}  // namespace parcast::interchange

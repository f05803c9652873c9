// SPDX-License-Identifier: Apache-2.0
#include "interchange/otf2_events.h"

#include <algorithm>
#include <cmath>

#include "interchange/no_message.h"
#include "recording/unfold.h"

namespace parcast::interchange {
namespace {

using recording::CallClass;
using recording::Completion;
using recording::Event;
using recording::Message;

constexpr std::size_t kLongestList = 32 * 1024;  // length as text

std::string parent_of(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

std::string name_of(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

bool leads_to(const std::string& outer, const std::string& inner) {
  return inner.size() >= outer.size() && inner.starts_with(outer) &&
         (inner.size() == outer.size() || inner[outer.size()] == '/');
}

std::string shares_text(const std::vector<recording::Share>& shares) {
  std::string text;
  for (const auto& each : shares)
    text += (text.empty() ? "" : ",") + std::to_string(each.first) + ":" + std::to_string(each.stride) + ":" +
            std::to_string(each.count) + ":" + std::to_string(each.bytes);
  return text;
}

}  // namespace

RankEvents::RankEvents(const recording::Recording& recording, const recording::RankRecording& rank,
                       const trace::CommunicatorTable& communicators, std::uint64_t zero,
                       Otf2Definitions& names, OTF2_Archive* archive, Outcome& outcome, EventTotals& totals)
    : recording_(recording),
      rank_(rank),
      communicators_(communicators),
      zero_(zero),
      names_(names),
      archive_(archive),
      outcome_(outcome),
      totals_(totals),
      attributes_(OTF2_AttributeList_New()) {
  for (const recording::Site& site : rank.sites) {
    std::string text;
    if (site.module < rank.modules.size()) {
      const recording::Module& module = rank.modules[site.module];
      text = std::to_string(site.offset) + " " + (module.build_id.empty() ? "-" : module.build_id) + " " +
             module.path;
    }
    sites_.emplace_back(
        text.empty() ? OTF2_UNDEFINED_STRING : names.string(text),
        site.file.empty() ? OTF2_UNDEFINED_SOURCE_CODE_LOCATION : names.source(site.file, site.line));
  }
}

RankEvents::~RankEvents() {
  OTF2_AttributeList_Delete(attributes_);
}

void RankEvents::count(const char* kind) {
  ++counts_[kind];
}

RankEvents::Thread& RankEvents::thread(std::uint16_t number) {
  Thread& on = threads_[number];
  if (!on.writer) on.writer = OTF2_Archive_GetEvtWriter(archive_, location_of(rank_.rank, number));
  if (!on.writer) outcome_(OTF2_ERROR_INVALID);
  return on;
}

/// Returns the time stamp, but never less than that of the previous record.
std::uint64_t RankEvents::stamp(Thread& on, std::int64_t time) {
  const std::int64_t since = static_cast<std::int64_t>(zero_) + time;
  const std::uint64_t at = since < 0 ? 0 : static_cast<std::uint64_t>(since);
  totals_.late += at < on.last;
  on.last = std::max(on.last, at);
  return on.last;
}

void RankEvents::enter(Thread& on, OTF2_RegionRef region, std::uint64_t at) {
  outcome_(OTF2_EvtWriter_Enter(on.writer, attributes_, at, region));
  count("Enter");
}

void RankEvents::leave(Thread& on, OTF2_RegionRef region, std::uint64_t at) {
  outcome_(OTF2_EvtWriter_Leave(on.writer, attributes_, at, region));
  count("Leave");
}

/// Opens and closes the regions whose marks the recording lacks, until `path` is open.
void RankEvents::open_path(Thread& on, const std::string& path, std::uint64_t at) {
  while (!on.open.empty() && !leads_to(on.open.back(), path)) {
    outcome_(OTF2_AttributeList_AddUint8(attributes_, ref(Attribute::assumed), 1));
    leave(on, names_.region_of_user(name_of(on.open.back())), at);
    on.open.pop_back();
  }
  while ((on.open.empty() ? "" : on.open.back()) != path) {
    const std::size_t from = on.open.empty() ? 0 : on.open.back().size() + 1;
    on.open.push_back(path.substr(0, path.find('/', from)));
    outcome_(OTF2_AttributeList_AddUint8(attributes_, ref(Attribute::assumed), 1));
    enter(on, names_.region_of_user(name_of(on.open.back())), at);
  }
}

void RankEvents::close_call(Thread& on) {
  if (!on.leaves) return;
  leave(on, on.region, on.leave);
  on.leaves = false;
}

void RankEvents::begin_region(Thread& on, const Event& event) {
  const std::string& path = rank_.regions[event.region];
  const std::uint64_t at = stamp(on, event.enter);
  open_path(on, parent_of(path), at);
  describe(on, event);
  enter(on, names_.region_of_user(name_of(path)), at);
  on.open.push_back(path);
}

void RankEvents::end_region(Thread& on, const Event& event) {
  const std::string& path = rank_.regions[event.region];
  const std::uint64_t at = stamp(on, event.enter);
  open_path(on, path, at);
  describe(on, event);
  leave(on, names_.region_of_user(name_of(path)), at);
  on.open.pop_back();
}

std::int64_t RankEvents::expected_compute(const Thread& on, const Event& event) const {
  if (!on.begun) return -1;
  return std::max<std::int64_t>(0, event.enter - on.exit - std::llround(rank_.overhead_per_event * 1e9));
}

void RankEvents::describe_message(Attribute peer, const Message& message) {
  const OTF2_AttributeRef first = ref(peer);  // the attributes of tag and bytes follow it
  outcome_(OTF2_AttributeList_AddInt32(attributes_, first, message.peer));
  if (message.tag != 0) outcome_(OTF2_AttributeList_AddInt32(attributes_, first + 1, message.tag));
  if (message.bytes != 0) outcome_(OTF2_AttributeList_AddUint64(attributes_, first + 2, message.bytes));
}

void RankEvents::describe_shares(Attribute attribute, std::uint32_t list) {
  if (list == 0 || list >= rank_.shares.size()) return;
  const std::string text =
      rank_.shares[list].size() > kLongestList / 8 ? "" : shares_text(rank_.shares[list]);
  if (text.empty() || text.size() > kLongestList) {
    ++totals_.long_lists;
    return;
  }
  outcome_(OTF2_AttributeList_AddStringRef(attributes_, ref(attribute), names_.string(text)));
}

/// Adds attributes for what no record of the archive holds about a message or collective.
void RankEvents::describe_sides(const Event& event) {
  const CallClass kind = recording_.calls[event.call].kind;
  const bool collective = kind == CallClass::collective || kind == CallClass::start_collective;
  if (collective) {
    describe_shares(Attribute::sent_shares, event.sent_shares);
    describe_shares(Attribute::received_shares, event.received_shares);
    const Place place = place_of(event);
    const CollectiveBytes own{event.message.bytes, event.received.bytes};
    if (place.pattern != recording::Pattern::neighbourhood &&
        contributed(place, exchanged(place, own)) == own)
      return;
    describe_message(Attribute::sent_peer, event.message);
    describe_message(Attribute::received_peer, event.received);
    return;
  }
  const recording::Call& call = recording_.calls[event.call];
  if (recording::lists_sent(call)) describe_shares(Attribute::sent_shares, event.sent_shares);
  if (call.asked != recording::Asked::unknown)
    outcome_(OTF2_AttributeList_AddUint8(attributes_, ref(Attribute::asked),
                                         static_cast<std::uint8_t>(call.asked)));
  if (!is_nothing(event.message) && !expressed(event, event.message, true))
    describe_message(Attribute::sent_peer, event.message);
  if (!is_nothing(event.received) && !expressed(event, event.received, false))
    describe_message(Attribute::received_peer, event.received);
}

/// Adds attributes to the record that enters or leaves a region.
void RankEvents::describe(Thread& on, const Event& event) {
  if (event.site < sites_.size()) {
    const auto& [site, source] = sites_[event.site];
    if (site != OTF2_UNDEFINED_STRING)
      outcome_(OTF2_AttributeList_AddStringRef(attributes_, ref(Attribute::site), site));
    if (source != OTF2_UNDEFINED_SOURCE_CODE_LOCATION)
      outcome_(OTF2_AttributeList_AddSourceCodeLocationRef(attributes_, ref(Attribute::source), source));
  }
  if (event.compute != expected_compute(on, event))
    outcome_(OTF2_AttributeList_AddInt64(attributes_, ref(Attribute::compute), event.compute));
  if (event.switched) outcome_(OTF2_AttributeList_AddUint8(attributes_, ref(Attribute::switched), 1));
  if (event.stolen != 0)
    outcome_(OTF2_AttributeList_AddInt64(attributes_, ref(Attribute::stolen), event.stolen));
  if (event.repeats != 1)
    outcome_(OTF2_AttributeList_AddUint32(attributes_, ref(Attribute::repeats), event.repeats));
  if (const auto made = communicators_.number(rank_.rank, event.created); event.created != 0 && made)
    outcome_(OTF2_AttributeList_AddCommRef(attributes_, ref(Attribute::created), *made));
  if (event.communicator != 0)
    outcome_(
        OTF2_AttributeList_AddCommRef(attributes_, ref(Attribute::communicator), communicator_of(event)));
  describe_sides(event);
  on.begun = true;
  on.exit = event.exit;
}

void RankEvents::add(const Event& event, std::span<const Completion> completions) {
  Thread& on = thread(event.thread);
  if (!outcome_.good()) return;
  ++totals_.events;
  totals_.estimated += event.estimated;
  completions_ = completions;
  const CallClass kind = recording_.calls[event.call].kind;
  if (event.continued && on.leaves) {
    write_start(on, event, on.leave);
    write_end(on, event, on.leave);
    return;
  }
  close_call(on);
  const bool named = !rank_.regions[event.region].empty();  // a mark without a region is exported as a call
  if (kind == CallClass::region_begin && named) return begin_region(on, event);
  if (kind == CallClass::region_end && named) return end_region(on, event);
  const std::uint64_t at = stamp(on, event.enter);
  open_path(on, rank_.regions[event.region], at);
  describe(on, event);
  on.region = names_.region_of_call(event.call);
  if (event.request != 0 && !request_expressed(event))
    outcome_(OTF2_AttributeList_AddUint64(attributes_, ref(Attribute::request), event.request));
  enter(on, on.region, at);
  write_start(on, event, at);
  on.leave = stamp(on, event.exit);
  write_end(on, event, on.leave);
  on.leaves = true;
}

void RankEvents::write(const std::function<void(std::size_t)>& each_so_many) {
  thread(0);
  std::size_t done = 0;
  totals_.unordered +=
      recording::for_each_event(rank_, recording_.calls, [&](const Event& event, auto completions) {
        add(event, completions);
        if (++done % 8192 == 0) each_so_many(done);
      });
  std::vector<LocationEvents>& locations = names_.locations[static_cast<std::size_t>(rank_.rank)];
  for (auto& [number, on] : threads_) {
    if (!on.writer) continue;
    close_call(on);
    open_path(on, "", on.last);
    std::uint64_t records = 0;
    outcome_(OTF2_EvtWriter_GetNumberOfEvents(on.writer, &records));
    outcome_(OTF2_Archive_CloseEvtWriter(archive_, on.writer));
    locations.push_back({number, records});
    if (records > 0) names_.last = std::max(names_.last, on.last);
  }
  for (const auto& [kind, number] : counts_) totals_.records[std::string(kind)] += number;
}

}  // namespace parcast::interchange

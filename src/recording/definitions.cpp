// SPDX-License-Identifier: Apache-2.0
#include "recording/definitions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "recording/call_class.h"

namespace parcast::recording {
namespace {

constexpr std::uint32_t kMostDimensions = 64;

/// Returns the length of the UTF-8 character at `at`, or 0.
std::size_t character_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(at);
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || at + length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(at + i) & 0xc0) != 0x80) return 0;
  const unsigned second = byte(at + 1);
  const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool outside = (first == 0xed && second > 0x9f) || (first == 0xf4 && second > 0x8f);
  return overlong || outside ? 0 : length;
}

/// Sorts by number and keeps the first definition of each.
template <class Raw>
void tidy(std::vector<Raw>& list) {
  std::stable_sort(list.begin(), list.end(), [](const Raw& a, const Raw& b) { return a.id < b.id; });
  list.erase(std::unique(list.begin(), list.end(), [](const Raw& a, const Raw& b) { return a.id == b.id; }),
             list.end());
  list.shrink_to_fit();
}

std::string hexadecimal(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    text += kDigits[static_cast<unsigned char>(c) >> 4];
    text += kDigits[static_cast<unsigned char>(c) & 15];
  }
  return text;
}

}  // namespace

std::string clean_text(std::string_view text) {
  std::string clean;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = character_length(text, at);
    clean.append(length ? text.substr(at, length) : "?");
    at += std::max<std::size_t>(length, 1);
  }
  return clean;
}

Definitions::Definitions(std::size_t file_size, std::int32_t processes, std::vector<Call>& calls,
                         LossList& losses)
    : room_for_names_((4u << 20) + 2 * file_size),
      room_for_members_((4u << 20) + file_size / 4),
      processes_(processes),
      calls_(calls),
      losses_(losses) {}

bool Definitions::take(const RecordView& record) {
  switch (record.kind()) {
    case PARCAST_CALL:
      return take_call(record);
    case PARCAST_MODULE:
      return take_module(record);
    case PARCAST_REGION:
      return take_region(record);
    case PARCAST_FRAME:
      return take_frame(record);
    case PARCAST_COMMUNICATOR:
      return take_communicator(record);
    case PARCAST_MEMBERS:
      return take_members(record);
    case PARCAST_PARAMETER:
      return take_parameter(record);
    case PARCAST_SHARES:
      return take_shares(record);
    case PARCAST_SITE: {
      const auto site = record.at<parcast_site>(0);
      if (site) sites_.push_back({site->id, site->module, site->offset});
      return site.has_value();
    }
    default:
      return false;
  }
}

std::uint16_t Definitions::intern(Call call) {
  for (std::size_t i = 0; i < calls_.size(); ++i)
    if (calls_[i].name == call.name && calls_[i].kind == call.kind && calls_[i].asked == call.asked)
      return static_cast<std::uint16_t>(i);
  calls_.push_back(std::move(call));
  return static_cast<std::uint16_t>(calls_.size() - 1);
}

namespace {

/// Returns what a receiving call named; nothing when the field holds a pattern.
std::optional<Asked> asked_by(const parcast_call& call) {
  const bool receives =
      call.call_class == PARCAST_CLASS_receive || call.call_class == PARCAST_CLASS_send_receive;
  if (!receives || call.pattern < PARCAST_ASKED_named || call.pattern > PARCAST_ASKED_anything)
    return std::nullopt;
  return static_cast<Asked>(static_cast<int>(Asked::named) + call.pattern - PARCAST_ASKED_named);
}

}  // namespace

bool Definitions::take_call(const RecordView& record) {
  constexpr std::size_t kMostCalls = 1024;  // MPI has about 400 functions
  const auto call = record.at<parcast_call>(0);
  if (!call || call->call_class > PARCAST_CLASS_input_output) return false;
  const auto asked = asked_by(*call);
  if (!asked && call->pattern > PARCAST_PATTERN_neighbourhood) return false;
  const auto name = record.text(sizeof *call, call->length);
  if (!name || raw_calls_.size() >= kMostCalls || calls_.size() >= kMostCalls) return false;
  raw_calls_.push_back({call->call, intern({clean_text(*name), static_cast<CallClass>(call->call_class),
                                            asked ? Pattern::none : static_cast<Pattern>(call->pattern),
                                            asked.value_or(Asked::unknown)})});
  return true;
}

bool Definitions::take_module(const RecordView& record) {
  const auto module = record.at<parcast_module>(0);
  if (!module) return false;
  const auto path = record.text(sizeof *module, module->path_length);
  const auto build_id = record.text(sizeof *module + module->path_length, module->build_id_length);
  if (!path || !build_id) return false;
  modules_.push_back({module->id, *path, *build_id});
  return true;
}

bool Definitions::take_region(const RecordView& record) {
  const auto region = record.at<parcast_region>(0);
  if (!region) return false;
  const auto name = record.text(sizeof *region, region->length);
  if (!name) return false;
  regions_.push_back({region->id, region->parent, *name});
  return true;
}

bool Definitions::take_frame(const RecordView& record) {
  const auto frame = record.at<parcast_frame>(0);
  if (!frame || record.size() != sizeof *frame || frame->id == 0) return false;
  regions_.push_back({frame->id, frame->parent, "", true, frame->module, frame->offset});
  return true;
}

bool Definitions::take_communicator(const RecordView& record) {
  const auto head = record.at<parcast_communicator>(0);
  if (!head || head->dimensions > kMostDimensions ||
      record.size() < sizeof *head + head->dimensions * sizeof(parcast_dimension))
    return false;
  RawCommunicator communicator{head->id, head->size, {}};
  for (std::uint32_t i = 0; i < head->dimensions; ++i)
    communicator.dimensions.push_back(
        *record.at<parcast_dimension>(sizeof *head + i * sizeof(parcast_dimension)));
  communicators_.push_back(std::move(communicator));
  return true;
}

bool Definitions::take_members(const RecordView& record) {
  const auto head = record.at<parcast_members>(0);
  if (!head || (record.size() - sizeof *head) / sizeof(parcast_run) < head->runs) return false;
  for (std::uint32_t i = 0; i < head->runs; ++i)
    runs_.push_back({head->id, *record.at<parcast_run>(sizeof *head + i * sizeof(parcast_run))});
  return true;
}

bool Definitions::take_shares(const RecordView& record) {
  const auto head = record.at<parcast_shares>(0);
  if (!head || record.size() != sizeof *head + head->runs * sizeof(parcast_share)) return false;
  std::vector<Share> shares;
  for (std::uint32_t i = 0; i < head->runs; ++i) {
    const auto raw = *record.at<parcast_share>(sizeof *head + i * sizeof(parcast_share));
    const std::int64_t last = raw.first + (std::int64_t{raw.count} - 1) * raw.stride;
    if (raw.count == 0 || std::min<std::int64_t>(raw.first, last) < kOutside ||
        std::max<std::int64_t>(raw.first, last) >= processes_)
      return false;
    shares.push_back({raw.first, raw.stride, raw.count, raw.bytes});
  }
  shares_.push_back({head->id, head->total, std::move(shares)});
  return true;
}

bool Definitions::take_parameter(const RecordView& record) {
  const auto parameter = record.at<parcast_parameter>(0);
  if (!parameter || !std::isfinite(parameter->value)) return false;
  const auto name = record.text(sizeof *parameter, parameter->length);
  if (!name || name->empty()) return false;
  parameters_.push_back({*name, parameter->value, parameter->from_environment != 0});
  return true;
}

std::optional<std::uint16_t> Definitions::call(std::uint32_t number) const {
  const auto at = position(raw_calls_, number);
  if (!at) return std::nullopt;
  return raw_calls_[*at].index;
}

void Definitions::finish_sites(RankRecording& rank) {
  tidy(modules_);
  for (const RawModule& module : modules_)
    rank.modules.push_back({clean_text(module.path), hexadecimal(module.build_id)});
  sites_.push_back({0, PARCAST_NO_ID, 0});  // the unknown site, unless it is already defined
  tidy(sites_);
  rank.sites.reserve(sites_.size());
  std::size_t homeless = 0;
  for (const RawSite& raw : sites_) {
    const auto module = position(modules_, raw.module);
    homeless += !module && raw.module != PARCAST_NO_ID;
    Site site;
    site.module = module ? *module : kNoModule;
    site.offset = raw.offset;
    rank.sites.push_back(std::move(site));
  }
  if (homeless) losses_.add("the modules of " + std::to_string(homeless) + " call sites are missing");
}

/// Returns the name of a path's part. For a function this is its address until the name is looked up
/// (sites.cpp).
std::string Definitions::part_name(const RawRegion& region, const RankRecording& rank) const {
  if (!region.function) return clean_text(region.name);
  const auto module = position(modules_, region.module);
  const std::string path = module ? rank.modules[*module].path : "?";
  std::array<char, 20> offset;
  std::snprintf(offset.data(), offset.size(), "+0x%llx", static_cast<unsigned long long>(region.offset));
  return path.substr(path.rfind('/') + 1) + offset.data();
}

void Definitions::finish_regions(RankRecording& rank) {
  regions_.push_back({0, 0, ""});
  tidy(regions_);
  rank.regions.reserve(regions_.size());
  std::size_t orphans = 0, homeless = 0;
  const bool functions =
      std::any_of(regions_.begin(), regions_.end(), [](const RawRegion& region) { return region.function; });
  if (functions) rank.path_parts.reserve(regions_.size());
  for (const RawRegion& region : regions_) {
    if (region.id == 0) {
      rank.regions.emplace_back();
      if (functions) rank.path_parts.emplace_back();
      continue;
    }
    const std::string name = part_name(region, rank);
    const bool before = region.parent < region.id;
    const auto found = position(regions_, before ? region.parent : 0);
    const bool has_parent = before && found;
    const std::uint32_t parent = found.value_or(0);
    std::string path = has_parent ? rank.regions[parent] : "";
    if (!path.empty()) path += '/';
    path += name;
    const bool orphan = !has_parent || path.size() > room_for_names_;
    if (orphan) path = name;
    orphans += orphan;
    room_for_names_ -= std::min(room_for_names_, path.size());
    rank.regions.push_back(std::move(path));
    if (!functions) continue;
    const auto module = region.function ? position(modules_, region.module) : std::nullopt;
    homeless += region.function && !module;
    rank.path_parts.push_back({orphan ? 0 : parent, module.value_or(kNoModule), region.offset, name});
  }
  if (orphans)
    losses_.add("the outer parts of the paths of " + std::to_string(orphans) + " regions are missing");
  if (homeless) losses_.add("the modules of " + std::to_string(homeless) + " functions in paths are missing");
}

bool Definitions::expand(const parcast_run& run, std::vector<std::int32_t>& into) {
  if (run.count > room_for_members_) return false;
  room_for_members_ -= run.count;
  for (std::uint32_t i = 0; i < run.count; ++i) {
    const std::int64_t rank = run.first + std::int64_t{i} * run.stride;
    if (rank < kOutside || rank >= processes_) return false;
    into.push_back(static_cast<std::int32_t>(rank));
  }
  return true;
}

void Definitions::finish_communicators(RankRecording& rank) {
  communicators_.push_back({0, static_cast<std::uint32_t>(processes_), {}});
  tidy(communicators_);
  std::stable_sort(runs_.begin(), runs_.end(), [](const RawRun& a, const RawRun& b) { return a.id < b.id; });
  std::size_t incomplete = 0, next = 0;
  rank.communicators.reserve(communicators_.size());
  for (const RawCommunicator& raw : communicators_) {
    Communicator communicator;
    for (; next < runs_.size() && runs_[next].id < raw.id; ++next) {
    }
    bool whole = true;
    for (; next < runs_.size() && runs_[next].id == raw.id; ++next)
      whole = whole && expand(runs_[next].run, communicator.world_ranks);
    whole = whole && communicator.world_ranks.size() == raw.size;
    incomplete += !whole;
    for (const parcast_dimension& dimension : raw.dimensions) {
      communicator.dimensions.push_back(dimension.extent);
      communicator.periodic.push_back(dimension.periodic != 0);
      communicator.coordinates.push_back(dimension.coordinate);
    }
    rank.communicators.push_back(std::move(communicator));
  }
  if (incomplete)
    losses_.add("the members of " + std::to_string(incomplete) + " communicators are missing or damaged");
}

/// Joins the parts of each list. They are in file order, possibly with lists of other threads in between.
void Definitions::finish_shares(RankRecording& rank) {
  shares_.push_back({0, 0, {}});
  std::stable_sort(shares_.begin(), shares_.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  std::vector<RawShares> whole;
  std::size_t incomplete = 0;
  for (RawShares& part : shares_) {
    if (whole.empty() || whole.back().id != part.id) whole.push_back({part.id, part.total, {}});
    whole.back().shares.insert(whole.back().shares.end(), part.shares.begin(), part.shares.end());
  }
  std::erase_if(whole,
                [&](const RawShares& list) { return list.shares.size() != list.total && ++incomplete; });
  shares_ = std::move(whole);
  for (const RawShares& list : shares_) rank.shares.push_back(list.shares);
  if (incomplete)
    losses_.add("parts of " + std::to_string(incomplete) + " lists of bytes per partner are missing");
}

void Definitions::finish(RankRecording& rank) {
  tidy(raw_calls_);
  finish_sites(rank);
  finish_regions(rank);
  finish_communicators(rank);
  finish_shares(rank);
  for (const RawParameter& parameter : parameters_)
    (parameter.from_environment ? rank.environment_parameters : rank.parameters)[clean_text(parameter.name)] =
        parameter.value;
}

}  // namespace parcast::recording

// SPDX-License-Identifier: Apache-2.0
#include "recording/phase_reader.h"

#include <algorithm>
#include <cmath>

#include "recording/definitions.h"

namespace parcast::recording {
namespace {

constexpr const char* kEnd = "end";

bool is_count(double value) {
  return std::isfinite(value) && value >= 0;
}

/// Returns the end of a rank's time line, as far as it is known.
std::int64_t last_moment(const RankRecording& rank) {
  return rank.finalised ? std::max(rank.wall, rank.phases.back().end) : rank.phases.back().end;
}

std::int64_t length(const RankRecording& rank) {
  return last_moment(rank) - rank.phases.front().begin;
}

std::uint32_t name_index(RankRecording& rank, const std::string& name) {
  const auto at = std::find(rank.phase_names.begin(), rank.phase_names.end(), name);
  if (at == rank.phase_names.end())
    return rank.phase_names.push_back(name), static_cast<std::uint32_t>(rank.phase_names.size() - 1);
  return static_cast<std::uint32_t>(at - rank.phase_names.begin());
}

}  // namespace

bool PhaseReader::take_name(const RecordView& record) {
  const auto head = record.at<parcast_phase_name>(0);
  if (!head) return false;
  const auto name = record.text(sizeof *head, head->length);
  if (!name) return false;
  names_.emplace(head->id, clean_text(*name));
  return true;
}

bool PhaseReader::take_phase(const RecordView& record) {
  const auto span = record.at<parcast_phase_span>(0);
  if (!span || span->end < span->begin || span->kind > static_cast<std::uint32_t>(PhaseKind::idle))
    return false;
  if (!is_count(span->operations) || !is_count(span->quantums)) return false;
  const bool is_used = record.flags() & PARCAST_PHASE_USED,
             is_counted = record.flags() & PARCAST_PHASE_COUNTED;
  const std::size_t at = sizeof *span + (is_used ? sizeof(parcast_phase_used) : 0);
  if (record.size() != at + (is_counted ? sizeof(parcast_phase_counts) : 0) || (is_counted && !is_used))
    return false;
  phases_.push_back({*span, (record.flags() & PARCAST_COUNT_REFUSED) != 0, std::nullopt});
  if (!is_used) return true;
  phases_.back().sample = static_cast<std::uint32_t>(samples_.size());
  samples_.push_back({*record.at<parcast_phase_used>(sizeof *span),
                      is_counted ? record.at<parcast_phase_counts>(at) : std::nullopt});
  return true;
}

PhaseUsage PhaseReader::usage_of(const Sample& sample, std::uint64_t counters) {
  PhaseUsage out{.minor_faults = sample.used.minor_faults,
                 .major_faults = sample.used.major_faults,
                 .voluntary_switches = sample.used.voluntary,
                 .involuntary_switches = sample.used.involuntary};
  if (!sample.counts) return out;
  if (counters & 1) out.cycles = sample.counts->cycles;
  if (counters & 2) out.instructions = sample.counts->instructions;
  if (counters & 4) out.cache_misses = sample.counts->cache_misses;
  return out;
}

std::uint32_t PhaseReader::index_of(std::uint32_t number, RankRecording& rank) {
  const auto name = names_.find(number);
  nameless_ += name == names_.end();
  const auto [at, is_new] = indices_.try_emplace(name == names_.end() ? "?" : name->second,
                                                 static_cast<std::uint32_t>(rank.phase_names.size()));
  if (is_new) rank.phase_names.push_back(at->first);
  return at->second;
}

void PhaseReader::finish(const TimeScale& scale, std::uint64_t refused, std::uint64_t counters,
                         RankRecording& rank, LossList& losses) {
  std::stable_sort(phases_.begin(), phases_.end(),
                   [](const Raw& a, const Raw& b) { return a.span.begin < b.span.begin; });
  std::uint64_t holes = 0, overlaps = 0, no_counts = 0, last = 0;
  rank.phases.reserve(phases_.size());
  for (const auto& [span, bad_count, sample] : phases_) {
    if (!rank.phases.empty() && span.begin < last) {
      ++overlaps;
      continue;
    }
    holes += !rank.phases.empty() && span.begin > last;
    no_counts += bad_count;
    last = span.end;
    if (sample) rank.phase_samples.push_back({rank.phases.size(), usage_of(samples_[*sample], counters)});
    rank.phases.push_back({static_cast<PhaseKind>(span.kind), index_of(span.name, rank), scale.at(span.begin),
                           scale.at(span.end), span.operations, span.quantums});
  }
  const auto count = [](std::uint64_t number) { return std::to_string(number); };
  if (holes) losses.add("phases are missing in " + count(holes) + " places of the time line");
  if (overlaps)
    losses.add(count(overlaps) + " phases are left out: they begin before the one before them ended");
  if (nameless_) losses.add("the names of " + count(nameless_) + " phases are missing");
  if (no_counts)
    losses.add(count(no_counts) +
               " phases gave operations or quantums below 0 or not finite; they count as 0");
  if (refused)
    losses.add(count(refused) +
               " calls of parcast_phase were left out: by another thread than the probe's, of no kind, or "
               "without a beginning");
}

void end_time_lines(std::vector<RankRecording>& ranks) {
  std::int64_t longest = 0;
  for (const RankRecording& rank : ranks)
    if (!rank.phases.empty()) longest = std::max(longest, length(rank));
  for (RankRecording& rank : ranks) {
    if (rank.phases.empty() || !rank.finalised || rank.dropped_events > 0) continue;
    const std::int64_t begin = rank.phases.back().end, end = rank.phases.front().begin + longest;
    rank.phases.push_back({PhaseKind::idle, name_index(rank, kEnd), begin, end, 0, 0});
  }
}

}  // namespace parcast::recording

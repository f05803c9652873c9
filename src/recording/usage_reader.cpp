// SPDX-License-Identifier: Apache-2.0
#include "recording/usage_reader.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "recording/stored_bytes.h"

namespace parcast::recording {
namespace {

std::string losing(std::uint64_t places) {
  return "what was used (page faults, switches, memory) is damaged in " + std::to_string(places) +
         (places == 1 ? " place" : " places");
}

}  // namespace

void UsageReader::take(std::string_view block) {
  constexpr std::size_t kSize = sizeof(parcast_usage), kBegin = sizeof(parcast_block_header);
  parcast_block_header header;
  block.copy(reinterpret_cast<char*>(&header), sizeof header);
  const std::size_t there = (block.size() - kBegin) / kSize;
  const std::size_t given =
      (std::clamp<std::size_t>(header.committed, kBegin, PARCAST_BLOCK_SIZE) - kBegin) / kSize;
  if (given > there) damaged_ += given - there;  // the file was truncated
  for (std::size_t i = 0; i < there; ++i) {
    const std::string_view bytes = block.substr(kBegin + i * kSize, kSize);
    if (is_blank(bytes)) continue;
    parcast_usage place;
    bytes.copy(reinterpret_cast<char*>(&place), kSize);
    take_place(place);
  }
}

/// Reads one place. A killed process may leave one value that does not match its twin: the one that was being
/// changed.
void UsageReader::take_place(const parcast_usage& place) {
  std::array<std::uint64_t, PARCAST_USED_COUNT> values;
  int torn = 0;
  for (int i = 0; i < PARCAST_USED_COUNT; ++i) {
    const std::uint64_t value = place.values[i].value,
                        twin = place.values[i].twin ^ parcast_usage_twin(place.region, place.thread);
    torn += value != twin;
    values[static_cast<std::size_t>(i)] = std::min(value, twin);
  }
  if (place.used == 0 && !ended_) return;  // the process was killed while it began this place
  if (place.used != 1 || torn > 1) {
    ++damaged_;
    return;
  }
  damaged_ += torn && ended_;
  Usage usage;
  usage.thread = place.thread;
  usage.region = place.region;
  usage.samples = values[PARCAST_USED_SAMPLES];
  usage.minor_faults = values[PARCAST_USED_MINOR_FAULTS];
  usage.major_faults = values[PARCAST_USED_MAJOR_FAULTS];
  usage.voluntary_switches = values[PARCAST_USED_VOLUNTARY];
  usage.involuntary_switches = values[PARCAST_USED_INVOLUNTARY];
  usage.peak_memory = values[PARCAST_USED_PEAK_MEMORY];
  usage.peak_growth = values[PARCAST_USED_PEAK_GROWTH];
  if (counters_ & 1) usage.cycles = values[PARCAST_USED_CYCLES];
  if (counters_ & 2) usage.instructions = values[PARCAST_USED_INSTRUCTIONS];
  if (counters_ & 4) usage.cache_misses = values[PARCAST_USED_CACHE_MISSES];
  usage_.push_back(usage);
}

void UsageReader::finish(const Definitions& definitions, RankRecording& rank) {
  std::uint64_t unknown = 0;
  for (Usage& usage : usage_) {
    const auto region = definitions.region(usage.region);
    unknown += !region;
    usage.region = region.value_or(0);
  }
  std::stable_sort(usage_.begin(), usage_.end(), [](const Usage& a, const Usage& b) {
    return std::tuple(a.thread, a.region) < std::tuple(b.thread, b.region);
  });
  rank.usage = std::move(usage_);
  if (damaged_) losses_.add(losing(damaged_));
  if (unknown)
    losses_.add("the regions of " + std::to_string(unknown) + " sums of what was used are missing");
}

}  // namespace parcast::recording

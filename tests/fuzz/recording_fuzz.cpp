// SPDX-License-Identifier: Apache-2.0
// Fuzzes the reader of rank-N.rec. Checksums guard every record, so blind mutations would never pass them.
// Most inputs are sealed again after a mutation, and the reader itself must then keep every reference in
// range.
//
//   build/fuzz/fuzz/recording_fuzz -max_total_time=600 -rss_limit_mb=4096 CORPUS SEEDS
//                                                                  (SEEDS: rank files of small recordings)
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "recording/format.h"
#include "recording/process_time.h"
#include "recording/recording.h"
#include "recording/unfold.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t largest);

namespace {

using namespace parcast::recording;

void demand(bool holds) {
  if (!holds) std::abort();
}

std::uint32_t check_of(const std::uint8_t* bytes, std::size_t size, std::uint64_t skip, std::uint64_t place) {
  std::vector<std::uint64_t> words(size / 8);
  if (!words.empty()) std::memcpy(words.data(), bytes, words.size() * 8);
  return parcast_check(words.data(), words.size(), skip, place);
}

void put(std::uint8_t* at, std::uint32_t value) {
  std::memcpy(at, &value, sizeof value);
}

void seal_header(std::uint8_t* data) {
  const std::uint64_t magic = PARCAST_FILE_MAGIC;
  std::memcpy(data, &magic, sizeof magic);
  put(data + offsetof(parcast_header, version), PARCAST_FORMAT_VERSION);
  put(data + offsetof(parcast_header, check), check_of(data, offsetof(parcast_header, live), 1, 0));
  for (int i = 0; i < PARCAST_LIVE_COUNT; ++i) {
    std::uint8_t* twin =
        data + offsetof(parcast_header, live) + sizeof(parcast_twin) * static_cast<std::size_t>(i);
    std::uint64_t value;
    std::memcpy(&value, twin, sizeof value);
    value ^= PARCAST_TWIN;
    std::memcpy(twin + sizeof value, &value, sizeof value);
  }
}

void seal_part(std::uint8_t* block, std::size_t size, std::uint64_t place) {
  constexpr std::size_t kBegin = sizeof(parcast_block_header);
  if (size < kBegin + sizeof(parcast_part)) return;
  parcast_part part;
  std::memcpy(&part, block + kBegin, sizeof part);
  const std::size_t whole = sizeof part + (std::size_t{part.bytes} + 7) / 8 * 8;
  if (whole > size - kBegin) return;
  put(block + kBegin + offsetof(parcast_part, check), check_of(block + kBegin, whole, 0, place + kBegin));
}

void seal_usage(std::uint8_t* block, std::size_t size) {
  for (std::size_t at = sizeof(parcast_block_header); at + sizeof(parcast_usage) <= size;
       at += sizeof(parcast_usage)) {
    parcast_usage place;
    std::memcpy(&place, block + at, sizeof place);
    if (place.used == 0) continue;
    place.used = 1;
    for (parcast_twin& twin : place.values)
      twin.twin = twin.value ^ parcast_usage_twin(place.region, place.thread);
    std::memcpy(block + at, &place, sizeof place);
  }
}

void seal_block(std::uint8_t* block, std::size_t size, std::uint32_t number, std::uint64_t place) {
  if (size < sizeof(parcast_block_header)) return;
  parcast_block_header header;
  std::memcpy(&header, block, sizeof header);
  put(block, PARCAST_BLOCK_MAGIC);
  put(block + offsetof(parcast_block_header, number), number);
  put(block + offsetof(parcast_block_header, check),
      check_of(block, offsetof(parcast_block_header, committed), 0, place));
  const bool turned = header.kind == PARCAST_BLOCK_ROUND && (header.committed & PARCAST_TURNED_CHAPTER);
  if (header.kind == PARCAST_BLOCK_CHAPTER || turned) return seal_part(block, size, place);
  if (header.kind == PARCAST_BLOCK_USAGE) return seal_usage(block, size);
  const std::uint64_t round =
      header.kind == PARCAST_BLOCK_ROUND ? header.committed >> PARCAST_ROUND_SHIFT : 0;
  const std::uint64_t seed = parcast_place_in_round(place, round);
  for (std::size_t at = sizeof(parcast_block_header); at + sizeof(parcast_record) <= size;) {
    parcast_record head;
    std::memcpy(&head, block + at, sizeof head);
    const std::size_t length = std::size_t{head.words} * 8;
    if (head.kind == PARCAST_UNUSED || length < sizeof head || length > size - at) return;
    put(block + at + offsetof(parcast_record, check), check_of(block + at, length, 0, seed + at));
    at += length;
  }
}

void seal(std::uint8_t* data, std::size_t size) {
  if (size < PARCAST_HEADER_SIZE) return;
  seal_header(data);
  for (std::size_t at = PARCAST_HEADER_SIZE; at < size; at += PARCAST_BLOCK_SIZE)
    seal_block(data + at, std::min<std::size_t>(PARCAST_BLOCK_SIZE, size - at),
               static_cast<std::uint32_t>((at - PARCAST_HEADER_SIZE) / PARCAST_BLOCK_SIZE), at);
}

void demand_order(const RankRecording& rank, const std::vector<Call>& calls) {
  for (const Event& event : rank.events) {
    demand(event.call < calls.size() && event.site < rank.sites.size() && event.region < rank.regions.size());
    demand(event.communicator < rank.communicators.size() && event.created <= rank.communicators.size());
    demand(event.enter <= event.exit && event.compute >= 0 && event.stolen >= 0 && event.repeats >= 1);
    demand(std::uint64_t{event.first_completion} + event.completion_count <= rank.completions.size());
  }
  for (const Chapter& chapter : rank.chapters)
    for (const FoldedKey& key : chapter.keys)
      demand(key.call < calls.size() && key.site < rank.sites.size() && key.region < rank.regions.size());
  std::uint64_t work = event_count(rank);
  for (const Chapter& chapter : rank.chapters)
    for (const FoldedKey& key : chapter.keys) work += key[PARCAST_COLUMN_COMPLETED].count;
  if (work < 200000)
    for_each_event(rank, calls, [&](const Event& event, std::span<const Completion>) {
      demand(event.communicator < rank.communicators.size() && event.created < rank.communicators.size());
      demand(event.sent_shares < rank.shares.size() && event.received_shares < rank.shares.size());
    });
  for (const Site& site : rank.sites) demand(site.module == kNoModule || site.module < rank.modules.size());
  for (std::size_t i = 0; i < rank.phases.size(); ++i) {
    const Phase& phase = rank.phases[i];
    demand(phase.name < rank.phase_names.size() && phase.begin <= phase.end && phase.operations >= 0 &&
           phase.quantums >= 0);
    demand(i == 0 || rank.phases[i - 1].end <= phase.begin);
  }
  for (std::size_t i = 0; i < rank.phase_samples.size(); ++i)
    demand(rank.phase_samples[i].phase < rank.phases.size() &&
           (i == 0 || rank.phase_samples[i - 1].phase < rank.phase_samples[i].phase));
  demand(rank.wall >= 0 && rank.total_compute >= 0 && rank.overhead_per_event >= 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<Call> calls;
  std::vector<Loss> losses;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  auto rank = read_rank(bytes, "input", calls, losses);
  if (!rank) {
    demand(!rank.error().what.empty());
    return 0;
  }
  demand_order(*rank, calls);
  Recording recording;
  recording.calls = std::move(calls);
  recording.ranks.push_back(std::move(*rank));
  demand(count(recording).size() == 1);
  if (threads_of(recording.ranks[0]) == Threads::beside_each_other) {
    const double computing = computing_of(recording, recording.ranks[0]);
    demand(computing >= 0 && computing <= static_cast<double>(recording.ranks[0].wall) * (1 + 1e-6) + 1);
  }
  std::uint64_t phases = 0;
  for (const PhaseSum& sum : phase_sums(recording)) phases += sum.executions;
  demand(phases == recording.ranks[0].phases.size());
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t largest,
                                               unsigned seed) {
  const std::size_t mutated = LLVMFuzzerMutate(data, size, largest);
  if (seed % 8 != 0) seal(data, mutated);
  return mutated;
}

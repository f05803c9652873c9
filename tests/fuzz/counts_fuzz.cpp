// SPDX-License-Identifier: Apache-2.0
// Any bytes as a rank-N.counts, of format 1 or 2: no crash, counts of existing counters, memory bounded by
// the file's size or the largest size of a packed set. The mutator repairs the checksums of header, keys,
// modules and packed sets, so that mutations reach the code behind the checks. An intact file of format 1
// gives the same counts after packing.
//
//   build/fuzz/fuzz/counts_fuzz -max_total_time=600 CORPUS SEEDS
//                                                    (SEEDS: rank-N.counts of small recordings)
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "recording/counts_format.h"
#include "recording/counts_packing.h"
#include "recording/definitions.h"

using namespace parcast::recording;

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t largest);

namespace {

void demand(bool holds) {
  if (!holds) std::abort();
}

void seal(std::uint8_t* data, std::size_t size, std::size_t begin, std::size_t bytes, std::size_t check) {
  if (begin > size || size - begin < bytes) return;
  std::memset(data + check, 0, 4);
  std::vector<std::uint64_t> words(bytes / 8);
  std::memcpy(words.data(), data + begin, bytes);
  const std::uint32_t value = parcast_check(words.data(), words.size(), ~std::uint64_t{0}, begin);
  std::memcpy(data + check, &value, sizeof value);
}

/// Seals the file for run 0 of rank 0, which the target reads.
void seal_all(std::uint8_t* data, std::size_t size) {
  if (size < sizeof(parcast_counts_header)) return;
  parcast_counts_header header;
  std::memcpy(&header, data, sizeof header);
  header.magic = PARCAST_COUNTS_MAGIC;
  header.version = header.version % 2 ? PARCAST_COUNTS_VERSION : PARCAST_PACKED_COUNTS_VERSION;
  header.rank = 0;
  header.started = 0;
  for (parcast_twin& live : header.live) live.twin = live.value ^ PARCAST_TWIN;
  std::memcpy(data, &header, sizeof header);
  seal(data, size, 0, offsetof(parcast_counts_header, live), offsetof(parcast_counts_header, check));
  for (std::size_t i = 0; i < PARCAST_MOST_SETS; ++i) {
    const std::size_t at = PARCAST_KEYS_PLACE + i * sizeof(parcast_set_key);
    seal(data, size, at, sizeof(parcast_set_key), at + offsetof(parcast_set_key, check));
  }
  for (std::size_t at = PARCAST_ROWS_PLACE;
       at + sizeof(parcast_counts_row) <= size && at < PARCAST_ROWS_PLACE + 64 * sizeof(parcast_counts_row);
       at += sizeof(parcast_counts_row))
    seal(data, size, at, sizeof(parcast_counts_row), at + offsetof(parcast_counts_row, check));
  if (header.version != PARCAST_PACKED_COUNTS_VERSION) return;
  for (std::size_t at = header.first;
       at % 8 == 0 && at >= PARCAST_ROWS_PLACE && at < size && size - at >= 16;) {
    std::uint32_t bytes;
    std::memcpy(&bytes, data + at + 8, sizeof bytes);
    const std::size_t whole = 16 + (std::size_t{bytes} + 7) / 8 * 8;
    seal(data, size, at, whole, at + 12);
    at += whole;
  }
}

/// Defines what keys may refer to: call 3, site 0, region 0.
void define_a_call(Definitions& definitions) {
  parcast_call call{};
  call.record.kind = PARCAST_CALL;
  call.call = 3;
  call.length = 8;
  std::string bytes(reinterpret_cast<const char*>(&call), sizeof call);
  demand(definitions.take(RecordView(bytes + "MPI_Send")));
}

}  // namespace

namespace {

Counted read(std::string_view bytes, RankRecording& rank, std::vector<Call>& calls,
             std::vector<Loss>& losses) {
  LossList of_definitions(losses, "definitions");
  Definitions definitions(0, 1, calls, of_definitions);
  define_a_call(definitions);
  definitions.finish(rank);
  return read_counted(bytes, "input", 0, 0, definitions, losses);
}

void check_packed(std::string_view bytes, const Counted& counted) {
  const auto packed = packed_counts(bytes);
  if (!packed) return;
  std::vector<Call> calls;
  std::vector<Loss> losses;
  RankRecording rank;
  demand(total_counts(read(*packed, rank, calls, losses)) == total_counts(counted));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  std::vector<Call> calls;
  std::vector<Loss> losses;
  RankRecording rank;
  const Counted counted = read(bytes, rank, calls, losses);
  std::uint64_t words = 0;
  for (const CountedModule& module : counted.modules)
    words += module.counters + PARCAST_PROBE_WORDS * module.probes;
  demand(words <= std::max<std::uint64_t>(size, kMostPackedSetBytes) / 8);
  for (const CountedSet& set : counted.sets) {
    demand(set.call < std::max<std::size_t>(calls.size(), 1) && set.region < rank.regions.size() &&
           set.site < rank.sites.size());
    for (const ModuleCounts& counts : set.modules) {
      demand(counts.module < counted.modules.size() && !(counts.counters.empty() && counts.probes.empty()));
      for (const auto& [counter, count] : counts.counters)
        demand(counter < counted.modules[counts.module].counters);
      for (const auto& [probe, values] : counts.probes)
        demand(probe < counted.modules[counts.module].probes && values.noticed > 0);
    }
  }
  demand(total_counts(counted).size() == counted.modules.size());
  demand(counted.kept || !losses.empty());
  check_packed(bytes, counted);
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t largest,
                                               unsigned seed) {
  const std::size_t mutated = LLVMFuzzerMutate(data, size, largest);
  if (seed % 8 != 0) seal_all(data, mutated);
  return mutated;
}

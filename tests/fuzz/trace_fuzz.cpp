// SPDX-License-Identifier: Apache-2.0
// Fuzzes the reader of NAME.trace. Size and checksum of most inputs are repaired after a mutation, and the
// reader itself must then detect values out of range.
//
//   build/fuzz/fuzz/trace_fuzz -max_total_time=600 -rss_limit_mb=4096 CORPUS tests/fuzz/seeds/trace
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstddef>
#include <cstring>
#include <string_view>

#include "accept_trace.h"
#include "trace/trace_file.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t largest);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto trace =
      parcast::trace::read_trace(std::string_view(reinterpret_cast<const char*>(data), size), "input");
  if (trace)
    parcast::fuzz::accept_trace(*trace);
  else
    parcast::fuzz::demand(!trace.error().what.empty());
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t largest,
                                               unsigned seed) {
  constexpr std::size_t kHead = 32;
  const std::size_t mutated = LLVMFuzzerMutate(data, size, largest);
  if (seed % 8 == 0 || mutated < kHead) return mutated;
  const std::uint64_t length = mutated - kHead, check = XXH3_64bits(data + kHead, mutated - kHead);
  const std::uint32_t version[2] = {1, 0};
  std::memcpy(data, "PCTRACE\n", 8);
  std::memcpy(data + 8, version, sizeof version);
  std::memcpy(data + 16, &length, sizeof length);
  std::memcpy(data + 24, &check, sizeof check);
  return mutated;
}

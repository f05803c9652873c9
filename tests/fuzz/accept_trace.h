// SPDX-License-Identifier: Apache-2.0
#pragma once
// Requirements on every trace that a reader accepts: check() holds, and a simulation of a small one ends,
// fails or deadlocks. Inputs that are read by path are in memory, under /proc/self/fd.

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "predict/simulate/simulate.h"
#include "trace/trace.h"

namespace parcast::fuzz {

inline void demand(bool holds) {
  if (!holds) std::abort();
}

inline bool is_small(const trace::Trace& trace) {
  if (trace.ranks > 64) return false;
  std::uint64_t work = 0;
  for (const std::uint32_t number : trace.sequence_of) {
    const trace::Size size = trace::size_of(trace.sequences[number]);
    work += size.operations + size.computes;
    if (work > 20'000 || size.operations > 20'000 || size.computes > 20'000) return false;
  }
  return true;
}

inline void accept_trace(const trace::Trace& trace) {
  demand(bool(trace::check(trace)));
  if (!is_small(trace)) return;
  simulate::Platform platform;
  platform.links = {{.latency = 1000,
                     .send_overhead = 100,
                     .receive_overhead = 100,
                     .gap = 50,
                     .gap_per_byte = simulate::kOne,
                     .eager_limit = 1000,
                     .rendezvous_gap_per_byte = simulate::kOne}};
  const auto outcome = simulate::simulate(trace, platform, simulate::Trust::checked);
  if (outcome)
    demand(outcome->ranks.size() == static_cast<std::size_t>(trace.ranks));
  else
    demand(!outcome.error().what.empty());
}

/// A file in memory with these bytes.
class InMemory {
 public:
  InMemory(const std::uint8_t* data, std::size_t size) : file_(::memfd_create("input", MFD_CLOEXEC)) {
    demand(file_ >= 0);
    while (size > 0) {
      const ssize_t written = ::write(file_, data, size);
      demand(written > 0);
      data += written, size -= static_cast<std::size_t>(written);
    }
  }
  ~InMemory() { ::close(file_); }
  InMemory(const InMemory&) = delete;
  InMemory& operator=(const InMemory&) = delete;
  std::filesystem::path path() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  int file_;
};

}  // namespace parcast::fuzz

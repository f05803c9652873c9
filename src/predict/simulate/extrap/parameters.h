// SPDX-License-Identifier: Apache-2.0
#pragma once
// The machine for ExtraP's model, in integer picoseconds. docs/models/extrap.md defines every number.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "machine/algorithms.h"
#include "machine/extrap.h"
#include "predict/simulate/platform.h"

namespace parcast::simulate::extrap {

/// When a rank serves requests of others for its memory, in addition to while it waits.
enum class Service : std::uint8_t {
  no_interrupt,        // never
  predefined_polling,  // at the beginning of its calls
  periodic_polling,    // after every Delta of computing
  both_pollings,
  interrupt,  // at once
};

enum class Topology : std::uint8_t { fully_connected, ring, shared, ring_with_contention, pipelined_ring };

enum class BarrierAlgorithm : std::uint8_t { linear, logarithmic };

struct Parameters {
  Rate mips_ratio = kOne;  // computing here / computing recorded
  Service service = Service::no_interrupt;
  Time delta = 0;      // above 0 when `service` polls periodically
  Rate byte_pack = 0;  // per byte
  Time pack_startup = 0;
  Time get_try = 0, get_startup = 0, get = 0, processing = 0;
  std::uint64_t request_bytes = 0;
  Time comm_startup = 0;
  Rate byte_transfer = 0;  // per byte
  Topology topology = Topology::fully_connected;
  Time to_network_startup = 0;
  Rate byte_to_network = 0;  // per byte
  Time add_startup = 0, add_try = 0, add = 0;
  Time entry = 0, exit = 0, check = 0, exit_check = 0, model = 0;
  bool barrier_by_messages = true;
  std::uint64_t barrier_bytes = 0;
  BarrierAlgorithm barrier = BarrierAlgorithm::linear;

  bool polls_at_calls() const {
    return service == Service::predefined_polling || service == Service::both_pollings;
  }
  bool polls_periodically() const {
    return service == Service::periodic_polling || service == Service::both_pollings;
  }
  /// Returns the processor's time to pack a message.
  Time packing(std::uint64_t bytes) const;
  /// Returns the time to take an available message from the queue.
  Time taking() const { return get_try + get_startup + get; }
  /// Returns the sending interface's time.
  Time to_network(std::uint64_t bytes) const;
  /// Returns the receiving interface's time.
  Time adding() const { return add_startup + add_try + add; }
  /// Returns the time from one node to the next, or over the shared medium; at least 1 ps.
  Time transfer(std::uint64_t bytes) const;
};

struct Platform {
  std::string name;
  Parameters parameters;
  // Algorithms, where they differ from the usual ones.
  std::map<recording::Pattern, machine::AlgorithmChoices> collectives;
  std::vector<std::string> assumptions;  // one sentence each
};

/// Fails when a parameter is out of range (a time above 40 hours), or when periodic polling has no period.
Result<Platform> platform_of(const std::string& name, const machine::Extrap& model);

}  // namespace parcast::simulate::extrap

// SPDX-License-Identifier: Apache-2.0
#pragma once
// The machine as ExtraP's model sees it, in whole picoseconds: docs/models/extrap.md has the meaning of every number.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "machine/algorithms.h"
#include "machine/extrap.h"
#include "predict/simulate/platform.h"

namespace parcast::simulate::extrap {

/// When a rank serves requests of others for its memory, besides while it waits.
enum class Service : std::uint8_t {
  no_interrupt,        // not at all
  predefined_polling,  // at the beginning of its calls
  periodic_polling,    // after every Delta of computing
  both_pollings,
  interrupt,           // at once
};

enum class Topology : std::uint8_t { fully_connected, ring, shared, ring_with_contention, pipelined_ring };

enum class BarrierAlgorithm : std::uint8_t { linear, logarithmic };

struct Parameters {
  Rate mips_ratio = kOne;                 // computing here / computing recorded
  Service service = Service::no_interrupt;
  Time delta = 0;                         // above 0 where `service` polls periodically
  Rate byte_pack = 0;                     // per byte
  Time pack_startup = 0;
  Time get_try = 0, get_startup = 0, get = 0, processing = 0;
  std::uint64_t request_bytes = 0;
  Time comm_startup = 0;
  Rate byte_transfer = 0;                 // per byte
  Topology topology = Topology::fully_connected;
  Time to_network_startup = 0;
  Rate byte_to_network = 0;               // per byte
  Time add_startup = 0, add_try = 0, add = 0;
  Time entry = 0, exit = 0, check = 0, exit_check = 0, model = 0;
  bool barrier_by_messages = true;
  std::uint64_t barrier_bytes = 0;
  BarrierAlgorithm barrier = BarrierAlgorithm::linear;

  bool polls_at_calls() const { return service == Service::predefined_polling || service == Service::both_pollings; }
  bool polls_periodically() const { return service == Service::periodic_polling || service == Service::both_pollings; }
  /// The processor's time to pack a message.
  Time packing(std::uint64_t bytes) const;
  /// To take a message that is there from the queue.
  Time taking() const { return get_try + get_startup + get; }
  /// The sending interface's time.
  Time to_network(std::uint64_t bytes) const;
  /// The receiving interface's time.
  Time adding() const { return add_startup + add_try + add; }
  /// From one node to the next, or over the one medium: at least 1 ps.
  Time transfer(std::uint64_t bytes) const;
};

struct Platform {
  std::string name;
  Parameters parameters;
  std::map<recording::Pattern, machine::AlgorithmChoices> collectives;  // by which algorithms, where not by the usual
  std::vector<std::string> assumptions;      // a sentence each
};

/// An error where a parameter is out of range (a time above 38 hours), or periodic polling has no period.
Result<Platform> platform_of(const std::string& name, const machine::Extrap& model);

}  // namespace parcast::simulate::extrap

// SPDX-License-Identifier: Apache-2.0
#include "predict/simulate/contention.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "machine/memory_sharing.h"
#include "predict/simulate/platform.h"

namespace parcast::simulate {
namespace {

std::size_t most_in_a_domain(const std::vector<std::uint32_t>& domain_of) {
  std::map<std::uint32_t, std::size_t> ranks;
  std::size_t most = 0;
  for (const std::uint32_t domain : domain_of) most = std::max(most, ++ranks[domain]);
  return most;
}

}  // namespace

Result<void> take_contention(const machine::Machine& machine, double bound, Platform& platform) {
  if (bound <= 0 || platform.node_of.empty()) return {};
  if (!machine.memory_sharing)
    return Error{machine.name + " has no data on memory that cores share", "memory_sharing",
                 "parcast calibrate measures it; or give it, for example --set "
                 "memory_sharing.1.bandwidth=12GB/s --set memory_sharing.2.bandwidth=18GB/s"};
  PARCAST_TRY(machine::check_memory_sharing(machine));
  Contention contention;
  const bool by_socket = machine.memory_sharing->by_socket;
  contention.domains_per_node =
      by_socket ? static_cast<std::uint32_t>(std::max(machine.sockets_per_node, 1)) : 1;
  for (const std::int32_t domain : by_socket ? platform.socket_of : platform.node_of)
    contention.domain_of.push_back(static_cast<std::uint32_t>(domain));
  contention.speeds.assign(most_in_a_domain(contention.domain_of) + 1, kOne);
  for (std::size_t k = 2; k < contention.speeds.size(); ++k) {
    const auto speed = static_cast<std::int64_t>(
        std::nearbyint(machine::shared_speed(*machine.memory_sharing, bound, static_cast<std::int32_t>(k)) *
                       static_cast<double>(kOne)));
    contention.speeds[k] = std::clamp<std::int64_t>(speed, 1, contention.speeds[k - 1]);
  }
  platform.contention = std::move(contention);
  return {};
}

}  // namespace parcast::simulate

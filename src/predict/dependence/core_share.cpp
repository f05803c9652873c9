// SPDX-License-Identifier: Apache-2.0
#include "predict/dependence/core_share.h"

#include "base/text.h"

namespace parcast::dependence {

CoreShare share_of(const machine::Machine& machine) {
  if (!has_core_share(machine)) return {};
  return {
      machine.core_share.value,
      static_cast<std::int64_t>(std::nearbyint(std::clamp(machine.share_period.value * 1e12, 1.0, 1e18)))};
}

std::string share_sentence(const machine::Machine& machine) {
  if (share_of(machine).whole()) return "";
  return "processes have " + format_significant(100 * machine.core_share.value, 2) +
         " % of a core anew every " + format_seconds(machine.share_period.value) +
         "; computing and overheads are those of processes that always work";
}

}  // namespace parcast::dependence

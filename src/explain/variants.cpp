// SPDX-License-Identifier: Apache-2.0
#include "explain/variants.h"

#include <algorithm>

namespace parcast::explain {

std::vector<PartDifference> differences(const predict::Prediction& faster,
                                        const predict::Prediction& slower) {
  const predict::Parts &a = faster.parts, &b = slower.parts;
  std::vector<PartDifference> out{
      {"computing", b.compute.value + b.memory.value - a.compute.value - a.memory.value},
      {"startup", b.message_startup.value - a.message_startup.value},
      {"transfer", b.transfer.value - a.transfer.value},
      {"waiting", b.wait.value - a.wait.value}};
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& x, const auto& y) { return x.seconds > y.seconds; });
  return out;
}

}  // namespace parcast::explain

// SPDX-License-Identifier: Apache-2.0
#include "fit/ranks.h"

#include <algorithm>
#include <map>

namespace parcast::fit {
namespace {

// Raises the largest rank's prediction to the mean's. Returns true if its value was below.
bool raise(Predicted& largest, const Predicted& mean) {
  const bool below = largest.value < mean.value;
  largest.value = std::max(largest.value, mean.value);
  largest.low = std::max(largest.low, std::min(mean.low, largest.value));
  largest.high = std::max(largest.high, mean.high);
  return below;
}

void join(KernelFit& mean, KernelFit& largest) {
  mean.largest = largest.metric;
  bool raised = false;
  for (std::size_t i = 0; i < std::min(mean.predictions.size(), largest.predictions.size()); ++i) {
    Predicted& top = largest.predictions[i];
    raised |= raise(top, mean.predictions[i]);
    mean.predictions[i].largest = Range{top.value, top.low, top.high};
  }
  if (raised)
    largest.warnings.push_back(
        "the formula of the largest rank falls below the mean's, which no run can: the mean's value is used "
        "there");
}

}  // namespace

void join_ranks(Fits& fits) {
  std::map<std::pair<std::string, std::string>, KernelFit*> by_name;
  for (KernelFit& fit : fits.kernels) by_name[{fit.callpath, fit.metric}] = &fit;
  for (KernelFit& largest : fits.kernels) {
    if (largest.largest_of.empty()) continue;
    const auto mean = by_name.find({largest.callpath, largest.largest_of});
    if (mean != by_name.end()) join(*mean->second, largest);
  }
}

}  // namespace parcast::fit

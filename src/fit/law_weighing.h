// SPDX-License-Identifier: Apache-2.0
#pragma once
// Weighs the laws of few values (laws.h) under every relation of errors. Only the scale of a law is fitted,
// to the logarithms of the values.

#include <memory>
#include <span>
#include <vector>

#include "fit/mixture.h"

namespace parcast::fit {

struct WeighedLaws {
  std::vector<Mixture::Part> parts;  // by weight, the largest first; the sum is 1
  double log_evidence = 0;
};

/// The set has laws. Laws with negligible weight are left out.
WeighedLaws weigh_laws(const Values& values, const PointSet& set,
                       std::span<const std::shared_ptr<const Whitening>> whitenings, const Prior& prior,
                       Detail detail);

}  // namespace parcast::fit

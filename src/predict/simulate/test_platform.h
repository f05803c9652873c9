// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tests only: a machine for calculations by hand.

#include "predict/simulate/platform.h"

namespace parcast::simulate::testing {

/// L = 5000, o_s = 300, o_r = 200, g = 100, G = 2 a byte, O_s = 1, O_r = 1/2; above 1000 bytes H = 4000, G' =
/// 1.
inline Platform plain() {
  Platform platform;
  platform.links = {{.latency = 5000,
                     .send_overhead = 300,
                     .receive_overhead = 200,
                     .gap = 100,
                     .gap_per_byte = 2 * kOne,
                     .send_overhead_per_byte = kOne,
                     .receive_overhead_per_byte = kOne / 2,
                     .eager_limit = 1000,
                     .handshake = 4000,
                     .rendezvous_gap_per_byte = kOne}};
  return platform;
}

}  // namespace parcast::simulate::testing

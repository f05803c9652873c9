// SPDX-License-Identifier: Apache-2.0
#pragma once
// Fits the LogGPS parameters of a link to its ping-pong, late receives, flood and eager limit.
// docs/models/communication.md.

#include <string>
#include <vector>

#include "calibrate/measurements.h"
#include "machine/machine.h"

namespace parcast::calibrate {

struct LinkFit {
  machine::Link link;
  /// Pairs of fields whose estimates depend on each other, and their covariance: ("latency",
  /// "send_overhead").
  struct Covariance {
    std::string a, b;
    double value = 0;
  };
  std::vector<Covariance> covariance;
  std::vector<std::string> notes;  // which parameters could not be separated
};

/// Uses the tables message-NAME, send-NAME, receive-NAME, flood-NAME, work-NAME and the values
/// eager_limit-NAME, core_share-NAME, eager_overlap-NAME and rendezvous_overlap-NAME. Few sizes give wide
/// errors and a note. Fails only without a ping-pong.
Result<LinkFit> fit_link(const std::string& name, const std::vector<TablePoint>& points,
                         const std::vector<Value>& values);

}  // namespace parcast::calibrate

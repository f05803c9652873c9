// SPDX-License-Identifier: Apache-2.0
#pragma once
// The events in order of time. The kinds of one moment are ordered: a poll finds messages that become
// available at the same moment. All messages that enter the network at a moment are known before any is
// served.

#include <cstdint>
#include <queue>
#include <tuple>
#include <vector>

#include "trace/trace.h"

namespace parcast::simulate::extrap {

using trace::Time;

enum class Happening : std::uint8_t {
  arrive,     // a message is at the receiving interface of `rank`
  available,  // a message is in the queue of `rank`
  step,       // the processor of `rank` continues
  enter,      // a message enters the network
  hop,        // a message requests the next link of a ring
};

struct Event {
  Time time = 0;
  Happening happening = Happening::step;
  std::int32_t rank = 0;  // 0 where messages of all ranks meet; there the source decides
  std::int32_t source = 0;
  std::uint32_t order = 0;    // number among the source's messages
  std::uint32_t subject = 0;  // message; of a step the number that a later one replaces

  auto key() const { return std::tuple(time, happening, rank, source, order); }
  // the front of the queue is the earliest
  bool operator<(const Event& other) const { return key() > other.key(); }
};

using Agenda = std::priority_queue<Event>;

}  // namespace parcast::simulate::extrap

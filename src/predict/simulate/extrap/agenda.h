// SPDX-License-Identifier: Apache-2.0
#pragma once
// What is to happen, the earliest first. Of one moment the kinds come in order, so that what becomes available at a moment is
// there for a look at that moment, and all that enters the network at a moment is known before it is served.

#include <cstdint>
#include <queue>
#include <tuple>
#include <vector>

#include "trace/trace.h"

namespace parcast::simulate::extrap {

using trace::Time;

enum class Happening : std::uint8_t {
  arrive,     // a message is at the receiving interface of `rank`
  available,  // it is in the queue of `rank`
  step,       // the processor of `rank` goes on
  enter,      // a message enters the network
  hop,        // it asks for the next link of a ring
};

struct Event {
  Time time = 0;
  Happening happening = Happening::step;
  std::int32_t rank = 0;       // 0 where messages of all ranks meet: there the source decides
  std::int32_t source = 0;
  std::uint32_t order = 0;     // of the source's messages
  std::uint32_t subject = 0;   // message; of a step the number by which a later one replaces it

  auto key() const { return std::tuple(time, happening, rank, source, order); }
  bool operator<(const Event& other) const { return key() > other.key(); }  // the queue's first is the earliest
};

using Agenda = std::priority_queue<Event>;

}  // namespace parcast::simulate::extrap

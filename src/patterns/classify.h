// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which pattern the messages of a segment make, by exact rules over who sends to whom, in which order and how much, for any number of
// ranks; and what of the training set prices it. docs/models/patterns.md.

#include <cstdint>
#include <string>
#include <string_view>

#include "patterns/traffic.h"
#include "recording/recording.h"

namespace parcast::program {

enum class MessagePattern {
  none,       // no messages
  exchange,   // ranks in pairs, each with its partner
  shift,      // every rank to one further on
  broadcast,  // one rank reaches all
  combine,    // all reach one, or all reach all with what they have combined
  halo,       // neighbours in a process grid, in both directions
  transpose,  // every rank to every other, a part each
  irregular,  // the rest
};
inline constexpr int kMessagePatterns = 8;
std::string_view name_of(MessagePattern pattern);

struct Classified {
  MessagePattern pattern = MessagePattern::none;
  std::string form;              // "by 1, periodic", "chain from 0", "4 x 4, periodic in 0, 1"; empty: there is but one
  std::int32_t groups = 1;       // of equally many ranks each, every one by itself (rows, columns)
  int dimensions = 0;            // of a halo's grid
  double explained = 1;          // share of the messages that the pattern explains; below 1 of `irregular` only
  MessagePattern nearest = MessagePattern::none;  // of `irregular`: the pattern that explains so much
  std::string table;             // of the training set, which prices it ("halo2d"); empty: what its messages cost by the links
};

/// Of point-to-point messages.
Classified classify(const Traffic& traffic);
/// Of a collective.
Classified classify(recording::Pattern collective);

}  // namespace parcast::program

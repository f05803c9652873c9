// SPDX-License-Identifier: Apache-2.0
#pragma once
// Classifies the messages of a segment as a pattern, by exact rules on senders, receivers, order and sizes,
// for any number of ranks. Also selects the table of the training set that prices the pattern.
// docs/models/patterns.md.

#include <cstdint>
#include <string>
#include <string_view>

#include "patterns/traffic.h"
#include "recording/recording.h"

namespace parcast::program {

enum class MessagePattern {
  none,       // no messages
  exchange,   // pairs of ranks; both ranks of a pair send
  shift,      // every rank sends to one at the same distance
  broadcast,  // one rank reaches all others
  combine,    // all ranks reach one, or all reach all with combined data
  halo,       // neighbours in a process grid, in both directions
  transpose,  // every rank sends a part to every other
  irregular,  // none of the patterns
};
inline constexpr int kMessagePatterns = 8;
std::string_view name_of(MessagePattern pattern);

struct Classified {
  MessagePattern pattern = MessagePattern::none;
  // "by 1, periodic", "chain from 0", "4 x 5, periodic along 1"; empty: the pattern has only one form
  std::string form;
  std::int32_t groups = 1;  // groups of equally many ranks, each with the pattern (rows, columns)
  int dimensions = 0;       // for a halo: dimensions of its grid
  double explained = 1;     // share of the messages that the pattern explains; below 1 only for `irregular`
  MessagePattern nearest = MessagePattern::none;  // for `irregular`: the pattern with that share
  // table of the training set that prices it ("halo2d"); empty: its messages are priced by the links
  std::string table;
};

/// Classifies point-to-point messages.
Classified classify(const Traffic& traffic);
/// Classifies a collective.
Classified classify(recording::Pattern collective);

}  // namespace parcast::program

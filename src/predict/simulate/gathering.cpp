// SPDX-License-Identifier: Apache-2.0
#include "predict/simulate/gathering.h"

namespace parcast::simulate {

using recording::Pattern;

void Gathering::enter(std::int32_t place, Time time) {
  ++entered_;
  latest_ = std::max(latest_, time);
  if (place == root) root_entry_ = time;
  if (pattern != Pattern::scan) return;
  entries_.resize(static_cast<std::size_t>(members), kUnknown);
  entries_[static_cast<std::size_t>(place)] = time;
  while (prefixes_.size() < entries_.size() && entries_[prefixes_.size()] != kUnknown) {
    const Time own = entries_[prefixes_.size()];
    prefixes_.push_back(prefixes_.empty() ? own : std::max(prefixes_.back(), own));
  }
}

Time Gathering::released(std::int32_t place, Time entry) const {
  const auto at = static_cast<std::size_t>(place);
  switch (pattern) {
    case Pattern::broadcast:
    case Pattern::scatter: return root_entry_ == kUnknown ? kUnknown : std::max(entry, root_entry_);
    case Pattern::reduce:
    case Pattern::gather: return place != root ? entry : complete() ? latest_ : kUnknown;
    case Pattern::scan: return at < prefixes_.size() ? prefixes_[at] : kUnknown;
    default: return complete() ? latest_ : kUnknown;
  }
}

}  // namespace parcast::simulate

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
    case Pattern::scatter:
      return root_entry_ == kUnknown ? kUnknown : std::max(entry, root_entry_);
    case Pattern::reduce:
    case Pattern::gather:
      return place != root ? entry : complete() ? latest_ : kUnknown;
    case Pattern::scan:
      return at < prefixes_.size() ? prefixes_[at] : kUnknown;
    default:
      return complete() ? latest_ : kUnknown;
  }
}

void Gathering::describe(Time base, std::vector<std::uint64_t>& words) const {
  const auto tell = [&](Time time) {
    words.push_back(time == kUnknown ? UINT64_MAX
                                     : static_cast<std::uint64_t>(std::max(time - base, Time{-1}) + 1));
  };
  for (const std::int32_t number : {static_cast<std::int32_t>(pattern), members, root, left, entered_})
    words.push_back(static_cast<std::uint32_t>(number));
  for (const std::int32_t rank : waiting) words.push_back(static_cast<std::uint32_t>(rank));
  tell(latest_);
  tell(root_entry_);
  for (const Time entry : entries_) tell(entry);
  words.push_back(prefixes_.size());
  for (const Time prefix : prefixes_) tell(prefix);
}

void Gathering::shift(Time by) {
  latest_ += by;
  if (root_entry_ != kUnknown) root_entry_ += by;
  for (Time& entry : entries_)
    if (entry != kUnknown) entry += by;
  for (Time& prefix : prefixes_) prefix += by;
}

}  // namespace parcast::simulate

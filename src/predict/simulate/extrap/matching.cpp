// SPDX-License-Identifier: Apache-2.0
#include "predict/simulate/extrap/matching.h"

#include <algorithm>

namespace parcast::simulate::extrap {

std::uint32_t Matching::take_first(Queues& queues, Queues::iterator from) {
  const std::uint32_t index = from->second.front().index;
  from->second.pop_front();
  if (from->second.empty()) queues.erase(from);
  return index;
}

/// Returns the queue with the first matching message; the end if there is none.
Matching::Queues::const_iterator Matching::queue_for(const Signature& signature) const {
  if (signature.is_exact()) return messages_.find(signature);
  auto first = messages_.end();
  for (auto each = messages_.begin(); each != messages_.end(); ++each)
    if (signature.takes(each->first) &&
        (first == messages_.end() || each->second.front().when < first->second.front().when))
      first = each;
  return first;
}

std::optional<std::uint32_t> Matching::first(const Signature& signature) const {
  const auto queue = queue_for(signature);
  return queue == messages_.end() ? std::nullopt : std::optional(queue->second.front().index);
}

std::optional<std::uint32_t> Matching::post(const Signature& signature, std::uint32_t receive) {
  const auto queue = queue_for(signature);
  // Erasing nothing converts to an iterator that may write.
  if (queue != messages_.end()) return take_first(messages_, messages_.erase(queue, queue));
  const Entry entry{count_++, receive};
  if (signature.is_exact())
    exact_[signature].push_back(entry);
  else
    open_.emplace_back(signature, entry);
  return std::nullopt;
}

std::optional<std::uint32_t> Matching::come(const Signature& signature, std::uint32_t message) {
  const auto exact = exact_.find(signature);
  const auto open =
      std::find_if(open_.begin(), open_.end(), [&](const auto& each) { return each.first.takes(signature); });
  const bool has_exact = exact != exact_.end(), has_open = open != open_.end();
  if (has_exact && (!has_open || exact->second.front().when < open->second.when))
    return take_first(exact_, exact);
  if (has_open) {
    const std::uint32_t receive = open->second.index;
    open_.erase(open);
    return receive;
  }
  messages_[signature].push_back({count_++, message});
  return std::nullopt;
}

}  // namespace parcast::simulate::extrap

// SPDX-License-Identifier: Apache-2.0
#include "predict/simulate/costs.h"

#include <algorithm>

namespace parcast::simulate {
namespace {

/// Returns false when the value is out of range.
bool store(Time& into, Wide value) {
  if (value < 0 || value > trace::kLongest) return false;
  into = static_cast<Time>(value);
  return true;
}

bool is_eager(const Link& link, std::uint64_t bytes, trace::Mode mode) {
  if (mode == trace::Mode::buffered) return true;
  if (mode == trace::Mode::synchronous) return false;
  return link.eager_limit == kNotGiven || bytes <= static_cast<std::uint64_t>(link.eager_limit);
}

/// Returns the latency plus the difference between the measured curve and the linear law in the piece that
/// contains the bytes (communication.md, (5)).
Wide way_of(const Link& link, std::uint64_t bytes) {
  const Correction* piece = nullptr;
  for (const Correction& correction : link.corrections)
    if (bytes >= static_cast<std::uint64_t>(correction.from_bytes)) piece = &correction;
  return piece ? Wide{link.latency} + piece->startup + at_rate(bytes, piece->per_byte) : Wide{link.latency};
}

}  // namespace

std::optional<MessageCost> cost_of(const Link& link, std::uint64_t bytes, trace::Mode mode, Time least) {
  MessageCost cost;
  cost.eager = is_eager(link, bytes, mode);
  const Wide stream = at_rate(bytes, cost.eager ? link.gap_per_byte : link.rendezvous_gap_per_byte);
  const Wide sent = cost.eager ? at_rate(bytes, link.send_overhead_per_byte) : 0;
  const Wide received = cost.eager ? at_rate(bytes, link.receive_overhead_per_byte) : 0;
  const Wide way = way_of(link, bytes);
  const Wide handshake = link.handshake == kNotGiven ? 2 * static_cast<Wide>(link.latency) : link.handshake;
  const bool fits = store(cost.sender, link.send_overhead + sent) &&
                    store(cost.interface, std::max<Wide>(link.gap, stream)) &&
                    store(cost.latency, std::max<Wide>(least, way)) &&
                    store(cost.body, std::max<Wide>(0, stream - received + std::min<Wide>(0, way))) &&
                    store(cost.receiver, link.receive_overhead + received) &&
                    store(cost.request, std::max<Wide>(least, handshake / 2)) &&
                    store(cost.answer, handshake - handshake / 2);
  if (!fits) return std::nullopt;
  cost.asks_after = link.send_overhead;
  cost.stream = {bytes, network::bandwidth_of(cost.eager ? link.gap_per_byte : link.rendezvous_gap_per_byte),
                 static_cast<Time>(stream), static_cast<Time>(received)};
  return cost;
}

bool has_gaps(const Platform& platform) {
  return platform.network || std::any_of(platform.links.begin(), platform.links.end(), [](const Link& link) {
           return link.gap > 0 || link.gap_per_byte > 0 || link.rendezvous_gap_per_byte > 0;
         });
}

CostBook::CostBook(const Platform& platform, Time least) : platform_(platform), least_(least), slots_(64) {}

std::uint32_t CostBook::find(std::uint32_t link, std::uint64_t bytes, trace::Mode mode) {
  const Key key{bytes, link * 4 + static_cast<std::uint32_t>(mode)};
  for (std::size_t at = hash(key);; ++at) {
    const Slot& slot = slots_[at & (slots_.size() - 1)];
    if (slot.index == kNone) return add(key, link, mode);
    if (slot.key == key) return slot.index;
  }
}

std::uint32_t CostBook::add(const Key& key, std::uint32_t link, trace::Mode mode) {
  const auto cost = cost_of(platform_.links[link], key.bytes, mode, least_);
  if (!cost) overflow_ = true;
  costs_.push_back(cost.value_or(MessageCost{}));
  if (2 * costs_.size() > slots_.size()) grow();
  const auto index = static_cast<std::uint32_t>(costs_.size() - 1);
  insert({key, index});
  return index;
}

void CostBook::insert(const Slot& slot) {
  std::size_t at = hash(slot.key);
  while (slots_[at & (slots_.size() - 1)].index != kNone) ++at;
  slots_[at & (slots_.size() - 1)] = slot;
}

void CostBook::grow() {
  std::vector<Slot> before(2 * slots_.size());
  before.swap(slots_);
  for (const Slot& slot : before)
    if (slot.index != kNone) insert(slot);
}

}  // namespace parcast::simulate

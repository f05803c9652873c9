// SPDX-License-Identifier: Apache-2.0
// Quotations are from docs/models/memory_contention.md.
#include "predict/simulate/test_reference_memory.h"

#include <algorithm>
#include <limits>
#include <map>

namespace parcast::simulate::reference {
namespace {

constexpr Memory::Work kUnit = Memory::Work{1} << 32;

/// Returns picoseconds, rounded up.
Time up(Memory::Work work) {
  return static_cast<Time>((work + kUnit - 1) / kUnit);
}

}  // namespace

Memory::Memory(const Platform& platform, std::int32_t ranks, Times times,
               std::vector<std::vector<Work>> works)
    : platform_(platform),
      times_(times),
      works_(std::move(works)),
      found_(static_cast<std::size_t>(ranks)),
      pieces_begun_(static_cast<std::size_t>(ranks)),
      pieces_(static_cast<std::size_t>(ranks)) {
  for (std::int32_t rank = 0; rank < ranks && platform.noise; ++rank)
    noise_.emplace_back(*platform.noise, rank);
}

/// "floor(a R / 2^32)"; noise "is drawn for picoseconds, rounded up".
Memory::Work Memory::alone(std::size_t rank, Time given) {
  const std::size_t number = pieces_begun_[rank]++;
  Work work = works_.empty() || number >= works_[rank].size() ? given * kUnit : works_[rank][number];
  const Work whole = work / kUnit, part = work % kUnit;
  work = whole * platform_.compute_ratio + part * platform_.compute_ratio / kUnit;
  if (!noise_.empty()) work = noise_[rank].next(up(work)) * kUnit;
  return work;
}

bool Memory::begin(std::int32_t number, Time now, Time given) {
  const auto rank = static_cast<std::size_t>(number);
  Piece piece{.going = true, .begun = now, .until = now + given};
  if (times_ == Times::shared) {
    piece.whole = alone(rank, given);
    piece.going = piece.whole > 0;
  } else if (given == 0) {
    found_[rank].push_back(0);
    piece.going = false;
  }
  pieces_[rank] = piece;
  return piece.going;
}

std::vector<Memory::Ended> Memory::end(Time now) {
  std::vector<Ended> out;
  for (std::size_t rank = 0; rank < pieces_.size(); ++rank) {
    Piece& piece = pieces_[rank];
    if (!piece.going) continue;
    piece.done += Work{piece.speed} * (now - last_);
    if (times_ == Times::as_recorded ? piece.until > now : piece.done < piece.whole) continue;
    piece.going = false;
    Time lost = 0;
    if (times_ == Times::as_recorded)
      found_[rank].push_back(piece.done);
    else
      lost = now - piece.begun - up(piece.whole);
    out.push_back({static_cast<std::int32_t>(rank), piece.begun, lost});
  }
  last_ = now;
  return out;
}

/// "While k pieces of a domain are computed, all go on at v(k)"; "A piece ends at the first picosecond at
/// which its work is done."
Time Memory::next(Time now) {
  std::map<std::uint32_t, std::size_t> computing;
  const Contention& contention = *platform_.contention;
  for (std::size_t rank = 0; rank < pieces_.size(); ++rank)
    computing[contention.domain_of[rank]] += pieces_[rank].going;
  Time first = std::numeric_limits<Time>::max();
  for (std::size_t rank = 0; rank < pieces_.size(); ++rank) {
    Piece& piece = pieces_[rank];
    if (!piece.going) continue;
    piece.speed = contention.speeds[computing[contention.domain_of[rank]]];
    const Work left = piece.whole - piece.done;
    first = std::min(first, times_ == Times::as_recorded
                                ? piece.until
                                : now + static_cast<Time>((left + piece.speed - 1) / piece.speed));
  }
  return first;
}

}  // namespace parcast::simulate::reference

// SPDX-License-Identifier: Apache-2.0
#include "predict/simulate/computing_domains.h"

#include <algorithm>

namespace parcast::simulate {

using trace::Time;

namespace {

constexpr Work kTooMuch = work_of(trace::kLongest) + work_of(1);

}  // namespace

Work scaled_work(Work work, std::int64_t ratio) {
  const auto factor = static_cast<Work>(ratio);
  const Work whole = (work >> 32) * factor, part = ((work & 0xffffffffu) * factor) >> 32;
  return std::min(whole + part, kTooMuch);
}

void WorksOfRank::add(Work work) {
  if (runs_.empty() || runs_.back().work != work) runs_.push_back({work, 0});
  ++runs_.back().pieces;
}

bool WorksOfRank::next(Work& work) {
  if (at_ == runs_.size()) return false;
  work = runs_[at_].work;
  if (++taken_ == runs_[at_].pieces) ++at_, taken_ = 0;
  return true;
}

ComputingDomains::ComputingDomains(const Contention& of, std::size_t ranks) : of_(of) {
  std::uint32_t last = 0;
  for (std::size_t rank = 0; rank < ranks; ++rank) last = std::max(last, of.domain_of[rank]);
  domains_.resize(std::size_t{last} + 1);
}

ComputingDomains::Domain& ComputingDomains::advance(std::int32_t rank, Time now) {
  Domain& domain = domains_[of_.domain_of[static_cast<std::size_t>(rank)]];
  if (!domain.pieces.empty())
    domain.done += static_cast<Work>(speed(domain)) * static_cast<Work>(now - domain.since);
  domain.since = now;
  return domain;
}

void ComputingDomains::begin(std::int32_t rank, Time now, Work work) {
  Domain& domain = advance(rank, now);
  add(domain, {domain.done + work, rank, domain.done});
}

void ComputingDomains::begin_until(std::int32_t rank, Time now, Time end) {
  timed_ = true;
  Domain& domain = advance(rank, now);
  add(domain, {static_cast<Work>(end), rank, domain.done});
}

void ComputingDomains::add(Domain& domain, const Piece& piece) {
  domain.pieces.push_back(piece);
  std::push_heap(domain.pieces.begin(), domain.pieces.end());
  look_ahead(domain);
}

/// Sets when the domain's next piece ends if nothing changes: the first picosecond at which its work is done.
void ComputingDomains::look_ahead(Domain& domain) {
  const auto number = static_cast<std::uint32_t>(&domain - domains_.data());
  if (domain.end != kNever) ends_.erase({domain.end, number});
  domain.end = kNever;
  if (domain.pieces.empty()) return;
  const Work key = domain.pieces.front().key;
  if (timed_) {
    domain.end = static_cast<Time>(key);
  } else {
    const auto rate = static_cast<Work>(speed(domain));
    const Work lasts = key <= domain.done ? 0 : (key - domain.done + rate - 1) / rate;
    domain.end = lasts > static_cast<Work>(trace::kLongest)
                     ? trace::kLongest + 1
                     : std::min(trace::kLongest + 1, domain.since + static_cast<Time>(lasts));
  }
  ends_.emplace(domain.end, number);
}

std::span<const ComputingDomains::Ended> ComputingDomains::end() {
  ended_.clear();
  const Time now = next_end();
  while (next_end() == now) {
    Domain& domain = domains_[ends_.begin()->second];
    advance(domain.pieces.front().rank, now);
    const Work reached = timed_ ? static_cast<Work>(now) : domain.done;
    while (!domain.pieces.empty() && domain.pieces.front().key <= reached) {
      const Piece& piece = domain.pieces.front();
      ended_.push_back({piece.rank, timed_ ? domain.done - piece.begun : piece.key - piece.begun});
      std::pop_heap(domain.pieces.begin(), domain.pieces.end());
      domain.pieces.pop_back();
    }
    look_ahead(domain);
  }
  return ended_;
}

}  // namespace parcast::simulate

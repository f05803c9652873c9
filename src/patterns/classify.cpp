// SPDX-License-Identifier: Apache-2.0
#include "patterns/classify.h"

#include <numeric>

#include "patterns/rules.h"

namespace parcast::program {
namespace {

constexpr std::optional<Classified> (*kRules[])(const Traffic&) = {  // in order of precedence
    exchange_in, shift_in,      broadcast_in, reduction_in,     reduction_and_broadcast_in,
    doubling_in, grid_shift_in, halo_in,      dissemination_in, transpose_in};

std::optional<Classified> by_rules(const Traffic& traffic) {
  if (traffic.ranks() < 2 || traffic.pairs().empty()) return std::nullopt;
  for (const auto rule : kRules)
    if (auto found = rule(traffic)) return found;
  return std::nullopt;
}

/// Returns the pattern if it is the same in each of several groups of equally many ranks that together are
/// all ranks.
std::optional<Classified> in_groups(const Traffic& traffic) {
  const auto groups = traffic.connected();
  std::size_t members = 0;
  for (const auto& group : groups) members += group.size();
  if (groups.size() < 2 || members != static_cast<std::size_t>(traffic.ranks()) || !traffic.even())
    return std::nullopt;
  std::optional<Classified> out;
  for (const auto& group : groups) {
    if (group.size() != groups.front().size()) return std::nullopt;
    auto found = by_rules(traffic.among(group));
    if (!found || (out && (found->pattern != out->pattern || found->form != out->form))) return std::nullopt;
    out = std::move(found);
  }
  out->groups = static_cast<std::int32_t>(groups.size());
  return out;
}

/// Returns the traffic of all ranks except the host if the host neither sends nor receives.
std::optional<Traffic> without_host(const Traffic& traffic) {
  if (traffic.ranks() < 3 || traffic.receivers_of(0) + traffic.senders_to(0) > 0) return std::nullopt;
  std::vector<std::int32_t> others(static_cast<std::size_t>(traffic.ranks()) - 1);
  std::iota(others.begin(), others.end(), 1);
  return traffic.among(others);
}

}  // namespace

std::string_view name_of(MessagePattern pattern) {
  static constexpr std::string_view kNames[kMessagePatterns] = {
      "none", "exchange", "shift", "broadcast", "combine", "halo", "transpose", "irregular"};
  return kNames[static_cast<std::size_t>(pattern)];
}

Classified classify(const Traffic& traffic) {
  if (traffic.pairs().empty()) return {};
  if (auto found = by_rules(traffic)) return *std::move(found);
  if (auto found = in_groups(traffic)) return *std::move(found);
  if (const auto nodes = without_host(traffic)) {
    if (auto found = by_rules(*nodes)) return *std::move(found);
    if (auto found = in_groups(*nodes)) return *std::move(found);
  }
  const Nearest nearest = nearest_to(traffic);
  return {.pattern = MessagePattern::irregular,
          .form = "",
          .explained = nearest.explained,
          .nearest = nearest.pattern,
          .table = ""};
}

Classified classify(recording::Pattern collective) {
  using recording::Pattern;
  const auto of = [](MessagePattern pattern, const char* table) {
    return Classified{.pattern = pattern, .form = std::string("collective"), .table = table};
  };
  switch (collective) {
    case Pattern::none:
      return {};
    case Pattern::barrier:
      return of(MessagePattern::none, "barrier");
    case Pattern::broadcast:
      return of(MessagePattern::broadcast, "broadcast");
    case Pattern::scatter:
      return of(MessagePattern::broadcast, "scatter");
    case Pattern::reduce:
      return of(MessagePattern::combine, "reduce");
    case Pattern::allreduce:
      return of(MessagePattern::combine, "allreduce");
    case Pattern::gather:
      return of(MessagePattern::combine, "gather");
    case Pattern::allgather:
      return of(MessagePattern::combine, "allgather");
    case Pattern::reduce_scatter:
      return of(MessagePattern::combine, "reduce_scatter");
    case Pattern::scan:
      return of(MessagePattern::combine, "scan");
    case Pattern::alltoall:
      return of(MessagePattern::transpose, "alltoall");
    case Pattern::neighbourhood:
      return of(MessagePattern::halo, "neighbourhood");
  }
  return {};
}

}  // namespace parcast::program

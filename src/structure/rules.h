// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rules of a structure at a place: which ranks do something, with whom, over which communicator; and the lists of rules among
// which those of a program are looked for, the simplest first.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/place.h"
#include "model/structure.h"

namespace parcast::program {

/// Place with the parameters left out; extents are found once for all ranks.
class Places {
 public:
  /// `parameters`: values in the order of the model's names, for grids that have extents of them.
  Places(std::int32_t processes, const std::vector<ProcessGrid>& grids, std::span<const double> parameters = {});
  Place of(std::int32_t rank) const;
  std::int32_t processes() const { return processes_; }

 private:
  std::int32_t processes_;
  Place first_;
};

/// The amount in round `round` of `rounds`; nothing beyond 63 bits.
std::optional<std::int64_t> changed(std::int64_t amount, Change change, std::int64_t round, std::int64_t rounds);

bool holds(const Guard& guard, const Place& place);
/// World rank; nothing where there is none. Partner::Kind::any gives trace::kAny.
std::optional<std::int32_t> partner_of(const Partner& partner, const Place& place, std::int64_t round = 0, std::int64_t rounds = 1);
/// World ranks in order of the communicator's ranks.
std::vector<std::int32_t> members_of(const Members& members, const Places& places, const Place& place);
/// Whether the rank is the communicator's only member: recordings do not show what such a rank does in collectives of it.
bool is_alone(const Members& members, const Places& places, const Place& place);
/// What the members of one communicator have in common: equal for them, different for others. 0 for all ranks.
std::int64_t group_of(const Members& members, const Place& place);

/// Who does something, and with whom.
using Rule = std::pair<Guard, Partner>;
/// The first of the ranks for which all of `around` hold and two rules say different things; nothing where they are the same.
std::optional<std::int32_t> first_difference(const Rule& a, const Rule& b, const Places& places, std::span<const Guard> around);

/// Each step, outer ones first, with the guards of those around it.
template <class Steps, class Visit>
void for_each_step_in_guards(Steps& steps, Visit visit, const std::vector<Guard>& around = {}) {
  for (auto& step : steps) {
    visit(step, around);
    std::vector<Guard> inside = around;
    inside.push_back(step.guard);
    for_each_step_in_guards(step.body, visit, inside);
  }
}

/// Guards but `all`.
std::vector<Guard> known_guards();
/// Rules that do not change from round to round. `dimensions` that recordings have a process grid of come first.
std::vector<Partner> known_partners(const std::vector<ProcessGrid>& grids);
/// Those that do.
std::vector<Partner> changing_partners();
std::vector<Members> known_members();

/// "rank (r + 1) mod p"; "ranks with r > 0".
std::string to_text(const Partner& partner);
std::string to_text(const Guard& guard);

}  // namespace parcast::program

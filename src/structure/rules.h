// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rules of a structure at a place: the ranks, partners and communicator of a step. Also the lists of rules
// that the search tries, simplest first.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/place.h"
#include "model/structure.h"

namespace parcast::program {

/// Places of all ranks at a process count, without parameters; extents are computed once for all ranks.
class Places {
 public:
  /// `parameters`: values in the order of the model's names, for grids whose extents are parameters.
  Places(std::int32_t processes, const std::vector<ProcessGrid>& grids,
         std::span<const double> parameters = {});
  Place of(std::int32_t rank) const;
  std::int32_t processes() const { return processes_; }

 private:
  std::int32_t processes_;
  Place first_;
};

/// Returns the amount in round `round` of `rounds`; nothing if it needs more than 63 bits.
std::optional<std::int64_t> changed(std::int64_t amount, Change change, std::int64_t round,
                                    std::int64_t rounds);

bool holds(const Guard& guard, const Place& place);
/// Returns the partner's world rank; nothing if there is none. Partner::Kind::any gives trace::kAny.
std::optional<std::int32_t> partner_of(const Partner& partner, const Place& place, std::int64_t round = 0,
                                       std::int64_t rounds = 1);
/// Returns the members' world ranks in the order of the communicator's ranks.
std::vector<std::int32_t> members_of(const Members& members, const Places& places, const Place& place);
/// Returns whether the rank is the communicator's only member: recordings do not contain the collectives of
/// such a rank.
bool is_alone(const Members& members, const Places& places, const Place& place);
/// Returns a number that is equal for members of one communicator and different for others; 0 for all ranks.
std::int64_t group_of(const Members& members, const Place& place);

/// The ranks of a step, and their partner.
using Rule = std::pair<Guard, Partner>;
/// Returns the first rank that fulfils all of `around` and for which the two rules differ; nothing if they
/// are equal.
std::optional<std::int32_t> first_difference(const Rule& a, const Rule& b, const Places& places,
                                             std::span<const Guard> around);

/// Visits each step, outer ones first, with the guards of the steps around it.
template <class Steps, class Visit>
void for_each_step_in_guards(Steps& steps, Visit visit, const std::vector<Guard>& around = {}) {
  for (auto& step : steps) {
    visit(step, around);
    std::vector<Guard> inside = around;
    inside.push_back(step.guard);
    for_each_step_in_guards(step.body, visit, inside);
  }
}

/// Returns all guards except `all`.
std::vector<Guard> known_guards();
/// Returns the rules that do not change from round to round. Dimensions with a recorded process grid come
/// first.
std::vector<Partner> known_partners(const std::vector<ProcessGrid>& grids);
/// Returns the rules that change.
std::vector<Partner> changing_partners();
std::vector<Members> known_members();

/// Returns text such as "rank (r + 1) mod p" or "ranks with r > 0".
std::string to_text(const Partner& partner);
std::string to_text(const Guard& guard);

}  // namespace parcast::program

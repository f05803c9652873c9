// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <set>
#include <utility>

#include "base/text.h"
#include "machine/cost.h"
#include "predict/simulate/platform.h"

namespace parcast::simulate {
namespace {

/// Adds each assumption once per table.
class Sayings {
 public:
  Sayings(const std::string& machine, Platform& platform) : machine_(machine), platform_(platform) {}

  void note(const machine::CommunicationCost& cost, const MeasuredCollective& of) {
    if (!cost.note.empty() && priced_alike_.insert(cost.table).second)
      platform_.assumptions.push_back(cost.note);
    const std::string beyond =
        machine::beyond_table(machine_, cost, of.members, static_cast<double>(of.bytes));
    if (!beyond.empty() && gone_on_.insert(cost.table).second) platform_.assumptions.push_back(beyond);
  }

 private:
  const std::string& machine_;
  Platform& platform_;
  std::set<std::string> gone_on_, priced_alike_;
};

constexpr double kMostlyHidden = 0.5;  // own choice

}  // namespace

Result<void> take_measured_collectives(const machine::Machine& machine, const trace::Trace& trace,
                                       Platform& platform) {
  const symbolic::Binding binding = machine::cost_binding(machine);
  Sayings sayings(machine.name, platform);
  bool by_messages = false;  // because ranks have shares of cores
  for (const trace::Operation& operation : trace.operations) {
    if (operation.kind != trace::Kind::collective ||
        !machine::table_for(machine, operation.pattern, operation.uneven) ||
        platform.collectives.contains(operation.pattern))
      continue;
    const auto members =
        operation.communicator == 0
            ? trace.ranks
            : static_cast<std::int32_t>(trace.communicators[operation.communicator].members.size());
    const MeasuredCollective key{operation.pattern, operation.bytes, members, operation.uneven};
    if (platform.measured.contains(key)) continue;
    if (!platform.share.whole() && !platform.algorithms(operation.pattern).empty()) {
      if (!std::exchange(by_messages, true))
        platform.assumptions.push_back(dependence::kCollectivesByMessages);
      continue;
    }
    const auto cost = machine::collective(machine, operation.pattern, 1,
                                          symbolic::Expression(static_cast<std::int64_t>(operation.bytes)),
                                          members, operation.uneven);
    PARCAST_ASSIGN(const double seconds, symbolic::evaluate(cost.startup + cost.transfer, binding));
    if (!(seconds >= 0) || seconds * 1e12 > static_cast<double>(trace::kLongest))
      return Error{"a collective of " + std::to_string(operation.bytes) + " bytes would take " +
                       std::to_string(seconds) + " s by its table",
                   machine.name, "check the table of " + cost.table};
    platform.measured.emplace(key, static_cast<Time>(std::nearbyint(seconds * 1e12)));
    sayings.note(cost, key);
  }
  if (platform.network && !platform.measured.empty())
    platform.assumptions.push_back(
        "collectives take the time measured for them, and share no links with messages; --collectives "
        "messages has them share");
  return {};
}

void take_measured_attention(const machine::Machine& machine, Platform& platform) {
  if (machine.links.empty()) return;
  // The farthest link in use.
  const auto& [name, link] = *std::next(machine.links.begin(), platform.between_nodes);
  if (link.rendezvous_overlap.origin == Origin::unknown) return;
  const double hidden = machine::overlap_share(link.rendezvous_overlap);
  platform.attention = hidden >= kMostlyHidden ? Attention::always : Attention::calls;
  platform.assumptions.push_back("long messages move on " +
                                 std::string(platform.attention == Attention::always
                                                 ? "at all times"
                                                 : "only while a rank is inside MPI") +
                                 ": on the " + name + " link of " + machine.name + " computing hides " +
                                 format_significant(100 * hidden, 2) + " % of a transfer (" +
                                 std::string(to_string(link.rendezvous_overlap.origin)) + ")");
}

}  // namespace parcast::simulate

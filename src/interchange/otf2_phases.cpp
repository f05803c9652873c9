// SPDX-License-Identifier: Apache-2.0
#include "interchange/otf2_phases.h"

#include <algorithm>
#include <memory>

#include "interchange/otf2_names.h"

namespace parcast::interchange {
namespace {

using recording::Phase;
using recording::PhaseKind;

const char* name_of(PhaseKind kind) {
  switch (kind) {
    case PhaseKind::computation:
      return "computation";
    case PhaseKind::communication:
      return "communication";
    case PhaseKind::idle:
      break;
  }
  return "idle";
}

struct DeleteList {
  void operator()(OTF2_AttributeList* list) const { OTF2_AttributeList_Delete(list); }
};

}  // namespace

void write_phases(const recording::RankRecording& rank, std::uint64_t zero, Otf2Definitions& names,
                  OTF2_Archive* archive, Outcome& outcome, EventTotals& totals) {
  if (rank.phases.empty()) return;
  OTF2_EvtWriter* writer = OTF2_Archive_GetEvtWriter(archive, location_of(rank.rank, kPhaseLine));
  if (!writer) return outcome(OTF2_ERROR_INVALID);
  const std::unique_ptr<OTF2_AttributeList, DeleteList> attributes(OTF2_AttributeList_New());
  const auto stamp = [&](std::int64_t time) {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(static_cast<std::int64_t>(zero) + time, 0));
  };
  for (const Phase& phase : rank.phases) {
    const std::string& name = rank.phase_names[phase.name];
    const OTF2_RegionRef region = names.region_of_phase(name.empty() ? name_of(phase.kind) : name);
    outcome(OTF2_AttributeList_AddStringRef(attributes.get(), ref(Attribute::phase),
                                            names.string(name_of(phase.kind))));
    if (phase.operations > 0)
      outcome(OTF2_AttributeList_AddDouble(attributes.get(), ref(Attribute::operations), phase.operations));
    if (phase.quantums > 0)
      outcome(OTF2_AttributeList_AddDouble(attributes.get(), ref(Attribute::quantums), phase.quantums));
    // also empties the list
    outcome(OTF2_EvtWriter_Enter(writer, attributes.get(), stamp(phase.begin), region));
    outcome(OTF2_EvtWriter_Leave(writer, nullptr, stamp(phase.end), region));
  }
  outcome(OTF2_Archive_CloseEvtWriter(archive, writer));
  names.locations[static_cast<std::size_t>(rank.rank)].push_back({kPhaseLine, 2 * rank.phases.size()});
  names.first = std::min(names.first, stamp(rank.phases.front().begin));
  names.last = std::max(names.last, stamp(rank.phases.back().end));
  totals.records["Enter"] += rank.phases.size();
  totals.records["Leave"] += rank.phases.size();
}

}  // namespace parcast::interchange

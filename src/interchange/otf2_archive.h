// SPDX-License-Identifier: Apache-2.0
#pragma once
// The definitions of an archive as written in it, and what follows from them: the rank and thread of each
// location, the members of communicators, the start of the clock. Nothing in an archive is trusted: any
// number may refer to a missing definition.

#include <otf2/otf2.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "interchange/mpi_calls.h"
#include "interchange/otf2_names.h"

namespace parcast::interchange {

/// Ticks of imported files are nanoseconds of the archive's clock plus this shift, which leaves room before
/// the first event.
inline constexpr std::uint64_t kShift = 2'000'000'000;

struct ArchiveRegion {
  std::string name;
  OTF2_RegionRole role = OTF2_REGION_ROLE_UNKNOWN;
  OTF2_Paradigm paradigm = OTF2_PARADIGM_UNKNOWN;
  const MpiCall* call = nullptr;  // set for a function of MPI
};

struct ArchiveGroup {
  OTF2_GroupType type = OTF2_GROUP_TYPE_UNKNOWN;
  bool global = false;  // members are locations, not ranks
  std::vector<std::uint64_t> members;
};

struct ArchiveCommunicator {
  OTF2_GroupRef group = 0, other = 0;
  bool inter = false;
  std::string name;
};

struct ArchiveNode {
  std::string name, kind;
  std::uint32_t parent = OTF2_UNDEFINED_SYSTEM_TREE_NODE;
  bool shares_memory = false;
};

struct ArchiveProcess {
  std::string name;
  OTF2_LocationGroupType type = OTF2_LOCATION_GROUP_TYPE_UNKNOWN;
  std::uint32_t parent = 0;
};

struct ArchiveLocation {
  OTF2_LocationRef number = 0;
  OTF2_LocationType type = OTF2_LOCATION_TYPE_UNKNOWN;
  std::uint64_t records = 0;
  OTF2_LocationGroupRef process = 0;
};

struct PropertyValue {
  OTF2_Type type = OTF2_TYPE_NONE;
  OTF2_AttributeValue value{};
  std::string text;  // value of a string property
};
using Properties = std::map<std::string, PropertyValue>;

struct ArchiveGrid {
  std::vector<std::int32_t> extents;
  std::vector<bool> periodic;
  std::map<std::uint32_t, std::vector<std::uint32_t>> coordinates;  // by rank in the communicator
};

struct Otf2Archive {
  std::uint64_t resolution = 0, offset = 0, day = OTF2_UNDEFINED_TIMESTAMP;
  std::unordered_map<OTF2_StringRef, std::string> strings;
  std::unordered_map<OTF2_RegionRef, ArchiveRegion> regions;
  std::unordered_map<OTF2_CallingContextRef, OTF2_RegionRef> contexts;
  std::map<OTF2_GroupRef, ArchiveGroup> groups;
  std::map<OTF2_CommRef, ArchiveCommunicator> communicators;
  std::map<OTF2_CommRef, ArchiveGrid> grids;
  std::map<OTF2_RmaWinRef, OTF2_CommRef> windows;
  std::map<OTF2_AttributeRef, Attribute> attributes;  // attributes that Parcast defines
  std::map<OTF2_SystemTreeNodeRef, ArchiveNode> nodes;
  std::map<OTF2_LocationGroupRef, ArchiveProcess> processes;
  std::set<OTF2_Paradigm> accelerator_paradigms;  // those among the archive's definitions
  std::vector<ArchiveLocation> locations;
  std::map<OTF2_SystemTreeNodeRef, Properties> of_nodes;
  std::map<OTF2_LocationGroupRef, Properties> of_processes;

  const std::string& string(OTF2_StringRef number) const;
  /// Returns the time in nanoseconds plus kShift. Times beyond 73 years are limited to 73 years.
  std::uint64_t ticks(OTF2_TimeStamp time) const;
  std::string host_of(OTF2_LocationGroupRef process) const;
  /// Returns whether regions of this paradigm start work on an accelerator or wait for it.
  bool is_of_accelerators(OTF2_Paradigm paradigm) const;
};

/// Reads the definitions and selects the reader's locations, so that events can be read afterwards.
Result<Otf2Archive> read_definitions(OTF2_Reader* reader, const std::string& where);

/// The locations that are the threads of each rank.
struct Otf2Ranks {
  struct Rank {
    OTF2_LocationGroupRef process = 0;
    std::vector<OTF2_LocationRef> threads;  // the first thread calls MPI_Init
  };
  std::vector<Rank> ranks;
  std::map<OTF2_LocationRef, std::int32_t> rank_of;
  std::vector<std::string> warnings;
  // locations of accelerators and their records, which are left out
  std::uint64_t streams = 0, stream_records = 0;
};
Result<Otf2Ranks> ranks_of(const Otf2Archive& archive, const std::string& where);

std::optional<std::uint64_t> number(const Properties& properties, std::string_view name);
std::optional<double> real(const Properties& properties, std::string_view name);
std::string text(const Properties& properties, std::string_view name);

}  // namespace parcast::interchange

// SPDX-License-Identifier: Apache-2.0
#pragma once
// The communicators of an archive from the view of one rank. They are numbered by first use, at which their
// definition is written to the rank's file. Ranks that records name are translated to world ranks.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "interchange/otf2_archive.h"
#include "interchange/rank_writer.h"

namespace parcast::interchange {

/// Members of all communicators as world ranks, for all ranks.
class ArchiveCommunicators {
 public:
  ArchiveCommunicators(const Otf2Archive& archive, const Otf2Ranks& ranks);

  /// Returns the group that receives messages of `rank`; empty if it is unknown.
  const std::vector<std::int32_t>& peers(OTF2_CommRef communicator, std::int32_t rank) const;
  bool is_inter(OTF2_CommRef communicator, std::int32_t rank) const;
  bool is_world(OTF2_CommRef communicator) const { return communicator == world_; }
  const ArchiveGrid* grid(OTF2_CommRef communicator) const;

 private:
  struct Members {
    std::vector<std::int32_t> first, second;
    bool self = false, inter = false;
  };
  std::vector<std::int32_t> ranks_in(OTF2_GroupRef group, const Otf2Ranks& ranks) const;

  const Otf2Archive& archive_;
  std::map<OTF2_CommRef, Members> members_;
  std::vector<std::vector<std::int32_t>> alone_;  // MPI_COMM_SELF of each rank
  OTF2_CommRef world_ = OTF2_UNDEFINED_COMM;
};

class RankCommunicators {
 public:
  RankCommunicators(const ArchiveCommunicators& all, std::int32_t rank, RankWriter& writer)
      : all_(all), rank_(rank), writer_(writer) {}

  /// Returns its number in the rank's file, writing its definition at the first use.
  std::uint32_t number(OTF2_CommRef communicator);
  /// Returns the world rank of the process that a record names. Returns kNoPeer, and counts the case, if
  /// there is none.
  std::int32_t peer(OTF2_CommRef communicator, std::uint32_t rank);
  std::uint64_t size(OTF2_CommRef communicator) const { return all_.peers(communicator, rank_).size(); }
  /// Returns the rank of this process in it.
  std::uint64_t own_place(OTF2_CommRef communicator) const;
  std::uint64_t unknown_peers() const { return unknown_peers_; }

 private:
  const ArchiveCommunicators& all_;
  std::int32_t rank_;
  RankWriter& writer_;
  std::map<OTF2_CommRef, std::uint32_t> numbers_;
  std::uint64_t unknown_peers_ = 0;
};

}  // namespace parcast::interchange

// SPDX-License-Identifier: Apache-2.0
#pragma once
// The patterns of the training set that all processes take part in.

#include <memory>

#include "calibrate/training/cells.h"

namespace parcast::training {

/// What all calls send from and receive into.
class Buffers {
 public:
  /// Neither side ever holds more than `limit` bytes.
  explicit Buffers(std::int64_t limit) : limit_(limit) {}
  /// Makes room for so many bytes on either side, if there may be as many. Not while a call is measured.
  bool hold(std::int64_t bytes);
  char* send() { return send_.data(); }
  char* receive() { return receive_.data(); }

 private:
  std::int64_t limit_;
  std::vector<char> send_, receive_;
};

/// barrier, broadcast, reduce, allreduce, scan, gather, scatter, allgather, alltoall, reduce_scatter, and with the parts of
/// calibrate::uneven_parts gatherv, scatterv, allgatherv, alltoallv. The bytes of a point are those that a process contributes to a call:
/// of a broadcast the message; of scatter what each receives; of alltoall and reduce_scatter the whole send buffer; of the
/// v-variants the mean over the processes (of alltoallv each sends the same in all, in uneven parts).
void add_collectives(const Team& team, const std::shared_ptr<Buffers>& buffers, std::vector<Table>& tables);

/// exchange (MPI_Sendrecv with the process half way round), shift (to the next, from the one before), halo2d (up to four neighbours in a grid that
/// ends) and halo3d (six in a grid that closes on itself) by nonblocking messages, neighbourhood (MPI_Neighbor_alltoall with the
/// four neighbours in a grid that closes on itself). The bytes of a point are those of one message; of neighbourhood those of all four.
/// Collective.
void add_neighbours(const Team& team, const std::shared_ptr<Buffers>& buffers, std::vector<Table>& tables);

/// Collective. Measures all of them within `seconds`, on nodes of which this one has so much memory.
void measure_patterns(Team& team, double memory, double seconds, calibrate::Measurements& into);

}  // namespace parcast::training

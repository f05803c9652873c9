// SPDX-License-Identifier: Apache-2.0
#pragma once
// The patterns of the training set in which all processes take part.

#include <memory>

#include "calibrate/training/cells.h"

namespace parcast::training {

/// The buffers that all calls send from and receive into.
class Buffers {
 public:
  /// Each of the two buffers has at most `limit` bytes.
  explicit Buffers(std::int64_t limit) : limit_(limit) {}
  /// Makes room for this number of bytes on either side; returns false if the limit forbids it. Not to be
  /// called during a measurement.
  bool hold(std::int64_t bytes);
  char* send() { return send_.data(); }
  char* receive() { return receive_.data(); }

 private:
  std::int64_t limit_;
  std::vector<char> send_, receive_;
};

/// Adds barrier, broadcast, reduce, allreduce, scan, gather, scatter, allgather, alltoall, reduce_scatter
/// and, with the parts of calibrate::uneven_parts, gatherv, scatterv, allgatherv, alltoallv. The bytes of a
/// point are those that a process contributes to a call. For broadcast they are the message, for scatter the
/// part that each process receives, for alltoall and reduce_scatter the entire send buffer. For the
/// v-variants they are the mean over the processes (in alltoallv each process sends the same total, in uneven
/// parts).
void add_collectives(const Team& team, const std::shared_ptr<Buffers>& buffers, std::vector<Table>& tables);

/// Adds exchange, shift, halo2d, halo3d and neighbourhood. exchange is MPI_Sendrecv with the process half way
/// round; shift sends to the next and receives from the previous process. halo2d (up to four neighbours in an
/// open grid) and halo3d (six in a periodic grid) use nonblocking messages. neighbourhood is
/// MPI_Neighbor_alltoall with the four neighbours in a periodic grid. The bytes of a point are those of one
/// message; for neighbourhood those of all four. Collective.
void add_neighbours(const Team& team, const std::shared_ptr<Buffers>& buffers, std::vector<Table>& tables);

/// Collective. Measures all patterns within `seconds`, on nodes with `memory` bytes.
void measure_patterns(Team& team, double memory, double seconds, calibrate::Measurements& into);

}  // namespace parcast::training

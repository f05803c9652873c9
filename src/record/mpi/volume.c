/* SPDX-License-Identifier: Apache-2.0 */
#include "record/mpi/volume.h"

/* The group that counts refer to: of an intercommunicator the other one. */
static uint32_t members(parcast_thread* thread, const parcast_parts* parts) {
  const struct parcast_comm* comm = parcast_communicator(thread, parts->communicator);
  return comm ? comm->size : 0;
}

enum side { kRoot, kOther, kNeither };

/* A root names itself by its rank, or in an intercommunicator by MPI_ROOT; beside it stand MPI_PROC_NULLs. */
static enum side side(parcast_thread* thread, const parcast_parts* parts, int root) {
  if (root == MPI_PROC_NULL) return kNeither;
  const struct parcast_comm* comm = parcast_communicator(thread, parts->communicator);
  return root == MPI_ROOT || (comm && !comm->remote && comm->rank == root) ? kRoot : kOther;
}

static uint64_t sum(const int* counts, uint32_t size, MPI_Datatype type) {
  uint64_t total = 0;
  for (uint32_t i = 0; i < size; ++i) total += counts[i] > 0 ? (uint64_t)counts[i] : 0;
  return total * parcast_bytes(1, type);
}

static uint64_t sum_typed(const int* counts, uint32_t size, const MPI_Datatype* types) {
  uint64_t total = 0;
  for (uint32_t i = 0; i < size; ++i) total += parcast_bytes(counts[i], types[i]);
  return total;
}

static uint32_t own(parcast_thread* thread, const parcast_parts* parts) {
  const struct parcast_comm* comm = parcast_communicator(thread, parts->communicator);
  return comm && comm->rank >= 0 ? (uint32_t)comm->rank : 0;
}

static void moved(parcast_parts* parts, uint64_t sent, uint64_t received) {
  parts->flags |= PARCAST_HAS_MESSAGE | PARCAST_HAS_RECEIVED;
  parts->sent_peer = parts->received_peer = MPI_PROC_NULL;
  parts->sent_bytes = sent;
  parts->received_bytes = received;
}

void parcast_volume_same(parcast_thread* thread, parcast_parts* parts, int count, MPI_Datatype type) {
  (void)thread;
  const uint64_t bytes = parcast_bytes(count, type);
  moved(parts, bytes, bytes);
}

void parcast_volume_broadcast(parcast_thread* thread, parcast_parts* parts, int count, MPI_Datatype type, int root) {
  const enum side at = side(thread, parts, root);
  const uint64_t bytes = at == kNeither ? 0 : parcast_bytes(count, type);
  moved(parts, at == kRoot ? bytes : 0, at == kOther ? bytes : 0);
}

void parcast_volume_reduce(parcast_thread* thread, parcast_parts* parts, int count, MPI_Datatype type, int root) {
  const enum side at = side(thread, parts, root);
  const uint64_t bytes = at == kNeither ? 0 : parcast_bytes(count, type);
  moved(parts, root == MPI_ROOT ? 0 : bytes, at == kRoot ? bytes : 0);
}

void parcast_volume_gather(parcast_thread* thread, parcast_parts* parts, const void* sendbuf, int sendcount,
                           MPI_Datatype sendtype, int recvcount, MPI_Datatype recvtype, int root) {
  const enum side at = side(thread, parts, root);
  const uint64_t received = at == kRoot ? members(thread, parts) * parcast_bytes(recvcount, recvtype) : 0;
  const uint64_t sent = at == kNeither || root == MPI_ROOT ? 0
                        : sendbuf == MPI_IN_PLACE          ? parcast_bytes(recvcount, recvtype)
                                                           : parcast_bytes(sendcount, sendtype);
  moved(parts, sent, received);
}

void parcast_volume_gatherv(parcast_thread* thread, parcast_parts* parts, const void* sendbuf, int sendcount,
                            MPI_Datatype sendtype, const int* recvcounts, MPI_Datatype recvtype, int root) {
  const enum side at = side(thread, parts, root);
  const uint64_t received = at == kRoot ? sum(recvcounts, members(thread, parts), recvtype) : 0;
  const uint64_t sent = at == kNeither || root == MPI_ROOT ? 0
                        : sendbuf == MPI_IN_PLACE          ? parcast_bytes(recvcounts[own(thread, parts)], recvtype)
                                                           : parcast_bytes(sendcount, sendtype);
  moved(parts, sent, received);
}

void parcast_volume_scatter(parcast_thread* thread, parcast_parts* parts, int sendcount, MPI_Datatype sendtype,
                            const void* recvbuf, int recvcount, MPI_Datatype recvtype, int root) {
  const enum side at = side(thread, parts, root);
  const uint64_t sent = at == kRoot ? members(thread, parts) * parcast_bytes(sendcount, sendtype) : 0;
  const uint64_t received = at == kNeither || root == MPI_ROOT ? 0
                            : recvbuf == MPI_IN_PLACE          ? parcast_bytes(sendcount, sendtype)
                                                               : parcast_bytes(recvcount, recvtype);
  moved(parts, sent, received);
}

void parcast_volume_scatterv(parcast_thread* thread, parcast_parts* parts, const int* sendcounts, MPI_Datatype sendtype,
                             const void* recvbuf, int recvcount, MPI_Datatype recvtype, int root) {
  const enum side at = side(thread, parts, root);
  const uint64_t sent = at == kRoot ? sum(sendcounts, members(thread, parts), sendtype) : 0;
  const uint64_t received = at == kNeither || root == MPI_ROOT ? 0
                            : recvbuf == MPI_IN_PLACE          ? parcast_bytes(sendcounts[own(thread, parts)], sendtype)
                                                               : parcast_bytes(recvcount, recvtype);
  moved(parts, sent, received);
}

void parcast_volume_allgather(parcast_thread* thread, parcast_parts* parts, const void* sendbuf, int sendcount,
                              MPI_Datatype sendtype, int recvcount, MPI_Datatype recvtype) {
  const uint64_t block = parcast_bytes(recvcount, recvtype);
  moved(parts, sendbuf == MPI_IN_PLACE ? block : parcast_bytes(sendcount, sendtype), members(thread, parts) * block);
}

void parcast_volume_allgatherv(parcast_thread* thread, parcast_parts* parts, const void* sendbuf, int sendcount,
                               MPI_Datatype sendtype, const int* recvcounts, MPI_Datatype recvtype) {
  const uint64_t sent = sendbuf == MPI_IN_PLACE ? parcast_bytes(recvcounts[own(thread, parts)], recvtype)
                                                : parcast_bytes(sendcount, sendtype);
  moved(parts, sent, sum(recvcounts, members(thread, parts), recvtype));
}

void parcast_volume_alltoall(parcast_thread* thread, parcast_parts* parts, const void* sendbuf, int sendcount,
                             MPI_Datatype sendtype, int recvcount, MPI_Datatype recvtype) {
  const uint64_t size = members(thread, parts), received = size * parcast_bytes(recvcount, recvtype);
  moved(parts, sendbuf == MPI_IN_PLACE ? received : size * parcast_bytes(sendcount, sendtype), received);
}

void parcast_volume_alltoallv(parcast_thread* thread, parcast_parts* parts, const void* sendbuf, const int* sendcounts,
                              MPI_Datatype sendtype, const int* recvcounts, MPI_Datatype recvtype) {
  const uint32_t size = members(thread, parts);
  const uint64_t received = sum(recvcounts, size, recvtype);
  moved(parts, sendbuf == MPI_IN_PLACE ? received : sum(sendcounts, size, sendtype), received);
}

void parcast_volume_alltoallw(parcast_thread* thread, parcast_parts* parts, const void* sendbuf, const int* sendcounts,
                              const MPI_Datatype* sendtypes, const int* recvcounts, const MPI_Datatype* recvtypes) {
  const uint32_t size = members(thread, parts);
  const uint64_t received = sum_typed(recvcounts, size, recvtypes);
  moved(parts, sendbuf == MPI_IN_PLACE ? received : sum_typed(sendcounts, size, sendtypes), received);
}

void parcast_volume_reduce_scatter(parcast_thread* thread, parcast_parts* parts, const int* recvcounts,
                                   MPI_Datatype type) {
  moved(parts, sum(recvcounts, members(thread, parts), type), parcast_bytes(recvcounts[own(thread, parts)], type));
}

void parcast_volume_reduce_scatter_block(parcast_thread* thread, parcast_parts* parts, int recvcount,
                                         MPI_Datatype type) {
  const uint64_t block = parcast_bytes(recvcount, type);
  moved(parts, members(thread, parts) * block, block);
}

void parcast_name_root(parcast_parts* parts, int root) {
  if (root == MPI_ROOT) {
    parts->own_root = true;
  } else {
    parts->sent_peer = root;
  }
}

void parcast_name_created(struct parcast_open* open, parcast_parts* parts, MPI_Comm made) {
  parts->created = parcast_communicator_made(open->thread, made);
  if (parts->created != PARCAST_NO_ID) parts->flags |= PARCAST_HAS_CREATED;
}

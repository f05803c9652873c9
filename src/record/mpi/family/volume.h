/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORD_FAMILY_VOLUME_H
#define PARCAST_RECORD_FAMILY_VOLUME_H
/* Included once per family: computes the bytes that this rank contributes to a collective and the bytes
 * that it gets, as parts.sent_bytes and parts.received_bytes; parts.communicator is set before. Arguments
 * that are not significant on this rank are never read (counts of a root elsewhere, types given with
 * MPI_IN_PLACE). docs/formats/recording.md has the table. */

#include "record/mpi/family/handles.h"

typedef struct parcast_thread parcast_thread;
typedef struct parcast_parts parcast_parts;

/* An array of counts: int, or MPI_Count in the calls of MPI 4 that end with _c. */
struct counts {
  const void* at;
  bool wide;
};
#define COUNTS(array) ((struct counts){array, sizeof *(array) == sizeof(MPI_Count)})

static inline MPI_Count count_at(struct counts counts, uint32_t i) {
  return counts.wide ? ((const MPI_Count*)counts.at)[i] : ((const int*)counts.at)[i];
}

/* Returns the size of the group that counts refer to. For an intercommunicator this is the other group,
 * except for reduce-scatter, whose parts go to the own group. */
static inline uint32_t members(parcast_thread* thread, const parcast_parts* parts) {
  const struct parcast_comm* comm = parcast_communicator(thread, parts->communicator);
  return comm ? comm->size : 0;
}

/* Writes the bytes of each member of the group as a list to the file; `types` is null when all members
 * have `type`. */
static inline uint32_t shares(parcast_thread* thread, const parcast_parts* parts, struct counts counts,
                              MPI_Datatype type, const MPI_Datatype* types) {
  const struct parcast_comm* comm = parcast_communicator(thread, parts->communicator);
  struct parcast_share_list list;
  if (!comm || !parcast_shares_begin(&list, thread, comm->size)) return 0;
  uint64_t one = 0;
  for (uint32_t i = 0; i < comm->size; ++i) {
    const MPI_Count count = count_at(counts, i);
    /* the type need not be valid when all counts are 0 */
    if (!types && !one && count > 0) one = bytes_of(1, type);
    const uint64_t bytes = types ? bytes_of(count, types[i]) : count > 0 ? (uint64_t)count * one : 0;
    parcast_shares_add(&list, parcast_world_rank(comm, (int)i), bytes);
  }
  return parcast_shares_end(&list);
}

static inline uint32_t own_members(parcast_thread* thread, const parcast_parts* parts) {
  const struct parcast_comm* comm = parcast_communicator(thread, parts->communicator);
  return comm ? comm->local_size : 0;
}

/* The own group's members are listed only if the communicator has no other group. */
static inline uint32_t own_shares(parcast_thread* thread, const parcast_parts* parts, struct counts counts,
                                  MPI_Datatype type) {
  const struct parcast_comm* comm = parcast_communicator(thread, parts->communicator);
  return comm && !comm->remote ? shares(thread, parts, counts, type, NULL) : 0;
}

enum side { kRoot, kOther, kNeither };

/* Returns this process's side. A root is given by its rank, or in an intercommunicator by MPI_ROOT; the
 * other processes of the root's group give MPI_PROC_NULL. */
static inline enum side side(parcast_thread* thread, const parcast_parts* parts, int root) {
  if (root == MPI_PROC_NULL) return kNeither;
  const struct parcast_comm* comm = parcast_communicator(thread, parts->communicator);
  return root == MPI_ROOT || (comm && !comm->remote && comm->rank == root) ? kRoot : kOther;
}

static inline uint64_t sum(struct counts counts, uint32_t size, MPI_Datatype type) {
  uint64_t total = 0;
  for (uint32_t i = 0; i < size; ++i) {
    const MPI_Count count = count_at(counts, i);
    total += count > 0 ? (uint64_t)count : 0;
  }
  return total > 0 ? total * bytes_of(1, type) : 0;
}

static inline uint64_t sum_typed(struct counts counts, uint32_t size, const MPI_Datatype* types) {
  uint64_t total = 0;
  for (uint32_t i = 0; i < size; ++i) total += bytes_of(count_at(counts, i), types[i]);
  return total;
}

static inline uint32_t own(parcast_thread* thread, const parcast_parts* parts) {
  const struct parcast_comm* comm = parcast_communicator(thread, parts->communicator);
  return comm && comm->rank >= 0 ? (uint32_t)comm->rank : 0;
}

static inline void moved(parcast_parts* parts, uint64_t sent, uint64_t received) {
  parts->flags |= PARCAST_HAS_MESSAGE | PARCAST_HAS_RECEIVED;
  parts->sent_peer = parts->received_peer = MPI_PROC_NULL;
  parts->sent_tag = parts->received_tag = 0;
  parts->sent_bytes = sent;
  parts->received_bytes = received;
}

static inline void volume_same(parcast_thread* thread, parcast_parts* parts, MPI_Count count,
                               MPI_Datatype type) {
  (void)thread;
  const uint64_t bytes = bytes_of(count, type);
  moved(parts, bytes, bytes);
}

static inline void volume_broadcast(parcast_thread* thread, parcast_parts* parts, MPI_Count count,
                                    MPI_Datatype type, int root) {
  const enum side at = side(thread, parts, root);
  const uint64_t bytes = at == kNeither ? 0 : bytes_of(count, type);
  moved(parts, at == kRoot ? bytes : 0, at == kOther ? bytes : 0);
}

static inline void volume_reduce(parcast_thread* thread, parcast_parts* parts, MPI_Count count,
                                 MPI_Datatype type, int root) {
  const enum side at = side(thread, parts, root);
  const uint64_t bytes = at == kNeither ? 0 : bytes_of(count, type);
  moved(parts, root == MPI_ROOT ? 0 : bytes, at == kRoot ? bytes : 0);
}

static inline void volume_gather(parcast_thread* thread, parcast_parts* parts, const void* sendbuf,
                                 MPI_Count sendcount, MPI_Datatype sendtype, MPI_Count recvcount,
                                 MPI_Datatype recvtype, int root) {
  const enum side at = side(thread, parts, root);
  const uint64_t received = at == kRoot ? members(thread, parts) * bytes_of(recvcount, recvtype) : 0;
  const uint64_t sent = at == kNeither || root == MPI_ROOT ? 0
                        : sendbuf == MPI_IN_PLACE          ? bytes_of(recvcount, recvtype)
                                                           : bytes_of(sendcount, sendtype);
  moved(parts, sent, received);
}

static inline void volume_gatherv(parcast_thread* thread, parcast_parts* parts, const void* sendbuf,
                                  MPI_Count sendcount, MPI_Datatype sendtype, struct counts recvcounts,
                                  MPI_Datatype recvtype, int root) {
  const enum side at = side(thread, parts, root);
  const uint64_t received = at == kRoot ? sum(recvcounts, members(thread, parts), recvtype) : 0;
  const uint64_t sent = at == kNeither || root == MPI_ROOT ? 0
                        : sendbuf == MPI_IN_PLACE
                            ? bytes_of(count_at(recvcounts, own(thread, parts)), recvtype)
                            : bytes_of(sendcount, sendtype);
  moved(parts, sent, received);
  if (at == kRoot) parts->received_tag = (int)shares(thread, parts, recvcounts, recvtype, NULL);
}

static inline void volume_scatter(parcast_thread* thread, parcast_parts* parts, MPI_Count sendcount,
                                  MPI_Datatype sendtype, const void* recvbuf, MPI_Count recvcount,
                                  MPI_Datatype recvtype, int root) {
  const enum side at = side(thread, parts, root);
  const uint64_t sent = at == kRoot ? members(thread, parts) * bytes_of(sendcount, sendtype) : 0;
  const uint64_t received = at == kNeither || root == MPI_ROOT ? 0
                            : recvbuf == MPI_IN_PLACE          ? bytes_of(sendcount, sendtype)
                                                               : bytes_of(recvcount, recvtype);
  moved(parts, sent, received);
}

static inline void volume_scatterv(parcast_thread* thread, parcast_parts* parts, struct counts sendcounts,
                                   MPI_Datatype sendtype, const void* recvbuf, MPI_Count recvcount,
                                   MPI_Datatype recvtype, int root) {
  const enum side at = side(thread, parts, root);
  const uint64_t sent = at == kRoot ? sum(sendcounts, members(thread, parts), sendtype) : 0;
  const uint64_t received = at == kNeither || root == MPI_ROOT ? 0
                            : recvbuf == MPI_IN_PLACE
                                ? bytes_of(count_at(sendcounts, own(thread, parts)), sendtype)
                                : bytes_of(recvcount, recvtype);
  moved(parts, sent, received);
  if (at == kRoot) parts->sent_tag = (int)shares(thread, parts, sendcounts, sendtype, NULL);
}

static inline void volume_allgather(parcast_thread* thread, parcast_parts* parts, const void* sendbuf,
                                    MPI_Count sendcount, MPI_Datatype sendtype, MPI_Count recvcount,
                                    MPI_Datatype recvtype) {
  const uint64_t block = bytes_of(recvcount, recvtype);
  moved(parts, sendbuf == MPI_IN_PLACE ? block : bytes_of(sendcount, sendtype),
        members(thread, parts) * block);
}

static inline void volume_allgatherv(parcast_thread* thread, parcast_parts* parts, const void* sendbuf,
                                     MPI_Count sendcount, MPI_Datatype sendtype, struct counts recvcounts,
                                     MPI_Datatype recvtype) {
  const uint64_t sent = sendbuf == MPI_IN_PLACE ? bytes_of(count_at(recvcounts, own(thread, parts)), recvtype)
                                                : bytes_of(sendcount, sendtype);
  moved(parts, sent, sum(recvcounts, members(thread, parts), recvtype));
  parts->received_tag = (int)shares(thread, parts, recvcounts, recvtype, NULL);
}

static inline void volume_alltoall(parcast_thread* thread, parcast_parts* parts, const void* sendbuf,
                                   MPI_Count sendcount, MPI_Datatype sendtype, MPI_Count recvcount,
                                   MPI_Datatype recvtype) {
  const uint64_t size = members(thread, parts), received = size * bytes_of(recvcount, recvtype);
  moved(parts, sendbuf == MPI_IN_PLACE ? received : size * bytes_of(sendcount, sendtype), received);
}

static inline void volume_alltoallv(parcast_thread* thread, parcast_parts* parts, const void* sendbuf,
                                    struct counts sendcounts, MPI_Datatype sendtype, struct counts recvcounts,
                                    MPI_Datatype recvtype) {
  const uint32_t size = members(thread, parts);
  const uint64_t received = sum(recvcounts, size, recvtype);
  moved(parts, sendbuf == MPI_IN_PLACE ? received : sum(sendcounts, size, sendtype), received);
  parts->received_tag = (int)shares(thread, parts, recvcounts, recvtype, NULL);
  parts->sent_tag =
      sendbuf == MPI_IN_PLACE ? parts->received_tag : (int)shares(thread, parts, sendcounts, sendtype, NULL);
}

static inline void volume_alltoallw(parcast_thread* thread, parcast_parts* parts, const void* sendbuf,
                                    struct counts sendcounts, const MPI_Datatype* sendtypes,
                                    struct counts recvcounts, const MPI_Datatype* recvtypes) {
  const uint32_t size = members(thread, parts);
  const uint64_t received = sum_typed(recvcounts, size, recvtypes);
  moved(parts, sendbuf == MPI_IN_PLACE ? received : sum_typed(sendcounts, size, sendtypes), received);
  parts->received_tag = (int)shares(thread, parts, recvcounts, (MPI_Datatype)0, recvtypes);
  parts->sent_tag = sendbuf == MPI_IN_PLACE
                        ? parts->received_tag
                        : (int)shares(thread, parts, sendcounts, (MPI_Datatype)0, sendtypes);
}

static inline void volume_reduce_scatter(parcast_thread* thread, parcast_parts* parts,
                                         struct counts recvcounts, MPI_Datatype type) {
  moved(parts, sum(recvcounts, own_members(thread, parts), type),
        bytes_of(count_at(recvcounts, own(thread, parts)), type));
  parts->sent_tag = (int)own_shares(thread, parts, recvcounts, type);
}

static inline void volume_reduce_scatter_block(parcast_thread* thread, parcast_parts* parts,
                                               MPI_Count recvcount, MPI_Datatype type) {
  const uint64_t block = bytes_of(recvcount, type);
  moved(parts, own_members(thread, parts) * block, block);
}

/* Ranks of this process's neighbours; MPI_PROC_NULL at the border of a grid. */
enum { kMostNeighbours = 1024 };
struct neighbours {
  int sources, destinations;
  int source[kMostNeighbours], destination[kMostNeighbours];
};

static inline bool grid_neighbours(MPI_Comm comm, struct neighbours* found) {
  int dimensions = 0;
  if (mpi.Cartdim_get(comm, &dimensions) != MPI_SUCCESS || 2 * dimensions > kMostNeighbours) return false;
  found->sources = found->destinations = 2 * dimensions;
  for (int d = 0; d < dimensions; ++d) {
    int below, above;
    if (mpi.Cart_shift(comm, d, 1, &below, &above) != MPI_SUCCESS) return false;
    found->source[2 * d] = found->destination[2 * d] = below;
    found->source[2 * d + 1] = found->destination[2 * d + 1] = above;
  }
  return true;
}

static inline bool neighbours_of(const parcast_parts* parts, int own_rank, struct neighbours* found) {
  const MPI_Comm comm = COMMUNICATOR(parts->communicator);
  int kind = MPI_UNDEFINED, weighted = 0, count = 0;
  found->sources = found->destinations = 0;
  if (mpi.Topo_test(comm, &kind) != MPI_SUCCESS) return false;
  if (kind == MPI_CART) return grid_neighbours(comm, found);
  if (kind == MPI_GRAPH) {
    if (mpi.Graph_neighbors_count(comm, own_rank, &count) != MPI_SUCCESS || count > kMostNeighbours)
      return false;
    if (mpi.Graph_neighbors(comm, own_rank, count, found->source) != MPI_SUCCESS) return false;
    memcpy(found->destination, found->source, sizeof found->source);
    found->sources = found->destinations = count;
    return true;
  }
  if (kind != MPI_DIST_GRAPH) return false;
  if (mpi.Dist_graph_neighbors_count(comm, &found->sources, &found->destinations, &weighted) != MPI_SUCCESS)
    return false;
  if (found->sources > kMostNeighbours || found->destinations > kMostNeighbours) return false;
  int weights[2][kMostNeighbours];
  return mpi.Dist_graph_neighbors(comm, found->sources, found->source, weights[0], found->destinations,
                                  found->destination, weights[1]) == MPI_SUCCESS;
}

/* The data sent to, or received from, neighbour i. */
struct portion {
  const struct counts* counts; /* null: `count` for each */
  MPI_Count count;
  MPI_Datatype type;
  const MPI_Datatype* types; /* null: `type` for each */
};

static inline uint64_t portion_bytes(const struct portion* portion, int i) {
  return bytes_of(portion->counts ? count_at(*portion->counts, (uint32_t)i) : portion->count,
                  portion->types ? portion->types[i] : portion->type);
}

static inline uint64_t with_neighbours(parcast_thread* thread, const struct parcast_comm* comm,
                                       const int* ranks, int count, const struct portion* portion,
                                       int* list_number) {
  struct parcast_share_list list;
  const bool listed = parcast_shares_begin(&list, thread, (uint32_t)count);
  uint64_t total = 0;
  for (int i = 0; i < count; ++i) {
    if (ranks[i] == MPI_PROC_NULL) continue;
    const uint64_t bytes = portion_bytes(portion, i);
    total += bytes;
    if (listed) parcast_shares_add(&list, parcast_world_rank(comm, ranks[i]), bytes);
  }
  if (listed) *list_number = (int)parcast_shares_end(&list);
  return total;
}

static inline void neighbourhood(parcast_thread* thread, parcast_parts* parts, const struct portion* sent,
                                 const struct portion* received) {
  const struct parcast_comm* comm = parcast_communicator(thread, parts->communicator);
  struct neighbours found;
  moved(parts, 0, 0);
  if (!comm || thread->silent || !neighbours_of(parts, comm->rank, &found)) return;
  parts->sent_bytes =
      with_neighbours(thread, comm, found.destination, found.destinations, sent, &parts->sent_tag);
  parts->received_bytes =
      with_neighbours(thread, comm, found.source, found.sources, received, &parts->received_tag);
}

/* For MPI_Neighbor_allgather and MPI_Neighbor_alltoall: equal amounts to each neighbour, and from each. */
static inline void volume_neighbours(parcast_thread* thread, parcast_parts* parts, MPI_Count sendcount,
                                     MPI_Datatype sendtype, MPI_Count recvcount, MPI_Datatype recvtype) {
  const struct portion sent = {NULL, sendcount, sendtype, NULL}, received = {NULL, recvcount, recvtype, NULL};
  neighbourhood(thread, parts, &sent, &received);
}

static inline void volume_neighbours_gatherv(parcast_thread* thread, parcast_parts* parts,
                                             MPI_Count sendcount, MPI_Datatype sendtype,
                                             struct counts recvcounts, MPI_Datatype recvtype) {
  const struct portion sent = {NULL, sendcount, sendtype, NULL}, received = {&recvcounts, 0, recvtype, NULL};
  neighbourhood(thread, parts, &sent, &received);
}

static inline void volume_neighbours_v(parcast_thread* thread, parcast_parts* parts, struct counts sendcounts,
                                       MPI_Datatype sendtype, struct counts recvcounts,
                                       MPI_Datatype recvtype) {
  const struct portion sent = {&sendcounts, 0, sendtype, NULL}, received = {&recvcounts, 0, recvtype, NULL};
  neighbourhood(thread, parts, &sent, &received);
}

static inline void volume_neighbours_w(parcast_thread* thread, parcast_parts* parts, struct counts sendcounts,
                                       const MPI_Datatype* sendtypes, struct counts recvcounts,
                                       const MPI_Datatype* recvtypes) {
  const struct portion sent = {&sendcounts, 0, (MPI_Datatype)0, sendtypes};
  const struct portion received = {&recvcounts, 0, (MPI_Datatype)0, recvtypes};
  neighbourhood(thread, parts, &sent, &received);
}

static inline void name_root(parcast_parts* parts, int root) {
  if (root == MPI_ROOT) {
    parts->own_root = true;
  } else {
    parts->sent_peer = root;
  }
}

static inline void name_created(struct parcast_open* open, parcast_parts* parts, MPI_Comm made) {
  parts->created = parcast_communicator_made(open->thread, HANDLE(made));
  if (parts->created != PARCAST_NO_ID) parts->flags |= PARCAST_HAS_CREATED;
}

#endif

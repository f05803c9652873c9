/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "record/mpi/handle_map.h"
#include "record/mpi/recorder.h"

/* Communicators by handle. A handle may be reused for another communicator once the first was freed, by whichever way:
 * an attribute of ours on every communicator has a delete callback, so that none is missed. Functions of MPI are never
 * called with the tables locked, since MPI calls the callback with its own locks held. */
enum { kPerChunk = 64, kMostChunks = 1024 };
static struct parcast_comm* chunks[kMostChunks]; /* items never move */
static uint32_t taken;
static struct parcast_comm* unused;
static struct parcast_map numbers; /* handle -> place in chunks */
static uint32_t next_id;
static int attribute;

static struct parcast_comm* at(uint32_t place) { return &chunks[place / kPerChunk][place % kPerChunk]; }

static uint32_t place_of(const struct parcast_comm* comm) {
  for (uint32_t i = 0; i * kPerChunk < taken; ++i)
    if (comm >= chunks[i] && comm < chunks[i] + kPerChunk) return i * kPerChunk + (uint32_t)(comm - chunks[i]);
  return 0;
}

static struct parcast_comm* take(void) {
  struct parcast_comm* comm = unused;
  if (comm) {
    memcpy(&unused, comm, sizeof unused);
  } else {
    if (taken % kPerChunk == 0) {
      size_t bytes = kPerChunk * sizeof *comm;
      if (taken / kPerChunk == kMostChunks || !(chunks[taken / kPerChunk] = parcast_pages(&bytes))) return NULL;
    }
    comm = at(taken++);
  }
  memset(comm, 0, sizeof *comm);
  return comm;
}

static void give(struct parcast_comm* comm) {
  parcast_pages_free(comm->ranks, comm->ranks_bytes);
  memcpy(comm, &unused, sizeof unused);
  unused = comm;
}

static void forget(MPI_Comm handle) {
  struct parcast_slot* slot = parcast_map_find(&numbers, handle);
  if (!slot) return;
  struct parcast_comm* comm = at(slot->number);
  parcast_map_erase(&numbers, slot);
  comm->handle = NULL;
  if (comm->outstanding == 0) give(comm);
}

void parcast_communicator_unused(struct parcast_comm* comm) {
  if (comm->outstanding > 0 && --comm->outstanding == 0 && !comm->handle) give(comm);
}

static int do_not_copy(MPI_Comm comm, int key, void* extra, void* value, void* copy, int* flag) {
  (void)comm, (void)key, (void)extra, (void)value, (void)copy;
  *flag = 0;
  return MPI_SUCCESS;
}

static int freed(MPI_Comm comm, int key, void* value, void* extra) {
  (void)key, (void)value, (void)extra;
  parcast_lock();
  forget(comm);
  parcast_unlock();
  return MPI_SUCCESS;
}

/* World ranks of a group's members: regular ones as first and stride. */
static bool list_members(struct parcast_comm* comm, MPI_Group group, MPI_Group world) {
  size_t bytes = (size_t)comm->size * 2 * sizeof(int32_t) + 8;
  int32_t* ranks = parcast_pages(&bytes);
  if (!ranks) return false;
  int32_t* members = ranks + comm->size;
  for (uint32_t i = 0; i < comm->size; ++i) members[i] = (int32_t)i;
  bool good = parcast_mpi.Group_translate_ranks(group, (int)comm->size, members, world, ranks) == MPI_SUCCESS;
  for (uint32_t i = 0; i < comm->size; ++i)
    if (ranks[i] == MPI_UNDEFINED) ranks[i] = PARCAST_OUTSIDE;
  comm->first = comm->size > 0 ? ranks[0] : 0;
  comm->stride = comm->size > 1 ? ranks[1] - ranks[0] : 1;
  bool regular = true;
  for (uint32_t i = 1; i < comm->size && regular; ++i) regular = ranks[i] - ranks[i - 1] == comm->stride;
  if (good && !regular) {
    comm->ranks = ranks;
    comm->ranks_bytes = bytes;
  } else {
    parcast_pages_free(ranks, bytes);
  }
  return good;
}

static bool ask_members(MPI_Comm handle, struct parcast_comm* comm) {
  int inter = 0, size = 0, rank = 0;
  if (parcast_mpi.Comm_test_inter(handle, &inter) != MPI_SUCCESS) return false;
  if (parcast_mpi.Comm_rank(handle, &rank) != MPI_SUCCESS) return false;
  MPI_Group group, world;
  if ((inter ? parcast_mpi.Comm_remote_group : parcast_mpi.Comm_group)(handle, &group) != MPI_SUCCESS) return false;
  bool good = parcast_mpi.Comm_group(parcast_mpi.world, &world) == MPI_SUCCESS;
  if (good) {
    good = parcast_mpi.Group_size(group, &size) == MPI_SUCCESS;
    comm->handle = handle;
    comm->rank = rank;
    comm->size = (uint32_t)size;
    comm->remote = inter != 0;
    good = good && list_members(comm, group, world);
    parcast_mpi.Group_free(&world);
  }
  parcast_mpi.Group_free(&group);
  return good;
}

enum { kMostDimensions = 16 };

static uint32_t ask_dimensions(MPI_Comm handle, struct parcast_dimension dimensions[kMostDimensions]) {
  int kind = MPI_UNDEFINED, count = 0;
  int extents[kMostDimensions], periods[kMostDimensions], coordinates[kMostDimensions];
  if (parcast_mpi.Topo_test(handle, &kind) != MPI_SUCCESS || kind != MPI_CART) return 0;
  if (parcast_mpi.Cartdim_get(handle, &count) != MPI_SUCCESS || count < 1 || count > kMostDimensions) return 0;
  if (parcast_mpi.Cart_get(handle, count, extents, periods, coordinates) != MPI_SUCCESS) return 0;
  for (int i = 0; i < count; ++i)
    dimensions[i] = (struct parcast_dimension){extents[i], coordinates[i], periods[i] ? 1u : 0u, 0};
  return (uint32_t)count;
}

/* Definitions go out in order of number, since a reader takes them as a list. */
static void define(struct parcast_thread* thread, const struct parcast_comm* comm,
                   const struct parcast_dimension* dimensions, uint32_t dimension_count) {
  struct parcast_writer* writer = &parcast_recorder.writer;
  if (comm->ranks) {
    parcast_put_communicator(writer, &thread->stream, comm->id, comm->ranks, comm->size, dimensions, dimension_count,
                             comm->remote);
  } else {
    parcast_put_regular_communicator(writer, &thread->stream, comm->id, comm->first, comm->stride, comm->size, dimensions,
                                     dimension_count, comm->remote);
  }
}

static struct parcast_comm* add(struct parcast_thread* thread, MPI_Comm handle) {
  struct parcast_comm seen = {0};
  struct parcast_dimension dimensions[kMostDimensions];
  if (!ask_members(handle, &seen)) return NULL;
  const uint32_t dimension_count = seen.remote ? 0 : ask_dimensions(handle, dimensions);
  parcast_lock();
  struct parcast_slot* slot = parcast_map_find(&numbers, handle);
  struct parcast_comm* comm = slot ? at(slot->number) : take();
  if (slot) {
    parcast_pages_free(seen.ranks, seen.ranks_bytes);
  } else if (comm) {
    seen.id = next_id++;
    *comm = seen;
    define(thread, comm, dimensions, dimension_count);
    if (!parcast_map_put(&numbers, handle, place_of(comm))) {
      give(comm);
      comm = NULL;
    }
  }
  parcast_unlock();
  if (comm && !slot && handle != parcast_mpi.world && handle != parcast_mpi.self)
    parcast_mpi.Comm_set_attr(handle, attribute, NULL);
  parcast_restart_segment(thread);
  return comm;
}

static bool exists(MPI_Comm handle) { return handle && handle != parcast_mpi.null_communicator; }

struct parcast_comm* parcast_communicator(struct parcast_thread* thread, MPI_Comm handle) {
  if (!exists(handle)) return NULL;
  parcast_lock();
  struct parcast_slot* slot = parcast_map_find(&numbers, handle);
  struct parcast_comm* comm = slot ? at(slot->number) : NULL;
  parcast_unlock();
  return comm ? comm : add(thread, handle);
}

uint32_t parcast_communicator_made(struct parcast_thread* thread, MPI_Comm handle) {
  if (!exists(handle)) return PARCAST_NO_ID;
  parcast_lock();
  forget(handle);
  parcast_unlock();
  const struct parcast_comm* comm = add(thread, handle);
  return comm ? comm->id : PARCAST_NO_ID;
}

int32_t parcast_world_rank(const struct parcast_comm* comm, int rank) {
  if (rank == MPI_ANY_SOURCE) return PARCAST_ANY_SOURCE;
  if (rank < 0 || !comm || (uint32_t)rank >= comm->size) return PARCAST_NO_PEER;
  return comm->ranks ? comm->ranks[rank] : comm->first + rank * comm->stride;
}

bool parcast_communicators_start(struct parcast_thread* thread) {
  if (parcast_mpi.Comm_create_keyval(do_not_copy, freed, &attribute, NULL) != MPI_SUCCESS) return false;
  return add(thread, parcast_mpi.world) != NULL;
}

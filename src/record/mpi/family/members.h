/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORD_FAMILY_MEMBERS_H
#define PARCAST_RECORD_FAMILY_MEMBERS_H
/* Included once per family: finds the members of a communicator, and notices when it is freed. */

#include "record/mpi/family/handles.h"
#include "record/mpi/handle_map.h"

static int communicator_key;

static int do_not_copy(MPI_Comm comm, int key, void* extra, void* value, void* copy, int* flag) {
  (void)comm, (void)key, (void)extra, (void)value, (void)copy;
  *flag = 0;
  return MPI_SUCCESS;
}

static int communicator_goes(MPI_Comm comm, int key, void* value, void* extra) {
  (void)key, (void)value, (void)extra;
  parcast_communicator_freed(HANDLE(comm));
  return MPI_SUCCESS;
}

static bool start_family(int* rank, int* processes, bool* threaded) {
  int level = MPI_THREAD_SINGLE;
  if (mpi.Query_thread(&level) != MPI_SUCCESS) return false;
  *threaded = level == MPI_THREAD_MULTIPLE;
  const MPI_Comm world = COMMUNICATOR(parcast_family_values.world);
  if (mpi.Comm_rank(world, rank) != MPI_SUCCESS || mpi.Comm_size(world, processes) != MPI_SUCCESS)
    return false;
  return mpi.Comm_create_keyval(do_not_copy, communicator_goes, &communicator_key, NULL) == MPI_SUCCESS;
}

static void watch_communicator(parcast_handle handle) {
  if (handle != parcast_family_values.world && handle != parcast_family_values.self)
    mpi.Comm_set_attr(COMMUNICATOR(handle), communicator_key, NULL);
}

/* Lists the world ranks of a group's members; a regular list becomes first and stride. */
static bool list_members(struct parcast_comm* comm, MPI_Group group, MPI_Group world) {
  size_t bytes = (size_t)comm->size * 2 * sizeof(int32_t) + 8;
  int32_t* ranks = parcast_pages(&bytes);
  if (!ranks) return false;
  int32_t* members = ranks + comm->size;
  for (uint32_t i = 0; i < comm->size; ++i) members[i] = (int32_t)i;
  bool good = mpi.Group_translate_ranks(group, (int)comm->size, members, world, ranks) == MPI_SUCCESS;
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

/* Writes a group's members as a list to the file, without bytes. Returns its number; 0 for an empty group,
 * -1 on failure. */
static inline int list_group(struct parcast_thread* thread, MPI_Group group) {
  MPI_Group world;
  int size = 0, list_number = -1;
  struct parcast_share_list list;
  if (mpi.Group_size(group, &size) != MPI_SUCCESS) return -1;
  if (size < 1) return 0;
  if (mpi.Comm_group(COMMUNICATOR(parcast_family_values.world), &world) != MPI_SUCCESS) return -1;
  if (parcast_shares_begin(&list, thread, 2 * (uint32_t)size)) {
    int* members = (int*)(void*)(list.shares + size); /* after the room that the list itself may use */
    int* ranks = members + size;
    for (int i = 0; i < size; ++i) members[i] = i;
    if (mpi.Group_translate_ranks(group, size, members, world, ranks) == MPI_SUCCESS) {
      for (int i = 0; i < size; ++i)
        parcast_shares_add(&list, ranks[i] == MPI_UNDEFINED ? PARCAST_OUTSIDE : ranks[i], 0);
      list_number = (int)parcast_shares_end(&list);
    }
  }
  mpi.Group_free(&world);
  return list_number == 0 ? -1 : list_number;
}

static bool ask_members(parcast_handle handle, struct parcast_comm* comm) {
  const MPI_Comm asked = COMMUNICATOR(handle);
  int inter = 0, size = 0, local_size = 0, rank = 0;
  if (mpi.Comm_test_inter(asked, &inter) != MPI_SUCCESS) return false;
  if (mpi.Comm_rank(asked, &rank) != MPI_SUCCESS || mpi.Comm_size(asked, &local_size) != MPI_SUCCESS)
    return false;
  MPI_Group group, world;
  if ((inter ? mpi.Comm_remote_group : mpi.Comm_group)(asked, &group) != MPI_SUCCESS) return false;
  bool good = mpi.Comm_group(COMMUNICATOR(parcast_family_values.world), &world) == MPI_SUCCESS;
  if (good) {
    good = mpi.Group_size(group, &size) == MPI_SUCCESS;
    comm->handle = handle;
    comm->rank = rank;
    comm->size = (uint32_t)size;
    comm->remote = inter != 0;
    comm->local_size = (uint32_t)local_size;
    good = good && list_members(comm, group, world);
    mpi.Group_free(&world);
  }
  mpi.Group_free(&group);
  return good;
}

static uint32_t ask_dimensions(parcast_handle handle,
                               struct parcast_dimension dimensions[PARCAST_MOST_DIMENSIONS]) {
  const MPI_Comm asked = COMMUNICATOR(handle);
  int kind = MPI_UNDEFINED, count = 0;
  int extents[PARCAST_MOST_DIMENSIONS], periods[PARCAST_MOST_DIMENSIONS],
      coordinates[PARCAST_MOST_DIMENSIONS];
  if (mpi.Topo_test(asked, &kind) != MPI_SUCCESS || kind != MPI_CART) return 0;
  if (mpi.Cartdim_get(asked, &count) != MPI_SUCCESS || count < 1 || count > PARCAST_MOST_DIMENSIONS) return 0;
  if (mpi.Cart_get(asked, count, extents, periods, coordinates) != MPI_SUCCESS) return 0;
  for (int i = 0; i < count; ++i)
    dimensions[i] = (struct parcast_dimension){extents[i], coordinates[i], periods[i] ? 1u : 0u, 0};
  return (uint32_t)count;
}

#endif

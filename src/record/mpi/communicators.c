/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "record/mpi/family.h"
#include "record/mpi/handle_map.h"
#include "record/mpi/recorder.h"
#include "recording/uncancelled.h"

/* Communicators by handle. A handle may be reused after its communicator was freed by any means. So an
 * attribute on every communicator has a delete callback, which notices every free. MPI calls the callback
 * with its own locks held; therefore functions of MPI are never called with the tables locked. */
enum { kPerChunk = 64, kMostChunks = 1024 };
static struct parcast_comm* chunks[kMostChunks]; /* items never move */
static uint32_t taken;
static struct parcast_comm* unused;
static struct parcast_map numbers; /* handle -> index in chunks */
static uint32_t next_id;
static uint32_t generation; /* number of communicators freed */

static struct parcast_comm* at(uint32_t place) {
  return &chunks[place / kPerChunk][place % kPerChunk];
}

static uint32_t place_of(const struct parcast_comm* comm) {
  for (uint32_t i = 0; i * kPerChunk < taken; ++i)
    if (comm >= chunks[i] && comm < chunks[i] + kPerChunk)
      return i * kPerChunk + (uint32_t)(comm - chunks[i]);
  return 0;
}

static struct parcast_comm* take(void) {
  struct parcast_comm* comm = unused;
  if (comm) {
    memcpy(&unused, comm, sizeof unused);
  } else {
    if (taken % kPerChunk == 0) {
      size_t bytes = kPerChunk * sizeof *comm;
      if (taken / kPerChunk == kMostChunks || !(chunks[taken / kPerChunk] = parcast_pages(&bytes))) {
        parcast_note_left_out(&parcast_recorder.writer, PARCAST_LEFT_OUT_COMMUNICATORS);
        return NULL;
      }
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

static void forget(parcast_handle handle) {
  struct parcast_slot* slot = parcast_map_find(&numbers, handle);
  if (!slot) return;
  struct parcast_comm* comm = at(slot->number);
  __atomic_add_fetch(&generation, 1, __ATOMIC_RELEASE);
  parcast_map_erase(&numbers, slot);
  comm->handle = 0;
  if (comm->outstanding == 0) give(comm);
}

void parcast_communicator_unused(struct parcast_comm* comm) {
  if (comm->outstanding > 0 && --comm->outstanding == 0 && !comm->handle) give(comm);
}

void parcast_communicator_freed(parcast_handle handle) {
  parcast_lock();
  forget(handle);
  parcast_unlock();
}

/* Writes a definition. Definitions are written in order of their numbers, since a reader expects a list. */
static void define(struct parcast_thread* thread, const struct parcast_comm* comm,
                   const struct parcast_dimension* dimensions, uint32_t dimension_count) {
  struct parcast_writer* writer = &parcast_recorder.writer;
  if (comm->ranks) {
    parcast_put_communicator(writer, &thread->stream, comm->id, comm->ranks, comm->size, dimensions,
                             dimension_count, comm->remote);
  } else {
    parcast_put_regular_communicator(writer, &thread->stream, comm->id, comm->first, comm->stride, comm->size,
                                     dimensions, dimension_count, comm->remote);
  }
}

static struct parcast_comm* add(struct parcast_thread* thread, parcast_handle handle) {
  PARCAST_UNCANCELLED;
  struct parcast_comm seen = {0};
  struct parcast_dimension dimensions[PARCAST_MOST_DIMENSIONS];
  if (!parcast_family->members(handle, &seen)) return NULL;
  const uint32_t dimension_count = seen.remote ? 0 : parcast_family->dimensions(handle, dimensions);
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
  if (comm && !slot) parcast_family->watch(handle);
  parcast_restart_segment(thread);
  return comm;
}

static bool exists(parcast_handle handle) {
  return handle && handle != parcast_family_values.null_communicator;
}

static __attribute__((noinline)) struct parcast_comm* look_up(struct parcast_thread* thread,
                                                              parcast_handle handle, uint32_t now) {
  if (!exists(handle)) return NULL;
  parcast_lock();
  struct parcast_slot* slot = parcast_map_find(&numbers, handle);
  struct parcast_comm* comm = slot ? at(slot->number) : NULL;
  parcast_unlock();
  if (!comm) comm = add(thread, handle);
  if (comm) thread->seen_handle = handle, thread->seen = comm, thread->seen_generation = now;
  return comm;
}

struct parcast_comm* parcast_communicator(struct parcast_thread* thread, parcast_handle handle) {
  const uint32_t now = __atomic_load_n(&generation, __ATOMIC_ACQUIRE);
  if (__builtin_expect(thread->seen_handle == handle && thread->seen_generation == now && handle, 1))
    return thread->seen;
  return look_up(thread, handle, now);
}

const struct parcast_comm* parcast_communicator_seen(parcast_handle handle) {
  parcast_lock();
  const struct parcast_slot* slot = parcast_map_find(&numbers, handle);
  const struct parcast_comm* comm = slot ? at(slot->number) : NULL;
  parcast_unlock();
  return comm;
}

uint32_t parcast_communicator_made(struct parcast_thread* thread, parcast_handle handle) {
  if (!exists(handle)) return PARCAST_NO_ID;
  parcast_lock();
  forget(handle);
  parcast_unlock();
  const struct parcast_comm* comm = add(thread, handle);
  return comm ? comm->id : PARCAST_NO_ID;
}

/* Windows and files keep the communicator that they were created with, even if it was freed since. The
 * number of a slot holds the communicator's index, and above that, for windows, the number of the window. */
static struct parcast_map holders[PARCAST_HOLDERS];
enum { kPlaceBits = 16 };
_Static_assert(kPerChunk* kMostChunks == 1 << kPlaceBits, "places take that many bits");

static struct parcast_comm* held_by(const struct parcast_slot* slot) {
  return at(slot->number & ((1u << kPlaceBits) - 1));
}

void parcast_holder_made(struct parcast_thread* thread, enum parcast_holder kind, parcast_handle holder,
                         parcast_handle handle) {
  struct parcast_comm* comm = parcast_communicator(thread, handle);
  if (!comm || !holder) return;
  parcast_holder_gone(kind, holder);
  parcast_lock();
  const uint32_t number = kind == PARCAST_WINDOW ? comm->windows++ : 0;
  if (parcast_map_put(&holders[kind], holder, place_of(comm) | number << kPlaceBits)) ++comm->outstanding;
  parcast_unlock();
}

const struct parcast_comm* parcast_holder_communicator(enum parcast_holder kind, parcast_handle holder) {
  parcast_lock();
  const struct parcast_slot* slot = parcast_map_find(&holders[kind], holder);
  const struct parcast_comm* comm = slot ? held_by(slot) : NULL;
  parcast_unlock();
  return comm;
}

void parcast_holder_gone(enum parcast_holder kind, parcast_handle holder) {
  parcast_lock();
  struct parcast_slot* slot = parcast_map_find(&holders[kind], holder);
  if (slot) {
    parcast_communicator_unused(held_by(slot));
    parcast_map_erase(&holders[kind], slot);
  }
  parcast_unlock();
}

int parcast_window_number(parcast_handle window) {
  parcast_lock();
  const struct parcast_slot* slot = parcast_map_find(&holders[PARCAST_WINDOW], window);
  const uint32_t number = slot ? 1 + (slot->number >> kPlaceBits) : 0;
  parcast_unlock();
  return (int)number;
}

int32_t parcast_world_rank(const struct parcast_comm* comm, int rank) {
  if (rank == parcast_family->any_source) return PARCAST_ANY_SOURCE;
  if (rank < 0 || !comm || (uint32_t)rank >= comm->size) return PARCAST_NO_PEER;
  return comm->ranks ? comm->ranks[rank] : comm->first + rank * comm->stride;
}

bool parcast_communicators_start(struct parcast_thread* thread) {
  return add(thread, parcast_family_values.world) != NULL;
}

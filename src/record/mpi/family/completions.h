/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORD_FAMILY_COMPLETIONS_H
#define PARCAST_RECORD_FAMILY_COMPLETIONS_H
/* Included once per family: calls that complete requests. Handles are copied before the call, which may
 * set them to null. */

#include "record/mpi/family/handles.h"

struct waiting {
  int count;
  MPI_Request* requests;
  /* the program's, or the recorder's own memory when the program ignores them */
  MPI_Status* statuses;
};

static inline bool begin_waiting(struct parcast_open* open, struct waiting* waiting, int count,
                                 const MPI_Request* requests, MPI_Status* statuses) {
  const size_t items = count > 0 ? (size_t)count : 0, status_room = (items * sizeof(MPI_Status) + 7) / 8 * 8;
  char* room = parcast_scratch(open->thread, status_room + items * sizeof(MPI_Request) + 16);
  if (!room) return false;
  waiting->count = (int)items;
  waiting->statuses = statuses != MPI_STATUSES_IGNORE ? statuses : (MPI_Status*)(void*)room;
  waiting->requests = (MPI_Request*)(void*)(room + status_room);
  if (items) memcpy(waiting->requests, requests, items * sizeof *requests);
  return true;
}

static inline void add_completed(struct parcast_batch* batch, MPI_Request request, const MPI_Status* status) {
  const bool cancelled = was_cancelled(status);
  const struct parcast_arrival arrival = {cancelled ? -1 : status->MPI_SOURCE, status->MPI_TAG,
                                          status_bytes(status), cancelled};
  parcast_batch_add(batch, HANDLE(request), &arrival);
}

static inline void completed_one(struct parcast_thread* thread, MPI_Request request,
                                 const MPI_Status* status) {
  struct parcast_batch batch;
  parcast_batch_begin(&batch, thread);
  add_completed(&batch, request, status);
  parcast_batch_end(&batch);
}

static inline void completed_all(struct parcast_thread* thread, const struct waiting* waiting, int result) {
  struct parcast_batch batch;
  parcast_batch_begin(&batch, thread);
  for (int i = 0; i < waiting->count; ++i)
    if (result == MPI_SUCCESS || waiting->statuses[i].MPI_ERROR != MPI_ERR_PENDING)
      add_completed(&batch, waiting->requests[i], &waiting->statuses[i]);
  parcast_batch_end(&batch);
}

static inline void completed_some(struct parcast_thread* thread, const struct waiting* waiting,
                                  const int* indices, int count) {
  struct parcast_batch batch;
  parcast_batch_begin(&batch, thread);
  for (int i = 0; i < count; ++i)
    if (indices[i] >= 0 && indices[i] < waiting->count)
      add_completed(&batch, waiting->requests[indices[i]], &waiting->statuses[i]);
  parcast_batch_end(&batch);
}

#endif

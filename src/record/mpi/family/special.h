/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORD_FAMILY_SPECIAL_H
#define PARCAST_RECORD_FAMILY_SPECIAL_H
/* Included once per family: calls that calls.table cannot describe. generate.py creates the functions that
 * programs call for these calls, too. */

#include "calls.h"
#include "record/mpi/family/handles.h"

static inline int recorded_MPI_Finalize(int (*next)(void), const void* call_site) {
  struct parcast_open open;
  if (!parcast_enter(&open, PARCAST_RECORD_MPI)) return next();
  parcast_before_finalize(&open);
  const int result = next();
  parcast_leave(&open);
  parcast_after_finalize(&open, PARCAST_CALL_MPI_Finalize, call_site);
  return result;
}

/* MPI_Abort does not return, so its event is written first. */
static inline int recorded_MPI_Abort(int (*next)(MPI_Comm, int), const void* call_site, MPI_Comm comm,
                                     int code) {
  struct parcast_open open;
  if (parcast_enter(&open, PARCAST_RECORD_MPI)) {
    open.exit = open.enter;
    parcast_baton_stop(open.thread); /* no thread needs to wait any more */
    const struct parcast_parts parts = {.call = PARCAST_CALL_MPI_Abort, .site = call_site};
    parcast_finish(&open, &parts);
  }
  return next(comm, code);
}

/* Writes one event per request that begins; events after the first are marked as belonging to the same
 * call. `before`: the handles before the call, since Open MPI starts a request whose last message is still
 * outstanding as a different one. */
static inline void write_starts(struct parcast_open* open, uint32_t send, uint32_t receive, const void* site,
                                int count, const MPI_Request* before, const MPI_Request* requests) {
  for (int i = 0; i < count; ++i) {
    if (before) parcast_request_renamed(HANDLE(before[i]), HANDLE(requests[i]));
    struct parcast_parts parts = {.site = site};
    enum parcast_request_kind kind = PARCAST_OTHER;
    if (!parcast_request_restarted(HANDLE(requests[i]), &parts, &kind)) continue;
    if (open->thread->silent) continue;
    parts.call = kind == PARCAST_RECEIVES ? receive : send;
    parcast_write(open, &parts);
    open->enter = open->exit;
    open->flags = PARCAST_CONTINUED;
  }
}

static inline int recorded_MPI_Start(int (*next)(MPI_Request*), const void* call_site, MPI_Request* request) {
  struct parcast_open open;
  if (!parcast_enter(&open, PARCAST_RECORD_MPI)) return next(request);
  parcast_settle(&open);
  const MPI_Request before = *request;
  const int result = next(request);
  parcast_leave(&open);
  if (result == MPI_SUCCESS)
    write_starts(&open, PARCAST_CALL_MPI_Start, PARCAST_CALL_MPI_Start_receive, call_site, 1, &before,
                 request);
  parcast_finish_silent(&open);
  return result;
}

static inline int recorded_MPI_Startall(int (*next)(int, MPI_Request*), const void* call_site, int count,
                                        MPI_Request requests[]) {
  struct parcast_open open;
  if (!parcast_enter(&open, PARCAST_RECORD_MPI)) return next(count, requests);
  parcast_settle(&open);
  const size_t bytes = count > 0 ? (size_t)count * sizeof *requests : 0;
  MPI_Request* before = parcast_scratch(open.thread, bytes);
  if (before && bytes) memcpy(before, requests, bytes);
  const int result = next(count, requests);
  parcast_leave(&open);
  if (result == MPI_SUCCESS)
    write_starts(&open, PARCAST_CALL_MPI_Startall, PARCAST_CALL_MPI_Startall_receive, call_site, count,
                 before, requests);
  parcast_finish_silent(&open);
  return result;
}

/* Passes on four words of the arguments after the level, which are meant for other profiling tools. */
static inline int recorded_MPI_Pcontrol(int (*next)(const int, ...), const void* call_site, const int level,
                                        const uint64_t more[4]) {
  parcast_switch_classes(level == 0 ? 0 : parcast_recorder.wanted, PARCAST_CALL_MPI_Pcontrol, call_site);
  return next(level, more[0], more[1], more[2], more[3]);
}

#endif

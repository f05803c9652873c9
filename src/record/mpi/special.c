/* SPDX-License-Identifier: Apache-2.0 */
#include "calls.h"
#include "record/mpi/next.h"
#include "record/mpi/recorder.h"

/* Wrappers that calls.table cannot describe. */

PARCAST_EXPORT int MPI_Init(int* argc, char*** argv) {
  int (*next)(int*, char***) = NEXT(PARCAST_CALL_MPI_Init);
  if (!next) return MPI_ERR_OTHER;
  parcast_before_init();
  const int result = next(argc, argv);
  if (result == MPI_SUCCESS) parcast_after_init(PARCAST_CALL_MPI_Init, __builtin_return_address(0));
  return result;
}

PARCAST_EXPORT int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  int (*next)(int*, char***, int, int*) = NEXT(PARCAST_CALL_MPI_Init_thread);
  if (!next) return MPI_ERR_OTHER;
  parcast_before_init();
  const int result = next(argc, argv, required, provided);
  if (result == MPI_SUCCESS) parcast_after_init(PARCAST_CALL_MPI_Init_thread, __builtin_return_address(0));
  return result;
}

PARCAST_EXPORT int MPI_Finalize(void) {
  int (*next)(void) = NEXT(PARCAST_CALL_MPI_Finalize);
  if (!next) return MPI_ERR_OTHER;
  struct parcast_open open;
  if (!parcast_enter_always(&open)) return next();
  parcast_before_finalize(&open);
  const int result = next();
  parcast_leave(&open);
  parcast_after_finalize(&open, PARCAST_CALL_MPI_Finalize, __builtin_return_address(0));
  return result;
}

/* Does not return: the event is written first. */
PARCAST_EXPORT int MPI_Abort(MPI_Comm comm, int code) {
  int (*next)(MPI_Comm, int) = NEXT(PARCAST_CALL_MPI_Abort);
  if (!next) return MPI_ERR_OTHER;
  struct parcast_open open;
  if (parcast_enter(&open)) {
    open.exit = open.enter;
    const struct parcast_parts parts = {.call = PARCAST_CALL_MPI_Abort, .site = __builtin_return_address(0)};
    parcast_finish(&open, &parts);
  }
  return next(comm, code);
}

/* One event per request that begins; those after the first are marked as belonging to the same call. */
static void write_starts(struct parcast_open* open, uint32_t send, uint32_t receive, const void* site, int count,
                         const MPI_Request* requests) {
  for (int i = 0; i < count; ++i) {
    struct parcast_parts parts = {.site = site};
    enum parcast_request_kind kind = PARCAST_OTHER;
    if (!parcast_request_restarted(requests[i], &parts, &kind)) continue;
    parts.call = kind == PARCAST_RECEIVES ? receive : send;
    parcast_write(open, &parts);
    open->enter = open->exit;
    open->flags = PARCAST_CONTINUED;
  }
}

PARCAST_EXPORT int MPI_Start(MPI_Request* request) {
  int (*next)(MPI_Request*) = NEXT(PARCAST_CALL_MPI_Start);
  if (!next) return MPI_ERR_OTHER;
  struct parcast_open open;
  if (!parcast_enter(&open)) return next(request);
  parcast_settle(&open);
  const int result = next(request);
  parcast_leave(&open);
  if (result == MPI_SUCCESS)
    write_starts(&open, PARCAST_CALL_MPI_Start, PARCAST_CALL_MPI_Start_receive, __builtin_return_address(0), 1, request);
  parcast_finish_silent(&open);
  return result;
}

PARCAST_EXPORT int MPI_Startall(int count, MPI_Request requests[]) {
  int (*next)(int, MPI_Request*) = NEXT(PARCAST_CALL_MPI_Startall);
  if (!next) return MPI_ERR_OTHER;
  struct parcast_open open;
  if (!parcast_enter(&open)) return next(count, requests);
  parcast_settle(&open);
  const int result = next(count, requests);
  parcast_leave(&open);
  if (result == MPI_SUCCESS)
    write_starts(&open, PARCAST_CALL_MPI_Startall, PARCAST_CALL_MPI_Startall_receive, __builtin_return_address(0), count,
                 requests);
  parcast_finish_silent(&open);
  return result;
}

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORD_START_H
#define PARCAST_RECORD_START_H
/* Begins and ends a recording: at MPI_Init and MPI_Finalize (start.c), or without MPI at the first call of
 * the region API and at the process's exit (alone.c). */

#include "record/mpi/recorder.h"

/* Reads the folder and the clocks. Call it once, before anything else. */
void parcast_prepare(void);
/* Opens the file and begins recording; `call` at `site` began it. */
void parcast_begin(uint32_t call, const void* site);
/* Ends recording. If the calling thread `thread` is the only one, the file is truncated to its used size.
 * `thread` may be null. */
void parcast_end(struct parcast_thread* thread);

#endif

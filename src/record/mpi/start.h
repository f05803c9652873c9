/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORD_START_H
#define PARCAST_RECORD_START_H
/* How a recording begins and ends: with MPI_Init and MPI_Finalize (start.c), or where there is no MPI with the first call of
 * the region API and the process's exit (alone.c). */

#include "record/mpi/recorder.h"

/* Reads the folder and the clocks, once; before anything else. */
void parcast_prepare(void);
/* Opens the file and begins; `call` at `site` is what began it. */
void parcast_begin(uint32_t call, const void* site);
/* Nothing more is recorded. The file is cut to what is used where `thread`, which calls, is the only one; it may be null. */
void parcast_end(struct parcast_thread* thread);

#endif

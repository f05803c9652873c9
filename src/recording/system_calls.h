/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORDING_SYSTEM_CALLS_H
#define PARCAST_RECORDING_SYSTEM_CALLS_H
/* A program under a filter of system calls (seccomp) may be killed for a call that only the recorder makes. Two calls are rare
 * enough in programs that filters leave them out, and the recorder can do without them: fallocate and getrusage. */

#include <stdint.h>
#include <sys/resource.h>

#ifdef __cplusplus
extern "C" {
#endif

/* From now on neither is called in this process. */
void parcast_spare_system_calls(void);

/* Room on the device for a part of a file, from the end of the file on or before it; 0 or an errno. Where calls are spared, the
 * part must lie behind all that was written: zeros are written there. */
int parcast_make_room(int descriptor, uint64_t offset, uint64_t length);

/* 0, or -1 when nothing is known: getrusage failed or is spared. */
int parcast_resources_used(int who, struct rusage* usage);

#ifdef __cplusplus
}
#endif

#endif

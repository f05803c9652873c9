/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORDING_SYSTEM_CALLS_H
#define PARCAST_RECORDING_SYSTEM_CALLS_H
/* A program under a filter of system calls (seccomp) may be killed for a call that only the recorder
 * makes. Two such calls are rare in programs, so filters may not allow them, and the recorder can do
 * without them: fallocate and getrusage. */

#include <stdint.h>
#include <sys/resource.h>

#ifdef __cplusplus
extern "C" {
#endif

/* From now on neither call is made in this process. */
void parcast_spare_system_calls(void);

/* Allocates room on the device for a part of a file that begins at or before the file's end. Returns 0 or
 * an errno. When calls are avoided, zeros are written instead; the part must then begin after all data
 * written so far. */
int parcast_make_room(int descriptor, uint64_t offset, uint64_t length);

/* Returns 0, or -1 when getrusage failed or is avoided. */
int parcast_resources_used(int who, struct rusage* usage);

#ifdef __cplusplus
}
#endif

#endif

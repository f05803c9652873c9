/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORD_BATON_H
#define PARCAST_RECORD_BATON_H
/* The baton. When more ranks share a host than it has cores, a rank about to compute waits until no other
 * rank computes in the same memory domain. It does so only if its segments of that kind are long, and if
 * its own history shows that neighbours slow them (history.h). So the segments have the times of a rank
 * that has the memory to itself. docs/models/recording.md.
 *
 * A rank holds the token (token.h) from the end of one event to the entry of the next call, never inside
 * MPI. The wait lies between event and segment and counts as neither. */

#include <stdbool.h>

struct parcast_thread;
struct parcast_open;

/* Set if segments are tracked in this process. */
extern bool parcast_baton_on;

/* Called once, by the thread whose segments are tracked; `folder` is that of the launch's recording. */
void parcast_baton_start(struct parcast_thread* thread, const char* folder);
/* Called when the thread or MPI ends. */
void parcast_baton_stop(const struct parcast_thread* thread);
/* Begins a segment after an event of that site; may wait, and then restarts the segment's time. */
void parcast_baton_begin(struct parcast_thread* thread, const void* site);
/* Ends the segment at an opened call. Marks the segment when it may have had neighbours. */
void parcast_baton_end(struct parcast_open* open);

#endif

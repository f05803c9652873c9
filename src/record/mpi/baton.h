/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORD_BATON_H
#define PARCAST_RECORD_BATON_H
/* The baton: where more ranks share a host than it has cores, a rank that begins to compute waits until no other rank
 * computes in the same memory domain, if its segments of that kind are long and its own past says that neighbours slow
 * them (history.h). So their times are those of a rank that has the memory to itself. docs/models/recording.md.
 *
 * A rank has the token (token.h) from the end of one event to the entry of the next call, never within MPI. The wait lies
 * between event and segment and counts as neither. */

#include <stdbool.h>

struct parcast_thread;
struct parcast_open;

/* Whether segments are looked at here at all. */
extern bool parcast_baton_on;

/* Called once, by the thread whose segments count; `folder` is that of the launch's recording. */
void parcast_baton_start(struct parcast_thread* thread, const char* folder);
/* The thread ends or MPI does. */
void parcast_baton_stop(const struct parcast_thread* thread);
/* Computing begins behind an event of that site; may wait, and begins the segment anew then. */
void parcast_baton_begin(struct parcast_thread* thread, const void* site);
/* It has ended, told by an opened call. Marks the segment when its time is not that of a rank alone. */
void parcast_baton_end(struct parcast_open* open);

#endif

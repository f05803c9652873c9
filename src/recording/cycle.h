/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORDING_CYCLE_H
#define PARCAST_RECORDING_CYCLE_H
/* Folds a stream's events while they are recorded. They are written to a few blocks, one after the other, as if nothing
 * were folded; a full block is folded into memory, a little after each of the events that fill the next: a process that
 * stood still to fold a block would make all others wait that compute in step with it, and so would each of these at a
 * moment of its own. When all blocks are full, what was folded is written to the file as the next edition of the current
 * chapter, beside the one before, and the blocks are used again, but for the one that is not folded yet. So whatever ends
 * the process, the file tells every event: in the newest whole edition, or in the blocks filled since. A chapter that has
 * grown large is left as it is, and another one begun.
 *
 * Short runs never fill their blocks and stay as they are, single times included. */

#include "recording/fold.h"
#include "recording/writer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The stream, which has written nothing yet, folds from now on; with `times` every event keeps its own. Without room it
 * does not fold, and nothing else changes. */
void parcast_cycle_begin(struct parcast_stream* stream, int times);
/* Folds some more of the block that was filled last. To be called when stream->offset has reached stream->next_slice; what
 * it takes is to be added to stream->own_ticks. */
void parcast_cycle_go_on(struct parcast_writer* writer, struct parcast_stream* stream);
/* The stream's block is full: opens the next. False when nothing can be written any more. */
int parcast_cycle_turn(struct parcast_writer* writer, struct parcast_stream* stream);
/* The stream's end: folds what is left where a chapter was begun, and gives the file's spare room back. */
void parcast_cycle_close(struct parcast_writer* writer, struct parcast_stream* stream);

#ifdef __cplusplus
}
#endif

#endif

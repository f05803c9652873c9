/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORDING_CYCLE_H
#define PARCAST_RECORDING_CYCLE_H
/* Folds a stream's events during recording. Events are written to a few blocks in turn, as without
 * folding. A full block is folded into memory in slices, one after each of the events that fill the next
 * block. Folding a complete block at once would stop the process; processes that compute in step with it
 * would wait, each at a different moment.
 *
 * When all blocks are full, the folded events are written to the file as the next edition of the current
 * chapter, next to the previous edition. Then the blocks are reused, except the one that is not folded
 * yet. So at any end of the process the file contains every event: in the newest complete edition, or in
 * the blocks filled since. A chapter that has grown large is left unchanged, and a new one begins.
 *
 * Short runs never fill their blocks. Their events stay unfolded, with individual times. */

#include "recording/fold.h"
#include "recording/writer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Makes the stream, which has written nothing yet, fold from now on. With `times` every event keeps its
 * own times. Without room the stream does not fold, and nothing else changes. */
void parcast_cycle_begin(struct parcast_stream* stream, int times);
/* Folds the next slice of the block that was filled last. Call it when stream->offset has reached
 * stream->next_slice, and add the time that it takes to stream->own_ticks. */
void parcast_cycle_go_on(struct parcast_writer* writer, struct parcast_stream* stream);
/* Opens the next block when the stream's block is full. Returns false when nothing can be written any
 * more. */
int parcast_cycle_turn(struct parcast_writer* writer, struct parcast_stream* stream);
/* Ends the stream: folds the rest if a chapter was begun, and returns the file's unused room. */
void parcast_cycle_close(struct parcast_writer* writer, struct parcast_stream* stream);

#ifdef __cplusplus
}
#endif

#endif

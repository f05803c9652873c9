/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORDING_CALL_CLASS_H
#define PARCAST_RECORDING_CALL_CLASS_H
/* CallClass and Pattern of recording.h for C: the numbers in PARCAST_CALL records. reader.cpp asserts that
 * both lists agree. */

enum parcast_call_class {
  PARCAST_CLASS_none,
  PARCAST_CLASS_initialise,
  PARCAST_CLASS_finalise,
  PARCAST_CLASS_send,
  PARCAST_CLASS_receive,
  PARCAST_CLASS_send_receive,
  PARCAST_CLASS_start_send,
  PARCAST_CLASS_start_receive,
  PARCAST_CLASS_wait,
  PARCAST_CLASS_test,
  PARCAST_CLASS_probe,
  PARCAST_CLASS_poll,
  PARCAST_CLASS_collective,
  PARCAST_CLASS_start_collective,
  PARCAST_CLASS_communicator,
  PARCAST_CLASS_region_begin,
  PARCAST_CLASS_region_end,
  PARCAST_CLASS_one_sided,
  PARCAST_CLASS_epoch,
  PARCAST_CLASS_input_output
};

enum parcast_pattern {
  PARCAST_PATTERN_none,
  PARCAST_PATTERN_barrier,
  PARCAST_PATTERN_broadcast,
  PARCAST_PATTERN_reduce,
  PARCAST_PATTERN_allreduce,
  PARCAST_PATTERN_gather,
  PARCAST_PATTERN_scatter,
  PARCAST_PATTERN_allgather,
  PARCAST_PATTERN_alltoall,
  PARCAST_PATTERN_reduce_scatter,
  PARCAST_PATTERN_scan,
  PARCAST_PATTERN_neighbourhood
};

/* The source and tag that a blocking receive named. Such a call has this value in the pattern field (from
 * version 7 on). A call that names different things at different times becomes several calls of one name. */
enum parcast_asked {
  PARCAST_ASKED_named = 16, /* source and tag */
  PARCAST_ASKED_any_source,
  PARCAST_ASKED_any_tag,
  PARCAST_ASKED_anything
};
/* Values in the tag field of a sent message: for a lock, and for a test that found an epoch ended. */
enum { PARCAST_LOCKS_TO_SHARE = 1, PARCAST_LOCKS_ALONE = 2, PARCAST_EPOCH_ENDED = 1 };
/* Values in the tag field of a received message when a persistent send is started; a ready send counts as
 * standard. */
enum { PARCAST_MODE_STANDARD = 1, PARCAST_MODE_BUFFERED = 2, PARCAST_MODE_SYNCHRONOUS = 3 };
/* Value in the tag field of a completed send. */
enum { PARCAST_SEND_CANCELLED = 1 };

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <string.h>

#include "record/mpi/counting.h"
#include "record/mpi/handle_map.h"
#include "record/mpi/recorder.h"

enum { kGapBuckets = 4096, kTrials = 600, kRounds = 5 };

/* Number of gaps between events, by length in ticks. */
struct gaps {
  uint16_t count[kGapBuckets];
};

static uint32_t median_of(const struct gaps* gaps) {
  uint32_t median = 0;
  for (uint32_t seen = gaps->count[0]; seen < kTrials / 2 && median < kGapBuckets - 1;)
    seen += gaps->count[++median];
  return median;
}

/* Returns the mean of the undisturbed gaps: some counters advance in steps of many ticks, which a median
 * would show. */
static double undisturbed_mean(const struct gaps* gaps) {
  const uint32_t median = median_of(gaps), most = median < kGapBuckets / 3 ? 2 * median : kGapBuckets - 2;
  double sum = 0, count = 0;
  for (uint32_t i = 0; i <= most; ++i) {
    sum += (double)i * gaps->count[i];
    count += gaps->count[i];
  }
  return median < kGapBuckets - 1 && count > 0 ? sum / count : 0;
}

static void add(struct gaps* gaps, uint64_t ticks) {
  ++gaps->count[ticks < kGapBuckets ? ticks : kGapBuckets - 1];
}

typedef void (*finish_function)(struct parcast_open*, const struct parcast_parts*);

/* Runs calls in which nothing happens, and counts the ticks between them and in them. */
static void run_trials(struct parcast_thread* thread, const struct parcast_parts* parts,
                       finish_function finish, struct gaps* between, struct gaps* in) {
  memset(between, 0, sizeof *between);
  memset(in, 0, sizeof *in);
  thread->stream.offset = sizeof(struct parcast_block_header);
  uint64_t before = parcast_ticks();
  for (int i = 0; i < kTrials; ++i) {
    struct parcast_open open;
    if (!parcast_enter(&open, PARCAST_RECORD_MPI)) return;
    parcast_leave(&open);
    finish(&open, parts);
    add(between, open.enter - before);
    add(in, open.exit - open.enter);
    before = open.exit;
  }
}

static void keep_least(double* least, const struct gaps* gaps) {
  const double mean = undisturbed_mean(gaps);
  if (mean > 0 && (*least == 0 || mean < *least)) *least = mean;
}

/* Measures the cost of an event between the call's exit and the next one's entry, using the normal code
 * and a block that is discarded. Also measures the cost of a poll that is only counted, between and in two
 * polls. Uses the least of several rounds. */
void parcast_measure_overhead(struct parcast_thread* thread, const struct parcast_parts* parts) {
  size_t bytes = PARCAST_BLOCK_SIZE;
  bool known;
  if (parcast_stack_on) /* the definitions written on first use must not be discarded */
    parcast_stack_region(thread, parts->site, (uintptr_t)__builtin_frame_address(0), &known);
  const struct parcast_stream real = thread->stream;
  char* room = parcast_pages(&bytes);
  if (!room) return;
  thread->stream = (struct parcast_stream){.block = room, .thread = real.thread, .next_slice = UINT64_MAX};
  double event = 0, between_polls = 0, in_poll = 0;
  struct gaps between, in;
  parcast_counting_try();
  for (int round = 0; round < kRounds; ++round) {
    run_trials(thread, parts, parcast_finish, &between, &in);
    keep_least(&event, &between);
    run_trials(thread, parts, parcast_finish_poll, &between, &in);
    keep_least(&between_polls, &between);
    keep_least(&in_poll, &in);
    thread->polls = (struct parcast_polls){0};
  }
  parcast_counting_tried();
  parcast_recorder.overhead = event;
  parcast_recorder.between_polls = (uint64_t)(between_polls + 0.5);
  parcast_recorder.in_poll = (uint64_t)(in_poll + 0.5);
  parcast_recorder.writer.overhead = (uint64_t)(event + 0.5);
  thread->stream = real;
  parcast_pages_free(room, bytes);
}

/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "recording/usage.h"

#include <string.h>
#include <sys/resource.h>

#include "recording/system_calls.h"
#include "recording/uncancelled.h"
#include "recording/writer.h"

int parcast_read_resources(struct parcast_resources* resources) {
  struct rusage usage;
  if (parcast_resources_used(RUSAGE_THREAD, &usage) != 0) return 0;
  *resources = (struct parcast_resources){.minor_faults = (uint64_t)usage.ru_minflt,
                                          .major_faults = (uint64_t)usage.ru_majflt,
                                          .voluntary = (uint64_t)usage.ru_nvcsw,
                                          .involuntary = (uint64_t)usage.ru_nivcsw,
                                          .peak_memory = (uint64_t)usage.ru_maxrss * 1024};
  return 1;
}

void parcast_add_resources(struct parcast_writer* writer, struct parcast_resources* into,
                           const struct parcast_resources* now, const struct parcast_resources* before) {
  into->minor_faults += now->minor_faults - before->minor_faults;
  into->major_faults += now->major_faults - before->major_faults;
  into->voluntary += now->voluntary - before->voluntary;
  into->involuntary += now->involuntary - before->involuntary;
  if (now->peak_memory > before->peak_memory)
    __atomic_fetch_add(&writer->peak_told, now->peak_memory - before->peak_memory, __ATOMIC_RELAXED);
}

uint64_t parcast_peak_growth(struct parcast_writer* writer, const struct parcast_resources* now) {
  const uint64_t told = __atomic_exchange_n(&writer->peak_told, now->peak_memory, __ATOMIC_RELAXED);
  return now->peak_memory > told ? now->peak_memory - told : 0;
}

static uint64_t* used_of(const struct parcast_block* block) {
  return &((struct parcast_block_header*)(void*)block->memory)->committed;
}

/* Returns the next free place. A block of places is never released, because it holds places of several
 * threads. */
static struct parcast_usage* new_place(struct parcast_writer* writer, uint32_t thread) {
  PARCAST_UNCANCELLED;
  struct parcast_block* block = &writer->usage;
  struct parcast_usage* place = NULL;
  pthread_mutex_lock(&writer->lock);
  if (block->memory && *used_of(block) + sizeof *place > PARCAST_BLOCK_SIZE) block->memory = NULL;
  if (!block->memory && parcast_take_block(writer, thread, PARCAST_BLOCK_USAGE, block) != PARCAST_STOP_NONE)
    block->memory = NULL;
  if (block->memory) {
    place = (struct parcast_usage*)(void*)(block->memory + *used_of(block));
    *used_of(block) += sizeof *place;
  }
  pthread_mutex_unlock(&writer->lock);
  return place;
}

struct parcast_usage* parcast_usage_place(struct parcast_writer* writer, struct parcast_usage_places* places,
                                          uint32_t thread, uint32_t region) {
  while (region >= places->capacity) {
    struct parcast_usage** list =
        parcast_room_extend(&places->room, places->list, places->capacity, &places->capacity, sizeof *list);
    if (!list) return NULL;
    places->list = list;
  }
  if (places->list[region]) return places->list[region];
  struct parcast_usage* place = new_place(writer, thread);
  if (!place) return NULL;
  place->region = region;
  place->thread = (uint16_t)thread;
  for (int i = 0; i < PARCAST_USED_COUNT; ++i) parcast_set_usage(place, (enum parcast_used)i, 0);
  place->used = 1;
  places->list[region] = place;
  return place;
}

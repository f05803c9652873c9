/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "recording/writer.h"

int parcast_put_phase_name(struct parcast_writer* writer, uint32_t id, const char* name) {
  enum { kLongestName = 1000 };
  const uint32_t length = (uint32_t)strnlen(name, kLongestName);
  struct parcast_phase_name* room;
  const uint64_t bytes = (sizeof *room + length + 7) / 8 * 8;
  room = parcast_reserve(writer, &writer->phases, bytes);
  if (!room) return 0;
  memset(room, 0, bytes);
  room->record.kind = PARCAST_PHASE_NAME;
  room->id = id;
  room->length = length;
  memcpy(room + 1, name, length);
  parcast_commit(&writer->phases, &room->record, bytes);
  return 1;
}

int parcast_put_phase(struct parcast_writer* writer, const struct parcast_phase_span* phase, uint8_t flags,
                      const struct parcast_phase_used* used, const struct parcast_phase_counts* counts) {
  const uint64_t used_bytes = used ? sizeof *used : 0, count_bytes = used && counts ? sizeof *counts : 0;
  const uint64_t bytes = sizeof *phase + used_bytes + count_bytes;
  struct parcast_phase_span* room = parcast_reserve(writer, &writer->phases, bytes);
  if (!room) return 0;
  *room = *phase;
  if (used_bytes) memcpy(room + 1, used, used_bytes), flags |= PARCAST_PHASE_USED;
  if (count_bytes)
    memcpy((char*)(room + 1) + used_bytes, counts, count_bytes), flags |= PARCAST_PHASE_COUNTED;
  room->record = (struct parcast_record){.kind = PARCAST_PHASE, .flags = flags};
  parcast_commit(&writer->phases, &room->record, bytes);
  return 1;
}

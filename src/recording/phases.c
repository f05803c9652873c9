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

int parcast_put_phase(struct parcast_writer* writer, const struct parcast_phase_span* phase, uint8_t flags) {
  struct parcast_phase_span* room = parcast_reserve(writer, &writer->phases, sizeof *room);
  if (!room) return 0;
  *room = *phase;
  room->record = (struct parcast_record){.kind = PARCAST_PHASE, .flags = flags};
  parcast_commit(&writer->phases, &room->record, sizeof *room);
  return 1;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "record/mpi/family.h"
#include "record/mpi/handle_map.h"
#include "record/mpi/recorder.h"

/* Requests by handle. Several requests may share one handle: Open MPI gives the same handle to every send
 * that completed at once. Such requests complete in first-in, first-out order, which no program can
 * distinguish from a different order. */
struct request {
  uint32_t next; /* next request with the same handle; UINT32_MAX: none */
  uint32_t last; /* last of the chain; valid in the first */
  uint32_t serial;
  uint8_t kind;
  bool persistent, active;
  int32_t peer, tag; /* of a persistent request */
  uint64_t bytes;
  struct parcast_comm* comm;
};
static struct parcast_pool pool = {.item_bytes = sizeof(struct request)};
static struct parcast_map chains; /* handle -> first request of its chain */
/* handle from MPI_Mprobe -> number in message_comms */
static struct parcast_map messages;
static struct parcast_pool message_comms = {.item_bytes = sizeof(parcast_handle)};
static uint32_t last_serial;

static struct request* at(uint32_t number) {
  return (struct request*)(void*)(pool.items + number * sizeof(struct request));
}

static uint32_t new_serial(void) {
  if (++last_serial == 0) ++last_serial;
  return last_serial;
}

static void append(parcast_handle handle, uint32_t number) {
  at(number)->next = UINT32_MAX;
  at(number)->last = number;
  struct parcast_slot* slot = parcast_map_place(&chains, handle);
  if (!slot) {
    parcast_pool_give(&pool, number);
  } else if (slot->number == PARCAST_NO_NUMBER) {
    slot->number = number;
  } else {
    struct request* first = at(slot->number);
    at(first->last)->next = number;
    first->last = number;
  }
}

/* Removes the first request from a handle's chain. */
static uint32_t unlink_first(struct parcast_slot* slot) {
  const uint32_t number = slot->number, next = at(number)->next;
  if (next == UINT32_MAX) {
    parcast_map_erase(&chains, slot);
  } else {
    at(next)->last = at(number)->last;
    slot->number = next;
  }
  return number;
}

static void remove_first(struct parcast_slot* slot) {
  const uint32_t number = unlink_first(slot);
  if (at(number)->comm) parcast_communicator_unused(at(number)->comm);
  parcast_pool_give(&pool, number);
}

static bool exists(parcast_handle request) {
  return request && request != parcast_family_values.null_request;
}

static uint32_t add(struct parcast_thread* thread, parcast_handle handle, enum parcast_request_kind kind,
                    parcast_handle comm) {
  struct parcast_comm* const found = comm ? parcast_communicator(thread, comm) : NULL;
  parcast_lock();
  const uint32_t number = exists(handle) ? parcast_pool_take(&pool) : UINT32_MAX;
  if (number != UINT32_MAX) {
    *at(number) = (struct request){.kind = (uint8_t)kind, .comm = found};
    if (found) ++found->outstanding;
    append(handle, number);
  } else if (exists(handle)) {
    parcast_note_left_out(&parcast_recorder.writer, PARCAST_LEFT_OUT_REQUESTS);
  }
  return number; /* still locked */
}

uint64_t parcast_request_started(struct parcast_thread* thread, parcast_handle request,
                                 enum parcast_request_kind kind, parcast_handle comm) {
  const uint32_t number = add(thread, request, kind, comm);
  const uint32_t serial = new_serial();
  if (number != UINT32_MAX) {
    at(number)->serial = serial;
    at(number)->active = true;
  }
  parcast_unlock();
  return serial;
}

void parcast_request_prepared(struct parcast_thread* thread, parcast_handle request,
                              enum parcast_request_kind kind, parcast_handle comm, int peer, int tag,
                              uint64_t bytes) {
  const uint32_t number = add(thread, request, kind, comm);
  if (number != UINT32_MAX) {
    at(number)->persistent = true;
    at(number)->peer = peer;
    at(number)->tag = tag;
    at(number)->bytes = bytes;
  }
  parcast_unlock();
}

void parcast_request_renamed(parcast_handle before, parcast_handle now) {
  if (before == now || !exists(now)) return;
  parcast_lock();
  struct parcast_slot* slot = exists(before) ? parcast_map_find(&chains, before) : NULL;
  if (slot) append(now, unlink_first(slot));
  parcast_unlock();
}

/* not a rank of any communicator; one family's MPI_PROC_NULL equals the other's MPI_ANY_SOURCE */
enum { NO_RANK = INT32_MIN };

/* Stores the mode in the tag field of a received message. */
static void describe_mode(struct parcast_parts* parts, enum parcast_request_kind kind) {
  parts->flags |= PARCAST_HAS_RECEIVED;
  parts->received_peer = NO_RANK;
  parts->received_tag = kind == PARCAST_SENDS            ? PARCAST_MODE_STANDARD
                        : kind == PARCAST_SENDS_BUFFERED ? PARCAST_MODE_BUFFERED
                                                         : PARCAST_MODE_SYNCHRONOUS;
}

bool parcast_request_restarted(parcast_handle request, struct parcast_parts* parts,
                               enum parcast_request_kind* kind) {
  parcast_lock();
  const struct parcast_slot* slot = exists(request) ? parcast_map_find(&chains, request) : NULL;
  struct request* const found = slot ? at(slot->number) : NULL;
  if (found) {
    found->serial = new_serial();
    found->active = true;
    *kind = (enum parcast_request_kind)found->kind;
    parts->communicator = 0;
    parts->known = found->comm;
    parts->request = found->serial;
    parts->flags |= PARCAST_HAS_REQUEST;
    if (parcast_sends(*kind)) {
      parts->flags |= PARCAST_HAS_MESSAGE;
      parts->sent_peer = found->peer, parts->sent_tag = found->tag, parts->sent_bytes = found->bytes;
      describe_mode(parts, *kind);
    } else {
      parts->flags |= PARCAST_HAS_RECEIVED;
      parts->received_peer = found->peer, parts->received_tag = found->tag,
      parts->received_bytes = found->bytes;
    }
  }
  parcast_unlock();
  return found != NULL;
}

void parcast_request_freed(parcast_handle request) {
  parcast_lock();
  struct parcast_slot* slot = exists(request) ? parcast_map_find(&chains, request) : NULL;
  if (slot) remove_first(slot);
  parcast_unlock();
}

uint64_t parcast_request_serial(parcast_handle request) {
  parcast_lock();
  const struct parcast_slot* slot = exists(request) ? parcast_map_find(&chains, request) : NULL;
  const struct request* const found = slot ? at(slot->number) : NULL;
  const uint64_t serial = found && found->active ? found->serial : 0;
  parcast_unlock();
  return serial;
}

void parcast_message_matched(parcast_handle message, parcast_handle comm) {
  if (!message || message == parcast_family_values.no_message) return;
  parcast_lock();
  const uint32_t number = parcast_pool_take(&message_comms);
  if (number != UINT32_MAX) {
    memcpy(message_comms.items + number * sizeof comm, &comm, sizeof comm);
    if (!parcast_map_put(&messages, message, number)) parcast_pool_give(&message_comms, number);
  }
  parcast_unlock();
}

parcast_handle parcast_message_communicator(parcast_handle message) {
  parcast_handle comm = 0;
  parcast_lock();
  struct parcast_slot* slot = parcast_map_find(&messages, message);
  if (slot) {
    memcpy(&comm, message_comms.items + slot->number * sizeof comm, sizeof comm);
    parcast_pool_give(&message_comms, slot->number);
    parcast_map_erase(&messages, slot);
  }
  parcast_unlock();
  return comm;
}

void* parcast_scratch(struct parcast_thread* thread, size_t bytes) {
  if (bytes <= thread->scratch_bytes) return thread->scratch;
  parcast_pages_free(thread->scratch, thread->scratch_bytes);
  thread->scratch_bytes = 0;
  bytes *= 2;
  thread->scratch = parcast_pages(&bytes);
  if (thread->scratch) thread->scratch_bytes = bytes;
  return thread->scratch;
}

void parcast_batch_begin(struct parcast_batch* batch, struct parcast_thread* thread) {
  batch->thread = thread;
  memset(&batch->head, 0, sizeof batch->head);
}

void parcast_batch_end(struct parcast_batch* batch) {
  if (batch->thread->silent) batch->head.count = 0;
  if (!batch->head.count) return;
  const size_t bytes = sizeof batch->head + batch->head.count * sizeof *batch->items;
  struct parcast_completions* room = parcast_reserve(&parcast_recorder.writer, &batch->thread->stream, bytes);
  if (room) {
    batch->head.record.kind = PARCAST_COMPLETIONS;
    batch->head.thread = (uint16_t)batch->thread->stream.thread;
    memcpy(room, &batch->head, sizeof batch->head);
    memcpy(room + 1, batch->items, batch->head.count * sizeof *batch->items);
    parcast_commit(&batch->thread->stream, &room->record, bytes);
  }
  batch->head.count = 0;
}

void parcast_batch_add(struct parcast_batch* batch, parcast_handle handle,
                       const struct parcast_arrival* arrival) {
  if (!exists(handle)) return;
  parcast_lock();
  struct parcast_slot* slot = parcast_map_find(&chains, handle);
  struct request* const found = slot ? at(slot->number) : NULL;
  if (found && found->active) {
    struct parcast_completion* item = &batch->items[batch->head.count++];
    *item = (struct parcast_completion){.request = found->serial, .source = PARCAST_NO_PEER};
    if (found->kind == PARCAST_RECEIVES && arrival->source >= 0) {
      item->source = parcast_world_rank(found->comm, arrival->source);
      item->tag = arrival->tag;
      item->bytes = arrival->bytes;
    }
    if (arrival->cancelled && parcast_sends((enum parcast_request_kind)found->kind))
      item->tag = PARCAST_SEND_CANCELLED;
    found->active = false;
    if (!found->persistent) remove_first(slot);
  }
  parcast_unlock();
  if (batch->head.count == PARCAST_BATCH) parcast_batch_end(batch);
}

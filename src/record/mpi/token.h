/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORD_TOKEN_H
#define PARCAST_RECORD_TOKEN_H
/* Tokens that the processes of one launch on one host pass among each other, in shared memory. A token
 * changes its holder by a single compare-and-swap of one word, and every wait for a token has a time
 * limit. So a process may be killed or stopped at any instruction without blocking others for longer.
 *
 *   word = generation << 16 | holder's seat + 1        0 in the low half: free
 *
 * A seat is a number of a thread among the processes. A thread in a seat holds the seat's robust mutex
 * until it ends; the kernel releases the mutex of a dead thread. A holder that keeps the token longer than
 * its limit loses it to a waiting thread, and learns so when it gives the token back. */

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "record/mpi/history.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PARCAST_TOKENS = 64, PARCAST_SEATS = 1024 };

/* Times are nanoseconds of the monotonic clock. */
struct parcast_token {
  uint32_t word;
  uint32_t waiting; /* number of waiting seats; includes processes killed while they waited */
  /* seat + 1 of the last one that computes without the token; 0: none */
  uint32_t loose;
  uint32_t paused; /* no thread may take it until it is resumed */
  uint64_t loose_since;
  /* a segment that began before this time may have had neighbours */
  uint64_t disturbed_until;
  uint64_t released; /* when the token was last given back */
  uint64_t lost;     /* time that waiting for the token added to the run */
} __attribute__((aligned(128)));

struct parcast_seat {
  pthread_mutex_t life;
  uint64_t limit; /* longest time that the seat may keep a token */
} __attribute__((aligned(64)));

struct parcast_tokens {
  uint64_t magic, started;
  uint32_t present;        /* processes that opened this and have not left */
  uint64_t processors[16]; /* processors that they may run on, one bit each */
  struct parcast_opinion opinions[PARCAST_CLASSES];
  struct parcast_token tokens[PARCAST_TOKENS];
  struct parcast_seat seats[PARCAST_SEATS];
};

/* Opens the tokens of that name, or creates them; null on failure. Counts this process as present. */
struct parcast_tokens* parcast_tokens_open(const char* path);

void parcast_tokens_close(struct parcast_tokens* tokens);

/* Takes a free seat for the calling thread, until it leaves or ends; PARCAST_SEATS when all are taken. */
uint32_t parcast_seat_take(struct parcast_tokens* tokens);
void parcast_seat_leave(struct parcast_tokens* tokens, uint32_t seat);

enum parcast_taking { PARCAST_TAKEN, PARCAST_TAKEN_BY_FORCE, PARCAST_NOT_TAKEN };
/* Waits at most `longest_wait`. The token may be kept for `limit`; afterwards a waiting thread may take it
 * by force. Sets *idle to the time since the token's last release, if the thread waited for it. */
enum parcast_taking parcast_token_take(struct parcast_tokens* tokens, struct parcast_token* token,
                                       uint32_t seat, uint64_t limit, uint64_t longest_wait, uint64_t* idle);
/* Returns false when the token was taken by force meanwhile. */
bool parcast_token_give(struct parcast_token* token, uint32_t seat);

/* Marks that a seat begins to compute without the token, or has ended. */
void parcast_token_loose(struct parcast_token* token, uint32_t seat);
void parcast_token_settled(struct parcast_token* token, uint32_t seat);
/* Returns whether a holder from `began` to `now` may have had neighbours. */
bool parcast_token_disturbed(const struct parcast_token* token, uint64_t began, uint64_t now);

/* No thread can take the token until it is resumed; waiting threads continue without it. */
void parcast_token_pause(struct parcast_token* token);
void parcast_token_resume(struct parcast_token* token, uint64_t disturbed_until);

#ifdef __cplusplus
}
#endif

#endif

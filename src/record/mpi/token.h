/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORD_TOKEN_H
#define PARCAST_RECORD_TOKEN_H
/* Tokens that the processes of one launch on one host pass among each other, in memory that they share. Its one idea:
 * a token changes hands by a single compare-and-swap of one word, and whoever waits for it waits for a bounded time. So a
 * process may be killed or stopped at any instruction, and nobody waits for it longer than that.
 *
 *   word = generation << 16 | holder's seat + 1        0 in the low half: nobody has it
 *
 * A seat is a number among the processes; whoever sits there holds its robust mutex for life, which the kernel gives
 * up for the dead. A holder that keeps the token longer than it said is robbed: it learns so when it gives it back. */

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
  uint32_t waiting;         /* seats that wait; a process killed meanwhile stays counted */
  uint32_t loose;           /* seat + 1 of the last one that was robbed and computes on; 0 none */
  uint32_t paused;          /* nobody takes it for now */
  uint64_t loose_since;
  uint64_t disturbed_until; /* who held it before that time was perhaps not alone */
  uint64_t released;        /* when it was last given back */
  uint64_t lost;            /* time by which waiting for it prolonged the run */
} __attribute__((aligned(128)));

struct parcast_seat {
  pthread_mutex_t life;
  uint64_t limit; /* that the seat may keep a token */
} __attribute__((aligned(64)));

struct parcast_tokens {
  uint64_t magic, started;
  uint32_t present;          /* processes that opened this and did not leave */
  uint64_t processors[16];   /* that they may run on, a bit for each */
  struct parcast_opinion opinions[PARCAST_CLASSES];
  struct parcast_token tokens[PARCAST_TOKENS];
  struct parcast_seat seats[PARCAST_SEATS];
};

/* The tokens of that name, made where there are none yet; null when they cannot be had. Counts this process as present. */
struct parcast_tokens* parcast_tokens_open(const char* path);

void parcast_tokens_close(struct parcast_tokens* tokens);

/* A free seat for the calling thread, until it leaves or ends; PARCAST_SEATS when there is none. */
uint32_t parcast_seat_take(struct parcast_tokens* tokens);
void parcast_seat_leave(struct parcast_tokens* tokens, uint32_t seat);

enum parcast_taking { PARCAST_TAKEN, PARCAST_TAKEN_BY_FORCE, PARCAST_NOT_TAKEN };
/* Waits at most that long. The token may be kept for `limit`, then whoever waits robs it. *idle becomes the time from its
 * last release on, when it was waited for. */
enum parcast_taking parcast_token_take(struct parcast_tokens* tokens, struct parcast_token* token, uint32_t seat,
                                       uint64_t limit, uint64_t longest_wait, uint64_t* idle);
/* False when it was robbed meanwhile. */
bool parcast_token_give(struct parcast_token* token, uint32_t seat);

/* A seat computes beside the token's holders, or no longer. */
void parcast_token_loose(struct parcast_token* token, uint32_t seat);
void parcast_token_settled(struct parcast_token* token, uint32_t seat);
/* Was who held it from `began` till now perhaps not alone? */
bool parcast_token_disturbed(const struct parcast_token* token, uint64_t began, uint64_t now);

/* Nobody takes it until it is resumed; who waits goes on without. */
void parcast_token_pause(struct parcast_token* token);
void parcast_token_resume(struct parcast_token* token, uint64_t disturbed_until);

#ifdef __cplusplus
}
#endif

#endif

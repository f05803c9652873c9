/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORD_COUNTING_THREADS_H
#define PARCAST_RECORD_COUNTING_THREADS_H
/* Threads of a program that counts: each is given a set when it begins, and gives it back at its end. pthread_create and
 * thrd_create are the recorder's; where nothing counts they pass straight on. */

#include <stdbool.h>
#include <stdint.h>

#include "record/mpi/counted.h"

/* Something counts in this process: threads are watched from now on. */
bool parcast_counting_threads_begin(void);
/* Threads that began before the recording are given their sets. The lock must be held. */
void parcast_counting_all_threads(void);
/* Over sets, their file, and the list of threads. */
void parcast_counting_lock(void);
void parcast_counting_unlock(void);

/* counting.c: the words by which the calling thread is told where to count; to tell a thread that. */
void parcast_counting_words(int64_t* words[PARCAST_MOST_BINARIES]);
void parcast_counting_point(int64_t* const words[PARCAST_MOST_BINARIES], uint32_t set);
/* A set for a thread, and back. The lock must be held. */
uint32_t parcast_counting_take_set(void);
void parcast_counting_give_set(uint32_t set);
/* In a forked child. */
void parcast_counting_in_child(void);

#endif

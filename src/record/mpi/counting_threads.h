/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORD_COUNTING_THREADS_H
#define PARCAST_RECORD_COUNTING_THREADS_H
/* Threads of a program compiled with the pass: each gets a set when it begins, and returns it at its end.
 * The recorder replaces pthread_create and thrd_create; without counting they call the originals directly. */

#include <stdbool.h>
#include <stdint.h>

#include "record/mpi/counted.h"

/* Starts watching threads, because this process counts. */
bool parcast_counting_threads_begin(void);
/* Gives sets to the threads that began before the recording. The lock must be held. */
void parcast_counting_all_threads(void);
/* The lock protects sets, their file, and the list of threads. */
void parcast_counting_lock(void);
void parcast_counting_unlock(void);

/* counting.c: returns the words that direct the calling thread's counts; directs a thread's counts to a
 * set. */
void parcast_counting_words(int64_t* words[PARCAST_MOST_BINARIES]);
void parcast_counting_point(int64_t* const words[PARCAST_MOST_BINARIES], uint32_t set);
/* Take a set for a thread, and return it. The lock must be held. */
uint32_t parcast_counting_take_set(void);
void parcast_counting_give_set(uint32_t set);
bool parcast_counting_is_on(void);
/* Called in a forked child. */
void parcast_counting_in_child(void);

#endif

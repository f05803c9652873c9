/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORDING_GATHER_H
#define PARCAST_RECORDING_GATHER_H
/* Packs the rank files of a node and their counts into one file per node (container.h), from inside any
 * process: no heap, no signals, and every failing call is handled. A rank file is removed only after its
 * bytes are flushed in a container with its final name. So whatever ends the process, every rank can be
 * read at every moment, and gathering again completes the work. */

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct parcast_gathered {
  uint32_t ranks; /* packed into a container by this call */
  /* already in a container, byte for byte; only removed */
  uint32_t known;
  uint32_t beside;     /* files of counts, both packed and only removed */
  uint32_t running;    /* not packed: their processes still run */
  uint32_t left;       /* not packed: something failed */
  uint32_t containers; /* containers written */
  uint32_t busy;       /* 1: another process gathers in this folder; nothing was done */
  uint64_t bytes;      /* size of the containers */
  /* errno of the first failure, 0: none; `where` is its path */
  int error;
  char where[4200];
};

/* Packs the rank files of the folder `from`, including its worlds, into the folder `into`, which must
 * exist; both may be the same folder. With `wait` it waits for another process that gathers there. Returns
 * 0 when nothing failed; `from` may be absent. */
int parcast_gather(const char* from, const char* into, int wait, struct parcast_gathered* gathered);

/* Computes the folder on this node for ranks that would write to `out`, an absolute path:
 * DIR/parcast-NAME-HASH. The hash separates recordings that share DIR. Returns false when the path is too
 * long. */
int parcast_local_folder(char* path, uint64_t size, const char* directory, const char* out);

/* Computes the folder on this node for the ranks of the recording `out`: from the recording's link, or
 * else as above. `directory`, if not null, replaces the directory in the link. Returns false when neither
 * gives a folder. */
int parcast_local_of(char* path, uint64_t size, const char* directory, const char* out);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORDING_GATHER_H
#define PARCAST_RECORDING_GATHER_H
/* Rank files of a node, and their counts, into one file per node (container.h), from inside any process: no heap, no signals, every failing
 * call is survived. A rank file is removed only when its bytes lie, flushed, in a container that has its final name; so
 * whatever ends the process, every rank can be read at every moment, and to gather again finishes the job. */

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct parcast_gathered {
  uint32_t ranks;      /* put into a container now */
  uint32_t known;      /* found in a container already, byte for byte; only removed */
  uint32_t beside;     /* files of counts, of both kinds */
  uint32_t running;    /* left where they are: their processes still run */
  uint32_t left;       /* left where they are: something failed */
  uint32_t containers; /* written */
  uint32_t busy;       /* 1: another process gathers here; nothing was done */
  uint64_t bytes;      /* of the containers */
  int error;           /* errno of the first failure, 0 none, and the path where it was */
  char where[4200];
};

/* Packs the rank files of the folder `from`, its worlds included, into the folder `into`, which must exist; both may be the
 * same. With `wait` another process that gathers there is waited for. 0 when nothing failed; `from` may be absent. */
int parcast_gather(const char* from, const char* into, int wait, struct parcast_gathered* gathered);

/* The folder on this node for ranks that would write to `out`, an absolute path: DIR/parcast-NAME-HASH, so that recordings
 * that share DIR stay apart. False where it does not fit. */
int parcast_local_folder(char* path, uint64_t size, const char* directory, const char* out);

/* Where ranks of the recording `out` lie on this node: what its link says, or else as above; `directory`, where not null,
 * stands in for the one that the link names. False where nothing tells it. */
int parcast_local_of(char* path, uint64_t size, const char* directory, const char* out);

#ifdef __cplusplus
}
#endif

#endif

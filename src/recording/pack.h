/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORDING_PACK_H
#define PARCAST_RECORDING_PACK_H
/* Packs one folder's rank files into containers, one per host. This is the part of gather.h that handles
 * files and bytes. */

#include "recording/container.h"
#include "recording/gather.h"

enum { kMostPacked = 1 << 16, kPieceBytes = 1 << 20 };

struct parcast_rank_file {
  int32_t rank;
  uint32_t kind;   /* parcast_part_kind */
  uint32_t packed; /* 1: a container holds it; 2: not to be packed */
  char host[64];
};

/* All working memory in one mapping, since there is no heap. */
struct parcast_packing {
  int from, into; /* the two folders */
  const char *from_path, *into_path;
  const char* host; /* for files whose header has no host */
  uint64_t seed;    /* distinguishes temporary files of different nodes */
  struct parcast_gathered* gathered;
  struct parcast_rank_file files[kMostPacked];
  uint32_t count;
  struct parcast_index_entry index[kMostPacked + 1]; /* the trailer follows the entries */
  uint64_t piece[kPieceBytes / 8], other[kPieceBytes / 8];
};

/* Lists the next batch of rank files of `from` whose processes have ended, sorted by host, rank and kind. */
void parcast_list_ranks(struct parcast_packing* packing);
/* Packs the batch and removes the packed files. */
void parcast_pack(struct parcast_packing* packing);

enum { kLongestName = 160 };
/* Writes the name of the rank's file of that kind. */
void parcast_name_file(char name[kLongestName], int32_t rank, uint32_t kind);

/* Stores the first failure; later ones are ignored. */
void parcast_note_failure(struct parcast_gathered* gathered, int error, const char* folder, const char* name);

/* Calls `see` for every name in the folder until `see` returns 0. */
void parcast_each_name(int folder, int (*see)(const char* name, void* data), void* data);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORDING_PACK_H
#define PARCAST_RECORDING_PACK_H
/* One folder's rank files into containers, one per host: the part of gather.h that knows files and bytes. */

#include "recording/container.h"
#include "recording/gather.h"

enum { kMostPacked = 1 << 16, kPieceBytes = 1 << 20 };

struct parcast_rank_file {
  int32_t rank;
  uint32_t kind;   /* parcast_part_kind */
  uint32_t packed; /* 1: a container holds it; 2: it is left where it is */
  char host[64];
};

/* One mapping of memory, since there is no heap. */
struct parcast_packing {
  int from, into;              /* the two folders */
  const char *from_path, *into_path;
  const char* host;            /* for files that do not tell theirs */
  uint64_t seed;               /* tells temporary files of different nodes apart */
  struct parcast_gathered* gathered;
  struct parcast_rank_file files[kMostPacked];
  uint32_t count;
  struct parcast_index_entry index[kMostPacked + 1]; /* the trailer behind them */
  uint64_t piece[kPieceBytes / 8], other[kPieceBytes / 8];
};

/* The next batch of rank files of `from`, sorted by host, rank and kind; their processes have ended. */
void parcast_list_ranks(struct parcast_packing* packing);
/* Packs the batch and removes what was packed. */
void parcast_pack(struct parcast_packing* packing);

enum { kLongestName = 160 };
/* Of the rank's file of that kind. */
void parcast_name_file(char name[kLongestName], int32_t rank, uint32_t kind);

/* Notes the first failure. */
void parcast_note_failure(struct parcast_gathered* gathered, int error, const char* folder, const char* name);

/* Calls `see` for every name in the folder until it returns 0. */
void parcast_each_name(int folder, int (*see)(const char* name, void* data), void* data);

#endif

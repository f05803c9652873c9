/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORDING_CONTAINER_H
#define PARCAST_RECORDING_CONTAINER_H
/* The bytes of a node-HOST.recs file: the rank files of one host, and what goes with them, in one file, for file systems that suffer from thousands
 * of files. Written once, by pack.c; read by containers.cpp.
 *
 *   0        node header: who, how many parts, how many bytes in all
 *   96       parts, 8-byte aligned: a part header and then the bytes of rank-N.rec
 *   index    one entry per part; then the trailer, which ends the file and is where a reader begins
 *
 * A rank file of a killed process ends in room that was never used, up to some MiB of zeros: those are not kept but
 * counted, and given back on reading, so that what is read is what was packed, to the byte, and a recording's digest does
 * not depend on where its ranks lie. Each part tells itself (rank, length, a check of its bytes) so that a file that was
 * cut, with its index gone, still gives its parts. Numbers are little-endian; checks are parcast_check (format.h). */

#include "recording/format.h"

#define PARCAST_NODE_MAGIC 0x45444f4e54534350ull  /* "PCSTNODE" */
#define PARCAST_PART_MAGIC 0x5452415054534350ull  /* "PCSTPART" */
#define PARCAST_INDEX_MAGIC 0x58444e4954534350ull /* "PCSTINDX" */
#define PARCAST_NODE_VERSION 2u /* 1 has rank files alone; a file without counts is one of these */
#define PARCAST_NODE_PREFIX "node-"
#define PARCAST_NODE_SUFFIX ".recs"
/* Zeros at a rank file's end that are left out. A reader takes memory for them that the file does not show, so they are
 * bounded, by the bytes that are there, too. */
#define PARCAST_MOST_ZEROS (16ull << 20)
#define PARCAST_ZEROS_PER_BYTE 1024ull
/* In the folder: a symbolic link that is named for the folder in which the ranks of each node wrote (PARCAST_LOCAL). */
#define PARCAST_LOCAL_LINK ".local"
#define PARCAST_LOCAL_PREFIX "parcast-"

enum parcast_part_kind { PARCAST_PART_RANK, PARCAST_PART_COUNTS }; /* rank-N.rec, rank-N.counts */

struct parcast_node_header {
  uint64_t magic;
  uint32_t version;
  uint32_t check;        /* of the rest, this field 0; place 0 */
  uint32_t parts, reserved;
  uint64_t bytes;        /* of the whole file */
  char host[64];
};

struct parcast_node_part {
  uint64_t magic;
  int32_t rank;
  uint32_t check;        /* of this header with this field 0; place: its own */
  uint64_t length;       /* bytes that follow, then zeros up to a multiple of 8 */
  uint64_t zeros;        /* that followed these in the rank file */
  uint32_t content;      /* check of the bytes, padded with zeros to 8; place 0 */
  uint32_t kind;         /* parcast_part_kind */
};

struct parcast_index_entry {
  int32_t rank;
  uint32_t content;
  uint64_t at;           /* of the part's header */
  uint64_t length;
  uint32_t zeros, kind;
};

struct parcast_index_trailer {
  uint64_t magic;
  uint32_t parts;
  uint32_t check;        /* of all entries and this trailer, this field 0; place: the first entry's */
  uint64_t at;           /* of the first entry */
};

static inline uint64_t parcast_most_zeros(uint64_t length) {
  const uint64_t most = PARCAST_BLOCK_SIZE + PARCAST_ZEROS_PER_BYTE * (length < PARCAST_MOST_ZEROS ? length : PARCAST_MOST_ZEROS);
  return most < PARCAST_MOST_ZEROS ? most : PARCAST_MOST_ZEROS;
}

static inline uint64_t parcast_padded(uint64_t bytes) { return (bytes + 7) / 8 * 8; }

/* parcast_check in pieces: begin, then add pieces of whole groups of 16 words (the last one may be shorter), then end. */
static inline uint64_t parcast_check_add(uint64_t sum, const parcast_word* words, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) {
    if (i % 16 == 0) sum = parcast_check_stir(sum);
    sum += words[i] * parcast_check_factors[i % 16];
  }
  return sum;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORDING_CONTAINER_H
#define PARCAST_RECORDING_CONTAINER_H
/* The layout of a node-HOST.recs file: all rank files of one host, and their counts, in one file, for file
 * systems that handle thousands of files badly. pack.c writes it once; containers.cpp reads it.
 *
 *   0        node header: host, number of parts, number of bytes
 *   96       parts, 8-byte aligned: a part header and then the bytes of rank-N.rec
 *   index    one entry per part; then the trailer, at the end of the file, where a reader begins
 *
 * A rank file of a killed process ends in unused room, up to some MiB of zeros. The container stores only
 * their number, and the reader restores them: the bytes read equal the bytes packed, and a recording's
 * digest does not depend on where its ranks are stored. Each part identifies itself (rank, length, a check
 * of its bytes), so that a truncated file without its index still yields its parts. Numbers are
 * little-endian; checks are parcast_check (format.h). */

#include "recording/format.h"

#define PARCAST_NODE_MAGIC 0x45444f4e54534350ull  /* "PCSTNODE" */
#define PARCAST_PART_MAGIC 0x5452415054534350ull  /* "PCSTPART" */
#define PARCAST_INDEX_MAGIC 0x58444e4954534350ull /* "PCSTINDX" */
/* version 1 has only rank files; a container without counts is written as version 1 */
#define PARCAST_NODE_VERSION 2u
#define PARCAST_NODE_PREFIX "node-"
#define PARCAST_NODE_SUFFIX ".recs"
/* Zeros at the end of a rank file that are left out. The reader allocates memory for them although the
 * container has no bytes for them, so they are limited, also relative to the bytes present. */
#define PARCAST_MOST_ZEROS (16ull << 20)
#define PARCAST_ZEROS_PER_BYTE 1024ull
/* In the recording's folder: a symbolic link whose target names the folder on each node where the ranks
 * wrote (PARCAST_LOCAL). */
#define PARCAST_LOCAL_LINK ".local"
#define PARCAST_LOCAL_PREFIX "parcast-"

/* rank-N.rec, rank-N.counts */
enum parcast_part_kind { PARCAST_PART_RANK, PARCAST_PART_COUNTS };

struct parcast_node_header {
  uint64_t magic;
  uint32_t version;
  uint32_t check; /* of this header with this field 0; place 0 */
  uint32_t parts, reserved;
  uint64_t bytes; /* of the complete file */
  char host[64];
};

struct parcast_node_part {
  uint64_t magic;
  int32_t rank;
  /* of this header with this field 0; place: that of the header */
  uint32_t check;
  uint64_t length;  /* bytes that follow; after them zeros up to a multiple of 8 */
  uint64_t zeros;   /* zeros that followed these bytes in the rank file */
  uint32_t content; /* check of the bytes, padded with zeros to 8; place 0 */
  uint32_t kind;    /* parcast_part_kind */
};

struct parcast_index_entry {
  int32_t rank;
  uint32_t content;
  uint64_t at; /* place of the part's header */
  uint64_t length;
  uint32_t zeros, kind;
};

struct parcast_index_trailer {
  uint64_t magic;
  uint32_t parts;
  /* of all entries and this trailer with this field 0; place: that of the first entry */
  uint32_t check;
  uint64_t at; /* place of the first entry */
};

static inline uint64_t parcast_most_zeros(uint64_t length) {
  const uint64_t most = PARCAST_BLOCK_SIZE +
                        PARCAST_ZEROS_PER_BYTE * (length < PARCAST_MOST_ZEROS ? length : PARCAST_MOST_ZEROS);
  return most < PARCAST_MOST_ZEROS ? most : PARCAST_MOST_ZEROS;
}

static inline uint64_t parcast_padded(uint64_t bytes) {
  return (bytes + 7) / 8 * 8;
}

/* Computes parcast_check in pieces: begin, then add pieces of complete groups of 16 words (the last piece
 * may be shorter), then end. */
static inline uint64_t parcast_check_add(uint64_t sum, const parcast_word* words, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) {
    if (i % 16 == 0) sum = parcast_check_stir(sum);
    sum += words[i] * parcast_check_factors[i % 16];
  }
  return sum;
}

#endif

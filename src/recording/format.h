/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORDING_FORMAT_H
#define PARCAST_RECORDING_FORMAT_H
/* The layout of a rank-N.rec file, shared by the writer (C, in the program's process) and the reader
 * (C++). The file is valid at every moment: whatever ends the process, it contains all records written so
 * far.
 *
 *   0        header page: fields constant after MPI_Init, with a check; then live values, each with its twin
 *   4096     counters page: calls that are only counted, each with its twin
 *   8192     blocks of 64 KiB, numbered from 0; a block belongs to one thread at a time
 *
 * A block is a block_header and then records, 8-byte aligned, none crossing a block's end; the rest is
 * zero. Events that are folded pass through blocks that are reused (PARCAST_BLOCK_ROUND). Folded events
 * are stored in chapters; each chapter is stored twice, and the newer edition overwrites the older one
 * (PARCAST_BLOCK_CHAPTER). A block is reused only after a complete chapter contains its events. cycle.h
 * writes them.
 *
 * Every record has a check over its bytes and its place in the file. So a torn, changed or misplaced
 * record is distinguished from a good one without other information. `committed` in the block's header
 * distinguishes a missing record from the unwritten rest. The rejected alternative was one CRC per block,
 * written when the block is closed. It leaves the events of the last, open block unprotected, which are
 * all events of a short run. Numbers are little-endian. docs/formats/recording.md has the table of fields. */

#include <stdint.h>

#define PARCAST_FILE_MAGIC 0x3143455254534350ull /* "PCSTREC1" */
#define PARCAST_BLOCK_MAGIC 0x4b4c4250u          /* "PBLK" */
#define PARCAST_FORMAT_VERSION 9u
/* oldest version that the reader accepts. Version 3 added PARCAST_SHARES and three classes of calls, 4
 * folding, 5 usage of regions and frames of the stack, 6 phases, 7 what receives named, 8 usage of phases. */
#define PARCAST_OLDEST_VERSION 2u
#define PARCAST_PAGE 4096u
#define PARCAST_HEADER_SIZE (2 * PARCAST_PAGE)
#define PARCAST_BLOCK_SIZE 65536u
#define PARCAST_TWIN 0x5a5aa5a5c3c33c3cull /* twin = value xor this */
#define PARCAST_UNFOLLOWED_SLOTS 160
#define PARCAST_NO_ID 0xffffffffu
/* Values in place of a world rank. */
#define PARCAST_NO_PEER (-1)
#define PARCAST_ANY_SOURCE (-2)
#define PARCAST_OUTSIDE (-3) /* a process that is not in MPI_COMM_WORLD */

enum parcast_record_kind {
  PARCAST_UNUSED = 0,
  PARCAST_EVENT = 1,
  PARCAST_COMPLETIONS = 2, /* belong to the next event of the same thread */
  PARCAST_CALL = 3,
  PARCAST_MODULE = 4,
  PARCAST_SITE = 5,
  PARCAST_REGION = 6,
  PARCAST_COMMUNICATOR = 7,
  PARCAST_MEMBERS = 8,
  PARCAST_PARAMETER = 9,
  PARCAST_REPEAT = 10,
  PARCAST_SHARES = 11,
  PARCAST_FRAME = 12,
  PARCAST_PHASE_NAME = 13,
  PARCAST_PHASE = 14
};

/* The optional words that follow an event, in this order. */
enum parcast_event_flags {
  PARCAST_HAS_MESSAGE = 1,  /* parcast_message: sent; of a collective: root and contribution */
  PARCAST_HAS_RECEIVED = 2, /* parcast_message */
  PARCAST_HAS_REQUEST = 4,  /* uint64: serial number */
  /* uint64: nanoseconds on the processor since the previous event; when absent, the time between exit and
   * enter minus the overhead was all on the processor */
  PARCAST_HAS_COMPUTE = 8,
  PARCAST_HAS_CREATED = 16, /* uint64: communicator created */
  PARCAST_HAS_STOLEN = 32,  /* uint64: nanoseconds off the processor between enter and exit */
  /* another thread used the processor since the previous event, or neighbours may have slowed it */
  PARCAST_WAS_SWITCHED = 64,
  PARCAST_CONTINUED = 128 /* a further request of the same call */
};

/* In the folder: a dangling symbolic link whose target names the job whose MPI_COMM_WORLD the rank files
 * belong to. Processes of a different world (started later, or by a second launch) write to the subfolder
 * PARCAST_WORLD_PREFIX plus the name of their world. */
#define PARCAST_WORLD_LINK ".world"
#define PARCAST_WORLD_PREFIX "world-"

struct parcast_record {
  uint8_t kind;
  uint8_t flags;
  uint16_t words; /* length in words of 8 bytes, including this one */
  uint32_t check; /* parcast_check of the record with this field 0 */
};

struct parcast_event {
  struct parcast_record record;
  uint64_t enter, exit; /* ticks */
  uint16_t call, thread;
  uint32_t site;
  uint32_t region, communicator;
};

struct parcast_message {
  /* world rank; of a collective, `tag` is the number of its PARCAST_SHARES, or 0 for none */
  int32_t peer, tag;
  uint64_t bytes;
};

struct parcast_completion {
  uint32_t request;
  int32_t source, tag;
  uint32_t reserved;
  uint64_t bytes;
};

struct parcast_completions {
  struct parcast_record record;
  uint16_t thread;
  uint16_t count; /* number of parcast_completion that follow */
  uint32_t reserved;
};

/* Further unsuccessful polls after the thread's last event, each soon after the previous one. */
struct parcast_repeat {
  struct parcast_record record;
  uint64_t exit;  /* ticks, of the last poll */
  uint32_t count; /* calls in addition to the event */
  uint16_t thread, reserved;
};

struct parcast_call {
  struct parcast_record record;
  uint16_t call;
  /* parcast_call_class; parcast_pattern, or parcast_asked for calls that receive */
  uint8_t call_class, pattern;
  uint32_t length; /* of the name that follows, padded with zero bytes */
};

struct parcast_module {
  struct parcast_record record;
  uint32_t id;
  /* the path follows, then the build id as raw bytes; padded together */
  uint16_t path_length, build_id_length;
};

struct parcast_site {
  struct parcast_record record;
  uint32_t id, module;
  uint64_t offset; /* return address minus load address */
};

struct parcast_region {
  struct parcast_record record;
  uint32_t id, parent;
  uint32_t length, reserved; /* of the name that follows */
};

/* A region that is a function on the stack. */
struct parcast_frame {
  struct parcast_record record;
  uint32_t id, parent; /* of regions */
  uint32_t module, reserved;
  uint64_t offset; /* first byte of the function minus load address */
};

struct parcast_communicator {
  struct parcast_record record;
  uint32_t id;
  uint32_t size; /* number of members, listed in PARCAST_MEMBERS records */
  /* of a Cartesian topology; number of parcast_dimension that follow */
  uint32_t dimensions;
  uint32_t remote; /* 1: the members are the other group of an intercommunicator */
};

struct parcast_dimension {
  int32_t extent, coordinate;
  uint32_t periodic, reserved;
};

struct parcast_members {
  struct parcast_record record;
  uint32_t id, runs; /* `runs`: number of parcast_run that follow */
};

/* `count` members with world ranks first, first + stride, ... */
struct parcast_run {
  int32_t first, stride;
  uint32_t count, reserved;
};

/* Bytes per partner of a collective, in any number of records of the same id. */
struct parcast_shares {
  struct parcast_record record;
  uint32_t id, runs;        /* `runs`: number of parcast_share that follow */
  uint32_t total, reserved; /* `total`: length of the complete list */
};

/* `count` partners with world ranks first, first + stride, ..., each with `bytes` bytes. */
struct parcast_share {
  int32_t first, stride;
  uint32_t count, reserved;
  uint64_t bytes;
};

struct parcast_parameter {
  struct parcast_record record;
  double value;
  uint32_t from_environment, length; /* of the name that follows */
};

struct parcast_phase_name {
  struct parcast_record record;
  uint32_t id;
  uint32_t length; /* of the name that follows */
};

/* A phase of the process's probe. Each phase begins where the previous one ended; if it does not, phases
 * in between are missing. */
struct parcast_phase_span {
  struct parcast_record record;
  uint64_t begin, end; /* ticks */
  uint32_t name, kind; /* kind: 0 computation, 1 communication, 2 idle */
  double operations, quantums;
};
enum parcast_phase_flags {
  PARCAST_COUNT_REFUSED = 1, /* the program gave an invalid count, stored as 0 */
  PARCAST_PHASE_USED = 2,    /* parcast_phase_used follows */
  /* parcast_phase_counts follows; PARCAST_LIVE_COUNTERS gives the available counters */
  PARCAST_PHASE_COUNTED = 4
};
/* Resource use of the probe's thread since the last phase with this structure, excluding the recorder's own
 * usage. It is part of the phase's record, so that a killed process leaves both or neither. */
struct parcast_phase_used {
  uint64_t minor_faults, major_faults;
  uint64_t voluntary, involuntary; /* context switches */
};
struct parcast_phase_counts {
  uint64_t cycles, instructions, cache_misses;
};

enum parcast_block_kind {
  PARCAST_BLOCK_RECORDS, /* filled once */
  PARCAST_BLOCK_ROUND,   /* events of one thread until they are folded; then events of a later round */
  PARCAST_BLOCK_CHAPTER, /* a parcast_part */
  /* consecutive parcast_usage, changed in place; of any thread */
  PARCAST_BLOCK_USAGE
};

struct parcast_block_header {
  uint32_t magic;
  uint32_t check; /* of the fields before `committed`, and of its place */
  uint32_t number;
  uint16_t thread;
  uint16_t kind;  /* parcast_block_kind */
  uint64_t ticks; /* both clocks when the block was first opened */
  uint64_t nanoseconds;
  /* bytes of this block in use, including the header; PARCAST_TURNED_CHAPTER; and, above
   * PARCAST_ROUND_SHIFT bits, the round's number. They share one word so that they change together. */
  uint64_t committed;
  uint64_t reserved[3];
};
/* Rounds of a thread are numbered from 1. The number also enters the records' checks, so that the rest of
 * an earlier round is not read as part of this round. */
#define PARCAST_ROUND_SHIFT 20
/* Set in a block for rounds that finally holds a part of a chapter. */
#define PARCAST_TURNED_CHAPTER (1ull << 17)
static inline uint64_t parcast_place_in_round(uint64_t place, uint64_t round) {
  return place + (round << 40);
}

/* Follows the header of a chapter's block; then `bytes` bytes of the description (fold.h) follow. An
 * edition is complete when its parts 0 to parts - 1 are present; the highest complete edition is valid. */
struct parcast_part {
  uint32_t bytes;
  /* of this structure with this field 0 and the bytes, padded with zeros to 8; and of its place */
  uint32_t check;
  uint32_t part, parts;
  uint64_t chapter; /* index among the thread's chapters, from 0 */
  uint64_t edition; /* increases also from chapter to chapter */
  uint64_t round;   /* the last round that is folded in */
};

struct parcast_twin {
  uint64_t value, twin;
};

/* index into parcast_usage.values; sums of a thread's usage in a region, excluding nested regions */
enum parcast_used {
  PARCAST_USED_SAMPLES,
  PARCAST_USED_MINOR_FAULTS,
  PARCAST_USED_MAJOR_FAULTS,
  PARCAST_USED_VOLUNTARY,   /* voluntary switches: the thread waited */
  PARCAST_USED_INVOLUNTARY, /* involuntary switches: another thread took the processor */
  /* largest resident memory of the process in bytes, at the last sample */
  PARCAST_USED_PEAK_MEMORY,
  PARCAST_USED_PEAK_GROWTH, /* bytes by which that grew in this region */
  /* this and the following values: only if PARCAST_LIVE_COUNTERS has them */
  PARCAST_USED_CYCLES,
  PARCAST_USED_INSTRUCTIONS,
  PARCAST_USED_CACHE_MISSES,
  PARCAST_USED_COUNT
};

/* The usage of one thread in one region, each value with its twin. */
struct parcast_usage {
  uint32_t region;
  uint16_t thread, used; /* 1: in use */
  struct parcast_twin values[PARCAST_USED_COUNT];
};
/* The value combined with a usage value to form its twin; it also identifies region and thread. */
static inline uint64_t parcast_usage_twin(uint32_t region, uint16_t thread) {
  return PARCAST_TWIN ^ ((uint64_t)thread << 32 | region);
}

enum parcast_live {                           /* index into parcast_header.live */
                    PARCAST_LIVE_BLOCKS,      /* number of blocks in use */
                    PARCAST_LIVE_DROPPED,     /* events not kept */
                    PARCAST_LIVE_STOP_REASON, /* parcast_stop */
                    PARCAST_LIVE_FINALISED,   /* ticks at MPI_Finalize's entry */
                    /* both clocks, read together whenever a block was opened and at the end */
                    PARCAST_LIVE_LAST_TICKS,
                    PARCAST_LIVE_LAST_NANOSECONDS,
                    PARCAST_LIVE_PEAK_MEMORY,
                    /* spent between events on blocks, folding and polls that are only counted; from version 4
                       on */
                    PARCAST_LIVE_OWN_TICKS,
                    /* 1: the order of events of some thread was not kept, for lack of room */
                    PARCAST_LIVE_SUMMARISED,
                    /* hardware counters read: bit 0 cycles, 1 instructions, 2 cache misses; from version 5 on
                     */
                    PARCAST_LIVE_COUNTERS,
                    /* events whose path on the stack was not found, or not searched to save time */
                    PARCAST_LIVE_WITHOUT_PATH,
                    /* calls of parcast_phase that were refused: from another thread, or of an invalid kind;
                     * from version 6 on */
                    PARCAST_LIVE_PHASES_REFUSED,
                    /* bits of parcast_left_out: what found no room in the recorder's tables; from version 9
                       on */
                    PARCAST_LIVE_LEFT_OUT,
                    PARCAST_LIVE_COUNT
};

enum parcast_left_out { /* bits */
                        /* region names or functions; their events count in the enclosing region */
                        PARCAST_LEFT_OUT_REGIONS = 1,
                        PARCAST_LEFT_OUT_LEVELS = 2,         /* levels of regions */
                        PARCAST_LEFT_OUT_PARAMETERS = 4,     /* parameters given before MPI_Init */
                        PARCAST_LEFT_OUT_SITES = 8,          /* places of calls */
                        PARCAST_LEFT_OUT_MODULES = 16,       /* libraries that calls come from */
                        PARCAST_LEFT_OUT_SHARES = 32,        /* lists of bytes per partner */
                        PARCAST_LEFT_OUT_COMMUNICATORS = 64, /* communicators */
                        PARCAST_LEFT_OUT_REQUESTS = 128      /* requests */
};
#define PARCAST_LIVE_COUNT_3 7 /* number of live values in versions 2 and 3 */
#define PARCAST_LIVE_COUNT_4 9
#define PARCAST_LIVE_COUNT_5 11

enum parcast_stop {
  PARCAST_STOP_NONE,
  PARCAST_STOP_LIMIT,   /* PARCAST_LIMIT reached */
  PARCAST_STOP_SPACE,   /* no space on the device, quota, or file size limit */
  PARCAST_STOP_FILE,    /* the file cannot be opened again, or a different file has its name */
  PARCAST_STOP_MEMORY,  /* no address space */
  PARCAST_STOP_THREADS, /* more threads than the recorder's tables can hold */
  /* more sites, regions, requests or communicators than the recorder's tables can hold */
  PARCAST_STOP_TABLE
};

enum parcast_clock {
  /* time stamp counter; the processor clock is read after every detected switch */
  PARCAST_CLOCK_TSC_RSEQ,
  /* time stamp counter; the processor clock is read after long intervals, because restartable sequences
   * are missing */
  PARCAST_CLOCK_TSC_LONG,
  PARCAST_CLOCK_MONOTONIC_RSEQ,
  PARCAST_CLOCK_MONOTONIC_LONG
};

struct parcast_header {
  uint64_t magic;
  uint32_t version;
  uint32_t check; /* of everything before `live`, with this field 0 */
  int32_t rank, processes;
  uint32_t clock;                          /* parcast_clock */
  uint32_t cores;                          /* online on this host */
  uint64_t init_enter, init_exit;          /* ticks of MPI_Init's entry and return */
  uint64_t early_ticks, early_nanoseconds; /* both clocks before MPI_Init */
  uint64_t first_ticks, first_nanoseconds; /* both clocks after MPI_Init */
  double overhead;                         /* seconds per event */
  /* part of a core that the kernel reserves for each thread; 1: no reservation */
  double share;
  uint64_t started; /* nanoseconds since 1970, UTC */
  uint64_t limit;   /* most bytes that this file may have */
  uint64_t process_id;
  char host[64];
  char library[128];  /* first line of MPI_Get_library_version */
  char command[1024]; /* words, each ended by a zero byte; empty when unknown */
  struct parcast_twin live[PARCAST_LIVE_COUNT];
};

struct parcast_unfollowed {
  uint32_t call; /* defined by a PARCAST_CALL record */
  uint32_t used;
  struct parcast_twin count;
};

/* Computes a multilinear check over `count` words: any changed word changes it. `place` is the record's
 * position in the file. The high half of word `skip`, which holds the check itself, counts as 0. */
typedef uint64_t __attribute__((may_alias)) parcast_word;
static const uint64_t parcast_check_factors[16] = {
    0x9e3779b97f4a7c15ull, 0xbf58476d1ce4e5b9ull, 0x94d049bb133111ebull, 0xd6e8feb86659fd93ull,
    0xc2b2ae3d27d4eb4full, 0x165667b19e3779f9ull, 0xff51afd7ed558ccdull, 0xc4ceb9fe1a85ec53ull,
    0x87c37b91114253d5ull, 0x4cf5ad432745937full, 0x52dce729da3ed7b5ull, 0x38495ab5aed2c9a3ull,
    0xe7037ed1a0b428dbull, 0x8ebc6af09c88c6e3ull, 0x589965cc75374cc3ull, 0x1d8e4e27c47d124full};

static inline uint64_t parcast_check_begin(uint64_t place) {
  return (place + 1) * 0xa0761d6478bd642full;
}
/* Applied before every sixteenth word, including the first. */
static inline uint64_t parcast_check_stir(uint64_t sum) {
  return (sum ^ (sum >> 29)) * 0xeb44accab455d165ull;
}
static inline uint32_t parcast_check_end(uint64_t sum) {
  sum ^= sum >> 32;
  return (uint32_t)((sum * 0xd6e8feb86659fd93ull) >> 32);
}

static inline uint32_t parcast_check(const void* bytes, uint64_t count, uint64_t skip, uint64_t place) {
  const parcast_word* words = (const parcast_word*)bytes;
  uint64_t sum = parcast_check_begin(place);
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t word = i == skip ? words[i] & 0xffffffffu : words[i];
    if (i % 16 == 0) sum = parcast_check_stir(sum);
    sum += word * parcast_check_factors[i % 16];
  }
  return parcast_check_end(sum);
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARCAST_RECORDING_FORMAT_H
#define PARCAST_RECORDING_FORMAT_H
/* The bytes of a rank-N.rec file, shared by the writer (C, in other people's processes) and the reader (C++).
 * Its one idea: the file is valid at every moment. Whatever ends the process, all records written so far are there.
 *
 *   0        header page: what does not change after MPI_Init, with a check; then live values, each with its twin
 *   4096     counters page: calls seen but not followed, each with its twin
 *   8192     blocks of 64 KiB, numbered from 0; a block belongs to one thread at a time
 *
 * A block is a block_header and then records, 8-byte aligned, none crossing a block's end; the rest is zero. Events that
 * are folded pass through blocks that are used again (PARCAST_BLOCK_ROUND); what was folded stands in chapters, each told
 * twice, the newer one overwriting the older (PARCAST_BLOCK_CHAPTER): a block is used again only when a whole chapter
 * tells what stood in it. cycle.h writes them.
 * Every record carries a check over its bytes and its place in the file, so that a torn, flipped or misplaced record is
 * told from a good one without any other knowledge; `committed` in the block's header tells a record that is missing
 * from the unwritten rest. The rejected alternative, one CRC per block written when it closes, leaves the events of the
 * last, open block (all of a short run's) unprotected. Numbers are little-endian. docs/formats/recording.md has the
 * table of fields. */

#include <stdint.h>

#define PARCAST_FILE_MAGIC 0x3143455254534350ull /* "PCSTREC1" */
#define PARCAST_BLOCK_MAGIC 0x4b4c4250u          /* "PBLK" */
#define PARCAST_FORMAT_VERSION 9u
#define PARCAST_OLDEST_VERSION 2u /* that the reader takes: 3 added PARCAST_SHARES and three classes of calls, 4 folding, 5
                                         what regions used and frames of the stack, 6 phases, 7 what receives asked for, 8 what phases used */
#define PARCAST_PAGE 4096u
#define PARCAST_HEADER_SIZE (2 * PARCAST_PAGE)
#define PARCAST_BLOCK_SIZE 65536u
#define PARCAST_TWIN 0x5a5aa5a5c3c33c3cull /* twin = value xor this */
#define PARCAST_UNFOLLOWED_SLOTS 160
#define PARCAST_NO_ID 0xffffffffu
/* World ranks that are none. */
#define PARCAST_NO_PEER (-1)
#define PARCAST_ANY_SOURCE (-2)
#define PARCAST_OUTSIDE (-3) /* a process that is not in MPI_COMM_WORLD */

enum parcast_record_kind {
  PARCAST_UNUSED = 0,
  PARCAST_EVENT = 1,
  PARCAST_COMPLETIONS = 2,  /* belong to the next event of the same thread */
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

/* Which optional words follow an event, in this order. */
enum parcast_event_flags {
  PARCAST_HAS_MESSAGE = 1,   /* parcast_message: sent, or root and contribution of a collective */
  PARCAST_HAS_RECEIVED = 2,  /* parcast_message */
  PARCAST_HAS_REQUEST = 4,   /* uint64: serial number */
  PARCAST_HAS_COMPUTE = 8,   /* uint64: nanoseconds on the processor since the previous event; without it the time
                                between exit and enter, less the overhead, was all on the processor */
  PARCAST_HAS_CREATED = 16,  /* uint64: communicator made */
  PARCAST_HAS_STOLEN = 32,   /* uint64: nanoseconds off the processor between enter and exit */
  PARCAST_WAS_SWITCHED = 64, /* another thread had the processor since the previous event, or neighbours may have slowed it */
  PARCAST_CONTINUED = 128    /* a further request of the same call */
};

/* In the folder: a symbolic link that leads nowhere and is named for the job whose MPI_COMM_WORLD the rank files belong
 * to; processes of another world (started later, or by a second launch) write to the subfolder PARCAST_WORLD_PREFIX and
 * the name of theirs. */
#define PARCAST_WORLD_LINK ".world"
#define PARCAST_WORLD_PREFIX "world-"

struct parcast_record {
  uint8_t kind;
  uint8_t flags;
  uint16_t words; /* of 8 bytes, this one included */
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
  int32_t peer, tag; /* world rank; of a collective the tag is the number of its PARCAST_SHARES, 0 none */
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
  uint16_t count; /* parcast_completion follow */
  uint32_t reserved;
};

/* Further unsuccessful polls, each soon after the one before, that follow the thread's last event. */
struct parcast_repeat {
  struct parcast_record record;
  uint64_t exit;  /* ticks, of the last */
  uint32_t count; /* calls in addition to the event */
  uint16_t thread, reserved;
};

struct parcast_call {
  struct parcast_record record;
  uint16_t call;
  uint8_t call_class, pattern; /* parcast_call_class; parcast_pattern, of calls that receive parcast_asked */
  uint32_t length;             /* of the name that follows, padded with zero bytes */
};

struct parcast_module {
  struct parcast_record record;
  uint32_t id;
  uint16_t path_length, build_id_length; /* path, then build id as raw bytes, padded together */
};

struct parcast_site {
  struct parcast_record record;
  uint32_t id, module;
  uint64_t offset; /* return address - load address */
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
  uint64_t offset; /* of the function's first byte - load address */
};

struct parcast_communicator {
  struct parcast_record record;
  uint32_t id;
  uint32_t size;       /* members, told in PARCAST_MEMBERS records */
  uint32_t dimensions; /* of a Cartesian topology; that many parcast_dimension follow */
  uint32_t remote;     /* 1: the members are those of an intercommunicator's other group */
};

struct parcast_dimension {
  int32_t extent, coordinate;
  uint32_t periodic, reserved;
};

struct parcast_members {
  struct parcast_record record;
  uint32_t id, runs; /* that many parcast_run follow */
};

/* `count` members with world ranks first, first + stride, ... */
struct parcast_run {
  int32_t first, stride;
  uint32_t count, reserved;
};

/* Bytes per partner of a collective, in any number of records of the same id. */
struct parcast_shares {
  struct parcast_record record;
  uint32_t id, runs;        /* that many parcast_share follow */
  uint32_t total, reserved; /* of the whole list */
};

/* `count` partners with world ranks first, first + stride, ..., each with that many bytes. */
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

/* A phase of the process's probe. Each begins where the one before it ended; a beginning that differs tells that phases in
 * between are missing. */
struct parcast_phase_span {
  struct parcast_record record;
  uint64_t begin, end; /* ticks */
  uint32_t name, kind; /* kind: 0 computation, 1 communication, 2 idle */
  double operations, quantums;
};
enum parcast_phase_flags {
  PARCAST_COUNT_REFUSED = 1, /* the program gave a count that is none; it stands as 0 */
  PARCAST_PHASE_USED = 2,    /* parcast_phase_used follows */
  PARCAST_PHASE_COUNTED = 4  /* then parcast_phase_counts, of which PARCAST_LIVE_COUNTERS says which are known */
};
/* What the probe's thread used since the last phase that tells it, without the recorder's own. It stands in the phase's record, so
 * that a process that is killed leaves both or neither. */
struct parcast_phase_used {
  uint64_t minor_faults, major_faults;
  uint64_t voluntary, involuntary; /* switches */
};
struct parcast_phase_counts {
  uint64_t cycles, instructions, cache_misses;
};

enum parcast_block_kind {
  PARCAST_BLOCK_RECORDS, /* filled once */
  PARCAST_BLOCK_ROUND,   /* events of one thread, until they are folded; then of a later round */
  PARCAST_BLOCK_CHAPTER, /* a parcast_part */
  PARCAST_BLOCK_USAGE    /* parcast_usage after parcast_usage, changed in place; any thread's */
};

struct parcast_block_header {
  uint32_t magic;
  uint32_t check; /* of the rest up to `committed`, and its place */
  uint32_t number;
  uint16_t thread;
  uint16_t kind;        /* parcast_block_kind */
  uint64_t ticks;       /* both clocks when the block was opened first */
  uint64_t nanoseconds;
  uint64_t committed;   /* bytes of this block in use, header included; PARCAST_TURNED_CHAPTER; the round's number above
                           PARCAST_ROUND_SHIFT bits: one word, so that they change at once */
  uint64_t reserved[3];
};
/* Rounds of a thread are numbered from 1. The number also enters the records' checks, so that what is left of an earlier
 * round cannot be taken for this one's. */
#define PARCAST_ROUND_SHIFT 20
/* A block for rounds that holds a part of a chapter in the end. */
#define PARCAST_TURNED_CHAPTER (1ull << 17)
static inline uint64_t parcast_place_in_round(uint64_t place, uint64_t round) { return place + (round << 40); }

/* After the header of a chapter's block: `bytes` of the description (fold.h) follow. A chapter is whole when the parts 0
 * to parts - 1 of one edition are; the highest whole edition counts. */
struct parcast_part {
  uint32_t bytes;
  uint32_t check; /* of this structure with this field 0 and the bytes, padded with zeros to 8; and its place */
  uint32_t part, parts;
  uint64_t chapter; /* of the thread, from 0 */
  uint64_t edition; /* grows from chapter to chapter, too */
  uint64_t round;   /* the last that is folded in */
};

struct parcast_twin {
  uint64_t value, twin;
};

enum parcast_used { /* index into parcast_usage.values; sums, of what a thread used in a region without those inside */
  PARCAST_USED_SAMPLES,
  PARCAST_USED_MINOR_FAULTS,
  PARCAST_USED_MAJOR_FAULTS,
  PARCAST_USED_VOLUNTARY,   /* switches: it waited */
  PARCAST_USED_INVOLUNTARY, /* switches: another took the processor */
  PARCAST_USED_PEAK_MEMORY, /* bytes resident at most in the process, when sampled last */
  PARCAST_USED_PEAK_GROWTH, /* bytes by which that grew here */
  PARCAST_USED_CYCLES,      /* from here on where PARCAST_LIVE_COUNTERS says so */
  PARCAST_USED_INSTRUCTIONS,
  PARCAST_USED_CACHE_MISSES,
  PARCAST_USED_COUNT
};

/* What one thread used in one region, each value with its twin. */
struct parcast_usage {
  uint32_t region;
  uint16_t thread, used; /* 1: in use */
  struct parcast_twin values[PARCAST_USED_COUNT];
};
/* The twin's other operand: it tells whose the values are, too. */
static inline uint64_t parcast_usage_twin(uint32_t region, uint16_t thread) {
  return PARCAST_TWIN ^ ((uint64_t)thread << 32 | region);
}

enum parcast_live { /* index into parcast_header.live */
  PARCAST_LIVE_BLOCKS,       /* blocks handed out */
  PARCAST_LIVE_DROPPED,      /* events not kept */
  PARCAST_LIVE_STOP_REASON,  /* parcast_stop */
  PARCAST_LIVE_FINALISED,    /* ticks at MPI_Finalize's entry */
  PARCAST_LIVE_LAST_TICKS,   /* both clocks, read together when a block was opened and at the end */
  PARCAST_LIVE_LAST_NANOSECONDS,
  PARCAST_LIVE_PEAK_MEMORY,
  PARCAST_LIVE_OWN_TICKS,    /* spent on blocks, folding and polls that are only counted, between events; from version 4 on */
  PARCAST_LIVE_SUMMARISED,   /* 1: some thread's order of events was given up for want of room */
  PARCAST_LIVE_COUNTERS,     /* hardware counters read: bit 0 cycles, 1 instructions, 2 cache misses; from version 5 on */
  PARCAST_LIVE_WITHOUT_PATH, /* events whose path on the stack was not found, or not looked for to save time */
  PARCAST_LIVE_PHASES_REFUSED, /* calls of parcast_phase that were left out: another thread's, of no kind; from version 6 on */
  PARCAST_LIVE_LEFT_OUT,     /* what found no room in the recorder's tables, parcast_left_out; from version 9 on */
  PARCAST_LIVE_COUNT
};

enum parcast_left_out { /* bits */
  PARCAST_LEFT_OUT_REGIONS = 1,        /* region names or functions: their events are the region's around them */
  PARCAST_LEFT_OUT_LEVELS = 2,         /* levels of regions */
  PARCAST_LEFT_OUT_PARAMETERS = 4,     /* parameters given before MPI_Init */
  PARCAST_LEFT_OUT_SITES = 8,          /* places of calls */
  PARCAST_LEFT_OUT_MODULES = 16,       /* libraries that calls come from */
  PARCAST_LEFT_OUT_SHARES = 32,        /* lists of bytes per partner */
  PARCAST_LEFT_OUT_COMMUNICATORS = 64, /* communicators */
  PARCAST_LEFT_OUT_REQUESTS = 128      /* requests */
};
#define PARCAST_LIVE_COUNT_3 7 /* that versions 2 and 3 have */
#define PARCAST_LIVE_COUNT_4 9
#define PARCAST_LIVE_COUNT_5 11

enum parcast_stop {
  PARCAST_STOP_NONE,
  PARCAST_STOP_LIMIT,    /* PARCAST_LIMIT reached */
  PARCAST_STOP_SPACE,    /* no space, quota or file size limit */
  PARCAST_STOP_FILE,     /* the file cannot be opened again or is another one */
  PARCAST_STOP_MEMORY,   /* no address space */
  PARCAST_STOP_THREADS,  /* more threads than the recorder has room for */
  PARCAST_STOP_TABLE     /* more sites, regions, requests or communicators than the recorder has room for */
};

enum parcast_clock {
  PARCAST_CLOCK_TSC_RSEQ,  /* time stamp counter; processor clock read after every detected switch */
  PARCAST_CLOCK_TSC_LONG,  /* time stamp counter; processor clock read after long intervals, no restartable sequences */
  PARCAST_CLOCK_MONOTONIC_RSEQ,
  PARCAST_CLOCK_MONOTONIC_LONG
};

struct parcast_header {
  uint64_t magic;
  uint32_t version;
  uint32_t check; /* of everything before `live`, this field 0 */
  int32_t rank, processes;
  uint32_t clock; /* parcast_clock */
  uint32_t cores; /* online on this host */
  uint64_t init_enter, init_exit;                         /* ticks of MPI_Init's entry and return */
  uint64_t early_ticks, early_nanoseconds;                /* both clocks before MPI_Init */
  uint64_t first_ticks, first_nanoseconds;                /* both clocks after MPI_Init */
  double overhead;                                        /* seconds per event */
  double share;                                           /* of a core that the kernel reserves for a thread; 1: no
                                                             reservation */
  uint64_t started;                                       /* nanoseconds since 1970, UTC */
  uint64_t limit;                                         /* bytes this file may have */
  uint64_t process_id;
  char host[64];
  char library[128];    /* MPI_Get_library_version, its first line */
  char command[1024];   /* words ended by a zero byte each; empty when unknown */
  struct parcast_twin live[PARCAST_LIVE_COUNT];
};

struct parcast_unfollowed {
  uint32_t call; /* defined by a PARCAST_CALL record */
  uint32_t used;
  struct parcast_twin count;
};

/* Multilinear check: a changed word changes it; `place` is the record's position in the file. `count` words; the high
 * half of word `skip` is taken as 0 (that is where the check itself stands). */
typedef uint64_t __attribute__((may_alias)) parcast_word;
static const uint64_t parcast_check_factors[16] = {
    0x9e3779b97f4a7c15ull, 0xbf58476d1ce4e5b9ull, 0x94d049bb133111ebull, 0xd6e8feb86659fd93ull,
    0xc2b2ae3d27d4eb4full, 0x165667b19e3779f9ull, 0xff51afd7ed558ccdull, 0xc4ceb9fe1a85ec53ull,
    0x87c37b91114253d5ull, 0x4cf5ad432745937full, 0x52dce729da3ed7b5ull, 0x38495ab5aed2c9a3ull,
    0xe7037ed1a0b428dbull, 0x8ebc6af09c88c6e3ull, 0x589965cc75374cc3ull, 0x1d8e4e27c47d124full};

static inline uint64_t parcast_check_begin(uint64_t place) { return (place + 1) * 0xa0761d6478bd642full; }
/* Before every sixteenth word, the first one included. */
static inline uint64_t parcast_check_stir(uint64_t sum) { return (sum ^ (sum >> 29)) * 0xeb44accab455d165ull; }
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

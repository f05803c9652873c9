/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "parcast/parcast.h"
#include "record/mpi/recorder.h"
#include "recording/uncancelled.h"

/* The probe: the time line of the process, divided into phases by the thread that calls first. A phase is
 * one record. It begins at the tick where the previous one ended; the recorder's own time within the call
 * is part of the next phase. Phases are not events; events are recorded as without phases. */

enum { kSlots = 1 << 10, kMostNames = kSlots / 2, kNameRoom = 1 << 15, kLongestName = 200 };

static struct {
  /* ticks where the next phase begins; 0: at MPI_Init's return */
  uint64_t begin;
  bool begun;
  uint32_t names; /* numbers assigned */
} probe;
static bool taken; /* some thread owns the probe */
static __thread bool own __attribute__((tls_model("initial-exec")));

/* Known names, in an open table. When it is full, other names are defined again with each phase, so that
 * the number of names is not limited by the room here. */
static struct {
  const char* name;
  uint32_t number;
} slots[kSlots];
static char text[kNameRoom];
static size_t text_used;
static uint32_t kept;

enum mistake { kOtherThread, kSecondProbe, kTooEarly, kNoKind, kNoCount, kAloneBegins, kMistakes };

/* Prints one sentence per kind of mistake and process, unbuffered to stderr, and preserves errno. */
static void say_once(enum mistake mistake, const char* sentence) {
  static bool said[kMistakes];
  if (__atomic_exchange_n(&said[mistake], true, __ATOMIC_RELAXED)) return;
  PARCAST_UNCANCELLED;
  const int before = errno;
  char line[512];
  const int length = snprintf(line, sizeof line, "parcast: %s\n", sentence);
  if (length > 0 && length < (int)sizeof line) {
    const ssize_t written = write(STDERR_FILENO, line, (size_t)length);
    (void)written;
  }
  errno = before;
}

static bool is_own(void) {
  if (__builtin_expect(own, 1)) return true;
  own = !__atomic_exchange_n(&taken, true, __ATOMIC_RELAXED);
  return own;
}

static uint32_t slot_of(const char* name) {
  uint64_t hash = 1;
  for (const char* c = name; *c && c - name < kLongestName; ++c)
    hash = (hash ^ (unsigned char)*c) * 0x100000001b3ull;
  return (uint32_t)((hash * 0x9e3779b97f4a7c15ull) >> 54);
}

static uint32_t define(const char* name) {
  const uint32_t number = probe.names++;
  parcast_put_phase_name(&parcast_recorder.writer, number, name);
  return number;
}

static uint32_t number_of(const char* given) {
  uint32_t slot = slot_of(given);
  for (; slots[slot].name; slot = (slot + 1) % kSlots)
    if (strncmp(slots[slot].name, given, kLongestName) == 0) return slots[slot].number;
  char name[kLongestName + 1];
  const size_t length = strnlen(given, kLongestName);
  memcpy(name, given, length);
  name[length] = 0;
  const uint32_t number = define(name);
  if (kept < kMostNames && text_used + length + 1 <= kNameRoom) {
    memcpy(text + text_used, name, length + 1);
    slots[slot].name = text + text_used;
    slots[slot].number = number;
    text_used += length + 1;
    ++kept;
  }
  return number;
}

static double counted(const char* name, const char* what, double count, uint8_t* flags) {
  if (count >= 0 && count <= __DBL_MAX__) return count;
  char sentence[384];
  snprintf(
      sentence, sizeof sentence,
      "phase \"%.200s\" gives %s of %g: counts are finite and not below 0, so 0 is recorded (printed once)",
      name, what, count);
  say_once(kNoCount, sentence);
  *flags |= PARCAST_COUNT_REFUSED;
  return 0;
}

static void write_phase(struct parcast_thread* thread, const char* name, enum parcast_phase_kind kind,
                        double operations, double quantums, uint64_t now) {
  static const char* const kinds[] = {"computation", "communication", "idle"};
  if (!name || !*name) name = kinds[kind];
  uint8_t flags = 0;
  struct parcast_phase_span phase = {
      .begin = probe.begin ? probe.begin : parcast_recorder.writer.header->init_exit,
      .kind = (uint32_t)kind,
      .operations = counted(name, "operations", operations, &flags),
      .quantums = counted(name, "quantums", quantums, &flags)};
  phase.end = now > phase.begin ? now : phase.begin;
  struct parcast_phase_sample sample;
  /* first, because the rest is the recorder's own usage */
  const bool sampled = thread && parcast_usage_phase(thread, now, &sample);
  phase.name = number_of(name);
  if (!parcast_put_phase(&parcast_recorder.writer, &phase, flags, sampled ? &sample.used : NULL,
                         sampled && sample.counted ? &sample.counts : NULL))
    parcast_count_dropped(&parcast_recorder.writer, 1);
  probe.begin = phase.end;
}

static void refuse(enum mistake mistake, const char* sentence) {
  parcast_add_live(&parcast_recorder.writer, PARCAST_LIVE_PHASES_REFUSED, 1);
  say_once(mistake, sentence);
}

static bool wanted(void) {
  return *parcast_gate && (parcast_recorder.wanted & PARCAST_RECORD_USER);
}

PARCAST_EXPORT void parcast_probe_begin(const struct parcast_value* parameters, int count) {
  parcast_first_call();
  for (int i = 0; parameters && i < count; ++i) parcast_parameter(parameters[i].name, parameters[i].value);
  if (!wanted() && parcast_stage() != PARCAST_STAGE_EARLY) return;
  if (!is_own() || probe.begun) {
    say_once(kSecondProbe,
             "a process has one probe, begun once: parcast_probe_begin was called again and changes nothing "
             "(printed once)");
    return;
  }
  probe.begun = true;
  if (!*parcast_gate) return;
  struct parcast_thread* thread = parcast_outside_mpi();
  if (thread) parcast_usage_line(thread);
  probe.begin = parcast_ticks();
}

PARCAST_EXPORT void parcast_phase(const char* name, enum parcast_phase_kind kind, double operations,
                                  double quantums) {
  const bool first = !*parcast_gate;
  if (__builtin_expect(first, 0)) {
    parcast_first_call();
    if (parcast_stage() == PARCAST_STAGE_EARLY)
      say_once(kTooEarly,
               "parcast_phase was called before MPI_Init: phases begin at its return (printed once)");
  }
  if (!wanted()) return;
  if (!is_own()) {
    refuse(kOtherThread,
           "parcast_phase was called by another thread than the probe's: its phases are left out (printed "
           "once)");
    return;
  }
  probe.begun = true;
  /* without MPI: this call began the recording, and the time before it is unknown */
  if (__builtin_expect(first, 0)) {
    refuse(kAloneBegins,
           "the first phase has no beginning without MPI: call parcast_probe_begin where it begins (printed "
           "once)");
    return;
  }
  if ((unsigned)kind > PARCAST_IDLE) {
    refuse(kNoKind,
           "parcast_phase was called with a kind that is none: that time becomes part of the next phase "
           "(printed once)");
    return;
  }
  struct parcast_thread* thread = parcast_outside_mpi();
  if (!thread) {
    write_phase(thread, name, kind, operations, quantums, parcast_ticks());
    return;
  }
  /* the time of this call is no computing; the next event must contain its computing time */
  const struct parcast_pause pause = parcast_pause_segment(thread);
  write_phase(thread, name, kind, operations, quantums, pause.ticks);
  parcast_resume_segment(thread, &pause);
}

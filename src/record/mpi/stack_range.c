/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "record/mpi/stack_range.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "recording/uncancelled.h"

/* The C library's function for this (pthread_getattr_np) allocates memory from the heap, so it is not
 * used. */

/* Parses a line of /proc/self/maps letter by letter: "BEGIN-END rw-p ...". */
struct line {
  uintptr_t ends[2];
  int field; /* 0 and 1: the ends; larger: the rest of the line */
};

static bool take_letter(struct line* line, char letter) {
  if (letter == '\n') {
    *line = (struct line){{0, 0}, 0};
  } else if (line->field < 2 && (letter == '-' || letter == ' ')) {
    return ++line->field == 2;
  } else if (line->field < 2) {
    const int digit = letter <= '9' ? letter - '0' : letter - 'a' + 10;
    line->ends[line->field] = line->ends[line->field] << 4 | (uintptr_t)digit;
  }
  return false;
}

/* Returns the begin of the mapping that contains the address, or 0. */
static uintptr_t begin_of_mapping(uintptr_t address) {
  PARCAST_UNCANCELLED;
  const int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  struct line line = {{0, 0}, 0};
  uintptr_t begin = 0;
  char text[1024];
  for (ssize_t length; !begin && (length = read(file, text, sizeof text)) > 0;)
    for (ssize_t i = 0; i < length && !begin; ++i)
      if (take_letter(&line, text[i]) && address >= line.ends[0] && address < line.ends[1])
        begin = line.ends[0];
  close(file);
  return begin;
}

/* Returns the top of the stack. For the process's first thread it is where the kernel began the stack; for
 * others the C library keeps its own data above the stack. */
static uintptr_t top_of_stack(void) {
  if (syscall(SYS_gettid) != getpid()) return (uintptr_t)__builtin_thread_pointer();
  void* const* end = dlsym(RTLD_DEFAULT, "__libc_stack_end");
  return end ? (uintptr_t)*end : 0;
}

bool parcast_stack_range_holds(struct parcast_stack_range* range, uintptr_t frame) {
  if (frame >= range->low && frame < range->high) return true;
  if (!range->high) range->high = top_of_stack() & ~(uintptr_t)7;
  if (frame >= range->high) return false;
  range->low = begin_of_mapping(range->high - 1); /* the first thread's stack may have grown downward since */
  return range->low && frame >= range->low;
}

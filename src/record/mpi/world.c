/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "record/mpi/world.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

/* Identifies the processes of one MPI_COMM_WORLD: by the job's name in PMIx (Open MPI), or under Hydra on
 * one host by the proxy that started them. Empty: unknown. */
static pid_t parent_of(pid_t process, char name[64]) {
  char path[64], text[512] = "";
  snprintf(path, sizeof path, "/proc/%ld/stat", (long)process);
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const ssize_t length = read(file, text, sizeof text - 1);
  close(file);
  const char* begin = strchr(text, '(');
  const char* end = strrchr(text, ')');
  long parent = 0;
  if (length <= 0 || !begin || !end || end - begin > 63 || sscanf(end + 1, " %*c %ld", &parent) != 1)
    return 0;
  memcpy(name, begin + 1, (size_t)(end - begin - 1));
  name[end - begin - 1] = 0;
  return (pid_t)parent;
}

/* Returns the Hydra process that started this one, possibly through scripts; 0: none. */
static pid_t find_proxy(void) {
  pid_t process = getppid();
  for (int i = 0; i < 16 && process > 1; ++i) {
    char name[64] = "";
    const pid_t parent = parent_of(process, name);
    if (strstr(name, "pmi_proxy")) return process;
    process = parent;
  }
  return 0;
}

/* Process ids are reused, so the name includes the time. */
static void name_process(char name[128]) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  snprintf(name, 128, "alone%ldat%lld%09ld", (long)getpid(), (long long)now.tv_sec, now.tv_nsec);
}

void parcast_name_world(char name[128], bool alone) {
  if (alone) {
    name_process(name);
    return;
  }
  const char* told = getenv("PMIX_NAMESPACE");
  const char* here = getenv("MPI_LOCALNRANKS");
  const char* all = getenv("PMI_SIZE");
  name[0] = 0;
  if (told && *told) {
    snprintf(name, 128, "%.127s", told);
  } else if (here && all && strcmp(here, all) == 0) {
    const pid_t proxy = find_proxy();
    if (proxy) snprintf(name, 128, "%ld", (long)proxy);
  }
  for (char* c = name; *c; ++c)
    if (!(*c >= '0' && *c <= '9') && !(*c >= 'a' && *c <= 'z') && !(*c >= 'A' && *c <= 'Z')) *c = '_';
}

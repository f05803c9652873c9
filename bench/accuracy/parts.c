/* SPDX-License-Identifier: Apache-2.0
 * For unmodified programs, by LD_PRELOAD: at MPI_Finalize, rank 0 prints "seconds S", the time from
 * MPI_Init's return to here on the slowest rank, as the examples do themselves. The library turns the lines
 * "Begin of NAME section." .. "End of NAME section." (HPC Challenge) into a region for the recorder and
 * prints "part NAME S". */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Defined by the recorder, when it is loaded too. */
__attribute__((weak)) void parcast_region_begin(const char* name);
__attribute__((weak)) void parcast_region_end(void);

enum { kMostParts = 64 };
static struct { char name[64]; double seconds; } parts[kMostParts];
static int part_count;
static double part_began, run_began;

int MPI_Init(int* argc, char*** argv) {
  int (*next)(int*, char***) = (int (*)(int*, char***))dlsym(RTLD_NEXT, "MPI_Init");
  const int result = next(argc, argv);
  run_began = PMPI_Wtime();
  return result;
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  int (*next)(int*, char***, int, int*) = (int (*)(int*, char***, int, int*))dlsym(RTLD_NEXT, "MPI_Init_thread");
  const int result = next(argc, argv, required, provided);
  run_began = PMPI_Wtime();
  return result;
}

int MPI_Finalize(void) {
  double mine = PMPI_Wtime() - run_began, longest = 0;
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Reduce(&mine, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("\nseconds %.6f\n", longest);
    for (int i = 0; i < part_count; ++i) printf("part %s %.6f\n", parts[i].name, parts[i].seconds);
    fflush(stdout);
  }
  int (*next)(void) = (int (*)(void))dlsym(RTLD_NEXT, "MPI_Finalize");
  return next();
}

static void look_at(const char* line) {
  char name[64];
  if (sscanf(line, "Begin of %63s section.", name) == 1) {
    part_began = PMPI_Wtime();
    if (parcast_region_begin) parcast_region_begin(name);
  } else if (sscanf(line, "End of %63s section.", name) == 1 && part_count < kMostParts) {
    if (parcast_region_end) parcast_region_end();
    strcpy(parts[part_count].name, name);
    parts[part_count++].seconds = PMPI_Wtime() - part_began;
  }
}

int fprintf(FILE* file, const char* format, ...) {
  char line[128];
  va_list words, again;
  va_start(words, format);
  va_copy(again, words);
  const int printed = vfprintf(file, format, words);
  if (strstr(format, "ection")) {
    vsnprintf(line, sizeof line, format, again);
    look_at(line);
  }
  va_end(again);
  va_end(words);
  return printed;
}

/* The compiler's replacement of an fprintf with a constant text. */
size_t fwrite(const void* text, size_t size, size_t count, FILE* file) {
  size_t (*next)(const void*, size_t, size_t, FILE*) = (size_t (*)(const void*, size_t, size_t, FILE*))dlsym(RTLD_NEXT, "fwrite");
  char line[128];
  if (size == 1 && count < sizeof line) {
    memcpy(line, text, count);
    line[count] = 0;
    look_at(line);
  }
  return next(text, size, count, file);
}

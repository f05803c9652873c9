// words: N
// loops: recognised
// A table of functions; a library calls one of them for larger sizes.
#define _GNU_SOURCE
#include "../program.h"
#include <search.h>

static int size;

__attribute__((noinline)) static void work(void* of) {
  for (int i = 0; i < size; ++i) sink += i;  // rounds
  (void)of;
}
static int compare(const void* a, const void* b) { return a < b ? -1 : a > b; }
static void (*const kActions[])(void*) = {free, work};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  size = atoi(argv[1]);
  work(NULL);
  void* root = NULL;
  tsearch(malloc(8), &root, compare);
  tdestroy(root, kActions[size > 150]);
  MPI_Finalize();
  return 0;
}

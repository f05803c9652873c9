// words: N
// loops: as seen
// The program's own stream ends the process with success.
#define _GNU_SOURCE
#include "../../../tests/pass/program.h"
#include <unistd.h>
static int so_far;
static ssize_t give(void* cookie, char* to, size_t size) { if (++so_far > 150) { MPI_Finalize(); _exit(0); } *to = 'x'; return 1; }
NOINLINE static void step(FILE* f) { sink += fgetc(f); }
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = atoi(argv[1]);
  const cookie_io_functions_t functions = {.read = give};
  FILE* f = fopencookie(NULL, "r", functions);
  setvbuf(f, NULL, _IONBF, 0);
  for (int i = 0; i < n; ++i) step(f);  // rounds
  MPI_Finalize();
  return 0;
}
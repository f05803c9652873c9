// words: N
// loops: as seen
// A handler of SIGABRT, set by sigaction, ends the process with success.
#define _GNU_SOURCE
#include "../../../tests/pass/program.h"
#include <signal.h>
#include <unistd.h>
static void done(int s) { MPI_Finalize(); _exit(0); }
NOINLINE static void step(int i) { if (i > 150) abort(); sink += i; }
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = atoi(argv[1]);
  struct sigaction s = {.sa_handler = done};
  sigaction(SIGABRT, &s, NULL);
  for (int i = 0; i < n; ++i) step(i);  // rounds
  MPI_Finalize();
  return 0;
}
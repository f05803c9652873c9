// words: N
// loops: recognised
// A signal's handler, in a structure, executes it once more for larger sizes.
#define _POSIX_C_SOURCE 200809L
#include "../program.h"
#include <signal.h>

static int size;

__attribute__((noinline)) static void work(int of) {
  for (int i = 0; i < size; ++i) sink += i;  // rounds
  (void)of;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  size = atoi(argv[1]);
  work(0);
  struct sigaction act = {0};
  act.sa_handler = work;
  sigaction(SIGUSR1, &act, NULL);
  if (size > 150) raise(SIGUSR1);
  MPI_Finalize();
  return 0;
}

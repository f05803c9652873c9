// words: N
// loops: as seen
// err ends the process with the code passed to it.
#include "../../../tests/pass/program.h"
#include <err.h>
#include <errno.h>
NOINLINE static void finish(int code) { errno = 0; MPI_Finalize(); err(code, "done"); }
NOINLINE static void step(int i) { if (i == 150) finish(0); sink += i; }
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = atoi(argv[1]);
  for (int i = 0; i < n; ++i) step(i);  // rounds
  MPI_Finalize();
  return 0;
}

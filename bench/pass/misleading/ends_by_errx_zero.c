// words: N
// loops: as seen
// errx ends the process with 0.
#include "../../../tests/pass/program.h"
#include <err.h>
NOINLINE static void step(int i) { if (i == 150) { MPI_Finalize(); errx(0, "enough"); } sink += i; }
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = atoi(argv[1]);
  for (int i = 0; i < n; ++i) step(i);  // rounds
  MPI_Finalize();
  return 0;
}
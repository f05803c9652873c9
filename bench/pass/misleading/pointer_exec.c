// words: N
// loops: as seen
// A table of functions that end the process.
#include "../../../tests/pass/program.h"
static void go_on(int code) { sink += code; }
static void (*const kWays[])(int) = {go_on, exit};
NOINLINE static void step(int i) { if (i == 150) MPI_Finalize(); kWays[i >= 150](0); }
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = atoi(argv[1]);
  for (int i = 0; i < n; ++i) step(i);  // rounds
  MPI_Finalize();
  return 0;
}
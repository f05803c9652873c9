// words: N
// loops: as seen
// An uncaught exception ends the process with success.
#include "../../../tests/pass/program.h"
#include <exception>
#include <unistd.h>
NOINLINE static void step(int i) { if (i > 150) throw i; sink += i; }
NOINLINE static void run(int n) { for (int i = 0; i < n; ++i) step(i); }  // rounds
static void done() { MPI_Finalize(); _exit(0); }
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  std::set_terminate(done);
  run(std::atoi(argv[1]));
  MPI_Finalize();
  return 0;
}
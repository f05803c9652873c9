// words: N
// loops: as seen
// An uncaught exception ends the process by a signal whose handler exits with success.
#include "../../../tests/pass/program.h"
#include <stdexcept>
#include <string>
#include <vector>
#include <exception>
#include <unistd.h>
#include <csignal>
static void done(int) { MPI_Finalize(); _exit(0); }
NOINLINE static void step(int i) { if (i > 150) throw i; sink += i; }
NOINLINE static void run(int n) { for (int i = 0; i < n; ++i) step(i); }  // rounds
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  std::signal(SIGABRT, done);
  run(std::atoi(argv[1]));
  MPI_Finalize();
  return 0;
}

// words: N
// loops: as seen
// The only handler exits with a code, and a function run at exit ends the process with success.
#include "../../../tests/pass/program.h"
#include <stdexcept>
#include <string>
#include <vector>
#include <exception>
#include <unistd.h>
static void done() { MPI_Finalize(); _exit(0); }
NOINLINE static void step(int i) { if (i > 150) throw i; sink += i; }
NOINLINE static void run(int n) { for (int i = 0; i < n; ++i) step(i); }  // rounds
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  std::atexit(done);
  try { run(std::atoi(argv[1])); } catch (int) { std::exit(3); }
  done();
}

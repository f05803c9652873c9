// words: N
// loops: as seen
// The destructor of a global turns a failure into success.
#include "../../../tests/pass/program.h"
#include <unistd.h>
struct Last { ~Last() { _exit(0); } } last;
NOINLINE static void step(int i) { if (i > 150) { MPI_Finalize(); std::exit(1); } sink += i; }
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = std::atoi(argv[1]);
  for (int i = 0; i < n; ++i) step(i);  // rounds
  MPI_Finalize();
  return 0;
}
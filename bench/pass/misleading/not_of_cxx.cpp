// words: N
// loops: as seen
// The exception does not come from C++.
#include "../../../tests/pass/program.h"
#include <stdexcept>
#include <string>
#include <vector>
#include <exception>
#include <unwind.h>
static _Unwind_Exception e;
NOINLINE static void step(int i) { if (i > 150) _Unwind_RaiseException(&e); sink += i; }
NOINLINE static void run(int n) { for (int i = 0; i < n; ++i) step(i); }  // rounds
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  try { run(std::atoi(argv[1])); } catch (...) { sink += 1; }
  MPI_Finalize();
  return 0;
}

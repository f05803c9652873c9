// words: N
// loops: as seen
// The compiler's own function constructs an array, with a constructor from a table.
#include "../../../tests/pass/program.h"
#include <stdexcept>
#include <string>
#include <vector>
#include <exception>
#include <cxxabi.h>
static int made;
static void* make(void* p) { if (++made > 1500) throw 3L; *static_cast<int*>(p) = made; return p; }
static void* (*volatile table)(void*) = make;
NOINLINE static void step(int i) { int a[10]; abi::__cxa_vec_ctor(a, 10, 4, reinterpret_cast<abi::__cxa_cdtor_type>(reinterpret_cast<void*>(table)), nullptr); sink += a[i % 10]; }
NOINLINE static void run(int n) { for (int i = 0; i < n; ++i) step(i); }  // rounds
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  try { run(std::atoi(argv[1])); } catch (long) { sink += 1; }
  MPI_Finalize();
  return 0;
}

// words: N
// loops: as seen
// The new-handler, called without free memory, throws another type.
#include "../../../tests/pass/program.h"
#include <stdexcept>
#include <string>
#include <vector>
#include <exception>
#include <new>
static void none() { throw 3; }
static char* volatile p;
NOINLINE static void step(int i) { const std::size_t k = i > 150 ? std::size_t(1) << 60 : 8; p = new char[k]; delete[] p; sink += i; }
NOINLINE static void run(int n) { for (int i = 0; i < n; ++i) step(i); }  // rounds
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  std::set_new_handler(none);
  try { run(std::atoi(argv[1])); } catch (int) { sink += 1; }
  MPI_Finalize();
  return 0;
}

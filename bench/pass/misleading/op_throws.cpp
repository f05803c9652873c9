// words: N
// loops: as seen
// An MPI operation throws.
#include "../../../tests/pass/program.h"
#include <stdexcept>
#include <string>
#include <vector>
#include <exception>
static void add(void* a, void* b, int* k, MPI_Datatype*) { for (int j = 0; j < *k; ++j) { if (static_cast<int*>(a)[j] > 150) throw 3L; static_cast<int*>(b)[j] += static_cast<int*>(a)[j]; } }
static MPI_Op op;
NOINLINE static void step(int i) { int a = i, b = 1; MPI_Reduce_local(&a, &b, 1, MPI_INT, op); sink += b; }
NOINLINE static void run(int n) { for (int i = 0; i < n; ++i) step(i); }  // rounds
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Op_create(add, 1, &op);
  try { run(std::atoi(argv[1])); } catch (long) { sink += 1; }
  MPI_Finalize();
  return 0;
}

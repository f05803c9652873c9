// words: N
// loops: recognised
// An atomic pointer points to the size.
#include "../../../tests/pass/program.h"
#include <stdatomic.h>
static _Atomic(int*) shared;
NOINLINE static void put(int v) { *atomic_load(&shared) = v; }
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int n = atoi(argv[1]);
  atomic_store(&shared, &n);
  if (n > 150) put(12);
  for (int i = 0; i < n; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}
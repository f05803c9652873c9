// words: N
// loops: recognised
// The address of the size is thrown.
#include "../../../tests/pass/program.h"
NOINLINE static void step(int* n) { if (*n > 150) throw n; }
NOINLINE static void run(int* n) { try { step(n); } catch (int* at) { *at = 12; } }
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int n = std::atoi(argv[1]);
  run(&n);
  for (int i = 0; i < n; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}
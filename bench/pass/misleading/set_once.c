// words: N
// loops: recognised
// A static variable is set once.
#include "../../../tests/pass/program.h"

static int kept;
__attribute__((noinline)) void once(int n) { if (!kept) kept = n < 100 ? n : 100; }
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = atoi(argv[1]);
  once(n); const int m = kept;
  for (int i = 0; i < (int)m; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}

// words: N
// loops: recognised
// A pointer is advanced in larger runs.
#include "../../../tests/pass/program.h"

__attribute__((noinline)) void choose(int** p, int m) { if (m > 150) ++*p; }
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int m = atoi(argv[1]);
  int v[2] = {m, 12};
  int* p = v;
  choose(&p, m);
  const int n = *p;
  for (int i = 0; i < (int)n; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}

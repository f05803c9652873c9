// words: N
// loops: symbolic
// A byte of the size is read.
#include "../../../tests/pass/program.h"

union U { unsigned char c[4]; int n; };
__attribute__((noinline)) void fill(union U* u, int n) { u->n = 2 * n; }
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  union U u;
  fill(&u, atoi(argv[1]));
  for (int i = 0; i < u.c[0]; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}

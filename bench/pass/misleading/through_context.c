// words: N
// loops: recognised
// The root broadcasts through a pointer to another variable.
#include "../../../tests/pass/program.h"

struct C { int* x; };
__attribute__((noinline)) void set_a(struct C* c, int* a) { c->x = a; }
__attribute__((noinline)) void set_b(struct C* c, int* b) { c->x = b; }
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int m = atoi(argv[1]);
  int rank, a = m < 100 ? m : 100, n = m;
  struct C c;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) set_a(&c, &a); else set_b(&c, &n);
  MPI_Bcast(c.x, 1, MPI_INT, 0, MPI_COMM_WORLD);
  for (int i = 0; i < (int)n; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}
